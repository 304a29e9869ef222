#include "app/run/remedy.h"

#include <algorithm>
#include <variant>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// A trial is measured this many times, so that one that fails ends early.
constexpr std::int64_t measurements = 40;
// A smaller time step needs more steps for the same time, at most by this factor.
constexpr std::int64_t max_steps_factor = 10;

bool step_finite(Run& run, std::int64_t step, std::int64_t interval) {
  while (run.simulation->steps() < step) {
    run.step_to(std::min(step, run.simulation->steps() + interval));
    if (!run.simulation->diagnostics(run.scene.view, true).finite) return false;
  }
  return true;
}

}  // namespace

bool stays_finite(Run& run, const Remedy& remedy, const std::vector<Event>& later, const RemedyTrial& trial) {
  const std::int64_t span = std::max<std::int64_t>(1, trial.stop_step - trial.start);
  const std::int64_t again = std::max(span, trial.min_good_steps), target = trial.stop_step + again;
  const std::int64_t interval = std::max<std::int64_t>(1, (span + again) / measurements);
  try {
    if (!remedy.parameter.empty()) run.apply({trial.start, ParameterChange{remedy.parameter, remedy.value}});
    for (const Event& event : later) {
      const auto* change = std::get_if<ParameterChange>(&event.change);
      if (!changes_run(event) || (change && change->id == remedy.parameter)) continue;
      if (!step_finite(run, event.step, interval)) return false;
      run.apply(event);
    }
    if (!step_finite(run, target, interval)) return false;
    const std::int64_t max_steps = trial.start + max_steps_factor * (target - trial.start);
    while (run.simulation->time() < trial.stop_time && run.simulation->steps() < max_steps)
      if (!step_finite(run, run.simulation->steps() + interval, interval)) return false;
  } catch (const NonFiniteError&) {
    return false;
  }
  return true;
}

}  // namespace perturb
