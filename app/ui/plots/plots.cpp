#include "app/ui/plots/plots.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/i18n/language.h"
#include "app/io/files/curves_csv.h"
#include "app/ui/plots/plot_lines.h"
#include "app/ui/plots/ticks.h"
#include "app/ui/widgets/slider_scale.h"

namespace perturb {

namespace {

// Share of a run that counts as its transient, and the ratio of its range to that of the rest above which it is cut
// off.
constexpr double transient_share = 0.1, transient_ratio = 4;

struct Axes {
  double x0 = std::numeric_limits<double>::infinity(), x1 = -x0, y0 = x0, y1 = -x0;
  void add(const CurvePoint& p) {
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) return;
    x0 = std::min(x0, p.x), x1 = std::max(x1, p.x);
    y0 = std::min(y0, p.y), y1 = std::max(y1, p.y);
  }
};

// Widens a range to ticks, so that an axis changes in steps and not with every point.
void widen_to_ticks(double& low, double& high, int count) {
  // A quantity that changes only by rounding, such as the energy of a gas, is drawn as a line and not as noise over the
  // whole height.
  constexpr double least_change = 1e-6;
  const double size = std::max(std::abs(low), std::abs(high));
  if (!(high > low)) {
    const double room = size > 0 ? 0.5 * size : 1;
    low -= room, high += room;
  } else if (high - low < least_change * size) {
    const double room = 0.5 * (least_change * size - (high - low));
    low -= room, high += room;
  }
  for (int twice = 0; twice < 2; ++twice) {
    const std::vector<double> ticks = nice_ticks(low, high, count);
    if (ticks.size() < 2) return;
    const double step = ticks[1] - ticks[0];
    low = std::floor(low / step + 1e-9) * step, high = std::ceil(high / step - 1e-9) * step;
  }
}

// A logarithmic axis extends at most a tenth of a decade beyond the data, so that marks at its ends are complete.
void widen_logarithms(double& low, double& high) {
  const double room = std::max(0.04 * (high - low), 0.02);
  low -= room, high += room;
}

}  // namespace

ImU32 plot_ink(std::size_t line) { return color::inks[line % std::size(color::inks)]; }

namespace {

// A sample of each line with its name; as many per row as fit.
void draw_legend(const Style& style, const std::vector<PlotLine>& lines, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line_height = ImGui::GetTextLineHeight(), sample = style.px(22);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  float x = 0, y = 0;
  for (const PlotLine& line : lines) {
    const std::string error = line.error_of ? error_text(*line.error_of) : "";
    const std::string label = wrap_text(line.label + error, width - sample);
    const ImVec2 size = ImGui::CalcTextSize(label.c_str());
    if (x > 0 && x + sample + size.x > width) x = 0, y += line_height + style.px(2);
    const float middle = std::round(start.y + y + 0.5f * line_height);
    if (line.dashed) {
      for (const float part : {0.0f, 6.0f, 12.0f})
        list->AddRectFilled(ImVec2(start.x + x + style.px(part), middle),
                            ImVec2(start.x + x + style.px(part + 4), middle + style.px(2)), line.ink);
    } else {
      list->AddRectFilled(ImVec2(start.x + x, middle), ImVec2(start.x + x + style.px(16), middle + style.px(2)),
                          line.ink);
    }
    list->AddText(ImVec2(start.x + x + sample, start.y + y), color::dim, label.c_str());
    x += sample + size.x + style.px(14);
    if (size.y > 1.5f * line_height) x = 0, y += size.y + style.px(2);  // wrapped: the next one starts a row
  }
  ImGui::Dummy(ImVec2(width, y + (x > 0 ? line_height : 0)));
}

}  // namespace

