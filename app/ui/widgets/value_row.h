// A row with one adjustable value: the only sliders of the project. Used for parameters, brush settings and the colour
// range.
#pragma once

#include <optional>
#include <string>

#include "app/session/ui_state.h"
#include "app/ui/widgets/style.h"
#include "cuda/core/simulation/parameters.h"

namespace perturb {

struct ValueRow {
  std::string key;  // unique among all rows of a frame
  double value = 0;
  double default_value = 0;
  bool restarts = false;    // a change restarts the scene: the row shows a sign
  bool on_release = false;  // reported only on release; always so for rows that restart
  Message error_text;       // why the last value was rejected; empty: it was accepted
  bool enabled = true;
};

// Height of the row for this `width`, whatever its value: two lines if label and value do not fit on one.
float value_row_height(const Style& style, const ValueInfo& info, bool restarts, float width);
// Draws the row over the available width: a bar with label and value that can be dragged, or typed into after a double
// click; a switch; or a list of choices. Returns the new value when the user has chosen one. A click on a bar changes
// nothing.
std::optional<double> draw_value_row(const Style& style, UiState& state, const ValueInfo& info, const ValueRow& row);

}  // namespace perturb
