// Theory: a mode sin(pi x/L)·sin(pi y/L) decays by the same factor in every step of the scheme.
#include <cmath>

#include "cuda/_template/heat.h"

namespace perturb::heat {

std::vector<TheoryCheck> verify(Backend& backend, bool /*with_long*/) {
  constexpr int n = 65, steps = 100;
  Setup setup;
  setup.width = setup.height = n;
  const auto plate = create(backend, setup);
  std::vector<float> mode;
  const auto sine = [](int k) { return std::sin(M_PI * k / (n - 1)); };
  for (int k = 0; k < n * n; ++k) mode.push_back(static_cast<float>(sine(k % n) * sine(k / n)));
  State state = plate->save();
  state.put<float>("temperature", {n, n}, "degree", mode);
  plate->load(state);
  plate->step(steps);
  const Parameters p;
  const double half = std::sin(M_PI / (2 * (n - 1)));
  const double expected = std::pow(1 - 8 * p.diffusivity * p.time_step * half * half, steps);
  const double got = plate->save().get<float>("temperature", {n, n})[n / 2 * n + n / 2];
  return {{"decay of a mode over 100 steps", "", expected, got, std::abs(got / expected - 1), 1e-5,
           "the scheme's own factor, to the rounding of 32-bit numbers"}};
}

}  // namespace perturb::heat
