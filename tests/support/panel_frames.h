// Frames of the window's panels, which ImGui lays out without a screen.
#pragma once

#include <string>

#include <imgui.h>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/support/drawn_text.h"
#include "tests/support/session_input.h"

namespace perturb {

// The pointer of the next frames, as ImGui receives it.
inline void move_pointer(double x, double y) {
  ImGui::GetIO().MousePos = ImVec2(static_cast<float>(x), static_cast<float>(y));
}
inline void move_pointer(double x, double y, bool down) {
  move_pointer(x, y);
  ImGui::GetIO().MouseDown[0] = down;
}

inline void draw_panels(Session& session, Gui& gui, Panels& panels, const Layout& layout, double seconds = 1.0 / 60) {
  gui.begin_frame(layout, seconds);
  panels.draw(session, gui.style(), layout, {"host-mapped", ""});
  gui.end_frame();
}
// The same after the session has done what the panels asked for.
inline void lay_out(Session& session, Gui& gui, Panels& panels, const Layout& layout, int frames = 1,
                    Session::Keyboard keyboard = Session::Keyboard::free) {
  for (int i = 0; i < frames; ++i) {
    session.handle({}, layout, keyboard, panels.feedback());
    draw_panels(session, gui, panels, layout);
  }
}

// Text of the last frame in windows whose name contains `window`, a line each.
inline std::string drawn_lines(const std::string& window = "") {
  std::string lines;
  for (const DrawnText& text : drawn_text())
    if (text.window.find(window) != std::string::npos) lines += text.text + "\n";
  return lines;
}

}  // namespace perturb
