// Checks of clouds: of the core, of contact and of orbits with constructed positions whose result is known; and of the
// scenes, what their hints state about the fall, and that no fibers overlap.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/math/random.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/kernels/stepper.h"
#include "cuda/fibers/measure/describe.h"
#include "cuda/fibers/model/contact.h"
#include "cuda/fibers/model/core.h"
#include "cuda/fibers/model/start.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

namespace {

Core core_at_rest(const Placement& fibers) {
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
  const Evaluation e = evaluate_fibers(backend, fibers, Parameters{});
  const double d = fiber_d(0.01);
  const Core core = find_fiber_core(fibers.position, fibers.tangent, e.velocity, d);
  const double expected = core.lone_fall + ring_fall(count, count, radius, section, d);
  return {"mean fall of 400 fibers in a ring of radius 40 and cross-section 8",
          "",
          expected,
          core.fall,
          std::abs(core.fall / expected - 1),
          0.03,  // two standard deviations of such draws
          "point forces in a thin torus: mean of single fibers + (M - 1) [ln(8 a/b) + 3/4]/(pi a d); relative"};
}

TheoryCheck check_contact() {
  // An upright fiber's lower end, half a thickness above the middle of a level one.
  const double d = fiber_d(0.01), thickness = 0.04;
  double x[] = {0, 0, 1 + thickness / 2, 0, 0, 0}, t[] = {0, 0, 1, 1, 0, 0};
  push_fibers_apart(x, t, 2, thickness, d, 0);
  const double upright = x[2] - 1 - thickness / 2, level = -x[5];
  const double expected = 1 / (1 + (d + 2) / (2 * d)), got = upright / (upright + level);
  return {
      "fraction of the push between an upright and a level fiber",   "", expected, got, std::abs(got - expected), 1e-12,
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
    v[0] = -x[1];
    v[1] = x[0];
    Multistep{Scheme::two_step, step == 0, theta, x, t, x_previous, t_previous, v, w, v_previous, w_previous}(0);
  }
  const double got = std::pow(std::hypot(x[0], x[1]) / before, 1.0 / turns) - 1;
  const double expected = orbit_growth(Scheme::two_step, theta);
  return {"growth of an orbit per turn, two-step scheme, 20 steps per turn",
          "",
          expected,
          got,
          std::abs(got - expected),
          1e-9,
          "the larger root of the scheme's polynomial"};
}

// ---- scenes

namespace {

std::unique_ptr<Simulation> fiber_scene(Backend& backend, int fibers, std::map<std::string, double> parameters) {
  Setup setup;
  setup.simulation = "fibers";
  setup.width = fibers;
  setup.height = 1;
  setup.parameters = std::move(parameters);
  setup.parameters["contact"] = 1;
  return fibers_simulation().create(backend, setup);
}

}  // namespace

std::vector<TheoryCheck> check_scene_fall(Backend& backend) {
  const auto run = fiber_scene(backend, 200, {{"radius", 5}, {"min_distance", 0.1}, {"time_step", 0.1}});
  // Once the core is too flat or too uneven for a ball, there is no estimate.
  constexpr int end = 30;
  int finite_samples = 0;
  double worst = 0;
  TheoryCheck at_ten;
  for (int time = 0; time <= end; ++time) {
    while (run->time() < time - 0.05) run->step(1);
    const Diagnostics d = run->diagnostics({}, true);
    const double fall = d.number("core_fall"), estimate = d.number("fall_theory");
    const double error = std::abs(fall / estimate - 1);
    if (time == 10)
      at_ten = {"fall of the core in the scene cloud at t = 10, compared with the estimate",
                "",
                estimate,
                fall,
                std::isfinite(error) ? error : 1e30,
                0.10,
                "point forces in a uniform ball as wide as the core, without fibers left behind; relative"};
    if (std::isfinite(error)) {
      ++finite_samples;
      worst = std::max(worst, error);
    }
  }
  return {at_ten,
          {"largest error of that estimate while it is shown, to t = 30", "", 0, worst,
           finite_samples > 0 ? worst : 1e30, 0.10,
           "told at " + std::to_string(finite_samples) + " of " + std::to_string(end + 1) +
               " times, where the core is about a ball; relative"}};
}

TheoryCheck check_scene_overlaps(Backend& backend, bool thousand, int steps) {
  const auto run = fiber_scene(
      backend, thousand ? 1000 : 700,
      {{"radius", 6}, {"scheme", static_cast<double>(Scheme::adams_bashforth)}, {"time_step", thousand ? 0.125 : 0.2}});
  double max_overlaps = run->diagnostics({}, true).number("overlaps");
  for (int step = 0; step < steps; ++step) {
    run->step(1);
    max_overlaps = std::max(max_overlaps, run->diagnostics({}, true).number("overlaps"));
  }
  return {std::string("overlapping pairs in the scene ") + (thousand ? "thousand" : "ring"),
          "pairs",
          0,
          max_overlaps,
          max_overlaps,
          0,
          "maximum at the start and after each of " + std::to_string(steps) + " steps, with contact"};
}

}  // namespace perturb::fibers
