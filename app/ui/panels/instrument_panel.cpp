#include "app/ui/panels/instrument_panel.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/instruments/instruments.h"
#include "app/instruments/probe_sound.h"
#include "app/run/mark_style.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/widgets/color_bar.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/value_row.h"

namespace perturb {

namespace {

struct KindButton {
  InstrumentKind kind;
  const char* label;
  const char* help;
};
constexpr KindButton kind_buttons[] = {
    {InstrumentKind::probe, "Probe",
     "Plots the shown quantity at a point over time, with its spectrum. Click to place it."},
    {InstrumentKind::cut, "Line cut", "Plots the shown quantity along a line. Drag to place it."},
    {InstrumentKind::ruler, "Ruler", "Measures a length, or that of one of several intervals. Drag to place it."},
    {InstrumentKind::protractor, "Protractor",
     "Measures an angle. Drag from the vertex along one arm, then drag the other arm."},
    {InstrumentKind::stopwatch, "Stopwatch", "Measures the simulated time."}};

// As many buttons per row as their names allow; the kind that is being placed is highlighted.
void draw_kind_buttons(const Panel& panel) {
  const Style& style = panel.style;
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
    if (press_area(button.label, ImVec2(width, style.row()))) panel.ask(PlaceInstrument{button.kind});
    const bool on = panel.session.instrument_controller().placing() == button.kind, hovered = ImGui::IsItemHovered();
    list->AddRectFilled(at, to, on ? color::accent : hovered ? color::hovered : color::raised, style.px(5));
    draw_text_in(list, at, to, on ? color::on_accent : color::text, button.label, 0.5f);
    tooltip(style, button.help);
  }
}

// Sliders for the coordinates of each point, in fractions of the domain, and the other settings of the kind.
void draw_settings(const Panel& panel, const Instrument& one) {
  const Style& style = panel.style;
  const DomainSize domain = panel.session.domain();
  const std::string key = "instrument/" + std::to_string(one.id) + "/";
  const auto row_of = [&](const ValueInfo& info, const std::string& name, double value) {
    ValueRow row;
    row.key = key + name;
    row.value = row.default_value = value;
    return panel.value_row(info, row);
  };
  if (one.kind == InstrumentKind::ruler) {
    ValueInfo count =
        real_value("count", "Intervals", "", "", 1, 1, 50, "Number of intervals; shows the length of one.");
    count.kind = ValueKind::integer;
    if (const auto value = row_of(count, "count", one.count)) {
      Instrument changed = one;
      changed.count = static_cast<int>(*value);
      panel.ask(ChangeInstrument{changed});
    }
  }
  if (one.kind == InstrumentKind::cut) {
    ValueInfo mean;
    mean.kind = ValueKind::boolean;
    mean.label = "Mean over time";
    mean.help = "The mean profile since this was switched on, instead of the current one.";
    if (const auto value = row_of(mean, "mean", one.averaged ? 1 : 0)) {
      Instrument changed = one;
      changed.averaged = *value != 0;
      panel.ask(ChangeInstrument{changed});
    }
  }
  if (one.kind == InstrumentKind::stopwatch) {
    if (text_button(style, one.runs() ? "Stop" : "Start", true, "run")) {
      Instrument changed = one;
      changed.start_or_stop(panel.run().time);
      panel.ask(ChangeInstrument{changed});
    }
    ImGui::SameLine();
    if (text_button(style, "Reset", false)) {
      Instrument changed = one;
      changed.restart(panel.run().time);
      panel.ask(ChangeInstrument{changed});
    }
    return;
  }
  for (std::size_t k = 0; k < one.places.size(); ++k)
    for (const bool across : {true, false}) {
      const double extent = across ? domain.width : domain.height;
      const std::string name = (across ? "x" : "y") + (one.places.size() > 1 ? " " + std::to_string(k + 1) : "");
      const ValueInfo info =
          real_value(name, name, length_unit_of(panel.session.info()), "", 0, 0, extent, "Position of the handle.");
      if (const auto value = row_of(info, name, (across ? one.places[k].x : one.places[k].y) * extent)) {
        Instrument changed = one;
        (across ? changed.places[k].x : changed.places[k].y) = *value / extent;
        panel.ask(ChangeInstrument{changed});
      }
    }
  if (one.kind == InstrumentKind::probe) {
    if (text_button(style, panel.session.audio_output().probe() == one.id ? "Stop sound" : "Play sound",
                    panel.session.audio_output().probe() == one.id, "listen"))
      panel.ask(PlayProbe{one.id});
    tooltip(style,
            "Plays the probe: the dominant frequency at the start becomes the tone a' (440 Hz). Later changes are "
            "audible.");
    const float both = text_size("Stop sound").x + text_size("Save sound").x + 4 * style.px(14) + style.gap();
    if (both <= ImGui::GetContentRegionAvail().x) ImGui::SameLine(0, style.gap());
    if (text_button(style, "Save sound", false)) panel.ask(SaveSound{one.id});
    tooltip(style, "Saves a WAV file in which the dominant frequency becomes the tone a' (440 Hz).");
    const AudioOutput& output = panel.session.audio_output();
    if (output.probe() == one.id && !output.has_begun())
      draw_wrapped(Message("The sound begins when the probe has measured {} periods.", Sonifier::periods_needed));
  }
}

}  // namespace

