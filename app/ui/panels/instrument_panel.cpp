#include "app/ui/panels/instrument_panel.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/instruments/units.h"
#include "app/ui/widgets/tab_order.h"
#include "app/ui/widgets/value_row.h"

namespace perturb {

namespace {

struct KindButton {
  InstrumentKind kind;
  const char* label;
  const char* help;
};
constexpr KindButton kind_buttons[] = {
    {InstrumentKind::probe, "Probe", "Reads the shown quantity at a place: over time, and its spectrum. Click where."},
    {InstrumentKind::cut, "Line cut", "Reads the shown quantity along a line: its profile. Drag from end to end."},
    {InstrumentKind::ruler, "Ruler", "A length, or that of one of several intervals. Drag from end to end."},
    {InstrumentKind::protractor, "Protractor", "Press at the vertex and drag along an arm; then drag the rest."},
    {InstrumentKind::stopwatch, "Stopwatch", "Runs on the simulation's time."}};

// As many buttons per row as their names allow; the kind that is being placed is highlighted.
void draw_kind_buttons(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  const float available = ImGui::GetContentRegionAvail().x, gap = style.px(4);
  float widest = 0;
  for (const KindButton& button : kind_buttons) widest = std::max(widest, text_size(button.label).x + style.px(14));
  const int columns = std::clamp(static_cast<int>((available + gap) / (widest + gap)), 1, 5);
  const float width = std::floor((available - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  ImDrawList* list = ImGui::GetWindowDrawList();
  int index = 0;
  for (const KindButton& button : kind_buttons) {
    if (index++ % columns != 0) ImGui::SameLine(0, gap);
    const ImVec2 at = ImGui::GetCursorScreenPos(), to(at.x + width, at.y + style.row());
    if (press_area(button.label, ImVec2(width, style.row()))) state.ask(PlaceInstrument{button.kind});
    const bool on = state.placing == button.kind, hovered = ImGui::IsItemHovered();
    list->AddRectFilled(at, to, on ? color::accent : hovered ? color::hovered : color::raised, style.px(5));
    draw_text_in(list, at, to, on ? color::on_accent : color::text, button.label, 0.5f);
    tooltip(style, button.help);
  }
}

// Sliders for the coordinates of each point, in fractions of the domain, and the other settings of the kind.
void draw_settings(const Panel& panel, const Instrument& one) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  const DomainSize domain = panel.session.domain();
  const std::string key = "instrument/" + std::to_string(one.id) + "/";
  const auto row_of = [&](const ValueInfo& info, const std::string& name, double value) {
    ValueRow row;
    row.key = key + name;
    row.value = row.default_value = value;
    return draw_value_row(style, state, info, row);
  };
  if (one.kind == InstrumentKind::ruler) {
    ValueInfo count =
        real_value("count", "Intervals", "", "", 1, 1, 50, "How many it spans: it tells the length of one.");
    count.kind = ValueKind::integer;
    if (const auto value = row_of(count, "count", one.count)) {
      Instrument changed = one;
      changed.count = static_cast<int>(*value);
      state.ask(ChangeInstrument{changed});
    }
  }
  if (one.kind == InstrumentKind::cut) {
    ValueInfo mean;
    mean.kind = ValueKind::boolean, mean.label = "Mean over time";
    mean.help = "The profile's mean since this was switched on, not that of this moment.";
    if (const auto value = row_of(mean, "mean", one.averaged ? 1 : 0)) {
      Instrument changed = one;
      changed.averaged = *value != 0;
      state.ask(ChangeInstrument{changed});
    }
  }
  if (one.kind == InstrumentKind::stopwatch) {
    if (text_button(style, one.runs() ? "Stop" : "Start", true, "run")) {
      Instrument changed = one;
      const double now = panel.run().time;
      // It resumes from the time it shows.
      if (one.runs())
        changed.stopped = now;
      else
        changed.started = now - one.elapsed(now), changed.stopped = std::nan("");
      state.ask(ChangeInstrument{changed});
    }
    ImGui::SameLine();
    if (text_button(style, "From zero", false)) {
      Instrument changed = one;
      changed.started = panel.run().time, changed.stopped = std::nan("");
      state.ask(ChangeInstrument{changed});
    }
    return;
  }
  for (std::size_t k = 0; k < one.places.size(); ++k)
    for (const bool across : {true, false}) {
      const double extent = across ? domain.width : domain.height;
      const std::string name = (across ? "x" : "y") + (one.places.size() > 1 ? " " + std::to_string(k + 1) : "");
      const ValueInfo info =
          real_value(name, name, length_unit_of(panel.session.info()), "", 0, 0, extent, "Where the handle lies.");
      if (const auto value = row_of(info, name, (across ? one.places[k].x : one.places[k].y) * extent)) {
        Instrument changed = one;
        (across ? changed.places[k].x : changed.places[k].y) = *value / extent;
        state.ask(ChangeInstrument{changed});
      }
    }
  if (one.kind == InstrumentKind::probe) {
    if (text_button(style, state.audible_probe == one.id ? "Stop listening" : "Listen", state.audible_probe == one.id,
                    "listen"))
      state.ask(PlayProbe{one.id});
    tooltip(style,
            "What it reads, by the loudspeaker: the strongest swing of now as the tone a' (440 Hz), and what "
            "changes from then on is heard to change.");
    const float both = text_size("Stop listening").x + text_size("Save as sound").x + 4 * style.px(14) + style.gap();
    if (both <= ImGui::GetContentRegionAvail().x) ImGui::SameLine(0, style.gap());
    if (text_button(style, "Save as sound", false)) state.ask(SaveSound{one.id});
    tooltip(style, "A WAV file: time is stretched so that the strongest swing is heard as the tone a' (440 Hz).");
  }
}

}  // namespace

void draw_instrument_panel(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  heading(style, "Instruments");
  draw_kind_buttons(panel);
  const Instruments& instruments = panel.session.instruments();
  if (state.placing) draw_wrapped("Drag in the picture, or press Enter to put it under the pointer. Esc: not at all.");
  for (const Instrument& one : instruments.all()) {
    ImGui::PushID(one.id);
    const float button = style.px(24), width = ImGui::GetContentRegionAvail().x - button - style.px(4);
    const ImVec2 at = ImGui::GetCursorScreenPos(), to(at.x + width, at.y + style.row());
    const bool selected = one.id == state.instrument;
    if (press_area("##one", ImVec2(width, style.row()))) {
      state.instrument = selected ? 0 : one.id;
      state.instrument_place = 0;
    }
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, to, selected ? color::accent_fill : hovered ? color::hovered : color::raised, style.px(5));
    const std::string name = one.name();
    draw_text_in(list, ImVec2(at.x + style.px(8), at.y), to, color::text, name);
    const float taken = text_size(name).x + style.px(16);
    draw_text_in(list, ImVec2(at.x + taken, at.y), ImVec2(to.x - style.px(8), to.y), color::accent_bright,
                 instruments.text_of(one, panel.session.info(), panel.session.domain(), panel.run().time), 1);
    ImGui::SetCursorScreenPos(ImVec2(to.x + style.px(4), at.y + 0.5f * (style.row() - button)));
    if (icon_button(style, "remove", Icon::close, button)) state.ask(RemoveInstrument{one.id});
    tooltip(style, "Remove  (Del)");
    ImGui::SetCursorScreenPos(ImVec2(at.x, to.y + ImGui::GetStyle().ItemSpacing.y));
    if (selected) draw_settings(panel, one);
    ImGui::PopID();
  }
}

}  // namespace perturb
