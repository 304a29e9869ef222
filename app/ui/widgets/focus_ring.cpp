#include "app/ui/widgets/focus_ring.h"

#include <imgui_internal.h>

namespace perturb {

bool focus_is_shown() {
#if IMGUI_VERSION_NUM >= 19140
  return ImGui::GetCurrentContext()->NavCursorVisible;
#else
  return !ImGui::GetCurrentContext()->NavDisableHighlight;
#endif
}

void show_focus() {
#if IMGUI_VERSION_NUM >= 19140
  ImGui::GetCurrentContext()->NavCursorVisible = true;
#else
  ImGui::GetCurrentContext()->NavDisableHighlight = false;
#endif
}

void draw_focus_ring(const Style& style) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  ImGuiWindow* window = g.NavWindow;
  if (!window || g.NavId == 0 || !focus_is_shown() || !window->Active) return;
  if (!g.NavIdIsAlive) return;  // its owner is gone: another lesson step, another tab
  if (window->NavRectRel[g.NavLayer].IsInverted()) return;
  ImRect box = ImGui::WindowRectRelToAbs(window, window->NavRectRel[g.NavLayer]);
  const float out = style.px(2);
  box.Expand(out);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  // No ring around an item that is scrolled out of view.
  list->PushClipRect(ImVec2(window->OuterRectClipped.Min.x - out, window->OuterRectClipped.Min.y - out),
                     ImVec2(window->OuterRectClipped.Max.x + out, window->OuterRectClipped.Max.y + out));
  list->AddRect(box.Min, box.Max, color::background, style.px(5), 0, style.px(4));
  list->AddRect(box.Min, box.Max, color::accent_bright, style.px(5), 0, style.px(2));
  list->PopClipRect();
}

}  // namespace perturb