void draw_instrument_panel(const Panel& panel) {
  const Style& style = panel.style;
  heading(style, "Instruments");
  draw_kind_buttons(panel);
  const Instruments& instruments = panel.session.instruments();
  if (panel.session.instrument_controller().placing())
    draw_wrapped("Drag in the view, or press Enter to place it at the pointer (Esc: cancel).");
  for (const Instrument& one : instruments.all()) {
    ImGui::PushID(one.id);
    const float button = style.px(24), width = ImGui::GetContentRegionAvail().x - button - style.px(4);
    const ImVec2 at = ImGui::GetCursorScreenPos(), to(at.x + width, at.y + style.row());
    const bool selected = one.id == panel.session.instrument_controller().selection().instrument;
    if (press_area("##one", ImVec2(width, style.row()))) {
      panel.ask(SelectInstrument{selected ? 0 : one.id});
    }
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, to, selected ? color::accent_fill : hovered ? color::hovered : color::raised, style.px(5));
    const Message name = one.name();
    draw_text_in(list, ImVec2(at.x + style.px(8), at.y), to, color::text, name);
    const float taken = text_size(name).x + style.px(16);
    draw_text_in(list, ImVec2(at.x + taken, at.y), ImVec2(to.x - style.px(8), to.y), color::accent_bright,
                 instruments.text_of(one, panel.session.info(), panel.session.domain(), panel.run().time,
                                     panel.session.display_units()),
                 1);
    ImGui::SetCursorScreenPos(ImVec2(to.x + style.px(4), at.y + 0.5f * (style.row() - button)));
    if (icon_button(style, "remove", Icon::close, button)) panel.ask(RemoveInstrument{one.id});
    tooltip(style, "Remove  (Del)");
    ImGui::SetCursorScreenPos(ImVec2(at.x, to.y + ImGui::GetStyle().ItemSpacing.y));
    if (selected) draw_settings(panel, one);
    ImGui::PopID();
  }
  if (instruments.all().size() > 1 && text_button(style, "Remove all", false, "remove all"))
    panel.ask(RemoveInstrument{0});
}

namespace {

constexpr ImU32 instrument_shade = IM_COL32(0, 0, 0, 170);

struct InstrumentPainter {
  ImDrawList* list;
  const Style& style;
  ImU32 ink;
  const Rect& bar;            // of the colour bar, which must stay visible
  std::vector<Rect>& labels;  // areas of the labels drawn so far

  // A dark line below a light one: visible on any colour.
  void line(ImVec2 a, ImVec2 b) const {
    list->AddLine(a, b, instrument_shade, style.px(4));
    list->AddLine(a, b, ink, style.px(1.5f));
  }
  void handle(ImVec2 at, bool held) const {
    const float radius = style.px(held ? 7 : 5);
    list->AddCircleFilled(at, radius + style.px(1.5f), instrument_shade);
    list->AddCircle(at, radius, ink, 0, style.px(2));
    list->AddCircleFilled(at, style.px(1.5f), ink);
  }
  void label(ImVec2 at, const Message& text, const Rect& view_rect) const {
    const float pad = style.px(5);
    const std::string words = wrap_text(text, static_cast<float>(view_rect.width) - 4 * pad);
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    const auto left = static_cast<float>(view_rect.x), top = static_cast<float>(view_rect.y);
    const float right = left + static_cast<float>(view_rect.width), bottom = top + static_cast<float>(view_rect.height);
    // Next to the position, but always within the view.
    at.x = std::clamp(at.x, left + pad, std::max(left + pad, right - size.x - 2 * pad));
    at.y = std::clamp(at.y, top + pad, std::max(top + pad, bottom - size.y - 2 * pad));
    at = ImVec2(std::round(at.x), std::round(at.y));
    const double wide = size.x + 2 * pad, high = size.y + 2 * pad;
    const bool overlaps_bar = at.x + wide > bar.x && at.y + high > bar.y && at.x < bar.x + bar.width;
    if (bar.width > 0 && overlaps_bar && bar.x - wide > left) at.x = static_cast<float>(std::floor(bar.x - wide));
    // Below the labels that already exist, if there is space.
    for (bool moved = true; moved;) {
      moved = false;
      for (const Rect& other : labels) {
        if (at.x >= other.x + other.width || at.x + wide <= other.x || at.y >= other.y + other.height ||
            at.y + high <= other.y)
          continue;
        const float below = static_cast<float>(other.y + other.height) + style.px(2);
        if (below + static_cast<float>(high) > bottom) continue;
        at.y = below;
        moved = true;
      }
    }
    labels.push_back({at.x, at.y, wide, high});
    list->AddRectFilled(at, ImVec2(at.x + size.x + 2 * pad, at.y + size.y + 2 * pad), color::overlay_fill, style.px(4));
    list->AddText(ImVec2(at.x + pad, at.y + pad), ink, words.c_str());
  }
};

ImVec2 along(ImVec2 a, ImVec2 b, float t) { return ImVec2(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)); }

