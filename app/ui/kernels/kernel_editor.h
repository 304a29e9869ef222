// The editor of the kernels' cell function, over the left part of the view, and the dialog that shows a text from a
// file before it is compiled.
#pragma once

#include <map>
#include <string>

#include "app/ui/kernels/kernel_text.h"
#include "app/ui/panels/panel.h"

namespace perturb {

struct KernelEditorState : KernelTextState {
  bool open = false;
  std::string simulation;                     // to which the text belongs
  std::map<std::string, std::string> others;  // texts of other simulations
  int handled = 0;                            // of KernelEditor::texts()
};

// Why the kernels of the current run cannot be edited; empty: they can.
Message no_editing_reason(const Panel& panel);

bool kernel_editor_is_shown(const Panel& panel, const KernelEditorState& editor);
// Draws the editor if it is shown.
void draw_kernel_editor(const Panel& panel, KernelEditorState& editor);

void draw_unread_kernel(const Panel& panel);

}  // namespace perturb
