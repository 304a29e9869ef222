// The steps at which a run is sampled for histories. They depend on the run only: not on the pace, the frame rate or
// the time that something takes. So numbers that come from samples do not depend on these either.
#pragma once

#include <cstdint>

#include "app/run/run.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Steps between the readings of a probe: at least eight in the shortest oscillation that the simulation expects
// (core/simulation/shortest_period.h).
std::int64_t steps_per_reading(Simulation& simulation);

// Steps between samples of all numbers. Measuring them takes as long as some steps.
std::int64_t steps_per_numbers(const Scene& scene);

// The next step after this one at which a line cut adds to its mean. They are irregular: a mean over times that are a
// multiple of a period apart would be that of one phase.
std::int64_t next_mean_step(const Scene& scene, std::int64_t step);

// The next step after this one that is divisible by `every`.
inline std::int64_t next_multiple(std::int64_t step, std::int64_t every) { return (step / every + 1) * every; }

}  // namespace perturb
