#include "app/ui/panels/microscope.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/i18n/language.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/panels/mark_painter.h"
#include "app/ui/panels/view_overlays.h"
#include "app/ui/widgets/color_bar.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

constexpr float least_extent = 48;  // design pixels
constexpr std::size_t columns = 3;  // of a table: nine numbers are those of a cell and its neighbours

ImVec2 to_screen(const Panel& panel, const CurvePoint& place) {
  const DomainSize domain = panel.session.domain();
  const Camera::Point p =
      domain_to_screen({place.x, place.y}, panel.layout.pointer_frame(), panel.session.view().camera(), domain.width,
                       domain.height, panel.session.view().quantity().has_depth);
  return {static_cast<float>(p.x), static_cast<float>(p.y)};
}

float distance(ImVec2 a, ImVec2 b) { return std::hypot(b.x - a.x, b.y - a.y); }

ImU32 ink_of(Glyph::Role role) {
  switch (role) {
    case Glyph::Role::subject:
      return IM_COL32(244, 246, 250, 255);
    case Glyph::Role::neighbour:
      return theory_ink;
    case Glyph::Role::result:
      return measured_ink;
    case Glyph::Role::boundary:
      return IM_COL32(255, 120, 120, 255);
  }
  return theory_ink;
}

void draw_shape(const Panel& panel, const MarkPainter& in, const Glyph& glyph) {
  const ImVec2 at = to_screen(panel, glyph.at), to = to_screen(panel, glyph.to);
  const ImU32 ink = ink_of(glyph.role);
  switch (glyph.shape) {
    case Glyph::Shape::arrow:
      return in.arrow(at, to, ink);
    case Glyph::Shape::circle:
      if (distance(at, to) < in.style.px(3)) {  // a dot
        in.list->AddCircleFilled(at, std::max(distance(at, to), in.style.px(1)) + in.style.px(1), mark_shade);
        return in.list->AddCircleFilled(at, std::max(distance(at, to), in.style.px(1)), ink);
      }
      in.list->AddCircle(at, distance(at, to), mark_shade, 0, in.style.px(4));
      return in.list->AddCircle(at, distance(at, to), ink, 0, in.style.px(1.6f));
    case Glyph::Shape::square: {
      // The corners through the view, which may be turned.
      const double dx = glyph.to.x - glyph.at.x, dy = glyph.to.y - glyph.at.y;
      std::vector<ImVec2> corners;
      for (const auto& [x, y] : {std::pair(-1, -1), {1, -1}, {1, 1}, {-1, 1}, {-1, -1}})
        corners.push_back(to_screen(panel, {glyph.at.x + x * dx, glyph.at.y + y * dy}));
      return in.polyline(corners, ink);
    }
    case Glyph::Shape::cross: {
      const float half = in.style.px(4);
      in.line({at.x - half, at.y - half}, {at.x + half, at.y + half}, ink);
      return in.line({at.x - half, at.y + half}, {at.x + half, at.y - half}, ink);
    }
    case Glyph::Shape::text:
      return;
  }
}

// Labels are above all shapes. Those that would cover another one are omitted; they appear when the user zooms in.
void draw_labels(const Panel& panel, const MarkPainter& in, const std::vector<Glyph>& glyphs, std::vector<Rect> taken) {
  const float pad = panel.style.px(2);
  for (const Glyph& glyph : glyphs) {
    if (glyph.label.empty()) continue;
    const std::string words = tr(glyph.label);
    const ImVec2 at = to_screen(panel, glyph.shape == Glyph::Shape::arrow ? glyph.to : glyph.at);
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    const Rect box{std::round(at.x - size.x / 2 - pad), std::round(at.y - size.y / 2 - pad), size.x + 2.0 * pad,
                   size.y + 2.0 * pad};
    if (std::any_of(taken.begin(), taken.end(), [&](const Rect& one) { return overlap(box, one); })) continue;
    taken.push_back(box);
    draw_mark_label(in, box, pad, words, ink_of(glyph.role));
  }
}

struct Line {
  std::string label;
  std::vector<std::string> values;
};

std::vector<Line> lines_of_numbers(const Panel& panel, const Inspection& inspection) {
  std::vector<Line> lines;
  for (const InspectedNumber& number : inspection.numbers) {
    const DisplayUnit unit = panel.shown_unit(number.unit);
    Line line{tr(number.label), {}};
    if (number.values.size() > 1 && !unit.text.empty()) line.label += " [" + tr(unit.text) + "]";
    for (std::size_t k = 0; k < number.values.size(); ++k) {
      const double value = number.values[k];
      std::string text = has_value(value) ? format_number(value * unit.factor, 5) : "\u2013";
      if (number.values.size() == 1 && !unit.text.empty()) text += " " + tr(unit.text);
      line.values.push_back(std::move(text));
      if (line.values.size() < columns || k + 1 == number.values.size()) continue;
      lines.push_back(std::move(line));
      line = {};
    }
    // The last line of a table keeps its columns.
    if (number.values.size() > columns) line.values.resize(columns);
    lines.push_back(std::move(line));
  }
  return lines;
}

