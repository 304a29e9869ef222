// Shapes and labels drawn over the view, for theory and for the microscope: visible on any colour.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/run/mark_style.h"
#include "app/session/layout.h"
#include "app/ui/widgets/style.h"

namespace perturb {

static_assert(rgba(1, 2, 3, 4) == IM_COL32(1, 2, 3, 4));

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

inline bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

inline void draw_mark_label(const MarkPainter& in, const Rect& box, float pad, const std::string& words, ImU32 ink) {
  const ImVec2 from(static_cast<float>(box.x), static_cast<float>(box.y)),
      to(static_cast<float>(box.x + box.width), static_cast<float>(box.y + box.height));
  in.list->AddRectFilled(from, to, label_fill, in.style.px(4));
  in.list->AddText(ImVec2(from.x + pad, from.y + pad), ink, words.c_str());
}

}  // namespace perturb
