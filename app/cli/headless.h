// A run without a window: steps, and the files that were asked for.
#pragma once

#include "app/cli/options.h"
#include "app/window/app.h"

namespace perturb {

// Steps between frames where nothing else was said, and steps of a run where neither steps nor frames were.
inline constexpr int headless_steps_per_frame = 16;
inline constexpr std::int64_t headless_steps = 600;

// Takes the steps that `options` ask for from where the experiment stands, and writes the outputs. Returns the exit
// code. When numbers are no longer finite it finishes the rows and pictures from before, writes no state, and throws
// NonFiniteError. Ctrl-C ends the run early and in order: the outputs then hold what has been computed.
int run_headless(Experiment& experiment, const RunOptions& options, const AppOptions& app_options);

}  // namespace perturb
