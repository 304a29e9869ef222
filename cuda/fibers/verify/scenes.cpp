// Checks of the scenes: what their hints state about the fall, and that no fibers overlap.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

namespace {

std::unique_ptr<Simulation> fiber_scene(Backend& backend, int fibers, std::map<std::string, double> parameters) {
  Setup setup;
  setup.simulation = "fibers", setup.width = fibers, setup.height = 1;
  setup.parameters = std::move(parameters);
  setup.parameters["contact"] = 1;
  return fibers_simulation().create(backend, setup);
}

double scalar_of(const Diagnostics& diagnostics, const std::string& id) {
  for (const Scalar& s : diagnostics.scalars)
    if (s.id == id) return s.value;
  return std::nan("");
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
    const double fall = scalar_of(d, "core_fall"), estimate = scalar_of(d, "fall_theory");
    const double error = std::abs(fall / estimate - 1);
    if (time == 10)
      at_ten = {"core's fall in the scene cloud at t = 10, beside the estimate",
                "",
                estimate,
                fall,
                std::isfinite(error) ? error : 1e30,
                0.10,
                "point forces in a uniform ball as wide as the core, stragglers left out; relative"};
    if (std::isfinite(error)) ++finite_samples, worst = std::max(worst, error);
  }
  return {at_ten,
          {"worst of that estimate while it is told, to t = 30", "", 0, worst, finite_samples > 0 ? worst : 1e30, 0.10,
           "told at " + std::to_string(finite_samples) + " of " + std::to_string(end + 1) +
               " times, where the core is about a ball; relative"}};
}

TheoryCheck check_scene_overlaps(Backend& backend, bool thousand, int steps) {
  const auto run = fiber_scene(
      backend, thousand ? 1000 : 700,
      {{"radius", 6}, {"scheme", static_cast<double>(Scheme::adams_bashforth)}, {"time_step", thousand ? 0.125 : 0.2}});
  double most = scalar_of(run->diagnostics({}, true), "overlaps");
  for (int step = 0; step < steps; ++step) {
    run->step(1);
    most = std::max(most, scalar_of(run->diagnostics({}, true), "overlaps"));
  }
  return {std::string("overlapping pairs in the scene ") + (thousand ? "thousand" : "ring"),
          "pairs",
          0,
          most,
          most,
          0,
          "the most at the start and after each of " + std::to_string(steps) + " steps, with contact"};
}

}  // namespace perturb::fibers
