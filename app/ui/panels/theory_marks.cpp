#include "app/ui/panels/theory_marks.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "app/i18n/language.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/panels/view_overlays.h"
#include "app/ui/widgets/color_bar.h"

namespace perturb {

namespace {

// Blue and orange differ for colour-blind viewers too. The dark line below makes both visible on any colour.
constexpr ImU32 theory_ink = IM_COL32(120, 226, 255, 255), measured_ink = IM_COL32(255, 178, 90, 255),
                mark_shade = IM_COL32(0, 0, 0, 190), label_fill = IM_COL32(10, 14, 20, 205);

struct MarkPainter {
  ImDrawList* list;
  const Style& style;

  void line(ImVec2 a, ImVec2 b, ImU32 ink) const {
    list->AddLine(a, b, mark_shade, style.px(4));
    list->AddLine(a, b, ink, style.px(1.6f));
  }
  void polyline(const std::vector<ImVec2>& points, ImU32 ink) const {
    const auto count = static_cast<int>(points.size());
    list->AddPolyline(points.data(), count, mark_shade, 0, style.px(4));
    list->AddPolyline(points.data(), count, ink, 0, style.px(1.6f));
  }
  void dashes(const std::vector<ImVec2>& points, ImU32 ink) const {
    const float on = style.px(7), period = style.px(12);
    float done = 0;  // length drawn so far
    for (std::size_t k = 1; k < points.size(); ++k) {
      const ImVec2 a = points[k - 1], b = points[k];
      const float length = std::hypot(b.x - a.x, b.y - a.y);
      // More dashes than a screen holds are those of a line far outside of it.
      if (!(length > 0) || length > 1000 * period) continue;
      for (float from = -std::fmod(done, period); from < length; from += period) {
        const float begin = std::max(from, 0.f) / length, end = std::min(from + on, length) / length;
        if (end > begin)
          line(ImVec2(a.x + begin * (b.x - a.x), a.y + begin * (b.y - a.y)),
               ImVec2(a.x + end * (b.x - a.x), a.y + end * (b.y - a.y)), ink);
      }
      done += length;
    }
  }
  void arrow(ImVec2 tail, ImVec2 head, ImU32 ink) const {
    const float length = std::hypot(head.x - tail.x, head.y - tail.y);
    if (!(length > 0)) return;
    line(tail, head, ink);
    const float size = std::min(style.px(10), 0.6f * length), x = (head.x - tail.x) / length * size,
                y = (head.y - tail.y) / length * size;
    for (const float side : {0.45f, -0.45f}) line(head, ImVec2(head.x - x - side * y, head.y - y + side * x), ink);
  }
  void point(ImVec2 at, ImU32 ink) const {
    list->AddCircleFilled(at, style.px(6), mark_shade);
    list->AddCircle(at, style.px(4.5f), ink, 0, style.px(2));
  }
};

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

void draw_mark_label(const MarkPainter& in, const Rect& box, float pad, const std::string& words, ImU32 ink) {
  const ImVec2 from(static_cast<float>(box.x), static_cast<float>(box.y)),
      to(static_cast<float>(box.x + box.width), static_cast<float>(box.y + box.height));
  in.list->AddRectFilled(from, to, label_fill, in.style.px(4));
  in.list->AddText(ImVec2(from.x + pad, from.y + pad), ink, words.c_str());
}

}  // namespace

std::optional<Rect> label_place(double x, double y, double width, double height, double gap, const Rect& view,
                                const std::vector<Rect>& taken) {
  for (const double step : {0., 1., 2.})
    for (const bool right : {true, false})
      for (const bool below : {true, false}) {
        const double away = gap + step * (height + gap);
        const Rect box{std::round(right ? x + gap : x - gap - width), std::round(below ? y + away : y - away - height),
                       width, height};
        const bool inside = box.x >= view.x && box.y >= view.y && box.x + width <= view.x + view.width &&
                            box.y + height <= view.y + view.height;
        if (inside && std::none_of(taken.begin(), taken.end(), [&](const Rect& one) { return overlap(box, one); }))
          return box;
      }
  return std::nullopt;
}

void draw_theory(const Panel& panel) {
  const Session& session = panel.session;
  const std::vector<TheoryMark>& marks = session.diagnostics_poller().latest().marks;
  if (!session.view().settings().theory || marks.empty()) return;
  const Style& style = panel.style;
  const PointerFrame frame = panel.layout.pointer_frame();
  const DomainSize domain = session.domain();
  const Rect view = panel.layout.lanes > 0 ? panel.layout.lane_rect() : visible_view_rect(panel);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->PushClipRect(ImVec2(static_cast<float>(view.x), static_cast<float>(view.y)),
                     ImVec2(static_cast<float>(view.x + view.width), static_cast<float>(view.y + view.height)));
  const MarkPainter in{list, style};
  const auto ink_of = [](const TheoryMark& mark) { return mark.measured ? measured_ink : theory_ink; };
  std::vector<ImVec2> last;  // of each mark
  for (const TheoryMark& mark : marks) {
    std::vector<ImVec2> at;
    for (const CurvePoint& place : mark.points) {
      const Camera::Point p = domain_to_screen({place.x, place.y}, frame, session.view().camera(), domain.width,
                                               domain.height, session.view().quantity().has_depth);
      const ImVec2 next(static_cast<float>(p.x), static_cast<float>(p.y));
      // The corner of two very short lines would be drawn as a spike.
      const bool is_line = mark.shape == TheoryMark::Shape::line || mark.shape == TheoryMark::Shape::dashed;
      if (is_line && !at.empty() && std::hypot(next.x - at.back().x, next.y - at.back().y) < style.px(2)) continue;
      at.push_back(next);
    }
    last.push_back(at.empty() ? ImVec2() : at.back());
    if (at.empty()) continue;
    switch (mark.shape) {
      case TheoryMark::Shape::line:
        in.polyline(at, ink_of(mark));
        break;
      case TheoryMark::Shape::dashed:
        in.dashes(at, ink_of(mark));
        break;
      case TheoryMark::Shape::arrow:
        in.arrow(at.front(), at.back(), ink_of(mark));
        break;
      case TheoryMark::Shape::point:
        in.point(at.front(), ink_of(mark));
        break;
    }
  }
  // Labels are above all lines, and clear of what else is over the view.
  const float pad = style.px(4);
  std::vector<Rect> taken = {floating_color_bar_rect(panel), hint_rect(panel)};
  const auto size_of = [&](const std::string& words) {
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    return ImVec2(size.x + 2 * pad, size.y + 2 * pad);
  };
  // The legend, in the upper left corner.
  double top = view.y + style.px(10);
  for (const bool measured : {false, true}) {
    if (std::none_of(marks.begin(), marks.end(), [&](const TheoryMark& mark) { return mark.measured == measured; }))
      continue;
    const std::string words = tr(measured ? "Measured" : "Theory");
    const ImVec2 size = size_of(words);
    const Rect box{view.x + style.px(10), std::round(top), static_cast<double>(size.x), static_cast<double>(size.y)};
    taken.push_back(box);
    draw_mark_label(in, box, pad, words, measured ? measured_ink : theory_ink);
    top += size.y + style.px(2);
  }
  for (std::size_t k = 0; k < marks.size(); ++k) {
    if (marks[k].label.empty() || !view.contains(last[k].x, last[k].y)) continue;
    const std::string words = tr(in_display_units(session.display_units(), marks[k].label));
    const ImVec2 size = size_of(words);
    const auto box = label_place(last[k].x, last[k].y, size.x, size.y, style.px(5), view, taken);
    if (!box) continue;
    taken.push_back(*box);
    draw_mark_label(in, *box, pad, words, ink_of(marks[k]));
  }
  list->PopClipRect();
}

}  // namespace perturb
