// Checks of a cloud's core, of contact and of orbits, with constructed positions whose result is known.
#include "cuda/fibers/model/core.h"

#include <cmath>

#include "cuda/core/math/random.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/measure/orbits.h"
#include "cuda/fibers/model/contact.h"
#include "cuda/fibers/model/motion.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

namespace {

FiberCore core_at_rest(const Placement& fibers) {
  const std::vector<double> rest(fibers.position.size(), 0.0);
  return find_fiber_core(fibers.position, fibers.tangent, rest, fiber_d(0.01));
}

}  // namespace

TheoryCheck check_core() {
  constexpr int in_ball = 4000, in_wake = 1000;
  constexpr double radius = 6;
  Placement fibers;
  add_fiber_ball(fibers, in_ball, {0, 0, 0}, radius, 0, 3, 1);
  for (int k = 0; k < in_wake; ++k) fibers.add({0.3, 0, 1.5 * radius + 0.1 * k}, {0, 0, 1});
  const double got = core_at_rest(fibers).radius;
  // The spread of r² in a ball, 2 R²/sqrt(175), over sqrt(4000) fibers leaves the radius uncertain by 0.03.
  return {"core radius of a ball of 6 with a fifth of its fibers in its wake",
          "length",
          radius,
          got,
          std::abs(got - radius),
          0.1,
          "a uniform ball: R² = 5/3 <r²>; the wake begins at 1.5 R"};
}

TheoryCheck check_parting() {
  constexpr int count = 2000;
  constexpr double uneven = 0.6;
  Placement fibers;
  // Equal shares of the density 1 + c cos 2 phi: phi + c/2 sin 2 phi = 2 pi (k + 1/2)/M, by Newton's iteration.
  for (int k = 0; k < count; ++k) {
    const double share = 2 * M_PI * (k + 0.5) / count;
    double phi = share;
    for (int i = 0; i < 50; ++i)
      phi -= (phi + 0.5 * uneven * std::sin(2 * phi) - share) / (1 + uneven * std::cos(2 * phi));
    fibers.add({6 * std::cos(phi), 6 * std::sin(phi), 0}, {0, 0, 1});
  }
  const double got = core_at_rest(fibers).parting;
  return {"parting of a ring with the density 1 + 0.6 cos 2 phi", "", uneven, got, std::abs(got - uneven), 1e-4,
          "|<exp(2 i phi)>| = c/2; at c = 1 the ring has parted"};
}

TheoryCheck check_ring_fall(Backend& backend) {
  constexpr int count = 400;
  constexpr double radius = 40, section = 8;
  Placement fibers;
  // At random in the torus: places in the section count by their distance from the axis.
  for (std::uint64_t k = 0; fibers.count() < count; ++k) {
    const Random4 r = philox(7, 1, k), s = philox(7, 2, k);
    const double away = section * std::sqrt(uniform_double(r.v[0], r.v[1])),
                 around = 2 * M_PI * uniform_double(r.v[2], r.v[3]);
    const double rho = radius + away * std::cos(around);
    if (uniform_double(s.v[0], s.v[1]) * (radius + section) > rho) continue;
    const double phi = 2 * M_PI * uniform_double(s.v[2], s.v[3]);
    fibers.add({rho * std::cos(phi), rho * std::sin(phi), away * std::sin(around)}, random_direction(7, 3, k));
  }
  const Evaluation e = evaluate_fibers(backend, fibers, FiberParameters{});
  const double d = fiber_d(0.01);
  const FiberCore core = find_fiber_core(fibers.position, fibers.tangent, e.velocity, d);
  const double expected = core.lone_fall + fiber_ring_fall(count, count, radius, section, d);
  return {"mean fall of 400 fibers in a ring of radius 40 and section 8",
          "",
          expected,
          core.fall,
          std::abs(core.fall / expected - 1),
          0.03,  // two standard deviations of such draws
          "point forces in a thin torus: lone mean + (M - 1) [ln(8 a/b) + 3/4]/(pi a d); relative"};
}

TheoryCheck check_contact() {
  // An upright fiber's lower end, half a thickness above the middle of a level one.
  const double d = fiber_d(0.01), thickness = 0.04;
  double x[] = {0, 0, 1 + thickness / 2, 0, 0, 0}, t[] = {0, 0, 1, 1, 0, 0};
  push_fibers_apart(x, t, 2, thickness, d, 0);
  const double upright = x[2] - 1 - thickness / 2, level = -x[5];
  const double expected = 1 / (1 + (d + 2) / (2 * d)), got = upright / (upright + level);
  return {
      "share of an upright fiber in the push off a level one",       "", expected, got, std::abs(got - expected), 1e-12,
      "equal forces: as 1, along its axis, to (d + 2)/(2 d), across"};
}

TheoryCheck check_orbit() {
  // A point on a circle by the run's own step, v = omega x r: 2 turns after the start has died away, 4 more.
  constexpr int steps_a_turn = 20, turns = 4;
  const double theta = 2 * M_PI / steps_a_turn;
  double x[] = {1, 0, 0}, t[] = {0, 0, 1}, x_previous[3] = {}, t_previous[3] = {}, v[3] = {}, w[3] = {};
  double v_previous[3] = {}, w_previous[3] = {}, before = 1;
  for (int step = 0; step < steps_a_turn * (2 + turns); ++step) {
    if (step == 2 * steps_a_turn) before = std::hypot(x[0], x[1]);
    v[0] = -x[1], v[1] = x[0];
    Multistep{Scheme::two_step, step == 0, theta, x, t, x_previous, t_previous, v, w, v_previous, w_previous}(0);
  }
  const double got = std::pow(std::hypot(x[0], x[1]) / before, 1.0 / turns) - 1;
  const double expected = fiber_orbit_growth(Scheme::two_step, theta);
  return {"growth of an orbit a turn, two-step scheme, 20 steps a turn",
          "",
          expected,
          got,
          std::abs(got - expected),
          1e-9,
          "the larger root of the scheme's polynomial"};
}

}  // namespace perturb::fibers
