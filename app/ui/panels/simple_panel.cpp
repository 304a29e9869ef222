#include "app/ui/panels/simple_panel.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/i18n/language.h"
#include "app/run/run_text.h"
#include "app/ui/panels/object_panel.h"
#include "app/ui/panels/parameter_panel.h"
#include "app/ui/widgets/gauges.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/slider_scale.h"

namespace perturb {

namespace {

void choose_simple(const Panel& panel, bool simple) {
  Preferences preferences = panel.interface().preferences;
  preferences.simple = simple;
  panel.ask(ChangeInterface{&InterfaceState::preferences, preferences});
}

// The gauge with the worst level; null: there is none.
const Gauge* worst_gauge(const std::vector<Gauge>& gauges) {
  const auto rank = [](const Gauge& gauge) {
    switch (gauge.level()) {
      case Gauge::Level::unknown:
        return 0;
      case Gauge::Level::good:
        return 1;
      case Gauge::Level::near:
        return 2;
      case Gauge::Level::exceeded:
        break;
    }
    return 3;
  };
  const auto worst =
      std::max_element(gauges.begin(), gauges.end(), [&](const Gauge& a, const Gauge& b) { return rank(a) < rank(b); });
  return worst == gauges.end() ? nullptr : &*worst;
}

Message numerics_text(const Gauge& worst) {
  switch (worst.level()) {
    case Gauge::Level::good:
      return "Numerics: fine";
    case Gauge::Level::near:
      return {"Numerics: near a limit ({})", worst.label};
    case Gauge::Level::exceeded:
      return {"Numerics: past a limit ({})", worst.label};
    case Gauge::Level::unknown:
      break;
  }
  return "Numerics: not measured yet";
}

// A reading as drawn: its name in small letters, below it the number in large figures and the unit.
struct Reading {
  Message name, unit;
  std::string number;
  float width = 0;  // that it needs
};

Reading reading_of(const Panel& panel, const Scalar& scalar) {
  const Style& style = panel.style;
  const DisplayUnit unit = panel.shown_unit(scalar.unit, scalar.id);
  const bool is_known = has_value(scalar.value);
  const Message unit_name(unit.text);
  Reading reading{scalar.label, is_known ? unit_name : Message(),
                  is_known ? number_text(scalar.value * unit.factor, 3) : "\u2013"};
  ImGui::PushFont(style.small);
  reading.width = text_size(reading.name).x;
  ImGui::PopFont();
  // As wide as the widest number of three digits with its unit, so that readings do not move, nor when a first value
  // appears.
  ImGui::PushFont(style.figures);
  const float number = std::max(ImGui::CalcTextSize("-0.00000").x, ImGui::CalcTextSize(reading.number.c_str()).x);
  ImGui::PopFont();
  const float with_unit = number + (unit_name.empty() ? 0 : style.px(5) + text_size(unit_name).x);
  reading.width = std::max(reading.width, with_unit) + style.px(2);
  return reading;
}

void draw_reading(const Style& style, const Reading& reading, ImVec2 at, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::PushFont(style.small);
  const float line = ImGui::GetTextLineHeight();
  draw_text_in(list, at, ImVec2(at.x + width, at.y + line), color::dim, reading.name);
  ImGui::PopFont();
  ImGui::PushFont(style.figures);
  const ImVec2 size = ImGui::CalcTextSize(reading.number.c_str());
  const float top = at.y + line;
  list->AddText(ImVec2(at.x, top), color::text, reading.number.c_str());
  ImGui::PopFont();
  // On the base line of the figures.
  const float foot = top + size.y - style.px(3);
  draw_text_in(list, ImVec2(at.x + size.x + style.px(5), foot - ImGui::GetTextLineHeight()), ImVec2(at.x + width, foot),
               color::dim, reading.unit);
}

}  // namespace

void draw_view_choice(const Panel& panel) {
  const char* const labels[] = {"Simple", "Full"};
  int chosen = panel.interface().preferences.simple ? 0 : 1;
  if (segmented_control(panel.style, "detail", labels, 2, chosen, ImGui::GetContentRegionAvail().x))
    choose_simple(panel, chosen == 0);
}

void draw_numerics_indicator(const Panel& panel) {
  const Gauge* worst = worst_gauge(panel.run().gauges);
  if (!worst) return;
  const Style& style = panel.style;
  const float width = ImGui::GetContentRegionAvail().x, height = style.px(24);
  const ImVec2 at = ImGui::GetCursorScreenPos(), to(at.x + width, at.y + height);
  if (press_area("##numerics", ImVec2(width, height))) choose_simple(panel, false);
  const bool hovered = ImGui::IsItemHovered();
  const bool is_good = worst->level() == Gauge::Level::good || worst->level() == Gauge::Level::unknown;
  tooltip(style, stacked(is_good ? Message("Whether the computation keeps its limits. Click to see all of them.")
                                 : gauge_advice(*worst, panel.run().info->parameters),
                         is_good ? Message() : Message("Click to see all limits.")));
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 ink = gauge_color(*worst);
  list->AddCircleFilled(ImVec2(at.x + style.px(6), at.y + 0.5f * height), style.px(4.5f), ink, 20);
  draw_text_in(list, ImVec2(at.x + style.px(18), at.y), to,
               !is_good  ? ink
               : hovered ? color::text
                         : color::dim,
               numerics_text(*worst));
}

void draw_readings(const Panel& panel) {
  const Style& style = panel.style;
  const std::vector<Scalar>& scalars = panel.session.diagnostics_poller().latest().scalars;
  std::vector<Reading> readings;
  for (const std::string& id : panel.run().scene->simple.readings) {
    const auto found = std::find_if(scalars.begin(), scalars.end(), [&](const Scalar& s) { return s.id == id; });
    // A run may lack one: a scene opens with fewer fibers on a slow machine.
    if (found != scalars.end()) readings.push_back(reading_of(panel, *found));
  }
  ImGui::PushFont(style.small);
  float height = ImGui::GetTextLineHeight();
  ImGui::PopFont();
  ImGui::PushFont(style.figures);
  height += ImGui::GetTextLineHeight();
  ImGui::PopFont();
  const float all = ImGui::GetContentRegionAvail().x, half = 0.5f * (all - style.gap());
  // Two in a row where both fit.
  for (std::size_t k = 0; k < readings.size();) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool is_pair = k + 1 < readings.size() && readings[k].width <= half && readings[k + 1].width <= half;
    draw_reading(style, readings[k++], at, is_pair ? half : all);
    if (is_pair) draw_reading(style, readings[k++], ImVec2(at.x + half + style.gap(), at.y), half);
    ImGui::Dummy(ImVec2(all, height));
  }
}

