// A number box over the view with numbers of the position under the pointer.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/panels/panel.h"

namespace perturb {

// Its texts are in the language of the window.
struct NumberBox {
  // Columns of a table: nine numbers are those of a cell and its neighbours.
  static constexpr std::size_t columns = 3;
  struct Line {
    std::string label;
    std::vector<std::string> values;  // one, or those of a row of a table
  };
  std::string title;
  std::vector<Line> lines;
  Message remark;
  bool at_lower_edge = false;  // of the view; otherwise at the upper one
  std::vector<Rect> marks{};   // marks drawn at the position
};

// Draws it in `area`, away from the pointer, the hint and the titles of lanes, in the current font. If it would cover
// the pointer there, as in a small lane of a race, it is elsewhere in the view. In a paused run it covers as little of
// the marks as possible. Returns its area.
Rect draw_number_box(const Panel& panel, const NumberBox& numbers, const Rect& area, const Rect& hint);

}  // namespace perturb
