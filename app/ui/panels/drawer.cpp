#include "app/ui/panels/drawer.h"

#include <algorithm>
#include <cmath>

#include "app/i18n/language.h"
#include "app/ui/widgets/keyboard_focus.h"

namespace perturb {

namespace {

// Draws text rotated by 90 degrees, read from the top down, in the middle of a rectangle.
void draw_rotated_text(ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 ink, const char* text) {
  const ImVec2 size = ImGui::CalcTextSize(text);
  const ImVec2 center(std::floor(0.5f * (from.x + to.x)), std::floor(0.5f * (from.y + to.y)));
  const float half_width = std::floor(0.5f * size.x), half_height = std::floor(0.5f * size.y);
  // ImGui skips letters outside the clip rectangle, so they are drawn in the corner of the window and then rotated into
  // position.
  const int first = list->VtxBuffer.Size;
  list->PushClipRectFullScreen();
  list->AddText(ImVec2(0, 0), ink, text);
  list->PopClipRect();
  for (int i = first; i < list->VtxBuffer.Size; ++i) {
    ImVec2& p = list->VtxBuffer[i].pos;
    p = ImVec2(center.x - (p.y - half_height), center.y + (p.x - half_width));
  }
}

}  // namespace

bool column_is_shown(const Panel& panel) {
  return panel.layout.has_column && (!panel.layout.is_drawer || panel.interface().drawer_open);
}

Rect visible_view_rect(const Panel& panel) {
  Rect seen = panel.layout.view_rect;
  if (panel.layout.is_drawer && panel.interface().drawer_open) seen.width = panel.layout.column.x - seen.x;
  return seen;
}

Rect visible_first_lane_rect(const Panel& panel) {
  const Rect seen = visible_view_rect(panel);
  Rect lane = panel.layout.lane_rect();
  lane.width = std::max(0.0, std::min(lane.width, seen.x + seen.width - lane.x));
  return lane;
}

void draw_drawer_handle(const Panel& panel) {
  const Style& style = panel.style;
  const Rect& rect = panel.layout.handle;
  const ImVec2 from(static_cast<float>(rect.x), static_cast<float>(rect.y));
  const ImVec2 to(static_cast<float>(rect.x + rect.width), static_cast<float>(rect.y + rect.height));
  begin_plain_window("##handle", from, ImVec2(to.x - from.x, to.y - from.y));
  if (press_area("##drawer", ImVec2(to.x - from.x, to.y - from.y)))
    panel.ask(ChangeInterface{&InterfaceState::drawer_open, !panel.interface().drawer_open});
  const bool hovered = ImGui::IsItemHovered();
  tooltip(style, panel.interface().drawer_open ? "Close the panels" : "Open the panels");
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hovered) list->AddRectFilled(from, to, color::hovered);
  list->AddRectFilled(from, ImVec2(from.x + style.px(1), to.y), color::line);
  const ImU32 ink = hovered ? color::text : color::dim;
  const float middle = 0.5f * (from.x + to.x), icon = style.px(16), half = std::floor(0.5f * (from.y + to.y));
  const float length = text_size("Panels").x;
  draw_icon(list, panel.interface().drawer_open ? Icon::next : Icon::previous,
            ImVec2(middle, half - 0.5f * length - icon), icon, ink);
  draw_rotated_text(list, ImVec2(from.x, half - 0.5f * length), ImVec2(to.x, half + 0.5f * length), ink,
                    tr("Panels").c_str());
  ImGui::End();
}

}  // namespace perturb
