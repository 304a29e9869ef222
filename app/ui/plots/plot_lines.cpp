#include "app/ui/plots/plot_lines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

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
      if (has_last_) corners_.push_back(last_), has_last_ = false;
      corners_.push_back(point);
      return;
    }
    const float low = (point.y - plot_tolerance - anchor.y) / across,
                high = (point.y + plot_tolerance - anchor.y) / across;
    low_ = has_last_ ? std::max(low_, low) : low;
    high_ = has_last_ ? std::min(high_, high) : high;
    last_ = point, has_last_ = true;
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
      s += part, dash_offset += part;
    }
  }
  end();
}

}  // namespace

ImVec2 PlotScale::place(double x, double y) const {
  return ImVec2(from.x + static_cast<float>((x - x0) / (x1 - x0)) * (to.x - from.x),
                to.y - static_cast<float>((y - y0) / (y1 - y0)) * (to.y - from.y));
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
        bar.top = std::min(bar.top, next.y), bar.bottom = std::max(bar.bottom, next.y);
        last = next;
      }
      const bool folds = bar.bottom - bar.top - std::abs(last.y - first.y) > plot_fold;
      if (folds && follows_bar && first.x - left.x < 2) {
        bar.top = std::min(bar.top, left.y), bar.bottom = std::max(bar.bottom, left.y);
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
      follows_bar = folds, left = last;
    }
    end_piece();
    while (i < points.size() && !is_number(i)) ++i;
  }
  return shown;
}

void draw_plot_line(const Style& style, const PlotLine& line, const PlotScale& scale, bool marks) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const std::vector<CurvePoint>& points = *line.points;
  if (marks && line.dashed && points.size() == 1 && std::isfinite(points.front().y)) {
    // A single point, such as a number from the paper, cannot be dashed: it is drawn as a ring.
    list->AddCircle(scale.place(points.front().x, points.front().y), style.px(5), line.ink, 0, style.px(1.5f));
    return;
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

}  // namespace perturb
