// A look that must not leave a trace in this process, nor find one.
#pragma once

#include <functional>
#include <limits>
#include <string>

#include "cuda/core/stop.h"

namespace perturb {

// Runs `look` in a process of its own and returns what it returns; what it changes is gone with its process. Call it
// before this process has threads or has met CUDA or OpenGL: a copy of it made later would have them half. Throws
// Error: what `look` threw, with which signal it died, or that it took over `seconds` or `stop` asked for an end.
std::string told_by_own_process(const std::function<std::string()>& look,
                                double seconds = std::numeric_limits<double>::infinity(),
                                const StopRequest* stop = nullptr);

}  // namespace perturb
