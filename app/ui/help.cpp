#include "app/ui/help.h"

#include <cmath>
#include <cstring>
#include <string>

#include "app/ui/overlays.h"

namespace perturb {

namespace {

void draw_line(const Style& style, const std::string& key, const std::string& action, float key_width, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight() + style.px(5);
  ImDrawList* list = ImGui::GetWindowDrawList();
  text_in(list, at, ImVec2(at.x + key_width - style.px(10), at.y + height), color::accent_bright, key);
  text_in(list, ImVec2(at.x + key_width, at.y), ImVec2(at.x + width, at.y + height), color::text, action);
  ImGui::Dummy(ImVec2(width, height - ImGui::GetStyle().ItemSpacing.y));
}

}  // namespace

void draw_help(const Panel& panel) {
  const Style& style = panel.style;
  OverlayBox box(panel, "help", 760, "Keys and mouse");
  const float gap = style.px(28), width = std::floor(0.5f * (ImGui::GetContentRegionAvail().x - gap));
  const ImVec2 start = ImGui::GetCursorScreenPos();

  // Left: the mouse, the tools, time and scenes. Right: the rest.
  ImGui::BeginGroup();
  heading(style, "Mouse");
  for (const MouseDeed& deed : mouse_deeds()) draw_line(style, deed.gesture, deed.action, style.px(204), width);
  const auto group = [&](const char* name) {
    heading(style, name);
    for (const KeyBinding& binding : key_bindings())
      if (std::strcmp(binding.group, name) == 0)
        draw_line(style, shown_chords(binding), binding.action, style.px(116), width);
  };
  group("Scene");
  group("Picture");
  ImGui::EndGroup();
  ImGui::SetCursorScreenPos(ImVec2(start.x + width + gap, start.y));
  ImGui::BeginGroup();
  group("Time");
  group("Window");
  ImGui::EndGroup();
}

}  // namespace perturb
