// The launch of the kernel, drawn over the view: blocks, warps and halos on a GPU, the rows of each thread on a CPU;
// and a number box with the thread that computes the cell under the pointer (MapsLaunch).
#pragma once

#include "app/ui/panels/number_box.h"
#include "app/ui/panels/panel.h"
#include "cuda/core/launch/launch_map.h"

namespace perturb {

inline constexpr ImU32 launch_border_ink = IM_COL32(120, 226, 255, 120);  // of blocks and bands
// Everything but the number box. Returns whether all blocks in the view are large enough to be drawn.
bool draw_launch(const Panel& panel);
void draw_launch_box(const Panel& panel, bool all_drawn);

// Meaning of the blocks' colours. `starts`: null: nothing recorded yet.
struct BlockColors {
  LaunchColors by = LaunchColors::none;
  const LaunchStarts* starts = nullptr;
};
// The colour of a block that has started.
ImU32 color_of_block(const BlockColors& colors, const BlockStart& start);

// Number box of cell (i, j), computed at `location`; without a launch: for no cell. `all_drawn`: as returned by
// draw_launch.
NumberBox describe_launch(const LaunchMap& map, const LaunchLocation& location, int i, int j, bool all_drawn,
                          const BlockColors& colors = {});

// The switch in the tab "Kernels", the lists of colours and of shapes of blocks; the reason where the simulation does
// not state its launch.
void draw_launch_row(const Panel& panel);

}  // namespace perturb
