// The discs against their own rule and against kinetic theory.
#include <cmath>
#include <cstring>

#include "cuda/core/check.h"
#include "cuda/particles/particles.h"

namespace perturb {

namespace {

Setup base_setup(std::map<std::string, double> parameters) {
  Setup setup;
  setup.simulation = "particles";
  setup.seed = 3210;
  setup.parameters = std::move(parameters);
  return setup;
}

std::unique_ptr<Simulation> make(Backend& backend, const Setup& setup) {
  return particles_simulation().create(backend, setup);
}

double scalar(Simulation& simulation, const char* id) {
  for (const Scalar& s : simulation.diagnostics({}, true).scalars)
    if (s.id == id) return s.value;
  throw Error(std::string("internal: the discs measure no ") + id);
}

TheoryCheck absolute(std::string name, std::string unit, double expected, double got, double tolerance,
                     std::string note) {
  TheoryCheck check;
  check.name = std::move(name), check.unit = std::move(unit), check.note = std::move(note);
  check.expected = expected, check.got = got, check.tolerance = tolerance;
  check.error = std::abs(got - expected);
  return check;
}
TheoryCheck relative(std::string name, std::string unit, double expected, double got, double tolerance,
                     std::string note) {
  TheoryCheck check = absolute(std::move(name), std::move(unit), expected, got, tolerance, std::move(note));
  check.error = expected != 0 ? std::abs(got / expected - 1) : std::abs(got);
  return check;
}

// Discs whose position or velocity differs in any bit.
double different_discs(const State& a, const State& b, std::size_t count) {
  double different = 0;
  for (std::size_t k = 0; k < count; ++k) {
    bool same = true;
    for (const char* name : {"position", "velocity"}) {
      const auto &x = a.datasets.at(name).bytes, &y = b.datasets.at(name).bytes;
      const std::size_t each = x.size() / count;
      same = same && std::memcmp(x.data() + k * each, y.data() + k * each, each) == 0;
    }
    for (const char* name : {"wall_collisions", "disc_collisions"}) {
      const auto &x = a.datasets.at(name).bytes, &y = b.datasets.at(name).bytes;
      same = same && std::memcmp(x.data() + k * 4, y.data() + k * 4, 4) == 0;
    }
    if (!same) ++different;
  }
  return different;
}

}  // namespace

TheoryCheck particles_check_exact(Backend& backend, bool fast) {
  constexpr int count = 1000;
  const Setup setup = fast ? base_setup({{"count", count}, {"box", 2000}, {"velocity_max", 500}})
                           : base_setup({{"count", count}, {"box", 80}, {"velocity_max", 1}});
  const auto grid = make(backend, setup), pairs = make(backend, setup);
  pairs->select_kernel("all-pairs");
  constexpr int steps = 100;
  grid->step(steps), pairs->step(steps);
  return absolute(fast ? "rounds and space-time cells against the sequential rule, fast discs"
                       : "rounds and cells against the sequential rule, dense discs",
                  "discs", 0, different_discs(grid->save(), pairs->save(), count), 0,
                  "Discs that differ in any bit after 100 steps of 1000 discs from a search of all pairs with the "
                  "sequential filter.");
}

TheoryCheck particles_check_energy(Backend& backend, bool fp64) {
  const auto run = make(
      backend,
      base_setup(
          {{"count", 2000}, {"box", 150}, {"velocity_max", 1}, {"slow_factor", 4}, {"precision", fp64 ? 0.0 : 1.0}}));
  const double before = scalar(*run, "energy");
  run->step(1000);
  // Each collision rounds a few times; errors add like a random walk over some hundred collisions a disc.
  return relative(fp64 ? "energy after 1000 steps, FP64" : "energy after 1000 steps, FP32", "", before,
                  scalar(*run, "energy"), fp64 ? 1e-12 : 1e-4, "Elastic collisions keep the energy; relative.");
}

TheoryCheck particles_check_maxwell(Backend& backend) {
  const auto run = make(backend, base_setup({{"count", 20000}, {"box", 500}, {"velocity_max", 1}, {"slow_factor", 2}}));
  run->step(400);
  // Of 20000 discs in some 40 bins, about half a share of sqrt(40 / 20000) of them is in a wrong bin by chance: 0.018.
  return absolute("speeds off Maxwell-Boltzmann", "share of discs", 0, scalar(*run, "maxwell_error"), 0.03,
                  "An even distribution of velocities relaxes to (m v/kT) exp(-m v²/2kT); it starts 0.16 off.");
}

TheoryCheck particles_check_pressure(Backend& backend) {
  const auto run = make(
      backend, base_setup({{"count", 4000}, {"box", 400}, {"velocity_max", 1}, {"velocities", 1}, {"slow_factor", 4}}));
  run->step(200);
  scalar(*run, "pressure");
  run->step(6000);
  // Some 60000 hits on the walls: half a percent by chance; a share of the collisions comes late by the one-a-step rule.
  return relative("pressure on the walls", "mass/time²", scalar(*run, "pressure_henderson"), scalar(*run, "pressure"),
                  0.03, "N kT/A · (1 + φ²/8)/(1 - φ)², Henderson (1975), at φ = 0.08; relative.");
}

TheoryCheck particles_check_piston(Backend& backend) {
  const auto run = make(backend, base_setup({{"count", 3000},
                                             {"box", 600},
                                             {"velocity_max", 1},
                                             {"velocities", 1},
                                             {"slow_factor", 4},
                                             {"piston_speed", 0.05},
                                             {"piston_end", 0.6}}));
  const double before = scalar(*run, "energy");
  run->step(static_cast<std::int64_t>(4 * 600 * 0.4 / 0.05) + 8);
  // Of a gas of discs at this density, Henderson's pressure does some 4 % more work than an ideal gas's: φ goes 0.026 -> 0.044,
  // and ∫ Z dA/A = ln(A0/A1) · 1.078 or so.
  const double z = 1.076;
  return relative("energy after a slow piston", "mass·length²/time²", before * std::pow(1 / 0.6, z),
                  scalar(*run, "energy"), 0.05, "Adiabatic: d ln T = -Z(φ) d ln A with Henderson's Z; relative.");
}

std::vector<TheoryCheck> particles_verify(Backend& backend, bool extended) {
  std::vector<TheoryCheck> checks = {
      particles_check_exact(backend, false), particles_check_exact(backend, true),
      particles_check_energy(backend, true), particles_check_energy(backend, false),
      particles_check_maxwell(backend),
  };
  checks.push_back(particles_check_pressure(backend));
  if (extended) checks.push_back(particles_check_piston(backend));
  return checks;
}

}  // namespace perturb
