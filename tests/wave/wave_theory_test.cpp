// The wave tank compared with theory, on each backend: the rows of `perturb verify wave`.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/wave/parameters.h"
#include "cuda/wave/wave.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"

namespace perturb::wave {
namespace {

class WaveTheory : public OnEachBackend {
 protected:
  static void expect(const TheoryCheck& check) {
    EXPECT_TRUE(check.pass()) << check.name << ": expected " << check.expected << ", got " << check.got << ", error "
                              << check.error << " where " << check.tolerance << " is allowed";
    RecordProperty("error", std::to_string(check.error));
  }
};
PERTURB_ON_EACH_BACKEND(WaveTheory);

TEST_P(WaveTheory, StandingModeOscillatesAtSchemeFrequency) { expect(check_standing_mode(backend(), true)); }
TEST_P(WaveTheory, StandingModeInSinglePrecision) { expect(check_standing_mode(backend(), false)); }
TEST_P(WaveTheory, ErrorFallsByFourForEachHalving) { expect(check_convergence(backend())); }
TEST_P(WaveTheory, DampedModeDecays) { expect(check_damping(backend())); }
TEST_P(WaveTheory, DampingIsOfSecondOrderInTheTimeStep) { expect(check_damping_order(backend(), false)); }
TEST_P(WaveTheory, FirstOrderWithOneSidedDamping) { expect(check_damping_order(backend(), true)); }
TEST_P(WaveTheory, SymmetricStartStaysExactlySymmetric) { expect(check_symmetry(backend())); }
TEST_P(WaveTheory, MovingSourceFollowsDopplerFormula) {
  for (const bool ahead : {true, false}) expect(check_doppler(backend(), ahead));
}
TEST_P(WaveTheory, ModesHaveTheFrequenciesOfStringsAndPlates) {
  for (const TheoryCheck& check : check_mode_frequencies(backend())) expect(check);
}
TEST_P(WaveTheory, DrumAndWedge) {
  SKIP_AT_SMALL_REACH("long runs; smaller tests run the same code");
  for (const TheoryCheck& check : check_drum(backend())) expect(check);
  expect(check_wedge(backend()));
}
TEST_P(WaveTheory, TwoSlitFringesMatchClosedForm) {
  SKIP_AT_SMALL_REACH("tables and figures of a study; its parts have tests");
  for (const TheoryCheck& check : check_slits(backend())) expect(check);
}
TEST_P(WaveTheory, EnergyIsConservedBetweenFixedSides) {
  expect(check_energy(backend(), static_cast<int>(Boundary::fixed)));
}
TEST_P(WaveTheory, EnergyIsConservedBetweenFreeSides) {
  expect(check_energy(backend(), static_cast<int>(Boundary::free)));
}
TEST_P(WaveTheory, EnergyIsConservedOnATorus) { expect(check_energy(backend(), static_cast<int>(Boundary::periodic))); }
TEST_P(WaveTheory, AbsorbingSideReflectsLessThanAHundredth) { expect(check_absorption(backend(), false)); }
TEST_P(WaveTheory, AbsorbingSideWithSpongeReflectsLessThanAHundredth) { expect(check_absorption(backend(), true)); }
TEST_P(WaveTheory, EnergyIsConservedWithNinePoints) {
  for (const Boundary side : {Boundary::fixed, Boundary::free, Boundary::periodic})
    expect(check_energy(backend(), static_cast<int>(side), true));
}
TEST_P(WaveTheory, SpongesOfTheScenesReflectLessThanAThousandthUpToSixtyDegrees) {
  for (const SceneSponge& sponge : scene_sponges())
    for (const double length : sponge.wavelengths)
      for (const double degrees : {0, 20, 40, 60}) {
        expect(check_slanted_absorption(backend(), sponge, length, degrees));
        if (has_small_reach()) return;
      }
}
TEST_P(WaveTheory, PhaseSpeedsAreTheStencils) {
  for (const int stencil : {0, 1}) {
    for (const int direction : {0, 1, 2}) expect(check_phase_speed(backend(), stencil, 6, direction));
    expect(check_isotropy(backend(), stencil));
  }
}
TEST_P(WaveTheory, FixedSideTurnsAPulseUpsideDown) { expect(check_reflection(backend(), false)); }
TEST_P(WaveTheory, FreeSideTurnsAPulseBackUpright) { expect(check_reflection(backend(), true)); }
TEST_P(WaveTheory, SlowerWaterReflectsAThird) { expect(check_speed_step(backend())); }
TEST_P(WaveTheory, EveryKernelGivesTheBitsOfTheReference) {
  for (const KernelVariant& kernel : wave_simulation().kernels)
    if (backend().is_cuda() ? kernel.on_cuda : kernel.on_cpu) expect(check_kernel(backend(), kernel.id));
}

// The rows above apply to the actual scenes: every scene with absorbing sides has a sponge of the table, and its
// sources emit waves of the lengths listed there.
TEST(WaveSceneSponges, AreThoseOfThePresets) {
  constexpr double absorbing = static_cast<double>(Boundary::absorbing);
  int found = 0;
  for (const std::string& id : preset_ids("wave")) {
    const std::string scene = "wave/" + id;
    const auto setup = load_scene(scene).setup;
    const auto& p = setup.parameters;
    bool lets_out = false;
    for (const char* side : {"boundary_left", "boundary_right", "boundary_bottom", "boundary_top"})
      lets_out = lets_out || (p.contains(side) && p.at(side) == absorbing);
    if (!lets_out) continue;
    ++found;
    const auto& all = scene_sponges();
    const auto sponge = std::find_if(all.begin(), all.end(), [&](const SceneSponge& s) {
      return std::count(s.scenes.begin(), s.scenes.end(), scene) > 0;
    });
    ASSERT_NE(sponge, all.end()) << scene << " has absorbing sides and is in no row of verify";
    EXPECT_EQ(p.at("sponge_width"), sponge->width) << scene;
    EXPECT_EQ(p.at("sponge_strength"), sponge->strength) << scene;
    // The waves of the table have c = dx = 1 and dt = 0.5.
    EXPECT_EQ(p.at("time_step"), 0.5) << scene;
    EXPECT_FALSE(p.contains("wave_speed") || p.contains("cell_size")) << scene;
    for (const Action& action : setup.actions) {
      if (action.kind != "oscillator" && action.kind != "line-source") continue;
      const double v = action.numbers.contains("vx") ? action.get("vx") : 0, f = action.get("frequency");
      for (const double length : {(1 - v) / f, 1 / f, (1 + v) / f})
        EXPECT_TRUE(std::any_of(sponge->wavelengths.begin(), sponge->wavelengths.end(),
                                [&](double known) { return std::abs(known / length - 1) < 1e-9; }))
            << scene << " sends waves of " << length << " cells";
    }
  }
  EXPECT_GE(found, 5);
}

}  // namespace
}  // namespace perturb::wave
