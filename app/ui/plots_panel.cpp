// What stands in the tab of plots: the run's curves and numbers over time, in the panel or in windows of their own.
#include <algorithm>
#include <utility>

#include "app/session/labels.h"
#include "app/text/language.h"
#include "app/ui/double_click.h"
#include "app/ui/instrument_panel.h"
#include "app/ui/plots.h"
#include "app/ui/plots_together.h"
#include "app/ui/slider_scale.h"
#include "app/ui/tab_order.h"

namespace perturb {

namespace {

constexpr std::size_t lines_over_time = 4;  // scalars that share a plot

std::string with_unit(const std::string& label, const std::string& unit) {
  return unit.empty() ? label : label + ", " + unit;
}

// Places in a list of what has a meaning: those of one meaning together, each as it stands in the list.
template <class Meant>
std::vector<std::size_t> by_meaning(const std::vector<Meant>& list) {
  std::vector<std::size_t> order(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return list[a].meaning < list[b].meaning; });
  return order;
}

// Above the numbers of one meaning, and apart from those above; "": no words.
void draw_meaning(const Style& style, const std::string& heading, bool below_others) {
  if (below_others) ImGui::Dummy(ImVec2(0, style.px(2)));
  if (heading.empty()) return;
  ImGui::PushFont(style.strong);
  wrapped(heading, color::dim);
  ImGui::PopFont();
}

PlotToDraw plot_of(const Curve& curve) {
  PlotToDraw plot{"curve/" + curve.id, {}, {{"measured", &curve.points, color::accent}}};
  if (!curve.theory.empty()) plot.lines.push_back({"theory", &curve.theory, plot_ink(1), true, &curve});
  plot.frame = {curve.label, with_unit(curve.x_label, curve.x_unit), with_unit(curve.y_label, curve.y_unit)};
  plot.frame.logarithmic_y = curve.logarithmic_y;
  plot.y_unit = curve.y_unit;
  plot.units = curve.x_unit + " / " + curve.y_unit + (curve.logarithmic_y ? " / logarithmic" : "");
  if (curve.logarithmic_y) plot.frame.y_label += " (logarithmic)";
  return plot;
}

// Those of one meaning and unit share a plot, which bears the meaning's name.
std::vector<PlotToDraw> plots_over_time(const std::vector<History::Series>& series) {
  std::vector<PlotToDraw> plots;
  const std::vector<std::size_t> order = by_meaning(series);
  std::vector<bool> drawn(series.size(), false);
  for (const std::size_t i : order) {
    if (drawn[i]) continue;
    const History::Series& first = series[i];
    PlotToDraw plot{"time/" + first.id, {}, {}, true};
    for (const std::size_t j : order) {
      if (plot.lines.size() >= lines_over_time) break;
      if (drawn[j] || series[j].meaning != first.meaning || series[j].unit != first.unit) continue;
      drawn[j] = true;
      plot.lines.push_back({series[j].label, &series[j].points, plot_ink(plot.lines.size())});
    }
    // A number without a unit is its own axis' name.
    const std::string y_label = !first.unit.empty() ? "in " + first.unit : "a pure number";
    plot.frame = {plot.lines.size() > 1 ? label_of(first.meaning) : first.label, "time", y_label};
    plot.frame.begins_wildly = true;
    plot.y_unit = first.unit;
    plot.units = "time / " + first.unit;
    plots.push_back(std::move(plot));
  }
  return plots;
}

// What the simulation chose to draw, mostly with theory beside it, comes before the bookkeeping.
std::vector<PlotToDraw> all_plots(const Panel& panel, const std::vector<Curve>& curves) {
  std::vector<PlotToDraw> plots;
  for (const Curve& curve : curves) plots.push_back(plot_of(curve));
  for (PlotToDraw& plot : plots_over_time(panel.session.diagnostics_poller().history().series()))
    plots.push_back(std::move(plot));
  return plots;
}

// Some over others, as somebody has chosen.
std::vector<PlotToDraw> chosen_plots(const Panel& panel, const std::vector<Curve>& curves) {
  return laid_together(all_plots(panel, curves), panel.state().plots_over);
}

void toggle_apart(UiState& state, const std::string& id) {
  const auto found = std::find(state.plots_apart.begin(), state.plots_apart.end(), id);
  if (found != state.plots_apart.end())
    state.plots_apart.erase(found);
  else
    state.plots_apart.push_back(id);
}

// What is scrolled out of sight keeps the room that it had when it was last seen, and costs nothing.
void draw_in_panel(const Panel& panel, const PlotToDraw& plot) {
  const Style& style = panel.style;
  float* room = ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID(plot.id.c_str()), 0);
  const float width = ImGui::GetContentRegionAvail().x;
  if (*room > 0 && !ImGui::IsRectVisible(ImVec2(width, *room))) {
    // The keyboard finds it there, and brings it into sight.
    press_area(("##apart/" + plot.id).c_str(), ImVec2(width, *room));
    return;
  }
  const float top = ImGui::GetCursorPosY();
  ImGui::Dummy(ImVec2(0, style.px(6)));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  PlotFrame frame = plot.frame;
  frame.room_beside_title = draw_lay_over_button(panel, plot);
  draw_plot(style, frame, plot.lines, style.px(plot.over_time ? 110 : 130));
  const ImVec2 next = ImGui::GetCursorScreenPos();
  // The whole plot is a button: for the keyboard too.
  ImGui::SetCursorScreenPos(at);
  const ImVec2 size(width, next.y - at.y - ImGui::GetStyle().ItemSpacing.y);
  const bool pressed = press_area(("##apart/" + plot.id).c_str(), size);
  const bool by_key = pressed && !ImGui::IsMouseReleased(0);
  if (by_key || (ImGui::IsItemHovered() && double_clicked())) toggle_apart(panel.state(), plot.id);
  ImGui::SetCursorScreenPos(next);
  *room = ImGui::GetCursorPosY() - top - ImGui::GetStyle().ItemSpacing.y;
}

}  // namespace