namespace {

// Below the sliders, which do not move when a remark appears.
void draw_remarks(const Panel& panel) {
  ImGui::PushFont(panel.style.small);
  for (const Message& remark : panel.session.diagnostics_poller().latest().remarks) draw_wrapped(remark);
  ImGui::PopFont();
}

}  // namespace

void draw_simple_physics(const Panel& panel) {
  draw_selected_object(panel, true);
  const LessonSession* lesson = panel.session.lesson();
  const std::vector<std::string>& controls = panel.run().scene->simple.controls;
  if (controls.empty() || (lesson && !lesson->step().unlocked)) {
    draw_parameters(panel);
    return draw_remarks(panel);
  }
  const std::vector<Parameter>& table = panel.run().info->parameters;
  const auto index_of = [&](const std::string& id) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const Parameter& p) { return p.id == id; });
    return static_cast<std::size_t>(found - table.begin());
  };
  draw_parameter_heading(panel, "Controls");
  draw_count_row(panel);
  std::vector<std::string> shown = controls;
  if (lesson)
    for (const std::string& id : *lesson->step().unlocked)
      if (std::find(shown.begin(), shown.end(), id) == shown.end()) shown.push_back(id);
  for (const std::string& id : shown) {
    if (const auto value = draw_parameter_row(panel, index_of(id))) panel.ask(ParameterChange{id, *value});
    draw_singing(panel, id);
  }
  draw_remarks(panel);
}

}  // namespace perturb
