#include "app/ui/panels/number_box.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/i18n/language.h"
#include "app/ui/panels/mark_painter.h"
#include "app/ui/widgets/color_bar.h"

namespace perturb {

namespace {

// Where the box of numbers goes: in the half of the view in which the pointer is not. If it does not fit there, in the
// other half, so that the pointer is not under it.
Rect place_box(const Panel& panel, const Rect& area, const Rect& hint, double width, double height, bool low) {
  const Style& style = panel.style;
  const double margin = style.px(10), near = style.px(24);
  const Rect bar = floating_color_bar_rect(panel);
  const double end = bar.width > 0 ? std::min(bar.x, area.x + area.width) : area.x + area.width;
  const double left = area.x + margin, right = std::max(left, end - margin - width);
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const auto placed = [&](double x) {
    Rect box{std::round(x), std::round(area.y + margin), width, height};
    if (low) box.y = std::max(box.y, std::round(area.y + area.height - margin - height));
    if (overlap(box, hint))
      box.y = low && hint.y > area.y + margin + height ? hint.y - margin - height : hint.y + hint.height + margin;
    box.height = std::min(box.height, area.y + area.height - box.y);
    return box;
  };
  const auto covers_pointer = [&](const Rect& box) {
    return overlap(box, {pointer.x - near, pointer.y - near, 2 * near, 2 * near});
  };
  const bool pointer_is_left = pointer.x < area.x + area.width / 2;
  const Rect first = placed(pointer_is_left ? right : left), second = placed(pointer_is_left ? left : right);
  return covers_pointer(first) && !covers_pointer(second) ? second : first;
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
  const Rect box = place_box(panel, area, hint, width, whole, numbers.at_lower_edge);
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