// Marks at the ends of the intervals, perpendicular to the ruler.
void draw_marks(const InstrumentPainter& in, const Instrument& ruler, ImVec2 a, ImVec2 b) {
  const float length = std::hypot(b.x - a.x, b.y - a.y);
  if (!(length > 1)) return;
  const ImVec2 across(-(b.y - a.y) / length * in.style.px(7), (b.x - a.x) / length * in.style.px(7));
  const int max_lines = static_cast<int>(length / in.style.px(3));
  if (ruler.count > max_lines) return;
  for (int k = 0; k <= ruler.count; ++k) {
    const ImVec2 at = along(a, b, static_cast<float>(k) / static_cast<float>(ruler.count));
    in.line(ImVec2(at.x - across.x, at.y - across.y), ImVec2(at.x + across.x, at.y + across.y));
  }
}

void draw_angle(const InstrumentPainter& in, ImVec2 a, ImVec2 vertex, ImVec2 b) {
  const float first = std::atan2(a.y - vertex.y, a.x - vertex.x);
  float turn = std::atan2(b.y - vertex.y, b.x - vertex.x) - first;
  constexpr float half_turn = 3.14159265f;
  while (turn > half_turn) turn -= 2 * half_turn;
  while (turn < -half_turn) turn += 2 * half_turn;
  const float radius = std::min(
      {in.style.px(32), std::hypot(a.x - vertex.x, a.y - vertex.y), std::hypot(b.x - vertex.x, b.y - vertex.y)});
  in.list->PathArcTo(vertex, radius, first, first + turn, 24);
  in.list->PathStroke(in.ink, 0, in.style.px(1.5f));
}

}  // namespace

void draw_instruments(const Panel& panel) {
  const Session& session = panel.session;
  const Style& style = panel.style;
  const PointerFrame frame = panel.layout.pointer_frame();
  const DomainSize domain = session.domain();
  const Rect view_rect = visible_first_lane_rect(panel);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->PushClipRect(
      ImVec2(static_cast<float>(view_rect.x), static_cast<float>(view_rect.y)),
      ImVec2(static_cast<float>(view_rect.x + view_rect.width), static_cast<float>(view_rect.y + view_rect.height)));
  std::vector<Rect> labels;
  const Rect bar = floating_color_bar_rect(panel);
  // Stopwatches are stacked in the lower left corner.
  const float line = ImGui::GetTextLineHeight() + style.px(12);
  float watch_top = static_cast<float>(view_rect.y + view_rect.height) - style.px(12) - line;
  for (const Instrument& one : session.instruments().all()) {
    const bool selected = one.id == panel.session.instrument_controller().selection().instrument;
    const InstrumentPainter in{list, style, selected ? selected_ink : instrument_ink, bar, labels};
    const Message words(
        "{}: {}", Message(one.name()),
        session.instruments().text_of(one, session.info(), domain, panel.run().time, session.display_units()));
    std::vector<ImVec2> at;
    for (const Camera::Point& place : one.places) {
      const Camera::Point p = domain_to_screen(place, frame, panel.session.view().camera(), domain.width, domain.height,
                                               session.view().quantity().has_depth);
      at.push_back(ImVec2(static_cast<float>(p.x), static_cast<float>(p.y)));
    }
    if (one.kind == InstrumentKind::stopwatch) {
      in.label(ImVec2(static_cast<float>(view_rect.x) + style.px(12), watch_top), words, view_rect);
      watch_top -= line + style.px(2);
      continue;
    }
    if (at.empty()) continue;
    for (std::size_t k = 1; k < at.size(); ++k) in.line(at[k - 1], at[k]);
    if (one.kind == InstrumentKind::ruler) draw_marks(in, one, at[0], at[1]);
    if (one.kind == InstrumentKind::protractor) draw_angle(in, at[0], at[1], at[2]);
    for (std::size_t k = 0; k < at.size(); ++k)
      in.handle(at[k], selected && static_cast<int>(k) == panel.session.instrument_controller().selection().place);
    const ImVec2 beside = one.kind == InstrumentKind::protractor ? at[1]
                          : at.size() > 1                        ? along(at[0], at[1], 0.5f)
                                                                 : at[0];
    in.label(ImVec2(beside.x + style.px(12), beside.y + style.px(10)), words, view_rect);
  }
  if (panel.session.instrument_controller().placing() && session.tools().gestures().over_picture()) {
    const InstrumentPainter in{list, style, instrument_ink, bar, labels};
    const ImVec2 at(static_cast<float>(session.tools().gestures().x()) + 0.5f,
                    static_cast<float>(session.tools().gestures().y()) + 0.5f);
    in.handle(at, true);
    const int places = point_count(*panel.session.instrument_controller().placing());
    in.label(ImVec2(at.x + style.px(14), at.y + style.px(12)),
             {places > 1 ? "{}: drag" : "{}: click", label_of(*panel.session.instrument_controller().placing())},
             view_rect);
  }
  list->PopClipRect();
}

}  // namespace perturb
