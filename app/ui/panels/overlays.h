// What lies over the picture: boxes, the brush, the sentence that tells what went wrong.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// A box in the middle of the window with a title and a button that closes it, as long as this lives.
class Dialog {
 public:
  // Behind a modal one the panels are dimmed, and take no clicks.
  enum class Modality { modeless, modal };
  Dialog(const Panel& panel, const char* id, float design_width, const char* title, bool closable = true,
         Modality modality = Modality::modeless);
  ~Dialog();
  Dialog(const Dialog&) = delete;
  Dialog& operator=(const Dialog&) = delete;
};

// The tool's reach: a circle at the pointer.
void draw_brush(const Panel& panel);
// Shown while the experiment is in trouble.
void draw_stop_message(const Panel& panel);

}  // namespace perturb
