// The option --trace: a trace of the run in Chrome's trace event format, for chrome://tracing and ui.perfetto.dev.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/run/backends.h"
#include "cuda/core/backend/timeline.h"

namespace perturb {

// A complete event ("X") for each interval, in microseconds since the first; tracks are threads with their names.
std::string chrome_trace(const std::vector<TimelineTrack>& tracks);

// Records the run and then writes its trace to `path`, also if the run fails; with an empty path, only runs. Returns
// the result of `run`. `is_quiet`: standard output belongs to the run's result.
int run_with_trace(const std::string& path, const Backends& backends, bool is_quiet, const std::function<int()>& run);

}  // namespace perturb
