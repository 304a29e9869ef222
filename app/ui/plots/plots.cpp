#include "app/ui/plots/plots.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "app/io/files/csv.h"
#include "app/ui/widgets/slider_scale.h"

namespace perturb {

namespace {

constexpr float plot_tolerance = 0.25f;  // pixels that a line may deviate from its points
constexpr float plot_fold = 1;           // pixels that a line may reverse within a column of pixels

// Reduces a line that runs to the right to few vertices: a vertex is kept if no straight line from the previous one
// passes within the tolerance of all points since.
class PolylineSimplifier {
 public:
  explicit PolylineSimplifier(std::vector<ImVec2>& corners) : corners_(corners) {}

  void add(ImVec2 point) {
    if (corners_.empty()) {
      corners_.push_back(point);
      return;
    }
    if (has_last_ && !is_collinear_with(point)) {
      corners_.push_back(last_);
      has_last_ = false;
    }
    const ImVec2 anchor = corners_.back();
    const float across = point.x - anchor.x;
    if (!(across > 0)) {  // vertical or backwards: every point is a vertex
      if (has_last_) {
        corners_.push_back(last_);
        has_last_ = false;
      }
      corners_.push_back(point);
      return;
    }
    const float low = (point.y - plot_tolerance - anchor.y) / across,
                high = (point.y + plot_tolerance - anchor.y) / across;
    low_ = has_last_ ? std::max(low_, low) : low;
    high_ = has_last_ ? std::min(high_, high) : high;
    last_ = point;
    has_last_ = true;
  }
  void finish() {
    if (has_last_) corners_.push_back(last_);
    has_last_ = false;
  }

 private:
  bool is_collinear_with(ImVec2 point) const {
    const float across = point.x - corners_.back().x;
    if (!(point.x > last_.x)) return false;
    const float slope = (point.y - corners_.back().y) / across;
    return slope >= low_ && slope <= high_;
  }

  std::vector<ImVec2>& corners_;
  ImVec2 last_;
  float low_ = 0, high_ = 0;
  bool has_last_ = false;
};

// Whether the line from a to c reverses at b: ImGui would draw it too thin there, because its two edges coincide.
bool turns_back(ImVec2 a, ImVec2 b, ImVec2 c) {
  const float in_x = b.x - a.x, in_y = b.y - a.y, out_x = c.x - b.x, out_y = c.y - b.y;
  return in_x * out_x + in_y * out_y <= -0.5f * std::hypot(in_x, in_y) * std::hypot(out_x, out_y);
}

// Dashes of equal length along a piece, each a separate line.
void draw_dashes(const Style& style, const std::vector<ImVec2>& piece, ImU32 ink, float& dash_offset) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float dash = style.px(5), whole = dash + style.px(4);
  std::vector<ImVec2> corners;
  const auto end = [&] {
    if (corners.size() > 1) list->AddPolyline(corners.data(), static_cast<int>(corners.size()), ink, 0, style.px(1.5f));
    corners.clear();
  };
  for (std::size_t i = 1; i < piece.size(); ++i) {
    const ImVec2 &a = piece[i - 1], &b = piece[i];
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    const auto along = [&](float s) { return ImVec2(a.x + s / length * (b.x - a.x), a.y + s / length * (b.y - a.y)); };
    for (float s = 0; s < length;) {
      const float phase = std::fmod(dash_offset, whole);
      const bool is_dash = phase < dash;
      const float rest = (is_dash ? dash : whole) - phase + 0.01f, part = std::min(length - s, rest);
      if (is_dash) {
        if (corners.empty()) corners.push_back(along(s));
        corners.push_back(along(s + part));
        if (part >= rest) end();
      }
      s += part;
      dash_offset += part;
    }
  }
  end();
}

}  // namespace

ImVec2 PlotScale::place(double x, double y) const {
  return ImVec2(from.x + static_cast<float>((x - x0) / (x1 - x0)) * (to.x - from.x),
                to.y - static_cast<float>((y - y0) / (y1 - y0)) * (to.y - from.y));
}

CurvePoint PlotScale::values_at(ImVec2 at) const {
  return {x0 + (x1 - x0) * static_cast<double>((at.x - from.x) / (to.x - from.x)),
          y0 + (y1 - y0) * static_cast<double>((to.y - at.y) / (to.y - from.y))};
}

