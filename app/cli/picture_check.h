// Whether pictures can be drawn, found out before a run depends on it.
#pragma once

#include "app/cli/options.h"
#include "cuda/core/stop.h"

namespace perturb {

// OpenGL in software ends the program, or hangs, where it gets no memory or no thread. Where the process is limited in
// either, a copy of it draws an empty picture first. Throws Error when it does not succeed, soon, or `stop` asks.
void require_pictures(Size size, const StopRequest* stop);

}  // namespace perturb
