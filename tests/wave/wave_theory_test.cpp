// The wave tank against theory, on each backend: the rows of `perturb verify wave`.
#include <gtest/gtest.h>

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
TEST_P(WaveTheory, FixedSideTurnsAPulseUpsideDown) { expect(wave_check_reflection(backend(), false)); }
TEST_P(WaveTheory, FreeSideTurnsAPulseBackUpright) { expect(wave_check_reflection(backend(), true)); }
TEST_P(WaveTheory, SlowerWaterReflectsAThird) { expect(wave_check_speed_step(backend())); }
TEST_P(WaveTheory, EveryKernelGivesTheBitsOfTheReference) {
  for (const KernelVariant& kernel : wave_simulation().kernels)
    if (backend().is_cuda() ? kernel.on_cuda : kernel.on_cpu) expect(wave_check_kernel(backend(), kernel.id));
}

}  // namespace
}  // namespace perturb
