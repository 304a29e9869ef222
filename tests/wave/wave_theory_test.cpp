// The wave tank against theory, on each backend: the rows of `perturb verify wave`.
#include <gtest/gtest.h>

#include "app/scenes/presets.h"
#include "cuda/wave/wave.h"
#include "cuda/wave/wave_params.h"
#include "tests/support/backends.h"

namespace perturb {
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

TEST_P(WaveTheory, StandingModeSwingsAtTheSchemesOwnFrequency) { expect(wave_check_standing_mode(backend(), true)); }
TEST_P(WaveTheory, StandingModeInSinglePrecision) { expect(wave_check_standing_mode(backend(), false)); }
TEST_P(WaveTheory, ErrorFallsByFourForEachHalving) { expect(wave_check_convergence(backend())); }
TEST_P(WaveTheory, DampedModeDecays) { expect(wave_check_damping(backend())); }
TEST_P(WaveTheory, DampingIsOfSecondOrderInTheTimeStep) { expect(wave_check_damping_order(backend(), false)); }
TEST_P(WaveTheory, OneSidedDampingIsOfFirstOrder) { expect(wave_check_damping_order(backend(), true)); }
TEST_P(WaveTheory, SymmetricStartStaysSymmetricToTheBit) { expect(wave_check_symmetry(backend())); }
TEST_P(WaveTheory, EnergyIsConservedBetweenFixedSides) {
  expect(wave_check_energy(backend(), static_cast<int>(WaveBoundary::fixed)));
}
TEST_P(WaveTheory, EnergyIsConservedBetweenFreeSides) {
  expect(wave_check_energy(backend(), static_cast<int>(WaveBoundary::free)));
}
TEST_P(WaveTheory, EnergyIsConservedOnATorus) {
  expect(wave_check_energy(backend(), static_cast<int>(WaveBoundary::periodic)));
}
TEST_P(WaveTheory, AbsorbingSideReflectsLessThanAHundredth) { expect(wave_check_absorption(backend(), false)); }
TEST_P(WaveTheory, AbsorbingSideWithSpongeReflectsLessThanAHundredth) {
  expect(wave_check_absorption(backend(), true));
}
TEST_P(WaveTheory, EnergyIsConservedWithNinePoints) {
  for (const WaveBoundary side : {WaveBoundary::fixed, WaveBoundary::free, WaveBoundary::periodic})
    expect(wave_check_energy(backend(), static_cast<int>(side), true));
}
TEST_P(WaveTheory, SpongeOfTheSlitsReflectsLessThanAThousandthUpToSixtyDegrees) {
  for (const double degrees : {0, 10, 20, 30, 40, 50, 60}) expect(wave_check_slanted_absorption(backend(), degrees));
  for (const char* scene : {"wave/double-slit", "wave/single-slit"}) {
    const auto setup = load_setup(scene);
    EXPECT_EQ(setup.parameters.at("sponge_width"), wave_preset_sponge_width) << scene;
    EXPECT_EQ(setup.parameters.at("sponge_strength"), wave_preset_sponge_strength) << scene;
  }
}
TEST_P(WaveTheory, PhaseSpeedsAreTheStencils) {
  for (const int stencil : {0, 1}) {
    for (const int direction : {0, 1, 2}) expect(wave_check_phase_speed(backend(), stencil, 6, direction));
    expect(wave_check_isotropy(backend(), stencil));
  }
}
TEST_P(WaveTheory, FixedSideTurnsAPulseUpsideDown) { expect(wave_check_reflection(backend(), false)); }
TEST_P(WaveTheory, FreeSideTurnsAPulseBackUpright) { expect(wave_check_reflection(backend(), true)); }
TEST_P(WaveTheory, SlowerWaterReflectsAThird) { expect(wave_check_speed_step(backend())); }
TEST_P(WaveTheory, EveryKernelGivesTheBitsOfTheReference) {
  for (const KernelVariant& kernel : wave_simulation().kernels)
    if (backend().is_cuda() ? kernel.on_cuda : kernel.on_cpu) expect(wave_check_kernel(backend(), kernel.id));
}

}  // namespace
}  // namespace perturb