void draw_curve(const Style& style, const Curve& curve, float height) {
  const PlotToDraw plot = plot_of(curve);
  draw_plot(style, plot.frame, plot.lines, height);
}

void draw_plots_apart(const Panel& panel) {
  UiState& state = panel.state();
  if (state.plots_apart.empty()) return;
  const Style& style = panel.style;
  const Rect& picture = panel.layout.picture;
  const std::vector<Curve> curves = panel.session.measurements().curves();
  const std::vector<PlotToDraw> plots = chosen_plots(panel, curves);
  std::string closed;
  for (std::size_t k = 0; k < state.plots_apart.size(); ++k) {
    const std::string& id = state.plots_apart[k];
    const auto plot = std::find_if(plots.begin(), plots.end(), [&](const PlotToDraw& p) { return p.id == id; });
    if (plot == plots.end()) continue;  // of another scene; it comes back with that
    const float shift = style.px(28) * static_cast<float>(k);
    const ImVec2 most(static_cast<float>(picture.width) - style.px(24),
                      static_cast<float>(picture.height) - style.px(24));
    ImGui::SetNextWindowPos(ImVec2(static_cast<float>(picture.x) + style.px(12) + shift,
                                   static_cast<float>(picture.y) + style.px(12) + shift),
                            ImGuiCond_Appearing);
    ImGui::SetNextWindowSize(ImVec2(std::min(style.px(560), most.x), std::min(style.px(360), most.y)),
                             ImGuiCond_Appearing);
    bool open = true;
    ImGui::Begin((tr(plot->frame.title) + "###apart/" + id).c_str(), &open,
                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoFocusOnAppearing);
    const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    panel.session.panel_areas().add({at.x, at.y, size.x, size.y});
    const ImVec2 room = ImGui::GetContentRegionAvail();
    // Above and below the axes stand their names and the legend.
    PlotFrame frame = plot->frame;
    frame.title.clear();  // the window bears it
    draw_plot(style, frame, plot->lines, std::max(style.px(80), room.y - 6 * ImGui::GetTextLineHeight()));
    const bool twice = ImGui::IsWindowHovered() && double_clicked();
    ImGui::End();
    if (!open || twice) closed = id;
  }
  if (!closed.empty()) toggle_apart(state, closed);
}

void draw_plots_panel(const Panel& panel) {
  const Style& style = panel.style;
  draw_instrument_panel(panel);
  // What somebody has just put into the picture is what is looked for first.
  const std::vector<Curve> placed = panel.session.instruments().curves(panel.session.info(), panel.session.domain());
  std::vector<PlotToDraw> of_instruments;
  for (const Curve& curve : placed) of_instruments.push_back(plot_of(curve));
  for (const PlotToDraw& plot : laid_together(std::move(of_instruments), panel.state().plots_over))
    draw_in_panel(panel, plot);
  const Diagnostics& now = panel.session.diagnostics_poller().latest();

  if (!now.scalars.empty()) {
    heading(style, "Now");
    const float width = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight() + style.px(4);
    const std::vector<std::size_t> order = by_meaning(now.scalars);
    const bool grouped = now.scalars[order.front()].meaning != now.scalars[order.back()].meaning;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Scalar& scalar = now.scalars[order[k]];
      const bool begins = k == 0 || scalar.meaning != now.scalars[order[k - 1]].meaning;
      const bool ends = k + 1 == order.size() || scalar.meaning != now.scalars[order[k + 1]].meaning;
      // One that bears its meaning's name, the energy, needs no heading.
      if (grouped && begins)
        draw_meaning(style, ends && scalar.label == label_of(scalar.meaning) ? "" : label_of(scalar.meaning), k > 0);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      // What has no value yet is no number.
      const std::string value = !std::isfinite(scalar.value)
                                    ? "\u2013"
                                    : number_text(scalar.value) + (scalar.unit.empty() ? "" : "\u00a0" + scalar.unit);
      // Where name and value have no room beside each other, whatever the number, the value has a line of its own.
      const std::string widest = "-0.0000e-00" + (scalar.unit.empty() ? "" : "\u00a0" + scalar.unit);
      const float name = text_size(scalar.label).x, gap = style.gap();
      const bool tall = name + gap + text_size(widest).x > width;
      const float below = tall ? line - style.px(3) : 0;
      ImDrawList* list = ImGui::GetWindowDrawList();
      text_in(list, at, ImVec2(at.x + width, at.y + line), color::dim, scalar.label);
      text_in(list, ImVec2(at.x, at.y + below), ImVec2(at.x + width, at.y + below + line), color::text, value, 1);
      ImGui::Dummy(ImVec2(width, line + below - ImGui::GetStyle().ItemSpacing.y));
    }
    for (const std::string& remark : now.remarks) wrapped(with_labels(remark, panel.session.info().parameters));
  }

  for (const PlotToDraw& plot : chosen_plots(panel, now.curves)) draw_in_panel(panel, plot);
  if (now.scalars.empty() && now.curves.empty()) wrapped("This scene measures nothing yet.");
}

}  // namespace perturb
