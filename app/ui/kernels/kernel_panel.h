// The tab "Kernels": which kernel computes the steps, and a table of what each costs on this machine.
#pragma once

#include <string>

#include "app/ui/kernels/kernel_editor.h"
#include "app/ui/kernels/puzzle_card.h"
#include "app/ui/panels/panel.h"

namespace perturb {

struct SizeSweepState {
  double largest = 0;  // width chosen with the slider; 0: the default
};

// The name of a kernel of the run as on its card; displayed only, so that texts for files keep the id.
Message kernel_name(const RunStatus& run, const std::string& id);
// The text with these names in place of ids.
Message with_kernel_names(const RunStatus& run, const Message& text);

// The choice of the kernel, with the measured figures of each; the roofline; the measurement and its export; the times
// by size; the button of the puzzles; where the time of a frame goes.
void draw_kernel_panel(const Panel& panel, KernelEditorState& editor, PuzzleCardState& puzzles, SizeSweepState& sweep);

}  // namespace perturb