PlotOnScreen plot_on_screen(const std::vector<CurvePoint>& points, const PlotScale& scale) {
  PlotOnScreen shown;
  std::vector<ImVec2> corners;
  const auto is_number = [&](std::size_t i) { return std::isfinite(points[i].x) && std::isfinite(points[i].y); };
  for (std::size_t i = 0; i < points.size();) {
    PolylineSimplifier simplifier(corners);
    const auto end_piece = [&] {
      simplifier.finish();
      std::size_t from = 0;
      for (std::size_t k = 1; k < corners.size(); ++k) {
        if (k + 1 < corners.size() && !turns_back(corners[k - 1], corners[k], corners[k + 1])) continue;
        shown.pieces.emplace_back(corners.begin() + static_cast<std::ptrdiff_t>(from),
                                  corners.begin() + static_cast<std::ptrdiff_t>(k) + 1);
        from = k;
      }
      corners.clear();
    };
    bool follows_bar = false;
    for (ImVec2 left; i < points.size() && is_number(i);) {
      // All points in one column of pixels: where the curve enters, its extremes, and where it leaves.
      const ImVec2 first = scale.place(points[i].x, points[i].y);
      ImVec2 last = first;
      PlotBar bar{first.x, first.y, first.y};
      for (++i; i < points.size() && is_number(i); ++i) {
        const ImVec2 next = scale.place(points[i].x, points[i].y);
        if (!(std::abs(next.x - first.x) < 1)) break;
        bar.top = std::min(bar.top, next.y);
        bar.bottom = std::max(bar.bottom, next.y);
        last = next;
      }
      const bool folds = bar.bottom - bar.top - std::abs(last.y - first.y) > plot_fold;
      if (folds && follows_bar && first.x - left.x < 2) {
        bar.top = std::min(bar.top, left.y);
        bar.bottom = std::max(bar.bottom, left.y);
        corners.clear();
      } else {
        simplifier.add(first);
      }
      if (folds) {
        end_piece();
        shown.bars.push_back(bar);
      }
      if (folds) last.x = first.x;
      if (folds || last.x != first.x || last.y != first.y) simplifier.add(last);
      follows_bar = folds;
      left = last;
    }
    end_piece();
    while (i < points.size() && !is_number(i)) ++i;
  }
  return shown;
}

std::vector<Rect> band_on_screen(const std::vector<SampleGroup>& groups, const PlotScale& scale) {
  std::vector<Rect> band;
  const auto column = [&](std::size_t k) {
    return std::clamp(scale.place(groups[k].x, 0).x, scale.from.x, scale.to.x);
  };
  const auto row = [&](double y) { return std::clamp(scale.place(0, y).y, scale.from.y, scale.to.y); };
  for (std::size_t k = 0, end = 0; k < groups.size(); k = end) {
    const float left = k == 0 ? column(0) : 0.5f * (column(k - 1) + column(k));
    double low = groups[k].low, high = groups[k].high;
    for (end = k + 1; end < groups.size() && column(end) - left < 1; ++end) {
      low = std::min(low, groups[end].low);
      high = std::max(high, groups[end].high);
    }
    const float right = end < groups.size() ? 0.5f * (column(end - 1) + column(end)) : column(end - 1);
    if (right > left && low <= high) band.push_back({left, row(high), right - left, row(low) - row(high)});
  }
  return band;
}

void draw_plot_line(const Style& style, const PlotLine& line, const PlotScale& scale, bool marks) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const std::vector<CurvePoint>& points = *line.points;
  if (marks && line.dashed && points.size() == 1 && std::isfinite(points.front().y)) {
    // A single point, such as a number from the paper, cannot be dashed: it is drawn as a ring.
    list->AddCircle(scale.place(points.front().x, points.front().y), style.px(5), line.ink, 0, style.px(1.5f));
    return;
  }
  constexpr ImU32 band_opacity = 90;
  if (line.groups)
    for (const Rect& part : band_on_screen(*line.groups, scale)) {
      const ImVec2 from(static_cast<float>(part.x), static_cast<float>(part.y));
      list->AddRectFilled(from,
                          ImVec2(from.x + static_cast<float>(part.width), from.y + static_cast<float>(part.height)),
                          (line.ink & ~IM_COL32_A_MASK) | (band_opacity << IM_COL32_A_SHIFT));
    }
  float dash_offset = 0;
  const PlotOnScreen shown = plot_on_screen(points, scale);
  const float thick = style.px(1.5f);
  for (const PlotBar& bar : shown.bars)
    list->AddRectFilled(ImVec2(bar.x - 0.5f * thick, bar.top - 0.5f * thick),
                        ImVec2(bar.x + 0.5f * thick, bar.bottom + 0.5f * thick), line.ink);
  for (const std::vector<ImVec2>& piece : shown.pieces) {
    if (line.dashed)
      draw_dashes(style, piece, line.ink, dash_offset);
    else
      list->AddPolyline(piece.data(), static_cast<int>(piece.size()), line.ink, 0, thick);
  }
  if (!marks || line.dashed) return;
  float last = -1e9f;  // one mark per column of pixels
  for (const CurvePoint& p : points) {
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) continue;
    const ImVec2 at = scale.place(p.x, p.y);
    if (std::abs(at.x - last) < 1) continue;
    list->AddCircleFilled(at, style.px(2.5f), line.ink);
    last = at.x;
  }
}

