// What is shown of the state, and in which colours.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/panels/panels.h"
#include "cuda/core/paint/shown.h"

namespace perturb {

void draw_view_panel(const Panel& panel);

// The ends of a range of colours, two rows. `key` begins their keys; the range that the user has just chosen.
std::optional<ShownRange> draw_range_rows(const Panel& panel, const std::string& key, const Quantity& quantity,
                                          ShownRange now, const char* help);

// A list of the same look as a parameter's choice; the place of what the user has just chosen.
std::optional<std::size_t> draw_list_row(const Panel& panel, const std::string& key, const std::string& label,
                                         const std::vector<Choice>& choices, std::size_t chosen,
                                         const std::string& help);

}  // namespace perturb
