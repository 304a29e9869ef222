#include "app/ui/widgets/layer_rows.h"

#include <string>
#include <vector>

#include "app/ui/panels/view_panel.h"
#include "app/ui/widgets/value_row.h"
#include "cuda/core/paint/layer.h"

namespace perturb {

void draw_layer_rows(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  LayerSettings& layer = state.view.layer;
  const SimulationInfo& info = *panel.run().info;
  heading(style, "Over it");
  std::vector<Choice> choices = {{"", "Nothing"}};
  std::size_t chosen = 0;
  for (const Quantity& quantity : info.quantities) {
    if (!quantity.can_overlay) continue;
    if (quantity.id == layer.quantity) chosen = choices.size();
    choices.push_back({quantity.id, quantity.label});
  }
  if (choices.size() == 1) {
    draw_wrapped("Nothing can: bodies are shown, which have no number between them.");
    return;
  }
  if (const auto index = draw_list_row(panel, "layer", "Layer", choices, chosen,
                                       "A second quantity over the first: its lines of equal value, or its colours.")) {
    // Another quantity has another range.
    layer.quantity = choices[*index].id, layer.minimum = layer.maximum = 0;
  }
  if (layer.quantity.empty()) return;
  if (const std::string error = layer_error(info, state.view); !error.empty()) {
    draw_wrapped(error);
    return;
  }
  const char* const ways[] = {"Lines", "Colours"};
  int way = layer.as_lines ? 0 : 1;
  if (segmented_control(style, "layer_as", ways, 2, way, ImGui::GetContentRegionAvail().x)) layer.as_lines = way == 0;
  if (layer.as_lines) {
    ValueInfo lines = real_value("lines", "Lines", "", "", LayerSettings{}.lines, 1, LayerSettings::max_lines,
                                 "How many, evenly between the ends.");
    lines.kind = ValueKind::integer, lines.scale = Scale::logarithmic;
    ValueRow row;
    row.key = "view/layer_lines";
    row.value = layer.lines, row.default_value = LayerSettings{}.lines;
    if (const auto count = draw_value_row(style, state, lines, row)) layer.lines = static_cast<int>(*count);
  }
  const Quantity& quantity = info.quantities[quantity_index(info, layer.quantity)];
  if (const auto range =
          draw_range_rows(panel, "view/layer_", quantity, layer_range(layer, quantity), "An end of the layer's range."))
    layer.minimum = range->low, layer.maximum = range->high;
}

}  // namespace perturb
