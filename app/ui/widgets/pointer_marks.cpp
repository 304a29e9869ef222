#include "app/ui/widgets/pointer_marks.h"

#include <cmath>
#include <numbers>

namespace perturb {

namespace {

// A dark line below a light one: visible on any colour.
constexpr ImU32 dark_ink = IM_COL32(0, 0, 0, 150), light_ink = IM_COL32(255, 255, 255, 235);

// Screen position of a point of the domain.
ImVec2 on_screen(const Panel& panel, Camera::Point place) {
  const RunStatus& run = panel.run();
  const Viewport viewport = panel.layout.lane_viewport();
  const Camera& camera = panel.session.view().camera();
  if (panel.session.view().quantity().has_depth)
    place = GroundView(camera, run.domain_width, run.domain_height).to_picture(place);
  const Camera::Point p =
      camera.to_pixel(place.x, place.y, viewport.width, viewport.height, run.domain_width, run.domain_height);
  const double density = panel.layout.pixels_per_coordinate;
  return ImVec2(static_cast<float>((viewport.x + p.x) / density),
                static_cast<float>(panel.layout.height - (viewport.y + p.y) / density));
}

void clip_to_picture(const Panel& panel, ImDrawList* list) {
  const Rect p = panel.layout.lane_rect();
  list->PushClipRect(ImVec2(static_cast<float>(p.x), static_cast<float>(p.y)),
                     ImVec2(static_cast<float>(p.x + p.width), static_cast<float>(p.y + p.height)));
}

}  // namespace

void draw_brush(const Panel& panel) {
  const GestureRecognizer& gestures = panel.session.tools().gestures();
  if (!gestures.over_picture() || gestures.is_panning() || !panel.session.pointer().in_domain()) return;
  const std::map<std::string, double> brush = panel.session.tools().brush_of(panel.session.tools().tool());
  if (brush.empty()) return;
  const auto radius = brush.find("radius");
  if (radius == brush.end()) return;
  const RunStatus& run = panel.run();
  const Viewport viewport = panel.layout.lane_viewport();
  const double unit = Camera::units_per_pixel(viewport.width, viewport.height, run.domain_width, run.domain_height,
                                              panel.session.view().camera().zoom);
  const auto r = static_cast<float>(radius->second / unit / panel.layout.pixels_per_coordinate);
  if (!(r > 1)) return;
  const ImVec2 center(static_cast<float>(gestures.x()) + 0.5f, static_cast<float>(gestures.y()) + 0.5f);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  const Rect p = panel.layout.lane_rect();
  list->PushClipRect(ImVec2(static_cast<float>(p.x), static_cast<float>(p.y)),
                     ImVec2(static_cast<float>(p.x + p.width), static_cast<float>(p.y + p.height)));
  // A dark line below a light one: visible on any colour.
  const float thick = panel.style.px(1.5f);
  const bool has_depth = panel.session.view().quantity().has_depth;
  const GroundView ground(panel.session.view().camera(), run.domain_width, run.domain_height);
  for (const bool light : {false, true}) {
    const ImU32 ink = light ? IM_COL32(255, 255, 255, 200) : IM_COL32(0, 0, 0, 110);
    if (!has_depth) {
      list->AddCircle(center, r, ink, 0, light ? thick : 2.2f * thick);
      continue;
    }
    // A circle on the ground appears as an ellipse.
    const auto across = r * static_cast<float>(ground.scale()), along = across * static_cast<float>(ground.sine());
    constexpr int corners = 48;
    for (int k = 0; k < corners; ++k) {
      const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(k) / corners;
      list->PathLineTo(ImVec2(center.x + across * std::cos(angle), center.y + along * std::sin(angle)));
    }
    list->PathStroke(ink, ImDrawFlags_Closed, light ? thick : 2.2f * thick);
  }
  list->PopClipRect();
}

void draw_drag_line(const Panel& panel) {
  const GestureRecognizer& gestures = panel.session.tools().gestures();
  const std::optional<PointerSegment> drag = gestures.drag();
  if (!drag || !(gestures.draws_line() || panel.session.tools().acts_on_release())) return;
  const ImVec2 from = on_screen(panel, drag->from), to = on_screen(panel, drag->to);
  const float length = std::hypot(to.x - from.x, to.y - from.y), thick = panel.style.px(1.5f);
  if (!(length > 2)) return;
  const ImVec2 way((to.x - from.x) / length, (to.y - from.y) / length);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  clip_to_picture(panel, list);
  const bool arrow = panel.session.tools().acts_on_release();
  const float head = std::min(panel.style.px(12), 0.5f * length);
  const ImVec2 neck(to.x - head * way.x, to.y - head * way.y);
  const ImVec2 left(neck.x - 0.45f * head * way.y, neck.y + 0.45f * head * way.x);
  const ImVec2 right(neck.x + 0.45f * head * way.y, neck.y - 0.45f * head * way.x);
  list->AddLine(from, arrow ? neck : to, dark_ink, 2.4f * thick);
  if (arrow) list->AddTriangle(to, left, right, dark_ink, 2.4f * thick);
  list->AddLine(from, arrow ? neck : to, light_ink, thick);
  if (arrow) list->AddTriangleFilled(to, left, right, light_ink);
  list->PopClipRect();
}

void draw_crosshair(const Panel& panel) {
  if (!panel.session.input().crosshair().position()) return;
  const Camera::Point& at = *panel.session.input().crosshair().position();
  const float x = std::floor(static_cast<float>(at.x)) + 0.5f, y = std::floor(static_cast<float>(at.y)) + 0.5f;
  const float gap = panel.style.px(4), arm = panel.style.px(16), thick = panel.style.px(1.5f);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  clip_to_picture(panel, list);
  for (const bool light : {false, true}) {
    const ImU32 ink = light ? light_ink : dark_ink;
    const float width = light ? thick : 2.6f * thick;
    list->AddLine(ImVec2(x - arm, y), ImVec2(x - gap, y), ink, width);
    list->AddLine(ImVec2(x + gap, y), ImVec2(x + arm, y), ink, width);
    list->AddLine(ImVec2(x, y - arm), ImVec2(x, y - gap), ink, width);
    list->AddLine(ImVec2(x, y + gap), ImVec2(x, y + arm), ink, width);
  }
  list->PopClipRect();
}

}  // namespace perturb
