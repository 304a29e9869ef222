// The displayed quantity, its range and colours, and the layer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/panels/panel.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

void draw_view_panel(const Panel& panel);

// Two rows for the ends of a colour range. `key` is the prefix of their keys. Returns the range that the user has just
// chosen.
std::optional<ShownRange> draw_range_rows(const Panel& panel, const std::string& key, const Quantity& quantity,
                                          ShownRange now, const char* help);

// A list that looks like the choice of a parameter; returns the index that the user has just chosen.
std::optional<std::size_t> draw_list_row(const Panel& panel, const std::string& key, const std::string& label,
                                         const std::vector<Choice>& choices, std::size_t chosen,
                                         const std::string& help);

// Settings of the layer: a second quantity drawn over the image, as contour lines or in colours. Draws the rows under
// their own heading; if the displayed quantity cannot have a layer, a text gives the reason.
void draw_layer_rows(const Panel& panel);

// The switch for theory over the view; if the scene has none, it is disabled and a text gives the reason.
void draw_theory_row(const Panel& panel);

// The switch for the microscope, in the same way.
void draw_microscope_row(const Panel& panel);

}  // namespace perturb