namespace {

// Share of a run that counts as its transient, and the ratio of its range to that of the rest above which it is cut
// off.
constexpr double transient_share = 0.1, transient_ratio = 4;

// At most so many values, and one of twelve, may leave the rest; the same ratio holds.
constexpr std::size_t max_outliers = 3, min_values_per_outlier = 12;

// The narrowest range of all values except for some of the lowest and highest.
PlotRange range_without_outliers(std::vector<double> values) {
  if (values.empty()) return {0, 0};
  std::sort(values.begin(), values.end());
  const std::size_t count = std::min(max_outliers, values.size() / min_values_per_outlier);
  PlotRange narrowest{values.front(), values.back()};
  for (std::size_t low = 0; low <= count; ++low) {
    const PlotRange range{values[low], values[values.size() - 1 - (count - low)]};
    if (range.width() < narrowest.width()) narrowest = range;
  }
  return narrowest;
}

// The range of points.
struct Bounds {
  double x0 = std::numeric_limits<double>::infinity(), x1 = -x0, y0 = x0, y1 = -x0;
  void add(const CurvePoint& p) {
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) return;
    x0 = std::min(x0, p.x);
    x1 = std::max(x1, p.x);
    y0 = std::min(y0, p.y);
    y1 = std::max(y1, p.y);
  }
};

// The points of a line, and the ends of the ranges of its groups.
template <class F>
void for_each_point(const PlotLine& line, const F& f) {
  for (const CurvePoint& p : *line.points) f(p);
  if (!line.groups) return;
  for (const SampleGroup& group : *line.groups) {
    f(CurvePoint{group.x, group.low});
    f(CurvePoint{group.x, group.high});
  }
}

// Widens a range to ticks, so that an axis changes in steps and not with every point.
void widen_to_ticks(double& low, double& high, int count) {
  // A quantity that changes only by rounding, such as the energy of a gas, is drawn as a line and not as noise over the
  // whole height.
  constexpr double min_change = 1e-6;
  const double size = std::max(std::abs(low), std::abs(high));
  if (!(high > low)) {
    const double room = size > 0 ? 0.5 * size : 1;
    low -= room;
    high += room;
  } else if (high - low < min_change * size) {
    const double room = 0.5 * (min_change * size - (high - low));
    low -= room;
    high += room;
  }
  for (int twice = 0; twice < 2; ++twice) {
    const std::vector<double> ticks = nice_ticks(low, high, count);
    if (ticks.size() < 2) return;
    const double step = ticks[1] - ticks[0];
    low = std::floor(low / step + 1e-9) * step;
    high = std::ceil(high / step - 1e-9) * step;
  }
}

// A logarithmic axis extends a little beyond the data, so that marks at its ends are complete.
void widen_logarithms(double& low, double& high) {
  const double room = std::max(0.04 * (high - low), 0.02);
  low -= room;
  high += room;
}

}  // namespace

Message label_of(const PlotLine& line) {
  const Message error = line.error_of ? error_text(*line.error_of) : Message();
  return error.empty() ? line.label : Message("{}{}", line.label, error);
}

ImU32 plot_ink(std::size_t line) { return color::inks[line % std::size(color::inks)]; }