// Where the box of numbers goes: in the half of the view in which the pointer is not. If it does not fit there, in the
// other half, so that the pointer is not under it.
Rect place_numbers(const Panel& panel, const Rect& area, const Rect& hint, double width, double height) {
  const Style& style = panel.style;
  const double margin = style.px(10), near = style.px(24);
  const Rect bar = floating_color_bar_rect(panel);
  const double end = bar.width > 0 ? std::min(bar.x, area.x + area.width) : area.x + area.width;
  const double left = area.x + margin, right = std::max(left, end - margin - width);
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const auto placed = [&](double x) {
    Rect box{std::round(x), std::round(area.y + margin), width, height};
    if (overlap(box, hint)) box.y = hint.y + hint.height + margin;
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

// Returns its area.
Rect draw_numbers(const Panel& panel, const Inspection& inspection, const Rect& area, const Rect& hint) {
  const Style& style = panel.style;
  const float pad = style.px(10), gap = style.px(12), height = ImGui::GetTextLineHeight();
  const std::vector<Line> lines = lines_of_numbers(panel, inspection);
  float labels = 0, column = 0, single = 0;
  for (const Line& line : lines) {
    labels = std::max(labels, ImGui::CalcTextSize(line.label.c_str()).x);
    for (const std::string& value : line.values)
      (line.values.size() > 1 ? column : single) =
          std::max(line.values.size() > 1 ? column : single, ImGui::CalcTextSize(value.c_str()).x);
  }
  const std::string title = tr(inspection.title);
  const float values = std::max(single, columns * column + (columns - 1) * gap);
  const float width = std::max({labels + gap + values, ImGui::CalcTextSize(title.c_str()).x, style.px(180)}) + 2 * pad;
  const std::string remark = inspection.remark.empty() ? std::string() : wrap_text(inspection.remark, width - 2 * pad);
  const float remark_height = remark.empty() ? 0 : ImGui::CalcTextSize(remark.c_str()).y + style.px(6);
  const float whole = (static_cast<float>(lines.size()) + 1) * height + style.px(6) + remark_height + 2 * pad;
  const Rect box = place_numbers(panel, area, hint, width, whole);
  const ImVec2 from(static_cast<float>(box.x), static_cast<float>(box.y)),
      to(static_cast<float>(box.x + box.width), static_cast<float>(box.y + box.height));
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->PushClipRect(from, to, true);
  list->AddRectFilled(from, to, color::overlay_fill, style.px(6));
  const float right = from.x + width - pad;
  float y = from.y + pad;
  list->AddText(ImVec2(from.x + pad, y), color::text, title.c_str());
  y += height + style.px(6);
  for (const Line& line : lines) {
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

}  // namespace

bool glyphs_are_shown(const Panel& panel, const Inspection& inspection) {
  const ImVec2 middle = to_screen(panel, {0.5, 0.5});
  return std::min(distance(middle, to_screen(panel, {0.5 + inspection.extent.x, 0.5})),
                  distance(middle, to_screen(panel, {0.5, 0.5 + inspection.extent.y}))) >= panel.style.px(least_extent);
}

void draw_microscope(const Panel& panel) {
  const Inspection& inspection = panel.session.diagnostics_poller().inspection();
  if (inspection.empty() || panel.interface().overlay != Overlay::none) return;
  const Rect area = visible_first_lane_rect(panel);
  const Rect hint = hint_rect(panel);  // in the font of the hint
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  ImGui::PushFont(panel.style.small);
  list->PushClipRect(ImVec2(static_cast<float>(area.x), static_cast<float>(area.y)),
                     ImVec2(static_cast<float>(area.x + area.width), static_cast<float>(area.y + area.height)));
  const MarkPainter in{list, panel.style};
  const bool has_glyphs = glyphs_are_shown(panel, inspection);
  if (has_glyphs)
    for (const Glyph& glyph : inspection.glyphs) draw_shape(panel, in, glyph);
  const Rect box = draw_numbers(panel, inspection, area, hint);
  if (has_glyphs) draw_labels(panel, in, inspection.glyphs, {floating_color_bar_rect(panel), box});
  list->PopClipRect();
  ImGui::PopFont();
}

}  // namespace perturb
