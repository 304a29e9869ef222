// Pairs of fibers against rods of touching beads: another model of the same flow, in a program of its own.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cuda/fibers/fibers.h"
#include "cuda/fibers/kernels/evaluate.h"

namespace perturb::fibers {

namespace {

constexpr int beads = 50;  // of a fiber of the usual slenderness, side by side

// Solves A X = B in place, with a symmetric positive definite A, [n][n], and B, [n][columns]: Cholesky.
void solve_symmetric(std::vector<double>& a, int n, std::vector<double>& b, int columns) {
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i) * n + j; };
  const auto in = [columns](int i, int j) { return static_cast<std::size_t>(i) * columns + j; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = a[at(i, j)];
      for (int k = 0; k < j; ++k) sum -= a[at(i, k)] * a[at(j, k)];
      a[at(i, j)] = i == j ? std::sqrt(sum) : sum / a[at(j, j)];
    }
  for (int c = 0; c < columns; ++c) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < i; ++k) b[in(i, c)] -= a[at(i, k)] * b[in(k, c)];
      b[in(i, c)] /= a[at(i, i)];
    }
    for (int i = n - 1; i >= 0; --i) {
      for (int k = i + 1; k < n; ++k) b[in(i, c)] -= a[at(k, i)] * b[in(k, c)];
      b[in(i, c)] /= a[at(i, i)];
    }
  }
}

struct RodMotion {
  Vector3<double> velocity{0, 0, 0}, spin{0, 0, 0};  // of the centre, and of the tangent
};

// Rods of beads that fall under a weight of 1 each, without torque, in units of 8πη = 1: the forces between the beads
// keep each rod rigid. Mobility of beads: J. Rotne, S. Prager, J. Chem. Phys. 50 (1969) 4831, for beads that do not
// overlap; a bead of radius a alone has 4/(3 a).
std::vector<RodMotion> falling_rods(const Placement& fibers) {
  constexpr double radius = 1.0 / beads;
  const int rods = fibers.count(), n = 3 * beads * rods, motions = 5 * rods;
  std::vector<Vector3<double>> place, axes;
  std::vector<double> along;  // of a bead, from the centre
  for (int m = 0; m < rods; ++m) {
    const Vector3<double> x = load3(&fibers.position[3 * static_cast<std::size_t>(m)]),
                          t = load3(&fibers.tangent[3 * static_cast<std::size_t>(m)]);
    for (int k = 0; k < beads; ++k) {
      along.push_back(radius * (2 * k + 1) - 1);
      place.push_back(add_scaled(x, along.back(), t));
    }
    // Two directions across the rod: it has no spin about its axis.
    const Vector3<double> other = std::abs(t.z) < 0.9 ? Vector3<double>{0, 0, 1} : Vector3<double>{1, 0, 0};
    const Vector3<double> across = add_scaled(other, -dot(other, t), t);
    axes.push_back(scaled(1 / std::sqrt(dot(across, across)), across));
    const Vector3<double> e = axes.back();
    axes.push_back({t.y * e.z - t.z * e.y, t.z * e.x - t.x * e.z, t.x * e.y - t.y * e.x});
  }
  std::vector<double> mobility(static_cast<std::size_t>(n) * n), moves(static_cast<std::size_t>(n) * motions);
  for (int i = 0; i < beads * rods; ++i) {
    const int m = i / beads;
    for (int j = 0; j < beads * rods; ++j) {
      const Vector3<double> r = place[static_cast<std::size_t>(i)] - place[static_cast<std::size_t>(j)];
      const double r2 = dot(r, r), q[3] = {r.x, r.y, r.z}, small = radius * radius / std::max(r2, 1e-300);
      for (int c = 0; c < 3; ++c)
        for (int e = 0; e < 3; ++e)
          mobility[static_cast<std::size_t>(3 * i + c) * n + 3 * j + e] =
              i == j ? (c == e ? 4 / (3 * radius) : 0)
                     : ((c == e ? 1 + 2 * small / 3 : 0) + (1 - 2 * small) * q[c] * q[e] / r2) / std::sqrt(r2);
    }
    for (int c = 0; c < 3; ++c) {
      const std::size_t row = static_cast<std::size_t>(3 * i + c) * motions + 5 * static_cast<std::size_t>(m);
      moves[row + static_cast<std::size_t>(c)] = 1;
      for (std::size_t k = 0; k < 2; ++k) {
        const Vector3<double>& e = axes[2 * static_cast<std::size_t>(m) + k];
        moves[row + 3 + k] = along[static_cast<std::size_t>(i)] * (c == 0 ? e.x : c == 1 ? e.y : e.z);
      }
    }
  }
  std::vector<double> forces = moves;  // of the beads, for each motion of a rod
  solve_symmetric(mobility, n, forces, motions);
  std::vector<double> resistance(static_cast<std::size_t>(motions) * motions),
      motion(static_cast<std::size_t>(motions), 0.0);
  for (int a = 0; a < motions; ++a)
    for (int b = 0; b < motions; ++b)
      for (int k = 0; k < n; ++k)
        resistance[static_cast<std::size_t>(a) * motions + b] +=
            moves[static_cast<std::size_t>(k) * motions + a] * forces[static_cast<std::size_t>(k) * motions + b];
  for (int m = 0; m < rods; ++m) motion[5 * static_cast<std::size_t>(m) + 2] = -1;
  solve_symmetric(resistance, motions, motion, 1);
  std::vector<RodMotion> result;
  for (std::size_t m = 0; m < static_cast<std::size_t>(rods); ++m)
    result.push_back(
        {load3(&motion[5 * m]), scaled(motion[5 * m + 3], axes[2 * m]) + scaled(motion[5 * m + 4], axes[2 * m + 1])});
  return result;
}