void draw_legend(const Style& style, const std::vector<PlotLine>& lines, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line_height = ImGui::GetTextLineHeight(), sample = style.px(22);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  float x = 0, y = 0;
  for (const PlotLine& line : lines) {
    const std::string label = wrap_text(label_of(line), width - sample);
    const ImVec2 size = ImGui::CalcTextSize(label.c_str());
    if (x > 0 && x + sample + size.x > width) {
      x = 0;
      y += line_height + style.px(2);
    }
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
    if (size.y > 1.5f * line_height) {  // wrapped: the next one starts a row
      x = 0;
      y += size.y + style.px(2);
    }
  }
  ImGui::Dummy(ImVec2(width, y + (x > 0 ? line_height : 0)));
}

PlotAxes automatic_axes(const PlotFrame& frame, const std::vector<PlotLine>& lines, int max_ticks,
                        const std::optional<PlotRange>& window) {
  PlotAxes axes;
  Bounds all;
  for (const PlotLine& line : lines)
    for_each_point(line, [&](const CurvePoint& p) {
      if (!window || (p.x >= window->low && p.x <= window->high)) all.add(p);
    });
  // Lines that cross the window without a point in it.
  if (window)
    for (const PlotLine& line : lines)
      for (const double x : {window->low, window->high})
        if (const std::optional<double> y = value_at(*line.points, x)) all.add({x, *y});
  if (!window && frame.has_transient && all.x1 > all.x0) {
    Bounds rest;
    for (const PlotLine& line : lines)
      for_each_point(line, [&](const CurvePoint& p) {
        if (p.x >= all.x0 + transient_share * (all.x1 - all.x0)) rest.add(p);
      });
    // A transient with a much larger range would hide the rest; otherwise the whole run is shown.
    if (rest.x1 > rest.x0 && rest.y1 > rest.y0 && all.y1 - all.y0 > transient_ratio * (rest.y1 - rest.y0)) {
      axes.note = Message("At the start: from {} to {}.", number_text(all.y0, 3), number_text(all.y1, 3));
      all.y0 = rest.y0;
      all.y1 = rest.y1;
    }
    std::vector<double> values;
    for (const PlotLine& line : lines)
      for_each_point(line, [&](const CurvePoint& p) {
        if (std::isfinite(p.x) && p.y >= all.y0 && p.y <= all.y1) values.push_back(p.y);
      });
    if (const PlotRange most = range_without_outliers(std::move(values));
        most.width() > 0 && all.y1 - all.y0 > transient_ratio * most.width()) {
      if (axes.note.empty())
        axes.note = Message("A few values are outside: from {} to {}.", number_text(all.y0, 3), number_text(all.y1, 3));
      all.y0 = most.low;
      all.y1 = most.high;
    }
  }
  axes.empty = !(all.x1 >= all.x0);
  if (axes.empty) all = {0, 1, 0, 1};
  if (frame.logarithmic_y)
    widen_logarithms(all.y0, all.y1);
  else
    widen_to_ticks(all.y0, all.y1, max_ticks);
  if (!(all.x1 > all.x0)) all.x1 = all.x0 + 1;
  if (frame.logarithmic_x) widen_logarithms(all.x0, all.x1);
  axes.x = window ? *window : PlotRange{all.x0, all.x1};
  axes.y = {all.y0, all.y1};
  return axes;
}

namespace {

// Triangles at the edges of the frame where values are outside, at most one in some pixels.
void mark_values_outside(const Style& style, const std::vector<PlotLine>& lines, const PlotAxes& axes,
                         const PlotScale& scale) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float half = style.px(4);
  for (const PlotLine& line : lines) {
    float last_above = -1e9f, last_below = -1e9f;
    for_each_point(line, [&](const CurvePoint& p) {
      if (!std::isfinite(p.x) || !(p.y < axes.y.low || p.y > axes.y.high)) return;
      const bool above = p.y > axes.y.high;
      const float x = scale.place(p.x, 0).x, edge = above ? scale.from.y : scale.to.y,
                  way = above ? 2 * half : -2 * half;
      float& last = above ? last_above : last_below;
      if (x - last < 2 * half) return;
      last = x;
      list->AddTriangleFilled(ImVec2(x, edge), ImVec2(x - half, edge + way), ImVec2(x + half, edge + way), line.ink);
    });
  }
}

}  // namespace

