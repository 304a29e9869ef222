#include "app/ui/panels/theory_marks.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "app/i18n/language.h"
#include "app/run/mark_style.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/panels/mark_painter.h"
#include "app/ui/panels/view_overlays.h"
#include "app/ui/widgets/color_bar.h"

namespace perturb {

std::optional<Rect> label_position(double x, double y, double width, double height, double gap, const Rect& view,
                                   const std::vector<Rect>& taken) {
  for (const auto& [step, right, below] : label_positions) {
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
  const Rect view = visible_first_lane_rect(panel);
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
  const float pad = style.px(label_padding);
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
    const auto box = label_position(last[k].x, last[k].y, size.x, size.y, style.px(label_gap), view, taken);
    if (!box) continue;
    taken.push_back(*box);
    draw_mark_label(in, *box, pad, words, ink_of(marks[k]));
  }
  list->PopClipRect();
}

}  // namespace perturb
