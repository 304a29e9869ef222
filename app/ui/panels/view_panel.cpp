#include "app/ui/panels/view_panel.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/i18n/language.h"
#include "app/ui/panels/parameter_panel.h"
#include "app/ui/widgets/color_bar.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/value_row.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/layer.h"

namespace perturb {

std::optional<std::size_t> draw_list_row(const Panel& panel, const std::string& key, const std::string& label,
                                         const std::vector<Choice>& choices, std::size_t chosen,
                                         const std::string& help) {
  ValueInfo info;
  info.id = key;
  info.label = label;
  info.help = help;
  info.kind = ValueKind::choice;
  info.choices = choices;
  info.maximum = static_cast<double>(choices.size()) - 1;
  ValueRow row;
  row.key = "view/" + key;
  row.value = row.default_value = static_cast<double>(chosen);
  const auto value = panel.value_row(info, row);
  if (!value) return std::nullopt;
  return static_cast<std::size_t>(*value);
}

namespace {

template <class Edit>
void change_view(const Panel& panel, const Edit& edit) {
  ViewSettings view = panel.session.view().settings();
  edit(view);
  panel.ask(ChangeView{view, panel.session.view().centred()});
}
template <class Edit>
void change_preferences(const Panel& panel, const Edit& edit) {
  Preferences preferences = panel.interface().preferences;
  edit(preferences);
  panel.ask(ChangeInterface{&InterfaceState::preferences, preferences});
}

// Colormaps are chosen from a list of colour strips.
void draw_colormap_row(const Panel& panel, const ViewSettings& shown) {
  const Style& style = panel.style;
  const float width = ImGui::GetContentRegionAvail().x, height = style.row(), pad = style.px(10);
  const ImVec2 at = ImGui::GetCursorScreenPos(), to(at.x + width, at.y + height);
  ImGui::SetNextItemWidth(width);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(pad, 0.5f * (height - ImGui::GetTextLineHeight())));
  const bool open = begin_list("##colormap", ImGuiComboFlags_NoArrowButton | ImGuiComboFlags_HeightLargest);
  ImGui::PopStyleVar();
  const auto strip = [&](ImDrawList* list, const std::string& id, ImVec2 from, ImVec2 end) {
    draw_color_strip(list, id, ImVec2(from.x + 0.45f * (end.x - from.x), from.y + style.px(8)),
                     ImVec2(end.x - pad, end.y - style.px(8)), false);
  };
  if (open) {
    std::vector<const Colormap*> maps = own_colormaps();
    for (const Colormap& map : colormaps()) maps.push_back(&map);
    for (const Colormap* each : maps) {
      const Colormap& map = *each;
      const ImVec2 row = ImGui::GetCursorScreenPos();
      const float row_width = ImGui::GetContentRegionAvail().x;
      ImGui::PushID(map.id.c_str());
      if (list_line("##map", map.id == shown.colormap, ImVec2(0, height)))
        change_view(panel, [&](ViewSettings& view) { view.colormap = map.id; });
      ImGui::PopID();
      ImDrawList* list = ImGui::GetWindowDrawList();
      const ImVec2 end(row.x + row_width, row.y + height);
      draw_text_in(list, ImVec2(row.x + style.px(4), row.y), ImVec2(row.x + 0.44f * row_width, end.y), color::text,
                   map.id);
      strip(list, map.id, row, ImVec2(end.x + style.px(6), end.y));
    }
    ImGui::EndCombo();
  } else {
    tooltip(style,
            "The colours of the values. Perceptually uniform and safe for colour-blind viewers: viridis, cividis, "
            "magma, inferno, balance, grey. Drop a file with a colour on each line on the window to use your own.");
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  draw_text_in(list, ImVec2(at.x + pad, at.y), ImVec2(at.x + 0.44f * width, to.y), color::text, shown.colormap);
  strip(list, shown.colormap, at, to);
}

// Each language in its own name, so that a user who chose a wrong one finds the way back.
void draw_language(const Panel& panel, float width) {
  const std::vector<LanguageName>& all = languages();
  std::vector<const char*> names;
  int chosen = 0;
  for (const LanguageName& one : all) {
    if (one.id == language()) chosen = static_cast<int>(names.size());
    names.push_back(one.name.c_str());
  }
  if (segmented_control(panel.style, "language", names.data(), static_cast<int>(names.size()), chosen, width))
    change_preferences(panel, [&](Preferences& p) { p.language = all[static_cast<std::size_t>(chosen)].id; });
}

// The scene's units, as far as it has any, or the simulation's.
void draw_unit_choice(const Panel& panel, float width) {
  std::string names;
  for (const UnitScale& unit : panel.run().scene->units)
    if (names.find(unit.name) == std::string::npos) names += (names.empty() ? "" : ", ") + unit.name;
  if (names.empty()) return;
  heading(panel.style, "Units");
  const char* const labels[] = {names.c_str(), "Simulation"};
  int chosen = panel.interface().preferences.scene_units ? 0 : 1;
  if (segmented_control(panel.style, "units", labels, 2, chosen, width))
    change_preferences(panel, [&](Preferences& p) { p.scene_units = chosen == 0; });
  // The scale that the scene states.
  for (const UnitScale& unit : panel.run().scene->units)
    if (unit.scale && is_base_unit(unit.of)) draw_wrapped({"1 {} = {}", Message(unit.of), text_of(unit)});
  if (panel.session.lesson()) draw_wrapped("Lessons use the units of the scene.");
}

}  // namespace

std::optional<ShownRange> draw_range_rows(const Panel& panel, const std::string& key, const Quantity& quantity,
                                          ShownRange now, const char* help) {
  const double reach =
      4 * std::max({std::abs(quantity.minimum), std::abs(quantity.maximum), std::abs(now.low), std::abs(now.high)});
  const auto end_row = [&](const char* id, const char* label, double value, double initial) {
    ValueInfo info = real_value(id, label, quantity.unit, "", initial, -reach, reach, help);
    if (!quantity.is_signed && quantity.minimum >= 0) info.minimum = 0;
    ValueRow row;
    row.key = key + id;
    row.value = value;
    row.default_value = initial;
    return panel.value_row(info, row);
  };
  const auto low = end_row("minimum", "Lowest", now.low, quantity.minimum);
  const auto high = end_row("maximum", "Highest", now.high, quantity.maximum);
  if (low && *low < now.high) return ShownRange{*low, now.high};
  if (high && *high > now.low) return ShownRange{now.low, *high};
  return std::nullopt;
}

void draw_view_panel(const Panel& panel) {
  const Style& style = panel.style;
  const std::vector<Quantity>& quantities = panel.run().info->quantities;
  const ViewSettings shown = panel.session.view().resolved();
  const Quantity& quantity = panel.session.view().quantity();

  heading(style, "Shown");
  if (quantities.size() > 1) {
    std::vector<Choice> choices;
    std::size_t chosen = 0;
    for (const Quantity& q : quantities) {
      if (q.id == quantity.id) chosen = choices.size();
      choices.push_back({q.id, q.label});
    }
    if (const auto index =
            draw_list_row(panel, "quantity", "Quantity", choices, chosen, "The quantity shown as colours."))
      panel.ask(ShowQuantity{quantities[*index].id});
  }
  draw_colormap_row(panel, shown);
  ImGui::Dummy(ImVec2(0, style.px(2)));
  draw_color_bar(panel);
  draw_display_parameters(panel);

  heading(style, "Colour range");
  const float width = ImGui::GetContentRegionAvail().x;
  // Symmetric about zero: zero has the middle colour, so that the sign of a value is visible.
  std::vector<const char*> ways = {"Automatic", "Symmetric", "Locked"};
  if (!quantity.is_signed) ways.erase(ways.begin() + 1);
  const int locked = static_cast<int>(ways.size()) - 1, symmetric = quantity.is_signed ? 1 : -1;
  int way = !panel.session.view().settings().automatic             ? locked
            : quantity.is_signed && panel.session.view().centred() ? symmetric
                                                                   : 0;
  if (segmented_control(style, "range", ways.data(), locked + 1, way, width)) {
    // Locked keeps the current range.
    ViewSettings view = panel.session.view().settings();
    view.automatic = way != locked;
    view.minimum = shown.minimum;
    view.maximum = shown.maximum;
    const bool centred = way != locked ? way == symmetric || !quantity.is_signed : panel.session.view().centred();
    panel.ask(ChangeView{view, centred});
  }
  if (!panel.session.view().settings().automatic) {
    if (const auto chosen =
            draw_range_rows(panel, "view/", quantity, {shown.minimum, shown.maximum}, "An end of the colour bar."))
      change_view(panel, [&](ViewSettings& view) {
        view.minimum = chosen->low;
        view.maximum = chosen->high;
      });
  }

  draw_layer_rows(panel);
  draw_theory_row(panel);
  draw_microscope_row(panel);

  heading(style, "Cells");
  const char* const kinds[] = {"Smooth", "Squares"};
  int kind = panel.session.view().settings().smooth ? 0 : 1;
  if (segmented_control(style, "smooth", kinds, 2, kind, width))
    change_view(panel, [&](ViewSettings& view) { view.smooth = kind == 0; });

  draw_unit_choice(panel, width);

  heading(style, "Window");
  ValueInfo info;
  info.kind = ValueKind::boolean;
  info.label = "Colour bar";
  ValueRow row;
  row.key = "view/bar";
  row.value = panel.interface().color_bar;
  row.default_value = 1;
  if (const auto on = panel.value_row(info, row)) panel.ask(ChangeInterface{&InterfaceState::color_bar, *on != 0});
  std::vector<const char*> themes;
  int theme = 0;
  for (const ThemeName& name : theme_names()) {
    if (name.theme == panel.session.theme()) theme = static_cast<int>(themes.size());
    themes.push_back(name.label);
  }
  if (segmented_control(style, "look", themes.data(), static_cast<int>(themes.size()), theme, width))
    panel.ask(ChooseTheme{theme_names()[static_cast<std::size_t>(theme)].theme});
  draw_language(panel, width);
  ValueInfo calm = info;
  calm.label = "Reduced motion";
  calm.help = "Scenes start paused, and the window shows no animations.";
  row.key = "view/motion";
  row.value = panel.interface().preferences.reduced_motion;
  row.default_value = 0;
  if (const auto on = panel.value_row(calm, row))
    change_preferences(panel, [&](Preferences& p) { p.reduced_motion = *on != 0; });
  ValueInfo edit = info;
  edit.label = "Edit kernels";
  edit.help = "Adds an editor to the tab Kernels. A text is compiled and run as a program, with all your permissions.";
  row.key = "view/kernels";
  row.value = panel.interface().preferences.edit_kernels;
  row.default_value = 0;
  if (const auto on = panel.value_row(edit, row))
    change_preferences(panel, [&](Preferences& p) { p.edit_kernels = *on != 0; });
  ValueInfo text = real_value("text", "Text size", "", "", 1, 0.6, 3, "Scales the text, for example for a projector.");
  text.scale = Scale::logarithmic;
  row.key = "view/text";
  row.value = panel.interface().preferences.text_scale;
  row.default_value = 1;
  row.on_release = true;  // otherwise the slider would move away from under the pointer
  if (const auto scale = panel.value_row(text, row))
    change_preferences(panel, [&](Preferences& p) { p.text_scale = *scale; });
}

void draw_theory_row(const Panel& panel) {
  const bool on = panel.session.view().settings().theory;
  const Diagnostics& numbers = panel.session.diagnostics_poller().latest();
  // Until the first numbers arrive it is not known.
  const bool has_none = !on && !numbers.scalars.empty() && numbers.marks.empty();
  heading(panel.style, "Theory");
  ValueInfo info;
  info.kind = ValueKind::boolean;
  info.label = "Theory in the view";
  info.help = "Draws what theory expects over the view: fringes, rays, wavelengths, nodal lines, forces, profiles.";
  ValueRow row;
  row.key = "view/theory";
  row.value = on;
  row.enabled = !has_none;
  if (const auto chosen = panel.value_row(info, row))
    change_view(panel, [&](ViewSettings& view) { view.theory = *chosen != 0; });
  if (has_none) draw_wrapped(no_theory_text);
}

void draw_microscope_row(const Panel& panel) {
  const bool on = panel.interface().microscope, is_possible = on || panel.run().can_inspect;
  ValueInfo info;
  info.kind = ValueKind::boolean;
  info.label = "Microscope";
  info.help = "Shows what a step computes under the pointer, in numbers. Zoom in to see it drawn.";
  ValueRow row;
  row.key = "view/microscope";
  row.value = on;
  row.enabled = is_possible;
  if (const auto chosen = panel.value_row(info, row))
    panel.ask(ChangeInterface{&InterfaceState::microscope, *chosen != 0});
  if (!is_possible) draw_wrapped(no_inspection_text);
}

void draw_layer_rows(const Panel& panel) {
  const Style& style = panel.style;
  const LayerSettings layer = panel.session.view().settings().layer;
  const auto change = [&](const auto& edit) { change_view(panel, [&](ViewSettings& view) { edit(view.layer); }); };
  const SimulationInfo& info = *panel.run().info;
  heading(style, "Second quantity");
  std::vector<Choice> choices = {{"", "No layer"}};
  std::size_t chosen = 0;
  for (const Quantity& quantity : info.quantities) {
    if (!quantity.can_overlay) continue;
    if (quantity.id == layer.quantity) chosen = choices.size();
    choices.push_back({quantity.id, quantity.label});
  }
  if (choices.size() == 1) {
    draw_wrapped("No layer possible: bodies have no values between them.");
    return;
  }
  if (const auto index = draw_list_row(panel, "layer", "Layer", choices, chosen,
                                       "A second quantity drawn over the first, as contour lines or colours.")) {
    // Another quantity has another range.
    change([&](LayerSettings& now) {
      now.quantity = choices[*index].id;
      now.minimum = now.maximum = 0;
    });
  }
  if (layer.quantity.empty()) return;
  if (const Message error = layer_error(info, panel.session.view().settings()); !error.empty()) {
    draw_wrapped(error);
    return;
  }
  const char* const ways[] = {"Lines", "Colours"};
  int way = layer.as_lines ? 0 : 1;
  if (segmented_control(style, "layer_as", ways, 2, way, ImGui::GetContentRegionAvail().x))
    change([&](LayerSettings& now) { now.as_lines = way == 0; });
  if (layer.as_lines) {
    ValueInfo lines = real_value("lines", "Lines", "", "", LayerSettings{}.lines, 1, LayerSettings::max_lines,
                                 "Number of lines, evenly spaced between the ends.");
    lines.kind = ValueKind::integer;
    lines.scale = Scale::logarithmic;
    ValueRow row;
    row.key = "view/layer_lines";
    row.value = layer.lines;
    row.default_value = LayerSettings{}.lines;
    if (const auto count = panel.value_row(lines, row))
      change([&](LayerSettings& now) { now.lines = static_cast<int>(*count); });
  }
  const Quantity& quantity = info.quantities[quantity_index(info, layer.quantity)];
  if (const auto range =
          draw_range_rows(panel, "view/layer_", quantity, layer_range(layer, quantity), "An end of the layer's range."))
    change([&](LayerSettings& now) {
      now.minimum = range->low;
      now.maximum = range->high;
    });
}

}  // namespace perturb
