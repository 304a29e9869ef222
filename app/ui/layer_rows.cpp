#include "app/ui/layer_rows.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/value_row.h"
#include "app/ui/view_panel.h"
#include "cuda/core/layer.h"

namespace perturb {

namespace {

void draw_layer_range(const Panel& panel, LayerSettings& layer, const Quantity& quantity) {
  const auto [low, high] = layer_range(layer, quantity);
  const double reach =
      4 * std::max({std::abs(quantity.minimum), std::abs(quantity.maximum), std::abs(low), std::abs(high)});
  const auto end_row = [&](const char* id, const char* label, double value, double initial) {
    ValueInfo info = real_value(id, label, quantity.unit, "", initial, -reach, reach, "An end of the layer's range.");
    if (!quantity.is_signed && quantity.minimum >= 0) info.minimum = 0;
    ValueRow row;
    row.key = std::string("view/layer_") + id;
    row.value = value, row.default_value = initial;
    return draw_value_row(panel.style, panel.state(), info, row);
  };
  if (const auto lowest = end_row("minimum", "Lowest", low, quantity.minimum); lowest && *lowest < high)
    layer.minimum = *lowest, layer.maximum = high;
  if (const auto highest = end_row("maximum", "Highest", high, quantity.maximum); highest && *highest > low)
    layer.minimum = low, layer.maximum = *highest;
}

}  // namespace

void draw_layer_rows(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  LayerSettings& layer = state.view.layer;
  const SimulationInfo& info = *panel.run().info;
  heading(style, "Over it");
  std::vector<Choice> choices = {{"", "Nothing"}};
  std::size_t chosen = 0;
  for (const Quantity& quantity : info.quantities) {
    if (!quantity.can_lie_over) continue;
    if (quantity.id == layer.quantity) chosen = choices.size();
    choices.push_back({quantity.id, quantity.label});
  }
  if (choices.size() == 1) {
    wrapped("Nothing can: bodies are shown, which have no number between them.");
    return;
  }
  if (const auto index = draw_list_row(panel, "layer", "Layer", choices, chosen,
                                       "A second quantity over the first: its lines of equal value, or its colours.")) {
    // Another quantity has another range.
    layer.quantity = choices[*index].id, layer.minimum = layer.maximum = 0;
  }
  if (layer.quantity.empty()) return;
  if (const std::string trouble = layer_trouble(info, state.view); !trouble.empty()) {
    wrapped(trouble);
    return;
  }
  const char* const ways[] = {"Lines", "Colours"};
  int way = layer.as_lines ? 0 : 1;
  if (segments(style, "layer_as", ways, 2, way, ImGui::GetContentRegionAvail().x)) layer.as_lines = way == 0;
  if (layer.as_lines) {
    ValueInfo lines = real_value("lines", "Lines", "", "", LayerSettings{}.lines, 1, LayerSettings::most_lines,
                                 "How many, evenly between the ends.");
    lines.kind = ValueKind::integer, lines.scale = Scale::logarithmic;
    ValueRow row;
    row.key = "view/layer_lines";
    row.value = layer.lines, row.default_value = LayerSettings{}.lines;
    if (const auto count = draw_value_row(style, state, lines, row)) layer.lines = static_cast<int>(*count);
  }
  draw_layer_range(panel, layer, info.quantities[quantity_index(info, layer.quantity)]);
}

}  // namespace perturb
