// Reads back as text what ImGui has drawn: letters are identified by their position in the font atlas. So a test sees
// the text that the user would read, and whether it was cut.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/session/layout.h"

namespace perturb {

// Letters drawn consecutively on a line, in one font and colour.
struct DrawnText {
  std::string text;  // UTF-8; a wide gap is one space
  Rect box;          // bounds of the letters' ink, screen coordinates
  ImU32 color = 0;
  const ImFont* font = nullptr;
  std::string window;  // name of the ImGui window; "##Background" and "##Foreground" for text without one
  bool cut_beside = false,
       cut_above = false;  // its clip rectangle cuts a part at the left or right, above or below
};

// Text of the last rendered ImGui frame.
std::vector<DrawnText> drawn_text();

// The first of them that contains `part`, in a window whose name contains `window`; empty: there is none.
DrawnText find_drawn_text(const std::string& part, const std::string& window = "");

// Clicks on this text with the left button. `draw` lays out a frame.
void click_on(const DrawnText& text, const std::function<void()>& draw);

// The texts of the last frame that are cut or shortened, a line each. Without `all_in_sight` not those of scrolling
// lists: an item at the edge of one is complete after scrolling to it.
std::string cut_texts(bool all_in_sight = true);

// Whether the ImGui window of this name, or a parent, has more content than it shows, so that a cut line can be
// scrolled into view.
bool is_scrolling(const std::string& window);

}  // namespace perturb
