// Draws which cells the threads of a block read and write (AccessMap).
#pragma once

#include "app/kernels/puzzles/access_map.h"
#include "app/ui/widgets/style.h"

namespace perturb {

// The block's threads between the arrays that they read and those that they write, with lines from the chosen thread
// to its cells; below that, what its warp moves. A press on another thread or the arrow keys choose it; the pointer
// shows a thread without choosing it.
void draw_access_map(const Style& style, const AccessMap& map, int& thread, ImVec2 size);

}  // namespace perturb
