// Functions that the theory checks of the discs share.
#pragma once

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/particles/particles.h"

namespace perturb::particles {

inline std::unique_ptr<Simulation> discs_for_check(Backend& backend, std::map<std::string, double> parameters) {
  Setup setup;
  setup.simulation = "particles";
  setup.seed = 3210;
  setup.parameters = std::move(parameters);
  return particles_simulation().create(backend, setup);
}

inline double scalar_of(const Diagnostics& diagnostics, const char* id) {
  if (const Scalar* s = diagnostics.scalar(id)) return s->value;
  throw Error("internal: the discs measure no {}", id);
}
inline double scalar_of(Simulation& simulation, const char* id) {
  return scalar_of(simulation.diagnostics({}, true), id);
}

inline TheoryCheck absolute_check(std::string name, std::string unit, double expected, double got, double tolerance,
                                  std::string note) {
  TheoryCheck check;
  check.name = std::move(name);
  check.unit = std::move(unit);
  check.note = std::move(note);
  check.expected = expected;
  check.got = got;
  check.tolerance = tolerance;
  check.error = std::abs(got - expected);
  return check;
}
inline TheoryCheck relative_check(std::string name, std::string unit, double expected, double got, double tolerance,
                                  std::string note) {
  TheoryCheck check = absolute_check(std::move(name), std::move(unit), expected, got, tolerance, std::move(note));
  check.error = expected != 0 ? std::abs(got / expected - 1) : std::abs(got);
  return check;
}

// Under the rule `exact` the path does not depend on the length of a step, except for rounding.
TheoryCheck check_step_length(Backend& backend);

// Number of discs whose state differs in any bit.
inline double different_discs(const State& a, const State& b, std::size_t count) {
  double different = 0;
  for (std::size_t k = 0; k < count; ++k) {
    bool same = true;
    for (const char* name : {"position", "velocity", "wall_collisions", "disc_collisions"}) {
      const auto &x = a.datasets.at(name).bytes, &y = b.datasets.at(name).bytes;
      const std::size_t each = x.size() / count;
      same = same && std::memcmp(x.data() + k * each, y.data() + k * each, each) == 0;
    }
    if (!same) ++different;
  }
  return different;
}

}  // namespace perturb::particles
