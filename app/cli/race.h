// The results of "perturb race".
#pragma once

#include "app/cli/options.h"
#include "app/race/race.h"
#include "app/run/experiment.h"

namespace perturb {

// Prints the prepared races; those that this machine cannot run with the reason. Returns the exit code.
int list_races(bool as_json);
// Prints the time, the largest difference and its growth of each lane.
void print_race(const Experiment& experiment, Race& race, const RunOptions& options);

}  // namespace perturb
