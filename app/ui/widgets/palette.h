// The colours of a theme. Those of the current theme are variables that Gui sets before each frame: drawing code names
// a colour by its meaning.
#pragma once

#include <imgui.h>

#include "app/session/interface.h"

namespace perturb {

// Muted colours and one accent. The three signal colours are for gauges and warnings only.
struct Palette {
  ImU32 background;  // of the window
  ImU32 panel;
  ImU32 popup;   // lists, messages
  ImU32 dialog;  // dialogs in the middle of the window
  ImU32 raised;  // fields, buttons
  ImU32 hovered, pressed;
  ImU32 chosen;  // the selected segment of a control
  ImU32 bar;     // of scroll bars and switches
  ImU32 line;
  ImU32 text, dim, faint;
  ImU32 accent, accent_fill, accent_bright, accent_dim;
  ImU32 on_accent;  // text on it
  ImU32 good, warning, bad;
  ImU32 overlay_fill;    // boxes over the view
  ImU32 backdrop;        // over everything behind a modal dialog
  ImU32 outside_domain;  // area of the view outside the domain
  ImU32 inks[8];         // of curves: they differ in both hue and lightness
};
const Palette& palette_of(Theme theme);

namespace color {
extern ImU32 background, panel, popup, dialog, raised, hovered, pressed, chosen, bar, line, text, dim, faint, accent,
    accent_fill, accent_bright, accent_dim, on_accent, good, warning, bad, overlay_fill, backdrop, outside_domain;
extern ImU32 inks[8];
}  // namespace color

// From now on. Call on the rendering thread.
void use_theme(Theme theme);
Theme used_theme();

}  // namespace perturb
