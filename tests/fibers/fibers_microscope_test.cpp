// The microscope of the fibers: its numbers are those of the saved state, and two fibers explain their whole velocity.
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "tests/support/backends.h"
#include "tests/support/inspected.h"

namespace perturb::fibers {
namespace {

class FibersMicroscope : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(FibersMicroscope);

// The fiber whose numbers these are, or a failure.
std::size_t fiber_of(const Inspection& seen, const std::vector<double>& position) {
  const std::vector<double> center = inspected(seen, "Centre");
  for (std::size_t m = 0; m < position.size() / 3; ++m)
    if (center[0] == position[3 * m] && center[1] == position[3 * m + 1] && center[2] == position[3 * m + 2]) return m;
  ADD_FAILURE() << "no fiber of the state has this centre";
  return 0;
}

TEST_P(FibersMicroscope, ShareOfTheNeighbourIsAllThatMovesAPair) {
  for (const char* scene : {"fibers/pair"}) {
    Experiment run(backend(), load_scene(scene));
    run.advance(3);
    Simulation& fibers = run.simulation();
    const State state = fibers.save();
    const auto position = state.get<double>("position", {2, 3}), velocity = state.get<double>("velocity", {2, 3}),
               tangent = state.get<double>("tangent", {2, 3});
    for (const double x : {0.1, 0.4}) {
      const Inspection seen = inspect(fibers, x, 0.5);
      const std::size_t m = fiber_of(seen, position);
      const std::vector<double> direction = inspected(seen, "Direction"), moves = inspected(seen, "Velocity"),
                                alone = inspected(seen, "Velocity without the others"),
                                share = inspected(seen, "Its share of the velocity");
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(direction[k], tangent[3 * m + k]);
        EXPECT_EQ(moves[k], velocity[3 * m + k]);
        // Up to the tolerance of the solver and the outer rule, which is on the other fiber for one of the two.
        EXPECT_NEAR(alone[k] + share[k], velocity[3 * m + k], 2e-5);
      }
      EXPECT_EQ(inspected(seen, "Length")[0], 2);
      EXPECT_EQ(inspected(seen, "Slenderness")[0], fibers.parameters().get("slenderness"));
      EXPECT_EQ(inspected(seen, "Points s along the fiber").size(), inspected(seen, "Integrand |V(s)| there").size());
    }
  }
}

TEST_P(FibersMicroscope, FindsTheNearestNeighbourOfUnequalFibers) {
  Experiment run(backend(), load_scene("fibers/lengths"));
  Simulation& fibers = run.simulation();
  const State state = fibers.save();
  const auto count = static_cast<std::size_t>(state.width);
  const auto position = state.get<double>("position", {count, 3}), half = state.get<double>("half_length", {count});
  const Inspection seen = inspect(fibers, 0.25, 0.5);
  const std::size_t m = fiber_of(seen, position);
  EXPECT_EQ(inspected(seen, "Length")[0], 2 * half[m]);
  // Axes are at most as far apart as centres, and at least by the half-lengths less.
  const double distance = inspected(seen, "Distance of the axes")[0];
  double least = INFINITY, most = INFINITY;
  for (std::size_t l = 0; l < count; ++l) {
    if (l == m) continue;
    const double centers = std::hypot(position[3 * m] - position[3 * l], position[3 * m + 1] - position[3 * l + 1],
                                      position[3 * m + 2] - position[3 * l + 2]);
    least = std::min(least, centers - half[m] - half[l]);
    most = std::min(most, centers);
  }
  EXPECT_GE(distance, least);
  EXPECT_LE(distance, most);
}

}  // namespace
}  // namespace perturb::fibers
