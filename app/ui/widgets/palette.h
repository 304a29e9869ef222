// The colours of a look. Those of the present one are variables, which Gui sets before each frame: what draws names a
// colour by its meaning.
#pragma once

#include <imgui.h>

#include "app/session/theme.h"

namespace perturb {

// Quiet colours and one accent. The three signal colours are for gauges and warnings alone.
struct Palette {
  ImU32 background;  // behind everything
  ImU32 panel;
  ImU32 popup;   // lists, notes
  ImU32 dialog;  // boxes in the middle of the window
  ImU32 raised;  // fields, buttons
  ImU32 hovered, pressed;
  ImU32 chosen;  // one of a few side by side
  ImU32 bar;     // of scroll bars and switches
  ImU32 line;
  ImU32 text, dim, faint;
  ImU32 accent, accent_fill, accent_bright, accent_dim;
  ImU32 on_accent;  // letters on it
  ImU32 good, warning, bad;
  ImU32 overlay_fill;    // boxes over the picture
  ImU32 backdrop;        // over everything that a box leaves waiting
  ImU32 outside_domain;  // of the domain in the picture
  ImU32 inks[8];         // of curves: told apart by hue and lightness both
};
const Palette& palette_of(Theme theme);

namespace color {
extern ImU32 background, panel, popup, dialog, raised, hovered, pressed, chosen, bar, line, text, dim, faint, accent,
    accent_fill, accent_bright, accent_dim, on_accent, good, warning, bad, overlay_fill, backdrop, outside_domain;
extern ImU32 inks[8];
}  // namespace color

// From now on. On the thread that draws.
void use_theme(Theme theme);

}  // namespace perturb
