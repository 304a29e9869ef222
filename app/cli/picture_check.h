// Checks whether images can be drawn before a run depends on it.
#pragma once

#include <string>
#include <vector>

#include "app/cli/options.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

// Software OpenGL ends the program, or hangs, if it gets no memory or no thread. If the process is limited in either, a
// child process first draws an empty image. Throws Error if that fails or takes too long, or if `stop` is requested.
void require_pictures(Size size, const StopRequest* stop);

// The task (child_process.h) of that process. Arguments: width and height in pixels, and the MemoryUse of its parent.
inline constexpr const char* picture_task = "picture";
std::string draw_empty_picture(const std::vector<std::string>& arguments);

}  // namespace perturb
