// The editor of the kernels' cell function, over the left part of the view, and the dialog that shows a text from a
// file before it is compiled.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// Why the kernels of the current run cannot be edited; empty: they can.
Message no_editing_reason(const Panel& panel);

// Draws the editor if it is open.
void draw_kernel_editor(const Panel& panel, KernelEditorState& editor);

void draw_unread_kernel(const Panel& panel);

}  // namespace perturb