// Mean fall of the fibers of a slender-body evaluation, in the beads' units.
double fall_of(Backend& backend, const Placement& fibers) {
  const Evaluation e = evaluate_fibers(backend, fibers, precise_fibers());
  double fall = 0;
  for (std::size_t k = 2; k < e.velocity.size(); k += 3) fall -= e.velocity[k] / fibers.count();
  return fall * fiber_d(precise_fibers().slenderness);
}
double fall_of(const std::vector<RodMotion>& rods) {
  double fall = 0;
  for (const RodMotion& rod : rods) fall -= rod.velocity.z / static_cast<double>(rods.size());
  return fall;
}

struct PairPlacement {
  const char* name;
  Vector3<double> apart, first, second;  // tangents
};

}  // namespace

std::vector<TheoryCheck> check_pairs(Backend& backend) {
  const double tilt = std::sqrt(0.5);
  const PairPlacement pairs[] = {{"upright, side by side", {1, 0, 0}, {0, 0, 1}, {0, 0, 1}},
                                 {"level, one above the other", {0, 0, 1}, {1, 0, 0}, {1, 0, 0}},
                                 {"level and crossed, one above the other", {0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                                 {"upright, in line", {0, 0, 1}, {0, 0, 1}, {0, 0, 1}},
                                 {"at 45 degrees, side by side", {0, 1, 0}, {tilt, 0, tilt}, {tilt, 0, tilt}}};
  std::vector<TheoryCheck> checks;
  for (const double distance : {2.0, 5.0})
    for (const PairPlacement& pair : pairs) {
      // Between ends where the fibers are in line.
      const double centres = distance + (std::abs(dot(pair.apart, pair.first)) > 0.9 ? 2 : 0);
      Placement alone, both;
      alone.add({0, 0, 0}, pair.first);
      both.add({0, 0, 0}, pair.first);
      both.add(scaled(centres, pair.apart), pair.second);
      const double expected = fall_of(falling_rods(both)) - fall_of(falling_rods(alone));
      const double got = fall_of(backend, both) - fall_of(backend, alone);
      checks.push_back({std::string("gain of two fibers, ") + pair.name + ", " + (distance > 2 ? "5" : "2") + " apart",
                        "", expected, got, std::abs(got / expected - 1), distance > 2 ? 0.01 : 0.03,
                        "mean fall less that of one alone, compared with rods of 50 touching beads (Rotne and Prager "
                        "1969), in units of weight/(8πη half-length); relative"});
    }
  for (const double distance : {5.0, 10.0}) {
    Placement both;
    both.add({0, 0, 0}, {0, 0, 1});
    both.add({distance, 0, 0}, {0, 0, 1});
    const double expected = std::abs(falling_rods(both)[0].spin.x);
    const double got =
        std::abs(evaluate_fibers(backend, both, precise_fibers()).spin[0]) * fiber_d(precise_fibers().slenderness);
    checks.push_back({std::string("turning of two upright fibers, ") + (distance > 5 ? "10" : "5") + " apart", "",
                      expected, got, std::abs(got / expected - 1), distance > 5 ? 0.01 : 0.02,
                      "compared with rods of beads, as above"});
  }
  return checks;
}

}  // namespace perturb::fibers
