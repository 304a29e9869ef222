#include "app/ui/panels/number_box.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/ui/panels/drawer.h"
#include "app/ui/panels/lane_titles.h"
#include "app/ui/panels/mark_painter.h"
#include "app/ui/widgets/color_bar.h"

namespace perturb {

namespace {

double common_area(const Rect& a, const Rect& b) {
  const double width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x),
               height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

// Position of the number box: in the half of the area in which the pointer is not. If it does not fit there, in the
// other half, so that the pointer is not under it, or else in a half of the view: a lane of a race may be small.
Rect place_box(const Panel& panel, const NumberBox& numbers, const Rect& area, const Rect& hint, double width,
               double height) {
  const Style& style = panel.style;
  const double margin = style.px(10), near = style.px(24);
  const Rect bar = floating_color_bar_rect(panel);
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const double titles = lane_titles_height(panel);
  const bool low = numbers.at_lower_edge, pointer_is_left = pointer.x < area.x + area.width / 2;
  const auto placed = [&](const Rect& within, bool at_left) {
    const double end = bar.width > 0 ? std::min(bar.x, within.x + within.width) : within.x + within.width;
    const double left = within.x + margin, right = std::max(left, end - margin - width);
    Rect box{std::round(at_left ? left : right), std::round(within.y + titles + margin), width, height};
    if (low) box.y = std::max(box.y, std::round(within.y + within.height - margin - height));
    if (overlap(box, hint))
      box.y = low && hint.y > within.y + titles + margin + height ? hint.y - margin - height
                                                                  : hint.y + hint.height + margin;
    box.height = std::min(box.height, within.y + within.height - box.y);
    return box;
  };
  // A running simulation moves its marks, and the number box would jump.
  const bool is_still = !panel.session.playback().playing();
  const Rect view = visible_view_rect(panel);
  Rect best = placed(area, !pointer_is_left);
  double min_covered = std::numeric_limits<double>::infinity();
  for (const Rect& within : {area, view})
    for (const bool at_left : {!pointer_is_left, pointer_is_left}) {
      const Rect box = placed(within, at_left);
      if (overlap(box, {pointer.x - near, pointer.y - near, 2 * near, 2 * near})) continue;
      double covered = width * (height - box.height);  // clipped lines are hidden too
      if (is_still)
        for (const Rect& mark : numbers.marks) covered += common_area(box, mark);
      if (covered < min_covered) {
        best = box;
        min_covered = covered;
      }
    }
  return best;
}

}  // namespace

Rect draw_number_box(const Panel& panel, const NumberBox& numbers, const Rect& area, const Rect& hint) {
  const Style& style = panel.style;
  const float pad = style.px(10), gap = style.px(12), height = ImGui::GetTextLineHeight();
  const std::vector<NumberBox::Line>& lines = numbers.lines;
  float labels = 0, column = 0, single = 0;
  for (const NumberBox::Line& line : lines) {
    labels = std::max(labels, ImGui::CalcTextSize(line.label.c_str()).x);
    for (const std::string& value : line.values)
      (line.values.size() > 1 ? column : single) =
          std::max(line.values.size() > 1 ? column : single, ImGui::CalcTextSize(value.c_str()).x);
  }
  const std::string& title = numbers.title;
  const float values = std::max(single, NumberBox::columns * column + (NumberBox::columns - 1) * gap);
  const float width = std::max({labels + gap + values, ImGui::CalcTextSize(title.c_str()).x, style.px(180)}) + 2 * pad;
  const std::string remark = numbers.remark.empty() ? std::string() : wrap_text(numbers.remark, width - 2 * pad);
  const float remark_height = remark.empty() ? 0 : ImGui::CalcTextSize(remark.c_str()).y + style.px(6);
  const float whole = (static_cast<float>(lines.size()) + 1) * height + style.px(6) + remark_height + 2 * pad;
  const Rect box = place_box(panel, numbers, area, hint, width, whole);
  const ImVec2 from(static_cast<float>(box.x), static_cast<float>(box.y)),
      to(static_cast<float>(box.x + box.width), static_cast<float>(box.y + box.height));
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->PushClipRect(from, to, true);
  list->AddRectFilled(from, to, color::overlay_fill, style.px(6));
  const float right = from.x + width - pad;
  float y = from.y + pad;
  list->AddText(ImVec2(from.x + pad, y), color::text, title.c_str());
  y += height + style.px(6);
  for (const NumberBox::Line& line : lines) {
    list->AddText(ImVec2(from.x + pad, y), color::dim, line.label.c_str());
    for (std::size_t k = 0; k < line.values.size(); ++k) {
      const float x = right - static_cast<float>(line.values.size() - 1 - k) * (column + gap);
      list->AddText(ImVec2(std::round(x - ImGui::CalcTextSize(line.values[k].c_str()).x), y), color::text,
                    line.values[k].c_str());
    }
    y += height;
  }
  if (!remark.empty()) list->AddText(ImVec2(from.x + pad, y + style.px(6)), color::dim, remark.c_str());
  list->PopClipRect();
  return box;
}

}  // namespace perturb
