// A run without a window: takes the steps and writes the requested files.
#pragma once

#include "app/cli/options.h"
#include "app/window/app.h"

namespace perturb {

// Default number of steps between frames, and of steps of a run if neither steps nor frames were given.
inline constexpr int headless_steps_per_frame = 16;
inline constexpr std::int64_t headless_steps = 600;

// Takes the steps requested by `options` from the current state of the experiment, and writes the outputs. Returns the
// exit code. If numbers become non-finite, it finishes the rows and images up to then, writes no state, and throws
// NonFiniteError. Ctrl+C ends the run early; the outputs then contain everything computed so far.
int run_headless(Experiment& experiment, const RunOptions& options, const AppOptions& app_options);

}  // namespace perturb
