#include "cuda/fibers/model/start.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/math/elementary.h"
#include "cuda/core/math/random.h"
#include "cuda/core/simulation/format.h"

namespace perturb::fibers {

namespace {

// Of a uniform distribution with the standard deviation 1: half its width.
const double uniform_half_width = std::sqrt(3.0);

}  // namespace

std::vector<double> draw_fiber_lengths(const Parameters& p, int count, std::uint32_t seed, std::uint64_t stream) {
  if (!(p.length_spread > 0)) return {};
  std::vector<double> halves;
  for (int k = 0; k < count; ++k) {
    // From -1 to 1: the middle of the k-th of `count` even shares, so that the mean is exact.
    const double place = (2.0 * k + 1 - count) / count;
    // Of an odd number, the one in the middle keeps the mean.
    const double side = place < 0 ? -1 : place > 0 ? 1 : 0;
    halves.push_back(1 + p.length_spread * (p.lengths == LengthKind::uniform ? uniform_half_width * place : side));
  }
  // Fisher & Yates.
  for (int k = count - 1; k > 0; --k) {
    const Random4 r = philox(seed, 900001 + stream, static_cast<std::uint64_t>(k));
    const int other = std::min(k, static_cast<int>(uniform_double(r.v[0], r.v[1]) * (k + 1)));
    std::swap(halves[static_cast<std::size_t>(k)], halves[static_cast<std::size_t>(other)]);
  }
  return halves;
}

double shortest_fiber_drawn(const Parameters& p) {
  return 1 - p.length_spread * (p.lengths == LengthKind::uniform ? uniform_half_width : 1);
}

void require_slender(const Parameters& p, double half, const Message& what, const Message& remedy) {
  if (fiber_d(p.slenderness / half) > fiber_lambda(p.terms)) return;
  const double least = p.slenderness * exponential(0.5 * (fiber_lambda(p.terms) + 1));
  throw InputError(
      Message("{} has the half-length {}. With {} {} and {} {}, fibers below {} are too thick for the method.", what,
              with_unit(format_number(half, 4), "length"), parameter_name("slenderness"), format_number(p.slenderness),
              parameter_name("terms"), p.terms, with_unit(format_number(least, 4), "length")) +
      remedy);
}

Lengths::Lengths(Backend& backend, std::vector<double> half) {
  if (std::all_of(half.begin(), half.end(), [](double one) { return one == 1; })) return;
  device_ = Array<double>(backend, half.size(), "lengths of the fibers");
  constants_ = Array<FiberConstants>(backend, half.size(), "lengths of the fibers");
  device_.upload(half);
  half_ = std::move(half);
}

double Lengths::shortest() const { return half_.empty() ? 1 : *std::min_element(half_.begin(), half_.end()); }
double Lengths::longest() const { return half_.empty() ? 1 : *std::max_element(half_.begin(), half_.end()); }

const FiberConstants* Lengths::constants(double slenderness, int terms) {
  if (half_.empty()) return nullptr;
  if (slenderness != slenderness_ || terms != terms_) {
    std::vector<FiberConstants> own;
    for (const double half : half_) own.emplace_back(slenderness, terms, half);
    constants_.upload(own);
    slenderness_ = slenderness;
    terms_ = terms;
  }
  return constants_.data();
}

namespace {

constexpr int max_tries = 20000;

// Draws positions until one keeps its distance. `place` gives the centre of the k-th try; false: outside the shape.
template <class Place>
void add_fibers(Placement& placement, int count, double min_distance, double box, std::uint32_t seed,
                std::uint64_t stream, std::span<const double> half_lengths, const Place& place) {
  std::uint64_t counter = 0;
  for (int added = 0; added < count; ++added) {
    const double half = half_lengths.empty() ? 1 : half_lengths[static_cast<std::size_t>(added)];
    for (int tries = 0;; ++tries) {
      if (tries == max_tries)
        throw InputError(
            "Cannot place {} fibers with a minimum distance of {}: only {} fit. Raise the radius, or lower the minimum "
            "distance or the number of fibers.",
            count, with_unit(format_number(min_distance), "length"), added);
      const Random4 r = philox(seed, 2 * stream, counter), s = philox(seed, 2 * stream + 1000003, counter);
      const Vector3<double> t = random_direction(seed, 2 * stream + 1, counter++);
      Vector3<double> x{2 * uniform_double(r.v[0], r.v[1]) - 1, 2 * uniform_double(r.v[2], r.v[3]) - 1,
                        2 * uniform_double(s.v[0], s.v[1]) - 1};
      if (!place(x)) continue;
      bool free = true;
      for (int l = 0; free && min_distance > 0 && l < placement.count(); ++l) {
        const double* const at = &placement.position[static_cast<std::size_t>(3 * l)];
        const double* const direction = &placement.tangent[static_cast<std::size_t>(3 * l)];
        Vector3<double> d{x.x - at[0], x.y - at[1], x.z - at[2]};
        if (box > 0)
          d = {d.x - box * std::rint(d.x / box), d.y - box * std::rint(d.y / box), d.z - box * std::rint(d.z / box)};
        const double other = placement.half_of(l), reach = half + other + min_distance;
        if (dot(d, d) > reach * reach) continue;
        free = fiber_distance(d, t, {direction[0], direction[1], direction[2]}, half, other) >= min_distance;
      }
      if (!free) continue;
      placement.add(x, t, half);
      break;
    }
  }
}

}  // namespace

Vector3<double> random_direction(std::uint32_t seed, std::uint64_t stream, std::uint64_t counter) {
  const Random4 r = philox(seed, stream, counter);
  const double z = 2 * uniform_double(r.v[0], r.v[1]) - 1, angle = 2 * M_PI * uniform_double(r.v[2], r.v[3]);
  const double across = std::sqrt(std::max(0.0, 1 - z * z));
  return {across * cosine(angle), across * sine(angle), z};
}

void add_fiber_ball(Placement& placement, int count, Vector3<double> center, double radius, double min_distance,
                    std::uint32_t seed, std::uint64_t stream, std::span<const double> half_lengths) {
  add_fibers(placement, count, min_distance, 0, seed, stream, half_lengths, [&](Vector3<double>& x) {
    if (dot(x, x) > 1) return false;
    x = add_scaled(center, radius, x);
    return true;
  });
}

Placement make_fiber_start(const Parameters& p, int count, std::uint32_t seed) {
  Placement placement;
  const double tilt = p.tilt * M_PI / 180, s = sine(tilt), c = cosine(tilt);
  const std::vector<double> halves = draw_fiber_lengths(p, count, seed, 0);
  const auto half_of = [&](int m) { return halves.empty() ? 1 : halves[static_cast<std::size_t>(m)]; };
  switch (p.start) {
    case Start::cloud:
      add_fiber_ball(placement, count, {0, 0, 0}, p.radius, p.min_distance, seed, 1, halves);
      break;
    case Start::lone:
      // So far apart that each appears alone; one of them is alone to the last digit.
      for (int m = 0; m < count; ++m)
        placement.add(
            {3.0 * (m - 0.5 * (count - 1)), 0, 0},
            count == 1 ? Vector3<double>{s, 0, c}
                       : Vector3<double>{sine(0.5 * M_PI * m / (count - 1)), 0, cosine(0.5 * M_PI * m / (count - 1))},
            half_of(m));
      break;
    case Start::pair:
      // Mirror images: the second is tilted in the opposite direction.
      for (int m = 0; m < count; ++m) {
        const double side = m % 2 == 0 ? -1 : 1;
        placement.add({0.5 * p.gap * side, 0, -4.0 * (m / 2)}, {side * s, 0, c}, half_of(m));
      }
      break;
    case Start::sheet: {
      add_fibers(placement, count, p.min_distance, 0, seed, 3, halves, [&](Vector3<double>& x) {
        x = {p.radius * x.x, p.radius * x.y, 0.25 * x.z};
        return true;
      });
      break;
    }
    case Start::two_clouds: {
      const int above = (count + 1) / 2;
      const std::span<const double> of(halves);
      const auto part = [&](int first, int size) {
        return of.empty() ? of : of.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size));
      };
      add_fiber_ball(placement, above, {0, 0, 1.4 * p.radius}, p.radius, p.min_distance, seed, 1, part(0, above));
      add_fiber_ball(placement, count - above, {0.3 * p.radius, 0, -1.4 * p.radius}, p.radius, p.min_distance, seed, 2,
                     part(above, count - above));
      break;
    }
    case Start::box: {
      const double edge = p.box > 0 ? p.box : 2 * p.radius;
      add_fibers(placement, count, p.min_distance, p.box, seed, 4, halves, [&](Vector3<double>& x) {
        x = {0.5 * edge * x.x, 0.5 * edge * x.y, 0.5 * edge * x.z};
        return true;
      });
      break;
    }
  }
  return placement;
}

double view_of_start(const Parameters& p, int count) {
  switch (p.start) {
    case Start::cloud:
      return 2 * p.radius;
    case Start::lone:
      return std::max(2.0, 1.5 * count + 0.5);
    case Start::pair:
      return std::max(3.0, p.gap + 2.0);
    case Start::sheet:
      return 1.5 * p.radius + 1;
    case Start::two_clouds:
      return 3.4 * p.radius;
    case Start::box:
      return 0.6 * (p.box > 0 ? p.box : 2 * p.radius) + 0.5;
  }
  return 10;
}

}  // namespace perturb::fibers