PlotGrid make_plot_grid(const Style& style, const PlotFrame& frame, const PlotAxes& axes, int max_x, int max_y) {
  constexpr int max_powers_x = 8, max_powers_y = 6;
  PlotGrid grid{axes,
                make_axis(axes.x.low, axes.x.high, frame.logarithmic_x, frame.logarithmic_x ? max_powers_x : max_x),
                make_axis(axes.y.low, axes.y.high, frame.logarithmic_y, frame.logarithmic_y ? max_powers_y : max_y),
                {},
                {}};
  grid.x_title = axis_title(frame.x_label, grid.x.labels);
  grid.y_title = axis_title(frame.y_label, grid.y.labels);
  // The margin always fits the usual numbers, so that the frame of the plot does not move.
  grid.margin = ImGui::CalcTextSize("-0.000").x;
  for (const std::string& text : grid.y.labels.texts)
    grid.margin = std::max(grid.margin, ImGui::CalcTextSize(text.c_str()).x);
  grid.margin += style.px(8);
  return grid;
}

PlotScale draw_plot_grid(const Style& style, const PlotFrame& frame, const std::vector<PlotLine>& lines,
                         const PlotGrid& grid, ImVec2 at, float width, float height) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line_height = ImGui::GetTextLineHeight();
  const PlotAxes& axes = grid.axes;
  const ImVec2 from(at.x + grid.margin, at.y + style.px(6)), to(at.x + width - style.px(4), at.y + height);
  const PlotScale scale{axes.x.low, axes.x.high, axes.y.low, axes.y.high, from, to};
  for (std::size_t i = 0; i < grid.y.ticks.size(); ++i) {
    const float y = std::round(scale.place(axes.x.low, grid.y.ticks[i]).y);
    list->AddRectFilled(ImVec2(from.x, y), ImVec2(to.x, y + style.px(1)), color::line);
    const std::string& text = grid.y.labels.texts[i];
    list->AddText(
        ImVec2(from.x - style.px(8) - ImGui::CalcTextSize(text.c_str()).x, std::round(y - 0.5f * line_height)),
        color::dim, text.c_str());
  }
  float free = at.x;  // prevents labels from overlapping
  for (std::size_t i = 0; i < grid.x.ticks.size(); ++i) {
    const float x = std::round(scale.place(grid.x.ticks[i], axes.y.low).x);
    list->AddRectFilled(ImVec2(x, to.y), ImVec2(x + style.px(1), to.y + style.px(4)), color::faint);
    const std::string& text = grid.x.labels.texts[i];
    const float w = ImGui::CalcTextSize(text.c_str()).x, left = std::min(x - 0.5f * w, to.x - w);
    if (left < free) continue;
    list->AddText(ImVec2(std::round(left), to.y + style.px(6)), color::dim, text.c_str());
    free = left + w + style.px(6);
  }
  list->AddRectFilled(ImVec2(from.x, to.y), ImVec2(to.x, to.y + style.px(1)), color::faint);
  const std::string x_name = wrap_text(grid.x_title, width - style.px(4));
  const ImVec2 x_size = ImGui::CalcTextSize(x_name.c_str());
  list->AddText(ImVec2(std::round(to.x - x_size.x), to.y + style.px(8) + line_height), color::dim, x_name.c_str());

  list->PushClipRect(from, ImVec2(to.x, to.y + style.px(1)), true);
  for (const PlotLine& line : lines) draw_plot_line(style, line, scale, frame.marks);
  if (!axes.note.empty()) mark_values_outside(style, lines, axes, scale);
  list->PopClipRect();
  if (axes.empty) draw_text_in(list, from, to, color::faint, "no data yet", 0.5f);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(ImVec2(width, height + style.px(10) + line_height + x_size.y));
  return scale;
}

void draw_plot(const Style& style, const PlotFrame& frame, const std::vector<PlotLine>& lines, float height) {
  const float width = ImGui::GetContentRegionAvail().x;
  // The title; with several lines, the legend is in the rows below it.
  if (!frame.title.empty()) {
    ImGui::PushFont(style.strong);
    draw_wrapped(Message::value(wrap_text(frame.title, width)), color::text);
    ImGui::PopFont();
  }
  ImGui::PushFont(style.small);
  if (lines.size() > 1) draw_legend(style, lines, width);
  const PlotAxes axes = automatic_axes(frame, lines);
  if (!axes.note.empty()) draw_wrapped(axes.note);
  const PlotGrid grid = make_plot_grid(style, frame, axes);
  // The title of the y axis is above it, with the part of the values that its numbers leave out.
  if (!grid.y_title.empty()) draw_wrapped(grid.y_title);
  draw_plot_grid(style, frame, lines, grid, ImGui::GetCursorScreenPos(), width, height);
  ImGui::PopFont();
}

}  // namespace perturb
