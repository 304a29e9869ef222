#include "app/ui/widgets/sketch_pad.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/run/ticks.h"
#include "app/ui/plots/plots.h"
#include "app/ui/widgets/keyboard_focus.h"

namespace perturb {

namespace {

constexpr std::size_t sketch_columns = 96;
constexpr float unset_height = -1;

// Draws the path of the pointer since the last frame, column by column.
void draw_into(std::vector<float>& heights, float x0, float y0, float x1, float y1) {
  const auto last = static_cast<float>(sketch_columns - 1);
  const auto column_of = [&](float x) { return static_cast<int>(std::lround(std::clamp(x, 0.f, 1.f) * last)); };
  const int from = column_of(x0), to = column_of(x1);
  for (int k = std::min(from, to); k <= std::max(from, to); ++k) {
    const float share = from == to ? 1 : static_cast<float>(k - from) / static_cast<float>(to - from);
    heights[static_cast<std::size_t>(k)] = std::clamp(y0 + share * (y1 - y0), 0.f, 1.f);
  }
}

// Keyboard control of the focused pad: Enter places a pen that the arrows move and that draws.
void move_pen_by_keys(SketchState& state, bool pressed) {
  if (pressed) {
    if (state.pen)
      state.pen.reset();
    else
      state.pen = {0, 0.5f};
  }
  if (!state.pen) return;
  const TabOrder::Arrows arrows = capture_arrows();
  const float across = arrows.finely ? 1.f : 4.f, up = arrows.finely ? 0.01f : 0.05f;
  auto [x, y] = *state.pen;
  x = std::clamp(x + across * static_cast<float>(arrows.right) / static_cast<float>(sketch_columns - 1), 0.f, 1.f);
  y = std::clamp(y + up * static_cast<float>(arrows.up), 0.f, 1.f);
  if (arrows.right == 0 && arrows.up == 0) return;
  // Up and down choose the height at which the line continues.
  draw_into(state.sketch, state.pen->first, arrows.right == 0 ? y : state.pen->second, x, y);
  state.pen = {x, y};
}

std::vector<CurvePoint> points_of(const std::vector<float>& heights, const LessonSketch& sketch) {
  std::vector<CurvePoint> points;
  for (std::size_t k = 0; k < heights.size(); ++k) {
    if (heights[k] < 0) continue;
    const double x = static_cast<double>(k) / static_cast<double>(sketch_columns - 1);
    points.push_back({sketch.x0 + x * (sketch.x1 - sketch.x0),
                      sketch.y0 + static_cast<double>(heights[k]) * (sketch.y1 - sketch.y0)});
  }
  return points;
}

void draw_sketch_axis(const Style& style, const LessonSketch& sketch, ImVec2 from, ImVec2 to) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::PushFont(style.small);
  const float line = ImGui::GetTextLineHeight();
  const double x0 = sketch.x0 * sketch.shown_x.factor, x1 = sketch.x1 * sketch.shown_x.factor;
  const Axis axis = make_axis(x0, x1, false, 4);
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    const auto share = static_cast<float>((axis.ticks[i] - x0) / (x1 - x0));
    const float x = std::round(from.x + share * (to.x - from.x)),
                w = ImGui::CalcTextSize(axis.labels.texts[i].c_str()).x;
    list->AddRectFilled(ImVec2(x, to.y), ImVec2(x + style.px(1), to.y + style.px(4)), color::faint);
    list->AddText(ImVec2(std::round(std::clamp(x - 0.5f * w, from.x, std::max(from.x, to.x - w))), to.y + style.px(6)),
                  color::dim, axis.labels.texts[i].c_str());
  }
  const std::string name = wrap_text(sketch.x_label, to.x - from.x);
  const ImVec2 size = ImGui::CalcTextSize(name.c_str());
  list->AddText(ImVec2(std::round(to.x - size.x), to.y + style.px(8) + line), color::dim, name.c_str());
  ImGui::PopFont();
}

}  // namespace

