// One adjustable value: the only sliders of the project. Parameters, brush settings and the colour range all use it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/ui_state.h"
#include "app/ui/widgets/style.h"
#include "cuda/core/simulation/parameters.h"
#include "cuda/core/simulation/value_info.h"

namespace perturb {

struct ValueRow {
  std::string key;  // unique among all rows of a frame
  double value = 0;
  double default_value = 0;
  bool restarts = false;    // a change starts the scene anew: the row says so
  bool on_release = false;  // reported only when the slider is let go; always so where it restarts
  std::string error_text;   // why the last value was not taken; empty: it was
  bool enabled = true;
  // Of the simulation: the help names others by their ids. Null: it names none.
  const std::vector<Parameter>* parameters = nullptr;
};

// How high the row is over `width`, whatever its value: where label and value have no room beside each other it has two
// lines.
float value_row_height(const Style& style, const ValueInfo& info, bool restarts, float width);
// Draws the row over the width there is: a bar with label and value that is dragged, or typed into after a double
// click; a switch; or a list of choices. Returns the new value when the user has chosen one. A click on a bar changes
// nothing.
std::optional<double> draw_value_row(const Style& style, UiState& state, const ValueInfo& info, const ValueRow& row);

}  // namespace perturb
