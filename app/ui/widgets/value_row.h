// Rows with one adjustable value: the only sliders of the project. Used for parameters, brush settings and the colour
// range.
#pragma once

#include <map>
#include <optional>
#include <string>

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
  const ValueInfo* typed = nullptr;  // limits of a typed value, if the slider covers only a part; null: the slider's
};

// Height of the row for this `width`, whatever its value: two lines if label and value do not fit on one.
float value_row_height(const Style& style, const ValueInfo& info, bool restarts, float width);

// All rows of the window: the one being typed into or dragged, and the texts that were rejected.
class ValueRows {
 public:
  // Call at the start of a pass. `type_value`: typing starts in the focused row; `tab_leaves`: Tab leaves the field
  // being edited; `run`: changes when the run is replaced, which ends typing and dragging.
  void begin_pass(bool type_value, bool tab_leaves, int run);
  // Draws the row over the available width: a bar with label and value that can be dragged, or typed into after a
  // double click; a switch; or a list of choices. Returns the new value when the user has chosen one. A click on a bar
  // changes nothing.
  std::optional<double> draw(const Style& style, const ValueInfo& info, const ValueRow& row);
  // Key of the row being typed into; empty: none.
  const std::string& typing() const { return typing_; }

 private:
  std::optional<double> draw_typing(const ValueInfo& info, const ValueRow& row, float width, float height);
  std::optional<double> draw_formula(const Style& style, const ValueInfo& info, const ValueRow& row, float width);
  std::optional<double> dragged_fraction(const Style& style, double fraction, float width);
  std::optional<double> draw_slider(const Style& style, const ValueInfo& info, const ValueRow& row, float width);

  bool type_value_ = false, tab_leaves_ = false;
  int run_ = 0;
  // Why the typed text was rejected, and the value of the row then; by key.
  struct Rejection {
    Message why;
    double value;
  };
  std::map<std::string, Rejection> errors_;
  std::map<std::string, std::string> shown_errors_;  // the messages of the last frame, by key
  std::string typing_;
  char typed_[max_formula_text + 1] = "";
  bool typing_just_started_ = false, typed_by_keys_ = false;
  std::string refocus_;  // the row whose value was entered, and that gets the focus back
  // A slider changes by the dragged distance from its old value: a click alone changes nothing.
  bool drag_began_ = false;
  double drag_fraction_ = 0;
  float drag_x_ = 0;
  // A slider being dragged whose value is applied on release.
  std::string pending_;
  double pending_value_ = 0;
};

}  // namespace perturb
