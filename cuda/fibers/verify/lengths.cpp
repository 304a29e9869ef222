// Checks of fibers of unequal length.
#include <algorithm>
#include <cmath>
#include <string>

#include "cuda/fibers/fibers.h"
#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/kernels/plan.h"
#include "cuda/fibers/model/balance.h"

namespace perturb::fibers {

namespace {

// Four fibers of lengths from a half to twice the usual one, far enough from each other for plain rules of 64 points.
Placement four_unequal_fibers() {
  Placement fibers;
  const double halves[] = {0.5, 1, 1.5, 2};
  for (int m = 0; m < 4; ++m) {
    const Vector3<double> side = random_direction(5, 9, static_cast<std::uint64_t>(m));
    fibers.add(scaled(1 + 1.6 * m, side), random_direction(5, 10, static_cast<std::uint64_t>(m)), halves[m]);
  }
  return fibers;
}

// G(r) f.
Vector3<double> flow_of_force(Vector3<double> r, Vector3<double> f, double doublet) {
  const double r2 = dot(r, r), r1 = std::sqrt(r2), r3 = r1 * r2;
  return scaled(1 / r1 + doublet / r3, f) + scaled(dot(r, f) * (1 / r3 - 3 * doublet / (r3 * r2)), r);
}

// (along I + (along - 4) tt) f: the operator [d (I + tt) + 2 (I - tt)] + (I + tt) K on P_n, along = d + 2 - lambda_n.
Vector3<double> slender_operator(double along, Vector3<double> t, Vector3<double> f) {
  return add_scaled(scaled(along, f), (along - 4) * dot(t, f), t);
}

}  // namespace

TheoryCheck check_length_fall(Backend& backend) {
  const double d = fiber_d(0.01);
  double error = 0, fall = 0, expected = 0;
  for (const double half : {0.5, 2.0}) {
    const double own = d + 2 * std::log(half), tilt = M_PI / 6, s = std::sin(tilt), c = std::cos(tilt);
    Placement upright, tilted;
    upright.add({0, 0, 0}, {0, 0, 1}, half), tilted.add({0, 0, 0}, {s, 0, c}, half);
    fall = -evaluate_fibers(backend, upright, precise_fibers()).velocity[2], expected = own / d;
    const Evaluation e = evaluate_fibers(backend, tilted, precise_fibers());
    error = std::max({error, std::abs(fall - expected), std::abs(std::abs(e.velocity[0]) - (own - 2) / (2 * d) * s * c),
                      std::abs(-e.velocity[2] - (own + 2 + (own - 2) * c * c) / (2 * d))});
    for (const double w : e.spin) error = std::max(error, std::abs(w));
  }
  return {"fall of a lone upright fiber of twice the length",
          "",
          expected,
          fall,
          error,
          1e-14,
          "1 + 2 ln 2/d, of the same radius; the error also of half the length, and of fall and drift at 30 degrees"};
}

TheoryCheck check_length_scaling(Backend& backend) {
  FiberParameters small = precise_fibers(), large = small;
  small.slenderness = 0.005, large.slenderness = 0.01;
  const Placement fibers = fiber_cloud(40, 4, 0.2, 3);
  Placement doubled;
  for (std::size_t m = 0; m < 40; ++m)
    doubled.add(scaled(2, load3(&fibers.position[3 * m])), load3(&fibers.tangent[3 * m]), 2);
  std::vector<double> expected = evaluate_fibers(backend, fibers, small).velocity;
  const double ratio = fiber_d(small.slenderness) / fiber_d(large.slenderness);
  for (double& v : expected) v *= ratio;
  const double error = largest_relative_difference(evaluate_fibers(backend, doubled, large).velocity, expected);
  return {"40 fibers with all lengths, distances and radii doubled",
          "",
          0,
          error,
          error,
          1e-11,
          "the same velocities in the new unit, d/d'; the largest difference over the largest velocity"};
}

TheoryCheck check_length_balance(Backend& backend) {
  FiberParameters p = precise_fibers();
  p.subintervals = 16, p.points_per_subinterval = 4;
  const Placement fibers = four_unequal_fibers();
  const Evaluation e = evaluate_fibers(backend, fibers, p);
  const FiberRule rule = make_fiber_rule(16, 4);
  const double d = fiber_d(p.slenderness), doublet = 2 * p.slenderness * p.slenderness;
  double most = 0, largest = 0;
  for (int m = 0; m < 4; ++m) {
    const std::size_t own = 3 * static_cast<std::size_t>(m);
    const double half = fibers.half_of(m), own_d = fiber_d(p.slenderness / half);
    const Vector3<double> x = load3(&fibers.position[own]), t = load3(&fibers.tangent[own]);
    Vector3<double> v[6] = {};  // int V P_n
    for (int q = 0; q < rule.points; ++q) {
      Vector3<double> flow{0, 0, 0};
      for (int l = 0; l < 4; ++l) {
        if (l == m) continue;
        const std::size_t other = 3 * static_cast<std::size_t>(l);
        const Vector3<double> r = add_scaled(x - load3(&fibers.position[other]), half * rule.node[q], t);
        for (int k = 0; k < rule.points; ++k) {
          Vector3<double> f{0, 0, -0.5 * fibers.half_of(l) * rule.weight[k][0]};
          for (int n = 1; n <= 5; ++n)
            f = add_scaled(f, rule.weight[k][n],
                           load3(&e.coefficients[5 * other + 3 * static_cast<std::size_t>(n - 1)]));
          const Vector3<double> axis = load3(&fibers.tangent[other]);
          flow = flow + flow_of_force(add_scaled(r, -fibers.half_of(l) * rule.node[k], axis), f, doublet);
        }
      }
      for (int n = 0; n <= 5; ++n) v[n] = add_scaled(v[n], rule.weight[q][n], flow);
    }
    for (int n = 0; n <= 5; ++n) {
      const Vector3<double> force = n == 0 ? Vector3<double>{0, 0, -0.5 * half}
                                           : load3(&e.coefficients[5 * own + 3 * static_cast<std::size_t>(n - 1)]);
      const double norm = 2.0 / (2 * n + 1);
      const Vector3<double> moves = n == 0   ? scaled(2 * d, load3(&e.velocity[own]))
                                    : n == 1 ? scaled(norm * half * d, load3(&e.spin[own]))
                                             : Vector3<double>{0, 0, 0};
      const Vector3<double> own_flow = scaled(norm / half, slender_operator(own_d + 2 - fiber_lambda(n), t, force));
      const Vector3<double> rest = moves - own_flow - v[n];
      most = std::max(most, std::sqrt(dot(rest, rest))), largest = std::max(largest, std::sqrt(dot(v[n], v[n])));
    }
  }
  return {"slender-body equations of four fibers of lengths 1, 2, 3 and 4",
          "",
          0,
          most / largest,
          most / largest,
          1e-9,
          "what is left of them by plain rules of 64 points, over the largest flow"};
}

TheoryCheck check_length_kernel(Backend& backend, const char* kernel, bool fp32) {
  FiberParameters p = precise_fibers();
  p.length_spread = 0.4;
  Placement fibers;
  add_fiber_ball(fibers, 60, {0, 0, 0}, 5, 0.1, 3, 1, draw_fiber_lengths(p, 60, 3, 1));
  const Evaluation expected = evaluate_fibers(backend, fibers, p);
  if (fp32) p.precision = FiberPrecision::fp32;
  const Evaluation got = evaluate_fibers(backend, fibers, p, fiber_kernel_of(kernel));
  const double error = largest_relative_difference(got.velocity, expected.velocity);
  return {
      std::string("unequal lengths: the kernel ") + kernel + (fp32 ? " in single precision" : "") + " against stable",
      "",
      0,
      error,
      error,
      fp32 ? 5e-7 : 1e-7,
      "velocities of 60 fibers; the largest difference over the largest velocity"};
}

}  // namespace perturb::fibers
