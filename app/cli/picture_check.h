// Whether pictures can be drawn, found out before a run depends on it.
#pragma once

#include <string>
#include <vector>

#include "app/cli/options.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

// OpenGL in software ends the program, or hangs, where it gets no memory or no thread. Where the process is limited in
// either, a process of its own draws an empty picture first. Throws Error when that fails or takes long, or `stop` is
// requested.
void require_pictures(Size size, const StopRequest* stop);

// The task (child_process.h) of that process. Arguments: width and height in pixels, and the MemoryUse of its parent.
inline constexpr const char* picture_task = "picture";
std::string draw_empty_picture(const std::vector<std::string>& arguments);

}  // namespace perturb
