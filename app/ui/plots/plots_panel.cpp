// The tab "Plots": curves and scalars of the run over time, in the panel or in their own windows.
#include <algorithm>
#include <utility>

#include "app/i18n/language.h"
#include "app/ui/panels/instrument_panel.h"
#include "app/ui/plots/overlay_plots.h"
#include "app/ui/plots/plots.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/slider_scale.h"
#include "app/ui/widgets/style.h"

namespace perturb {

namespace {

constexpr std::size_t lines_over_time = 4;  // scalars in one plot

// Indices of the items of a list, grouped by meaning, each group in the order of the list.
template <class Item>
std::vector<std::size_t> order_by_meaning(const std::vector<Item>& list) {
  std::vector<std::size_t> order(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return list[a].meaning < list[b].meaning; });
  return order;
}

// The heading of a group, with space above it; "": no text.
void draw_group_heading(const Style& style, const std::string& heading, bool below_others) {
  if (below_others) ImGui::Dummy(ImVec2(0, style.px(2)));
  if (heading.empty()) return;
  ImGui::PushFont(style.strong);
  draw_wrapped(heading, color::dim);
  ImGui::PopFont();
}

PlotData plot_of(const Curve& curve) {
  PlotData plot{"curve/" + curve.id, {}, {{"measured", &curve.points, color::accent}}};
  if (!curve.theory.empty()) plot.lines.push_back({"theory", &curve.theory, plot_ink(1), true, &curve});
  plot.frame = {curve.label, name_with_unit(curve.x_label, curve.x_unit), name_with_unit(curve.y_label, curve.y_unit)};
  plot.frame.logarithmic_y = curve.logarithmic_y;
  plot.y_unit = curve.y_unit;
  plot.units = curve.x_unit + " / " + curve.y_unit + (curve.logarithmic_y ? " / logarithmic" : "");
  if (curve.logarithmic_y) plot.frame.y_label = Message("{} (logarithmic)", plot.frame.y_label);
  return plot;
}

// Scalars with the same meaning and unit share a plot, which is named after the meaning.
std::vector<PlotData> plots_over_time(const std::vector<History::Series>& series) {
  std::vector<PlotData> plots;
  const std::vector<std::size_t> order = order_by_meaning(series);
  std::vector<bool> drawn(series.size(), false);
  for (const std::size_t i : order) {
    if (drawn[i]) continue;
    const History::Series& first = series[i];
    PlotData plot{"time/" + first.id, {}, {}, true};
    for (const std::size_t j : order) {
      if (plot.lines.size() >= lines_over_time) break;
      if (drawn[j] || series[j].meaning != first.meaning || series[j].unit != first.unit) continue;
      drawn[j] = true;
      plot.lines.push_back({series[j].label, &series[j].points, plot_ink(plot.lines.size())});
    }
    plot.frame = {plot.lines.size() > 1 ? Message(label_of(first.meaning)) : Message(first.label), "time",
                  axis_label_of(first.unit)};
    plot.frame.has_transient = true;
    plot.y_unit = first.unit;
    plot.units = "time / " + first.unit;
    plots.push_back(std::move(plot));
  }
  return plots;
}

// Curves that the simulation defines, usually with theory, come before the other scalars.
std::vector<PlotData> all_plots(const Panel& panel, const std::vector<Curve>& curves) {
  std::vector<PlotData> plots;
  for (const Curve& curve : curves) plots.push_back(plot_of(curve));
  for (PlotData& plot : plots_over_time(panel.session.diagnostics_poller().history().series()))
    plots.push_back(std::move(plot));
  return plots;
}

// With the user's choice of plots drawn over others.
std::vector<PlotData> chosen_plots(const Panel& panel, const std::vector<Curve>& curves) {
  return overlay_plots(all_plots(panel, curves), panel.interface().overlaid_plots);
}

// A plot outside the visible area keeps its last height and costs nothing.
void draw_panel_plot(const Panel& panel, const PlotData& plot) {
  const Style& style = panel.style;
  float* room = ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID(plot.id.c_str()), 0);
  const float width = ImGui::GetContentRegionAvail().x;
  if (*room > 0 && !ImGui::IsRectVisible(ImVec2(width, *room))) {
    // Keyboard navigation finds it there, and scrolls to it.
    press_area(("##apart/" + plot.id).c_str(), ImVec2(width, *room));
    return;
  }
  const float top = ImGui::GetCursorPosY();
  ImGui::Dummy(ImVec2(0, style.px(6)));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  PlotFrame frame = plot.frame;
  frame.title_margin = draw_overlay_button(panel, plot);
  draw_plot(style, frame, plot.lines, style.px(plot.over_time ? 110 : 130));
  const ImVec2 next = ImGui::GetCursorScreenPos();
  // The whole plot is a button, also for the keyboard.
  ImGui::SetCursorScreenPos(at);
  const ImVec2 size(width, next.y - at.y - ImGui::GetStyle().ItemSpacing.y);
  const bool pressed = press_area(("##apart/" + plot.id).c_str(), size);
  const bool by_key = pressed && !ImGui::IsMouseReleased(0);
  if (by_key || (ImGui::IsItemHovered() && double_clicked())) panel.ask(DetachPlot{plot.id});
  ImGui::SetCursorScreenPos(next);
  *room = ImGui::GetCursorPosY() - top - ImGui::GetStyle().ItemSpacing.y;
}

}  // namespace

