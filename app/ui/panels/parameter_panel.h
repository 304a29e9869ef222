// The parameters of a simulation as rows, by group.
#pragma once

#include <cstddef>
#include <optional>

#include "app/ui/panels/panel.h"

namespace perturb {

// The offer of a scene's whole count keeps its height in this scene, so that the rows around it stay in place.
struct CountOfferState {
  int scene = 0;     // Session::scenes() to which it belongs
  float height = 0;  // 0: not shown yet
};

// A heading with "Reset all" at its right, enabled if any parameter differs from its default.
void draw_parameter_heading(const Panel& panel, const Message& text);

// The parameters of the experiment, each group under its heading, with "Reset all" if any differs from its default.
void draw_parameters(const Panel& panel);
// The rows of those that only change what is drawn, for the tab View; draw_parameters leaves them out.
void draw_display_parameters(const Panel& panel);

// The row of the parameter with this index in the table; returns the new value if the user has chosen one. Disabled if
// an open lesson locks the parameter.
std::optional<double> draw_parameter_row(const Panel& panel, std::size_t index);
// Below the row of this parameter: a button to drive it by the microphone, if that is possible.
void draw_singing(const Panel& panel, const std::string& id);

// The number of fibers, for example, of a scene whose size counts something. Nothing for other scenes, and in lessons.
void draw_count_row(const Panel& panel);
// If the window chose a smaller number than the preset's: says so, and offers the preset's, also after the user chose
// another number.
void draw_count_offer(const Panel& panel, CountOfferState& state);
// If the run is a lighter variant of its scene: says so, and offers the full scene; afterwards the way back.
void draw_lighter_offer(const Panel& panel);

}  // namespace perturb
