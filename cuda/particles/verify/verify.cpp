// The discs against a reference of their own rule and against kinetic theory.
#include <cmath>
#include <numbers>

#include "cuda/particles/measure/theory.h"
#include "cuda/particles/model/checks.h"

namespace perturb::particles {

TheoryCheck check_exact(Backend& backend, bool fast) {
  constexpr int count = 1000;
  const std::map<std::string, double> parameters = {
      {"count", count}, {"box", fast ? 2000 : 80}, {"velocity_max", fast ? 500 : 1}};
  const auto grid = discs_for_check(backend, parameters), pairs = discs_for_check(backend, parameters);
  pairs->select_kernel("all-pairs");
  constexpr int steps = 100;
  grid->step(steps), pairs->step(steps);
  return absolute_check(
      fast ? "rounds and space-time cells against the sequential rule, fast discs"
           : "rounds and cells against the sequential rule, dense discs",
      "discs", 0, different_discs(grid->save(), pairs->save(), count), 0,
      "Discs that differ in any bit after 100 steps of 1000 discs from a search of all pairs with the "
      "sequential filter.");
}

TheoryCheck check_energy(Backend& backend, bool fp64) {
  const auto run = discs_for_check(
      backend,
      {{"count", 2000}, {"box", 150}, {"velocity_max", 1}, {"slow_factor", 4}, {"precision", fp64 ? 1.0 : 0.0}});
  const double before = scalar_of(*run, "energy");
  run->step(1000);
  // Each collision rounds a few times; errors add like a random walk over hundreds of collisions per disc.
  return relative_check(fp64 ? "energy after 1000 steps, FP64" : "energy after 1000 steps, FP32", "", before,
                        scalar_of(*run, "energy"), fp64 ? 1e-12 : 1e-4,
                        "Elastic collisions keep the energy; relative.");
}

TheoryCheck check_maxwell(Backend& backend) {
  const auto run = discs_for_check(backend, {{"count", 20000}, {"box", 500}, {"velocity_max", 1}, {"slow_factor", 2}});
  run->step(400);
  // With 20000 discs in about 40 bins, about half a share of sqrt(40 / 20000) of them is in a wrong bin by chance:
  // 0.018.
  return absolute_check("speeds off Maxwell-Boltzmann", "share of discs", 0, scalar_of(*run, "maxwell_error"), 0.03,
                        "An even distribution of velocities relaxes to (m v/kT) exp(-m v²/2kT); it starts 0.16 off.");
}

TheoryCheck check_piston(Backend& backend) {
  const auto run = discs_for_check(backend, {{"count", 3000},
                                             {"box", 600},
                                             {"velocity_max", 1},
                                             {"velocities", 1},
                                             {"slow_factor", 4},
                                             {"piston_speed", 0.05},
                                             {"piston_end", 0.6},
                                             {"collisions", 1}});
  const double before = scalar_of(*run, "energy");
  run->step(static_cast<std::int64_t>(4 * 600 * 0.4 / 0.05) + 8);
  const double fraction = 3000 * std::numbers::pi / (600.0 * 600.0);
  return relative_check("energy after a slow piston", "mass·length²/time²",
                        before * adiabatic_heating(fraction, fraction / 0.6), scalar_of(*run, "energy"), 0.02,
                        "Adiabatic: d ln T = Z(φ) d ln φ with Liu's Z; relative.");
}

std::vector<TheoryCheck> verify(Backend& backend, bool with_long) {
  std::vector<TheoryCheck> checks = {
      check_exact(backend, false),  check_exact(backend, true), check_energy(backend, true),
      check_energy(backend, false), check_maxwell(backend),
  };
  checks.push_back(check_missed(backend));
  for (const TheoryCheck& check : check_queue(backend)) checks.push_back(check);
  checks.push_back(check_all_collisions(backend));
  checks.push_back(check_step_length(backend));
  for (const TheoryCheck& check : check_million(backend, true)) checks.push_back(check);
  checks.push_back(check_reverse(backend));
  checks.push_back(check_free_path(backend));
  for (const double fraction : {0.1, 0.3, 0.5}) checks.push_back(check_rate(backend, fraction));
  checks.push_back(check_contact(backend));
  checks.push_back(check_displacement(backend));
  for (const TheoryCheck& check : check_mixing(backend, with_long)) checks.push_back(check);
  for (const double fraction : {0.08, 0.3, 0.63})
    checks.push_back(check_pressure(backend, fraction, with_long ? 6e5 : 1.5e5));
  checks.push_back(check_pressure(backend, 0.3, with_long ? 6e5 : 1.5e5, false));
  if (!with_long) return checks;
  for (const TheoryCheck& check : check_million(backend, false)) checks.push_back(check);
  for (const double fraction : {0.2, 0.45, 0.55}) checks.push_back(check_pressure(backend, fraction, 6e5));
  for (const TheoryCheck& check : check_shock(backend)) checks.push_back(check);
  checks.push_back(check_piston(backend));
  return checks;
}

}  // namespace perturb::particles