void draw_sketch_pad(const Panel& panel, SketchState& state, const LessonQuestion& question, bool waits) {
  const Style& style = panel.style;
  const LessonSketch& sketch = *question.sketch;
  state.sketch.resize(sketch_columns, unset_height);
  if (!sketch.y_label.empty()) draw_wrapped(sketch.y_label);
  const float width = std::max(1.f, ImGui::GetContentRegionAvail().x), height = style.px(150);
  const ImVec2 from = ImGui::GetCursorScreenPos(), to(from.x + width, from.y + height);
  const bool pressed = press_area("##sketch", ImVec2(width, height));
  const ImGuiIO& io = ImGui::GetIO();
  const bool by_keys = focus_is_shown() && ImGui::IsItemFocused();
  tooltip(style, by_keys ? "Enter: draw with the arrow keys (Shift: fine). Enter again: move the focus." : "");
  if (by_keys && !waits)
    move_pen_by_keys(state, pressed);
  else if (ImGui::IsItemActive() && !waits) {
    const auto across = [&](float x) { return (x - from.x) / width; };
    const auto up = [&](float y) { return (to.y - y) / height; };
    const ImVec2 now = io.MousePos;
    const ImVec2 before = ImGui::IsItemActivated() ? now : ImVec2(now.x - io.MouseDelta.x, now.y - io.MouseDelta.y);
    draw_into(state.sketch, across(before.x), up(before.y), across(now.x), up(now.y));
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(from, to, color::raised, style.px(3));
  list->AddRect(from, to, ImGui::IsItemHovered() ? color::accent : color::line, style.px(3), 0, style.px(1));
  draw_sketch_axis(style, sketch, from, to);
  std::vector<ImVec2> run;
  for (std::size_t k = 0; k < state.sketch.size(); ++k) {
    if (state.sketch[k] < 0) continue;
    run.emplace_back(from.x + width * static_cast<float>(k) / static_cast<float>(sketch_columns - 1),
                     to.y - height * state.sketch[k]);
  }
  if (run.size() > 1) list->AddPolyline(run.data(), static_cast<int>(run.size()), plot_ink(1), 0, style.px(2));
  if (by_keys && state.pen) {
    const ImVec2 pen(from.x + width * state.pen->first, to.y - height * state.pen->second);
    list->AddCircleFilled(pen, style.px(5), color::background);
    list->AddCircleFilled(pen, style.px(4), color::accent_bright);
  }
  if (run.empty()) draw_text_in(list, from, to, color::dim, "Draw here", 0.5f);
  ImGui::PushFont(style.small);
  const float below = style.px(10) + 2 * ImGui::GetTextLineHeight();
  ImGui::PopFont();
  ImGui::Dummy(ImVec2(width, below));
  if (waits) return;
  if (text_button(style, "Answer", true)) panel.ask(AnswerQuestion{"", -1, points_of(state.sketch, sketch)});
  ImGui::SameLine();
  if (text_button(style, "Clear", false)) {
    state.sketch.clear();
    state.pen.reset();
  }
}

void draw_sketch_and_curve(const Style& style, const LessonQuestion& question, const LessonSession::Answer& answer) {
  const LessonSketch& sketch = *question.sketch;
  std::vector<CurvePoint> measured, drawn;
  const auto add = [&](const std::vector<CurvePoint>& points, std::vector<CurvePoint>& shown) {
    for (const CurvePoint& point : points)
      if (point.x >= sketch.x0 && point.x <= sketch.x1) shown.push_back({point.x * sketch.shown_x.factor, point.y});
  };
  add(answer.curve->points, measured);
  add(answer.sketch, drawn);
  PlotFrame frame;
  frame.x_label = sketch.x_label;
  frame.y_label = sketch.y_label;
  draw_plot(style, frame, {{"measured", &measured, color::accent}, {"your sketch", &drawn, plot_ink(1), true}},
            style.px(150));
}

}  // namespace perturb
