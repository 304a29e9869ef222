// Overlays over the view: dialogs, the brush, the message about a stopped run.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// A dialog in the middle of the window with a title and a close button; open during the lifetime of this object.
class Dialog {
 public:
  // A modal dialog dims the panels and blocks their clicks.
  enum class Modality { modeless, modal };
  Dialog(const Panel& panel, const char* id, float design_width, const char* title, bool closable = true,
         Modality modality = Modality::modeless);
  ~Dialog();
  Dialog(const Dialog&) = delete;
  Dialog& operator=(const Dialog&) = delete;
};

// The range of the tool: a circle at the pointer.
void draw_brush(const Panel& panel);
// Shown while the run is stopped by an error.
void draw_stop_message(const Panel& panel);

}  // namespace perturb
