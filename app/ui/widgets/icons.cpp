#include "app/ui/widgets/icons.h"

#include <algorithm>
#include <cmath>

namespace perturb {

void draw_icon(ImDrawList* list, Icon icon, ImVec2 c, float size, ImU32 col) {
  // Lines of a whole number of pixels use the texture of the font atlas, with half the vertices.
  const float h = 0.5f * size, thick = std::max(1.0f, std::round(size * 0.11f));
  const auto at = [&](float x, float y) { return ImVec2(c.x + x * h, c.y + y * h); };
  // A triangle that points right (way 1) or left (-1) with its centre of mass at x.
  const auto arrow = [&](float x, float way, float r) {
    if (way > 0)
      list->AddTriangleFilled(at(x - 0.6f * r, -r), at(x + 1.1f * r, 0), at(x - 0.6f * r, r), col);
    else
      list->AddTriangleFilled(at(x + 0.6f * r, -r), at(x + 0.6f * r, r), at(x - 1.1f * r, 0), col);
  };
  switch (icon) {
    case Icon::play:
      arrow(0.02f, 1, 0.8f);
      break;
    case Icon::pause:
      list->AddRectFilled(at(-0.6f, -0.75f), at(-0.18f, 0.75f), col, thick * 0.5f);
      list->AddRectFilled(at(0.18f, -0.75f), at(0.6f, 0.75f), col, thick * 0.5f);
      break;
    case Icon::step:
      arrow(-0.28f, 1, 0.7f);
      list->AddRectFilled(at(0.48f, -0.7f), at(0.76f, 0.7f), col, thick * 0.4f);
      break;
    case Icon::restart:
      // To the start: the mirror image of the icon for a step.
      arrow(0.28f, -1, 0.7f);
      list->AddRectFilled(at(-0.76f, -0.7f), at(-0.48f, 0.7f), col, thick * 0.4f);
      break;
    case Icon::restart_keeping:
      // The same, with a vertical bar.
      arrow(0.28f, -1, 0.5f);
      list->AddRectFilled(at(-0.76f, -0.5f), at(-0.48f, 0.5f), col, thick * 0.4f);
      list->AddRectFilled(at(-0.76f, 0.72f), at(0.8f, 0.92f), col);
      break;
    case Icon::reset:
      // A dot: this value is not its default.
      list->AddCircleFilled(c, 0.42f * h, col, 16);
      break;
    case Icon::more:
      for (const float x : {-0.6f, 0.0f, 0.6f}) list->AddCircleFilled(at(x, 0), std::max(1.0f, 0.16f * h), col, 12);
      break;
    case Icon::undo:
    case Icon::redo: {
      // An arrow that turns over the top: to the left (undo) or to the right (redo).
      const float way = icon == Icon::redo ? 1.0f : -1.0f;
      constexpr float pi = 3.14159265f;
      const ImVec2 middle = at(0, 0.2f);
      list->PathArcTo(middle, 0.55f * h, way > 0 ? 0.75f * pi : 2.25f * pi, way > 0 ? 2 * pi : pi, 20);
      list->PathStroke(col, 0, thick);
      const ImVec2 left = at(0.55f * way - 0.4f, 0.15f), right = at(0.55f * way + 0.4f, 0.15f);
      list->AddTriangleFilled(left, right, at(0.55f * way, 0.7f), col);
      break;
    }
    case Icon::minus:
      list->AddRectFilled(at(-0.6f, -0.1f), at(0.6f, 0.1f), col, thick * 0.3f);
      break;
    case Icon::plus:
      list->AddRectFilled(at(-0.6f, -0.1f), at(0.6f, 0.1f), col, thick * 0.3f);
      list->AddRectFilled(at(-0.1f, -0.6f), at(0.1f, 0.6f), col, thick * 0.3f);
      break;
    case Icon::previous:
    case Icon::next: {
      const float way = icon == Icon::next ? 1.0f : -1.0f;
      const ImVec2 points[] = {at(-0.25f * way, -0.55f), at(0.3f * way, 0), at(-0.25f * way, 0.55f)};
      list->AddPolyline(points, 3, col, 0, thick * 1.2f);
      break;
    }
    case Icon::camera:
      list->AddRect(at(-0.85f, -0.45f), at(0.85f, 0.68f), col, size * 0.12f, 0, thick);
      list->AddRectFilled(at(-0.32f, -0.72f), at(0.32f, -0.42f), col, thick * 0.5f);
      list->AddCircle(at(0, 0.12f), 0.3f * h, col, 20, thick);
      break;
    case Icon::film:
      // A film strip with holes.
      list->AddRect(at(-0.85f, -0.7f), at(0.85f, 0.7f), col, 0, 0, thick);
      for (const float side : {-1.0f, 1.0f}) {
        list->AddLine(at(0.45f * side, -0.7f), at(0.45f * side, 0.7f), col, thick);
        for (const float y : {-0.25f, 0.25f}) list->AddLine(at(0.45f * side, y), at(0.85f * side, y), col, thick);
      }
      break;
    case Icon::share:
      // An arrow out of a frame: export.
      list->AddLine(at(0, 0.25f), at(0, -0.5f), col, thick);
      list->AddTriangleFilled(at(-0.36f, -0.4f), at(0.36f, -0.4f), at(0, -0.85f), col);
      {
        const ImVec2 box[] = {at(-0.3f, -0.1f), at(-0.75f, -0.1f), at(-0.75f, 0.75f),
                              at(0.75f, 0.75f), at(0.75f, -0.1f),  at(0.3f, -0.1f)};
        list->AddPolyline(box, 6, col, 0, thick);
      }
      break;
    case Icon::disk:
      // An arrow into a tray: save.
      list->AddLine(at(0, -0.8f), at(0, 0.2f), col, thick);
      list->AddTriangleFilled(at(-0.38f, -0.05f), at(0.38f, -0.05f), at(0, 0.42f), col);
      {
        const ImVec2 tray[] = {at(-0.75f, 0.3f), at(-0.75f, 0.75f), at(0.75f, 0.75f), at(0.75f, 0.3f)};
        list->AddPolyline(tray, 4, col, 0, thick);
      }
      break;
    case Icon::folder: {
      const ImVec2 outline[] = {at(-0.8f, 0.62f),   at(-0.8f, -0.6f), at(-0.25f, -0.6f),
                                at(-0.02f, -0.32f), at(0.8f, -0.32f), at(0.8f, 0.62f)};
      list->AddPolyline(outline, 6, col, ImDrawFlags_Closed, thick);
      break;
    }
    case Icon::command: {
      // A prompt: ">" and a line to write on.
      const ImVec2 prompt[] = {at(-0.7f, -0.55f), at(-0.15f, 0), at(-0.7f, 0.55f)};
      list->AddPolyline(prompt, 3, col, 0, thick);
      list->AddLine(at(0.05f, 0.55f), at(0.75f, 0.55f), col, thick);
      break;
    }
    case Icon::script:
      // A sheet with lines.
      list->AddRect(at(-0.6f, -0.8f), at(0.6f, 0.8f), col, size * 0.06f, 0, thick);
      for (const float y : {-0.35f, 0.0f, 0.35f})
        list->AddLine(at(-0.3f, y), at(y > 0.3f ? 0.05f : 0.3f, y), col, thick);
      break;
    case Icon::question:
      break;  // a letter, drawn by the button
    case Icon::information:
      list->AddCircle(c, 0.85f * h, col, 24, thick);
      list->AddCircleFilled(at(0, -0.42f), 0.13f * h, col, 12);
      list->AddRectFilled(at(-0.1f, -0.14f), at(0.1f, 0.48f), col, thick * 0.3f);
      break;
    case Icon::expand:
      for (const float sx : {-1.0f, 1.0f})
        for (const float sy : {-1.0f, 1.0f}) {
          const ImVec2 corner[] = {at(0.3f * sx, 0.7f * sy), at(0.7f * sx, 0.7f * sy), at(0.7f * sx, 0.3f * sy)};
          list->AddPolyline(corner, 3, col, 0, thick);
        }
      break;
    case Icon::home: {
      const ImVec2 roof[] = {at(-0.8f, 0.02f), at(0, -0.72f), at(0.8f, 0.02f)};
      const ImVec2 house[] = {at(-0.52f, -0.05f), at(-0.52f, 0.7f), at(0.52f, 0.7f), at(0.52f, -0.05f)};
      list->AddPolyline(roof, 3, col, 0, thick);
      list->AddPolyline(house, 4, col, 0, thick);
      break;
    }
    case Icon::close:
      list->AddLine(at(-0.5f, -0.5f), at(0.5f, 0.5f), col, thick);
      list->AddLine(at(-0.5f, 0.5f), at(0.5f, -0.5f), col, thick);
      break;
    case Icon::grid:
      for (const float x : {-0.75f, 0.1f})
        for (const float y : {-0.65f, 0.1f}) list->AddRectFilled(at(x, y), at(x + 0.65f, y + 0.55f), col, size * 0.05f);
      break;
    case Icon::preset: {
      // A bookmark.
      const ImVec2 mark[] = {at(-0.5f, -0.8f), at(0.5f, -0.8f), at(0.5f, 0.8f), at(0, 0.35f), at(-0.5f, 0.8f)};
      list->AddPolyline(mark, 5, col, ImDrawFlags_Closed, thick);
      break;
    }
    case Icon::people:
      // Two heads over shoulders.
      for (const float x : {-0.3f, 0.45f}) {
        list->AddCircleFilled(at(x, -0.4f), (x < 0 ? 0.3f : 0.24f) * h, col);
        list->PathArcTo(at(x, 0.65f), (x < 0 ? 0.5f : 0.38f) * h, 3.1416f, 6.2832f);
        list->PathFillConvex(col);
      }
      break;
    case Icon::up:
      list->AddTriangleFilled(at(0, -0.7f), at(0.6f, 0), at(-0.6f, 0), col);
      list->AddRectFilled(at(-0.15f, -0.1f), at(0.15f, 0.7f), col);
      break;
    case Icon::panel:
      list->AddRect(at(-0.8f, -0.65f), at(0.8f, 0.65f), col, size * 0.1f, 0, thick);
      list->AddRectFilled(at(0.2f, -0.65f), at(0.8f, 0.65f), col, size * 0.1f, ImDrawFlags_RoundCornersRight);
      break;
  }
}

}  // namespace perturb