void draw_plot(const Style& style, const PlotFrame& frame, const std::vector<PlotLine>& lines, float height) {
  Axes axes;
  for (const PlotLine& line : lines)
    for (const CurvePoint& p : *line.points) axes.add(p);
  const float width = ImGui::GetContentRegionAvail().x;

  // The title; with several lines, the legend is in the rows below it.
  if (!frame.title.empty()) {
    ImGui::PushFont(style.strong);
    draw_wrapped(mark_translated(wrap_text(frame.title, width - frame.title_margin)), color::text);
    ImGui::PopFont();
  }
  ImGui::PushFont(style.small);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line_height = ImGui::GetTextLineHeight();
  if (lines.size() > 1) draw_legend(style, lines, width);

  std::string limits_text;
  if (frame.has_transient && axes.x1 > axes.x0) {
    Axes rest;
    for (const PlotLine& line : lines)
      for (const CurvePoint& p : *line.points)
        if (p.x >= axes.x0 + transient_share * (axes.x1 - axes.x0)) rest.add(p);
    // A transient with a much larger range would hide the rest; otherwise the whole run is shown.
    if (rest.x1 > rest.x0 && rest.y1 > rest.y0 && axes.y1 - axes.y0 > transient_ratio * (rest.y1 - rest.y0)) {
      limits_text = "The first moments go from " + number_text(axes.y0, 3) + " to " + number_text(axes.y1, 3) + ".";
      axes.y0 = rest.y0, axes.y1 = rest.y1;
    }
  }
  if (!limits_text.empty()) draw_wrapped(limits_text);

  const bool empty = !(axes.x1 >= axes.x0);
  if (empty) axes = {0, 1, 0, 1};
  if (frame.logarithmic_y)
    widen_logarithms(axes.y0, axes.y1);
  else
    widen_to_ticks(axes.y0, axes.y1, 4);
  if (!(axes.x1 > axes.x0)) axes.x1 = axes.x0 + 1;
  if (frame.logarithmic_x) widen_logarithms(axes.x0, axes.x1);
  const Axis y_axis = make_axis(axes.y0, axes.y1, frame.logarithmic_y, 6 - (frame.logarithmic_y ? 0 : 2));
  // The margin always fits the usual numbers, so that the frame of the plot does not move.
  float margin = ImGui::CalcTextSize("-0.000").x;
  for (const std::string& text : y_axis.labels.texts) margin = std::max(margin, ImGui::CalcTextSize(text.c_str()).x);
  margin += style.px(8);

  // The name of the axis is above it, with the exponent or offset that its numbers leave out.
  const std::string y_name =
      frame.y_label + (frame.y_label.empty() || y_axis.labels.common.empty() ? "" : "  ") + y_axis.labels.common;
  if (!y_name.empty()) draw_wrapped(y_name);

  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 from(at.x + margin, at.y + style.px(6)), to(at.x + width - style.px(4), at.y + height);
  const PlotScale scale{axes.x0, axes.x1, axes.y0, axes.y1, from, to};
  for (std::size_t i = 0; i < y_axis.ticks.size(); ++i) {
    const float y = std::round(scale.place(axes.x0, y_axis.ticks[i]).y);
    list->AddRectFilled(ImVec2(from.x, y), ImVec2(to.x, y + style.px(1)), color::line);
    const std::string& text = y_axis.labels.texts[i];
    list->AddText(
        ImVec2(from.x - style.px(8) - ImGui::CalcTextSize(text.c_str()).x, std::round(y - 0.5f * line_height)),
        color::dim, text.c_str());
  }
  const Axis x_axis = make_axis(axes.x0, axes.x1, frame.logarithmic_x, frame.logarithmic_x ? 8 : 4);
  float free = at.x;  // prevents labels from overlapping
  for (std::size_t i = 0; i < x_axis.ticks.size(); ++i) {
    const float x = std::round(scale.place(x_axis.ticks[i], axes.y0).x);
    list->AddRectFilled(ImVec2(x, to.y), ImVec2(x + style.px(1), to.y + style.px(4)), color::faint);
    const std::string& text = x_axis.labels.texts[i];
    const float w = ImGui::CalcTextSize(text.c_str()).x, left = std::min(x - 0.5f * w, to.x - w);
    if (left < free) continue;
    list->AddText(ImVec2(std::round(left), to.y + style.px(6)), color::dim, text.c_str());
    free = left + w + style.px(6);
  }
  list->AddRectFilled(ImVec2(from.x, to.y), ImVec2(to.x, to.y + style.px(1)), color::faint);
  const std::string x_name = wrap_text(
      frame.x_label + (frame.x_label.empty() || x_axis.labels.common.empty() ? "" : "  ") + x_axis.labels.common,
      width - style.px(4));
  const ImVec2 x_size = ImGui::CalcTextSize(x_name.c_str());
  list->AddText(ImVec2(std::round(to.x - x_size.x), to.y + style.px(8) + line_height), color::dim, x_name.c_str());

  list->PushClipRect(from, ImVec2(to.x, to.y + style.px(1)), true);
  for (const PlotLine& line : lines) draw_plot_line(style, line, scale, frame.marks);
  list->PopClipRect();
  if (empty) draw_text_in(list, from, to, color::faint, "nothing yet", 0.5f);
  ImGui::Dummy(ImVec2(width, height + style.px(10) + line_height + x_size.y));
  ImGui::PopFont();
}

}  // namespace perturb
