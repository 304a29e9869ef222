// The trial of a change that may keep a run finite which has stopped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/run/run.h"

namespace perturb {

// A change that was tried and keeps the run finite: of a parameter, or without one the return to the last good state.
struct Remedy {
  std::string parameter;
  double value = 0;
  bool operator==(const Remedy&) const = default;
};

// Where a trial begins, where the run stopped, and for how many steps at least the trial must stay finite after that.
struct RemedyTrial {
  std::int64_t start = 0, stop_step = 0;
  double stop_time = 0;
  std::int64_t min_good_steps = 0;
};

// Changes the parameter, then takes the steps and applies the events of the stopped run, except for its changes of that
// parameter. Returns whether all numbers stay finite until the trial has covered the steps and the time of the stopped
// run and as many steps again. `run`: in the state at the start of the trial. Throws InputError if a change is not
// possible.
bool stays_finite(Run& run, const Remedy& remedy, const std::vector<Event>& later, const RemedyTrial& trial);

}  // namespace perturb
