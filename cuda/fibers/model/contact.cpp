#include "cuda/fibers/model/contact.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "cuda/core/math/elementary.h"
#include "cuda/fibers/model/balance.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

namespace {

constexpr double contact_slack = 1e-3;  // of the thickness: rounding and the turn of a push stay within it
constexpr int max_contact_passes = 200, max_contact_searches = 8;

Vector3<double> contact_cross(Vector3<double> a, Vector3<double> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// A fiber's length, and its motion when pushed: its own d, and the factors of its centre's and direction's motion
// relative to a fiber of half-length 1 with that d.
struct ContactBody {
  double half, d, centre, turn;
};

class ContactFibers {
 public:
  ContactFibers(double* position, double* tangent, std::size_t fibers, double thickness, double d, double box,
                std::span<const double> half_lengths)
      : x_(position), t_(tangent), fibers_(fibers), thickness_(thickness), box_(box), alike_{1, d, 1, 1} {
    for (const double half : half_lengths) {
      const double own = d + 2 * logarithm(half);
      bodies_.push_back({half, own, own / (d * half), own / (d * half * half * half)});
    }
  }

  const ContactBody& body(int m) const { return bodies_.empty() ? alike_ : bodies_[static_cast<std::size_t>(m)]; }
  double distance(const Pair& pair) const {
    return fiber_distance(separation(pair), load3(t_ + 3 * pair.m), load3(t_ + 3 * pair.l), body(pair.m).half,
                          body(pair.l).half);
  }

  // Pairs closer than `reach`, in order.
  std::vector<Pair> closer_than(double reach) const {
    std::vector<Pair> pairs;
    const auto look = [&](int m, int l) {
      const Pair pair{m, l};
      const Vector3<double> r = separation(pair);
      const double farthest = body(m).half + body(l).half + reach;
      if (dot(r, r) > farthest * farthest) return;
      // The lines through the axes are no farther apart than the axes, and their distance is faster to compute.
      const Vector3<double> c = contact_cross(load3(t_ + 3 * m), load3(t_ + 3 * l));
      const double lines = dot(r, c);
      if (lines * lines > reach * reach * dot(c, c)) return;
      if (distance(pair) < reach) pairs.push_back(pair);
    };
    const int fibers = static_cast<int>(fibers_);
    for (int m = 0; m < fibers; ++m)
      for (int l = m + 1; l < fibers; ++l) look(m, l);
    return pairs;
  }

  // Returns whether they had to be pushed.
  bool push(const Pair& pair) {
    const Vector3<double> r = separation(pair), t = load3(t_ + 3 * pair.m), u = load3(t_ + 3 * pair.l);
    const Nearest nearest = fiber_nearest(r, t, u, body(pair.m).half, body(pair.l).half);
    if (!(nearest.distance < thickness_)) return false;
    Vector3<double> n = add_scaled(add_scaled(r, nearest.first, t), -nearest.second, u);
    if (nearest.distance > 1e-9 * thickness_) {
      n = scaled(1 / nearest.distance, n);
    } else {  // the axes cross: across both, or, of parallel ones, across them
      n = contact_cross(t, u);
      if (!(dot(n, n) > 1e-12)) {
        const Vector3<double> other = std::abs(t.z) < 0.8 ? Vector3<double>{0, 0, 1} : Vector3<double>{1, 0, 0};
        n = add_scaled(other, -dot(other, t), t);
      }
      n = scaled(1 / std::sqrt(dot(n, n)), n);
    }
    const double gives = yield(pair.m, t, n, nearest.first) + yield(pair.l, u, n, nearest.second);
    const double force = ((1 + contact_slack) * thickness_ - nearest.distance) / gives;
    move(pair.m, t, n, nearest.first, force);
    move(pair.l, u, n, nearest.second, -force);
    return true;
  }

 private:
  Vector3<double> separation(const Pair& pair) const {
    return fiber_separation(x_ + 3 * pair.m, x_ + 3 * pair.l, box_);
  }
  // How far position s of a fiber moves along n under a unit force along n there.
  double yield(int m, Vector3<double> t, Vector3<double> n, double s) const {
    const ContactBody& own = body(m);
    const double along = dot(t, n);
    return own.centre * dot(n, lone_velocity(t, n, own.d)) + own.turn * 1.5 * s * s * (1 - along * along);
  }
  void move(int m, Vector3<double> t, Vector3<double> n, double s, double force) {
    const ContactBody& own = body(m);
    store3(x_ + 3 * m, add_scaled(load3(x_ + 3 * m), own.centre * force, lone_velocity(t, n, own.d)));
    const Vector3<double> turned = add_scaled(t, own.turn * 1.5 * s * force, add_scaled(n, -dot(t, n), t));
    store3(t_ + 3 * m, scaled(1 / std::sqrt(dot(turned, turned)), turned));
  }

  double *x_, *t_;
  std::size_t fibers_;
  double thickness_, box_;
  ContactBody alike_;
  std::vector<ContactBody> bodies_;  // of fibers of unequal length
};

}  // namespace

Contacts push_fibers_apart(double* position, double* tangent, std::size_t fibers, double thickness, double d,
                           double box, std::span<const double> half_lengths, const FindNearFibers& find) {
  Contacts contacts;
  for (std::size_t k = 0; k < 3 * fibers; ++k)  // the diagnostics name the fiber
    if (!std::isfinite(position[k] + tangent[k])) return contacts;
  ContactFibers all(position, tangent, fibers, thickness, d, box, half_lengths);
  std::set<std::pair<int, int>> pushed;
  for (int search = 0; search < max_contact_searches; ++search) {
    // Including pairs that a push may bring together: while no point of a fiber moves farther than half a thickness,
    // two fibers farther apart than two thicknesses cannot touch.
    const double reach = 2 * thickness;
    const std::vector<Pair> pairs = find ? find(reach) : all.closer_than(reach);
    contacts.settled =
        std::none_of(pairs.begin(), pairs.end(), [&](const Pair& pair) { return all.distance(pair) < thickness; });
    if (contacts.settled) break;
    const std::vector<double> x(position, position + 3 * fibers), t(tangent, tangent + 3 * fibers);
    // A pair is examined again only if one of its fibers has moved since: its distance is the same otherwise.
    std::vector<int> moved_at(fibers, 0), examined(pairs.size(), -1);
    int now = 0;
    bool any = true;
    for (int pass = 0; any && pass < max_contact_passes; ++pass) {
      any = false;
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const Pair& pair = pairs[k];
        int &moved_m = moved_at[static_cast<std::size_t>(pair.m)],
            &moved_l = moved_at[static_cast<std::size_t>(pair.l)];
        if (std::max(moved_m, moved_l) < examined[k]) continue;
        examined[k] = ++now;
        if (!all.push(pair)) continue;
        moved_m = moved_l = now;
        any = true;
        pushed.insert({pair.m, pair.l});
      }
    }
    double farthest = 0;
    for (std::size_t m = 0; m < fibers; ++m) {
      const Vector3<double> moved = load3(position + 3 * m) - load3(&x[3 * m]),
                            turned = load3(tangent + 3 * m) - load3(&t[3 * m]);
      farthest = std::max(
          farthest, std::sqrt(dot(moved, moved)) + all.body(static_cast<int>(m)).half * std::sqrt(dot(turned, turned)));
    }
    contacts.settled = !any && farthest <= 0.5 * thickness;
    if (contacts.settled) break;
  }
  contacts.pairs = static_cast<int>(pushed.size());
  return contacts;
}

}  // namespace perturb::fibers
