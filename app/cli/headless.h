// A run without a window: takes the steps and writes the requested files.
#pragma once

#include <atomic>
#include <iosfwd>

#include "app/cli/options.h"
#include "app/cli/run_record.h"
#include "app/run/interrupts.h"
#include "app/window/app.h"

namespace perturb {

// Default number of steps between frames, and of steps of a run if neither steps nor frames were given.
inline constexpr int headless_steps_per_frame = 16;
inline constexpr std::int64_t headless_steps = 600;

// Takes the steps requested by `options` from the current state of the experiment, and writes the outputs. Returns the
// exit code. If numbers become non-finite, it finishes the rows and images up to then, writes no state, and throws
// NonFiniteError. Ctrl+C ends the run early; the outputs then contain everything computed so far. `record`: gets the
// numbers of the run, whatever ends it; null: none.
int run_headless(Experiment& experiment, const RunOptions& options, const AppOptions& app_options,
                 RunRecord* record = nullptr);

// What a run has that shares its process with others.
struct HeadlessContext {
  Interrupts& interrupts;
  std::ostream &messages, &warnings;                 // in place of the terminal
  std::atomic<std::int64_t>* steps_taken = nullptr;  // the run's progress, for other threads
};
int run_headless(Experiment& experiment, const RunOptions& options, const AppOptions& app_options,
                 const HeadlessContext& context, RunRecord* record);

}  // namespace perturb
