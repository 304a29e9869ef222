// Checks before a run starts: its output files, its memory, and whether images can be drawn.
#pragma once

#include <string>
#include <vector>

#include "app/cli/child_process.h"
#include "app/cli/options.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Throws InputError unless every output can be written and no two are the same file under different names. Called
// before the run starts, so that no computed result is lost.
void require_outputs(const RunOptions& options);
// Throws InputError if an output would replace a file that the run reads. A saved state may replace the one that the
// run continues.
void require_inputs_kept(const RunOptions& options);

// Bytes needed by a simulation made from `setup`; a double, so that no size overflows.
double memory_estimate(const SimulationInfo& info, const Setup& setup, const Backend& backend);
// Throws InputError that states the required and the available memory, and a size that would fit. `saves`: the state is
// saved or hashed at the end, which needs memory too. `lanes`: the number of such simulations that run side by side.
void require_memory(const SimulationInfo& info, const Setup& setup, const Backend& backend, bool saves = false,
                    std::size_t lanes = 1);

// Software OpenGL ends the program, or hangs, if it gets no memory or no thread. If the process is limited in either, a
// child process first draws an empty image. Throws Error if that fails or takes too long, or if `stop` is requested.
void require_pictures(Size size, const StopRequest* stop);

// The task of that process. Arguments: width and height in pixels, and the MemoryUse of its parent.
std::string draw_empty_picture(const std::vector<std::string>& arguments);
inline constexpr ProcessTask picture_task = text_task<draw_empty_picture>("@picture");

}  // namespace perturb
