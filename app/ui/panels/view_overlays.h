// Overlays over the view: hints, notices and messages.
#pragma once

#include "app/ui/panels/panel.h"
#include "app/ui/widgets/floating_box.h"

namespace perturb {

struct HintState {
  FloatingBox box{0.5, 0};
  double age = 0;  // seconds shown so far
  int scene = 0;   // Session::scenes() for which it counts
};

// The hint: what to try first. It disappears with the first gesture, with Esc or its close button, or after a while
// without input; the panel then shows its text. It can be dragged.
void draw_hint(const Panel& panel, HintState& state);
// Its area; empty if it is not shown.
Rect hint_rect(const Panel& panel);

// A bubble: the last action is visible in another quantity than the displayed one. A button switches to it.
void draw_quantity_suggestion(const Panel& panel);

// Notice of a slow step: its progress, and a button to cancel it. At the bottom of the view, once the run has been busy
// for a while.
void draw_slow_step(const Panel& panel);

// The kiosk's invitation to visitors, at the bottom of the view, with the scene's title and hint.
void draw_invitation(const Panel& panel, const Message& words);

// The last message, at the bottom of the view. An error has its own colour and a close button; a saved file has a
// button that opens its folder.
void draw_message(const Panel& panel);

// The caption describes the view in a presentation, where the panels are hidden. At the bottom of the view, next to the
// colour bar.
void draw_caption(const Panel& panel);

}  // namespace perturb