void draw_curve(const Style& style, const Curve& curve, float height) {
  const PlotData plot = plot_of(curve);
  draw_plot(style, plot.frame, plot.lines, height);
}

void draw_detached_plots(const Panel& panel) {
  if (panel.interface().detached_plots.empty()) return;
  const Style& style = panel.style;
  const Rect& view_rect = panel.layout.view_rect;
  const std::vector<Curve> curves = panel.session.measurements().curves();
  const std::vector<PlotData> plots = chosen_plots(panel, curves);
  std::string closed;
  for (std::size_t k = 0; k < panel.interface().detached_plots.size(); ++k) {
    const std::string& id = panel.interface().detached_plots[k];
    const auto plot = std::find_if(plots.begin(), plots.end(), [&](const PlotData& p) { return p.id == id; });
    if (plot == plots.end()) continue;  // of another scene; it appears again with that scene
    const float shift = style.px(28) * static_cast<float>(k);
    const ImVec2 most(static_cast<float>(view_rect.width) - style.px(24),
                      static_cast<float>(view_rect.height) - style.px(24));
    ImGui::SetNextWindowPos(ImVec2(static_cast<float>(view_rect.x) + style.px(12) + shift,
                                   static_cast<float>(view_rect.y) + style.px(12) + shift),
                            ImGuiCond_Appearing);
    ImGui::SetNextWindowSize(ImVec2(std::min(style.px(560), most.x), std::min(style.px(360), most.y)),
                             ImGuiCond_Appearing);
    bool open = true;
    ImGui::Begin((tr(plot->frame.title) + "###apart/" + id).c_str(), &open,
                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoFocusOnAppearing);
    const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    panel.areas.add({at.x, at.y, size.x, size.y});
    const ImVec2 room = ImGui::GetContentRegionAvail();
    // The names of the axes and the legend need space above and below.
    PlotFrame frame = plot->frame;
    frame.title = {};  // it is the title of the window
    draw_plot(style, frame, plot->lines, std::max(style.px(80), room.y - 6 * ImGui::GetTextLineHeight()));
    const bool twice = ImGui::IsWindowHovered() && double_clicked();
    ImGui::End();
    if (!open || twice) closed = id;
  }
  if (!closed.empty()) panel.ask(DetachPlot{closed});
}

void draw_plots_panel(const Panel& panel) {
  const Style& style = panel.style;
  draw_instrument_panel(panel);
  // Instruments that the user has just placed come first.
  const std::vector<Curve> placed = panel.session.instruments().curves(panel.session.info(), panel.session.domain());
  std::vector<PlotData> of_instruments;
  for (const Curve& curve : placed) of_instruments.push_back(plot_of(curve));
  for (const PlotData& plot : overlay_plots(std::move(of_instruments), panel.interface().overlaid_plots))
    draw_panel_plot(panel, plot);
  const Diagnostics& now = panel.session.diagnostics_poller().latest();

  if (!now.scalars.empty()) {
    heading(style, "Now");
    const float width = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight() + style.px(4);
    const std::vector<std::size_t> order = order_by_meaning(now.scalars);
    const bool grouped = now.scalars[order.front()].meaning != now.scalars[order.back()].meaning;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Scalar& scalar = now.scalars[order[k]];
      const bool begins = k == 0 || scalar.meaning != now.scalars[order[k - 1]].meaning;
      const bool ends = k + 1 == order.size() || scalar.meaning != now.scalars[order[k + 1]].meaning;
      // A scalar named after its meaning, such as the energy, needs no heading.
      if (grouped && begins)
        draw_group_heading(style, ends && scalar.label == label_of(scalar.meaning) ? "" : label_of(scalar.meaning),
                           k > 0);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      // A value that is not defined yet has no number.
      const Message value = std::isfinite(scalar.value) ? value_with_unit(number_text(scalar.value), scalar.unit)
                                                        : Message::value("\u2013");
      // If name and widest value do not fit on one line, the value has its own line, whatever the number.
      const Message widest = value_with_unit("-0.0000e-00", scalar.unit);
      const float name = text_size(scalar.label).x, gap = style.gap();
      const bool tall = name + gap + text_size(widest).x > width;
      const float below = tall ? line - style.px(3) : 0;
      ImDrawList* list = ImGui::GetWindowDrawList();
      draw_text_in(list, at, ImVec2(at.x + width, at.y + line), color::dim, scalar.label);
      draw_text_in(list, ImVec2(at.x, at.y + below), ImVec2(at.x + width, at.y + below + line), color::text, value, 1);
      ImGui::Dummy(ImVec2(width, line + below - ImGui::GetStyle().ItemSpacing.y));
    }
    for (const Message& remark : now.remarks) draw_wrapped(remark);
  }

  for (const PlotData& plot : chosen_plots(panel, now.curves)) draw_panel_plot(panel, plot);
  if (now.scalars.empty() && now.curves.empty()) draw_wrapped("No measurements yet.");
}

}  // namespace perturb
