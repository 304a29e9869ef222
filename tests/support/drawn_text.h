// What ImGui has drawn, read back as text: letters are found by their place in the font's picture, so that a test sees
// what a person would read, and whether it was cut.
#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "app/session/layout.h"

namespace perturb {

// Letters drawn one after the other on a line, in one font and colour.
struct DrawnText {
  std::string text;  // UTF-8; a wide gap is one blank, also one beside a 1, for figures have one width
  Rect box;          // of the letters' ink, screen coordinates
  ImU32 color = 0;
  const ImFont* font = nullptr;
  std::string window;  // the name of ImGui's window, "##Background" and "##Foreground" for what has none
  bool cut_beside = false,
       cut_above = false;  // its clip rectangle leaves out a part at the left or right, above or below
};

// Of the frame that ImGui has rendered last.
std::vector<DrawnText> drawn_text();

// Whether ImGui's window of this name, or one that it lies in, has more than it shows, so that a cut line can be
// scrolled to.
bool is_scrolling(const std::string& window);

}  // namespace perturb
