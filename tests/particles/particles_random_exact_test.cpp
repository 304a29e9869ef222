// The rule `exact` in random scenes: sizes, densities, speeds, kinds of discs and pistons from a generator, each
// bit-identical to one sequential queue of collisions, without overlaps.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "cuda/particles/particles.h"
#include "cuda/particles/verify/event_reference.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"

namespace perturb::particles {
namespace {

class ParticlesRandomExact : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(ParticlesRandomExact);

// A scene of up to 120 discs; some with a heavy one or of two kinds, some with a piston.
Setup random_scene(unsigned seed, bool single) {
  std::mt19937 random(seed);
  const auto within = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  const auto chance = [&](double share) { return within(0, 1) < share; };
  const double count = std::floor(std::exp(within(0, std::log(120))));
  const double aspect = chance(0.5) ? 1 : within(0.3, 2), fraction = within(0.05, 0.6);
  double side = std::sqrt(count * std::numbers::pi / (fraction * aspect));
  while (std::floor(side / 2.1) * std::floor(side * aspect / 2.1) < count) side *= 1.05;  // a lattice of them fits
  Setup setup;
  setup.simulation = "particles";
  setup.seed = seed;
  setup.parameters = {{"collisions", 1},
                      {"count", count},
                      {"aspect", aspect},
                      {"box", side},
                      {"velocity_max", std::exp(within(std::log(0.01), std::log(20)))},
                      {"velocities", chance(0.5) ? 1.0 : 0.0},
                      {"slow_factor", chance(0.5) ? 1.0 : 4.0},
                      {"precision", single ? 0.0 : 1.0}};
  if (chance(0.25) && count > 20 && fraction < 0.3) {
    setup.parameters["heavy_radius"] = within(1.2, 3);
    setup.parameters["heavy_mass"] = within(1, 50);
  }
  // It ends where discs still have room: below an area fraction of 0.65.
  if (chance(0.4) && fraction < 0.4) {
    setup.parameters["piston_end"] = std::min(1.0, std::max(fraction / 0.65, 8 / side));
    setup.parameters["piston_speed"] = within(0.01, 2);
  }
  return setup;
}

template <class Real>
void compare(Backend& backend, unsigned seed, double closest, int& events) {
  const Setup setup = random_scene(seed, sizeof(Real) == 4);
  std::string said = "seed " + std::to_string(seed);
  for (const auto& [id, value] : setup.parameters) said += ", " + id + " = " + std::to_string(value);
  SCOPED_TRACE(said);
  const auto run = particles_simulation().create(backend, setup);
  const auto parameter = [&](const char* id) { return run->parameters().get(id); };
  const double slow = parameter("slow_factor"), box = run->domain_width();
  const double largest =
      std::max(parameter("radius"), static_cast<double>(static_cast<Real>(parameter("heavy_radius"))));
  EventReference<Real> reference(run->save(), box, run->domain_height(), parameter("radius"), slow);
  double right = box;
  for (int done = 0; done < 12; ++done) {
    // How far the piston comes in this step.
    const double end = std::max(parameter("piston_end") * box, 4 * largest);
    const double push = right > end ? -std::min(parameter("piston_speed") / slow, right - end) : 0;
    reference.box.right = static_cast<Real>(right);
    reference.box.push = static_cast<Real>(push);
    right += push;
    run->step(1);
    reference.step();
    events += reference.events;
    ASSERT_EQ(reference.differences(run->save(), slow), 0) << "after " << done + 1 << " steps";
    ASSERT_GE(reference.min_distance(), closest) << "after " << done + 1 << " steps";
  }
}

TEST_P(ParticlesRandomExact, MatchesSingleQueueBitForBitWithoutOverlaps) {
  int events = 0;
  for (unsigned seed = 1; seed <= static_cast<unsigned>(reach(300, 20)); ++seed)
    compare<double>(backend(), seed, 1 - 5e-10, events);
  EXPECT_GT(events, reach(100000, 2000));
}

TEST_P(ParticlesRandomExact, InSinglePrecisionToo) {
  int events = 0;
  for (unsigned seed = 1001; seed <= 1000 + static_cast<unsigned>(reach(150, 10)); ++seed)
    compare<float>(backend(), seed, 1 - 2e-5, events);
  EXPECT_GT(events, reach(50000, 300));
}

}  // namespace
}  // namespace perturb::particles
