#include "app/ui/kernels/microscope.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/i18n/language.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/panels/mark_painter.h"
#include "app/ui/panels/number_box.h"
#include "app/ui/panels/view_overlays.h"
#include "app/ui/widgets/color_bar.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

constexpr float min_extent = 48;  // design pixels

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
      return subject_ink;
    case Glyph::Role::neighbour:
      return theory_ink;
    case Glyph::Role::result:
      return measured_ink;
    case Glyph::Role::boundary:
      return boundary_ink;
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

// The area of each shape, with its line.
std::vector<Rect> areas_of(const Panel& panel, const std::vector<Glyph>& glyphs) {
  std::vector<Rect> areas;
  for (const Glyph& glyph : glyphs) {
    const ImVec2 at = to_screen(panel, glyph.at);
    const bool is_arrow = glyph.shape == Glyph::Shape::arrow;
    const bool is_round = glyph.shape == Glyph::Shape::circle || glyph.shape == Glyph::Shape::square;
    const ImVec2 end = is_arrow ? to_screen(panel, glyph.to) : at;
    const float reach = panel.style.px(2) + (is_round ? distance(at, to_screen(panel, glyph.to)) : 0);
    areas.push_back({std::min(at.x, end.x) - reach, std::min(at.y, end.y) - reach, std::abs(end.x - at.x) + 2 * reach,
                     std::abs(end.y - at.y) + 2 * reach});
  }
  return areas;
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

std::vector<NumberBox::Line> lines_of_numbers(const Panel& panel, const Inspection& inspection) {
  std::vector<NumberBox::Line> lines;
  for (const InspectedNumber& number : inspection.numbers) {
    const DisplayUnit unit = panel.shown_unit(number.unit);
    NumberBox::Line line{tr(number.label), {}};
    if (number.values.size() > 1 && !unit.text.empty()) line.label += " [" + tr(unit.text) + "]";
    for (std::size_t k = 0; k < number.values.size(); ++k) {
      const double value = number.values[k];
      std::string text = has_value(value) ? format_number(value * unit.factor, 5) : "\u2013";
      if (has_value(value) && number.values.size() == 1 && !unit.text.empty()) text += " " + tr(unit.text);
      line.values.push_back(std::move(text));
      if (line.values.size() < NumberBox::columns || k + 1 == number.values.size()) continue;
      lines.push_back(std::move(line));
      line = {};
    }
    // The last line of a table keeps its columns.
    if (number.values.size() > NumberBox::columns) line.values.resize(NumberBox::columns);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

bool glyphs_are_shown(const Panel& panel, const Inspection& inspection) {
  const ImVec2 middle = to_screen(panel, {0.5, 0.5});
  return std::min(distance(middle, to_screen(panel, {0.5 + inspection.extent.x, 0.5})),
                  distance(middle, to_screen(panel, {0.5, 0.5 + inspection.extent.y}))) >= panel.style.px(min_extent);
}

void draw_microscope(const Panel& panel) {
  const Inspection& inspection = panel.session.diagnostics_poller().inspection();
  if (inspection.empty() || panel.interface().overlay != Overlay::none) return;
  const Rect area = visible_first_lane_rect(panel);
  const Rect hint = hint_rect(panel);  // in the font of the hint
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  ImGui::PushFont(panel.style.small);
  const ImVec2 from(static_cast<float>(area.x), static_cast<float>(area.y)),
      to(static_cast<float>(area.x + area.width), static_cast<float>(area.y + area.height));
  const MarkPainter in{list, panel.style};
  const bool has_glyphs = glyphs_are_shown(panel, inspection);
  list->PushClipRect(from, to);
  if (has_glyphs)
    for (const Glyph& glyph : inspection.glyphs) draw_shape(panel, in, glyph);
  list->PopClipRect();
  NumberBox numbers{tr(inspection.title), lines_of_numbers(panel, inspection), inspection.remark};
  if (has_glyphs)
    numbers.marks = areas_of(panel, inspection.glyphs);
  else if (!inspection.glyphs.empty())
    numbers.remark = numbers.remark + Message("Zoom in to see it drawn.");
  const Rect box = draw_number_box(panel, numbers, area, hint);
  list->PushClipRect(from, to);
  if (has_glyphs) draw_labels(panel, in, inspection.glyphs, {floating_color_bar_rect(panel), box});
  list->PopClipRect();
  ImGui::PopFont();
}

}  // namespace perturb
