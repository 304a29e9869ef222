#include "app/ui/panels/help.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "app/session/labels.h"
#include "app/ui/panels/lesson_panel.h"
#include "app/ui/panels/overlays.h"
#include "app/ui/widgets/equation.h"

namespace perturb {

namespace {

// A key or a name, with its action next to it; both wrap.
void draw_line(const Style& style, const std::string& key, const std::string& action, float key_width, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string left = wrap_text(key, key_width - style.px(10)), right = wrap_text(action, width - key_width);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float inset = std::floor(style.px(5) / 2);
  list->AddText(ImVec2(at.x, at.y + inset), color::accent_bright, left.c_str());
  list->AddText(ImVec2(at.x + key_width, at.y + inset), color::text, right.c_str());
  const float height = std::max(ImGui::CalcTextSize(left.c_str()).y, ImGui::CalcTextSize(right.c_str()).y);
  ImGui::Dummy(ImVec2(width, height + style.px(5) - ImGui::GetStyle().ItemSpacing.y));
}

void draw_keys(const Panel& panel) {
  const Style& style = panel.style;
  // Two columns if both are wide enough for their text. Left: the mouse, scenes, images. Right: the rest.
  const float gap = style.px(28), available = ImGui::GetContentRegionAvail().x;
  const bool two = available >= style.px(660);
  const float width = two ? std::floor(0.5f * (available - gap)) : available;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const auto group = [&](const char* name) {
    heading(style, name);
    for (const KeyBinding& binding : key_bindings())
      if (std::strcmp(binding.group, name) == 0)
        draw_line(style, shown_chords(binding), binding.action, style.px(116), width);
  };
  ImGui::BeginGroup();
  heading(style, "Mouse");
  for (const MouseBinding& binding : mouse_bindings())
    draw_line(style, binding.gesture, binding.action, std::min(style.px(168), 0.5f * width), width);
  group("Scene");
  group("Picture");
  ImGui::EndGroup();
  if (two) ImGui::SetCursorScreenPos(ImVec2(start.x + width + gap, start.y));
  ImGui::BeginGroup();
  group("Time");
  group("Window");
  ImGui::EndGroup();
}

void draw_scene(const Panel& panel) {
  const Style& style = panel.style;
  const Scene& scene = *panel.run().scene;
  const SimulationInfo& info = *panel.run().info;
  ImGui::PushFont(style.strong);
  draw_wrapped(scene.title.empty() ? info.title : scene.title, color::text);
  ImGui::PopFont();
  if (!scene.hint.empty()) draw_wrapped(scene.hint, color::text);
  const float width = ImGui::GetContentRegionAvail().x, names = std::min(style.px(168), 0.4f * width);
  if (!scene.tries.empty()) heading(style, "Things to try");
  for (std::size_t k = 0; k < scene.tries.size(); ++k)
    draw_line(style, std::to_string(k + 1), scene.tries[k], style.px(24), width);
  heading(style, info.title.c_str());
  if (!info.equation.empty()) draw_equation(style, info.equation);
  draw_wrapped(info.summary);
  if (!info.tools.empty()) heading(style, "Tools");
  for (std::size_t i = 0; i < info.tools.size(); ++i) {
    const Tool& tool = info.tools[i];
    std::string name = tool.label;
    if (i < 9) name += "  (" + std::to_string(i + 1) + (tool.key.empty() ? "" : ", " + shown_chord(tool.key)) + ")";
    draw_line(style, name, tool.help, names, width);
  }
  heading(style, "Parameters");
  for (const Parameter& p : info.parameters) {
    const std::string unit = p.unit.empty() ? "" : " In " + p.unit + ".";
    const std::string symbol = p.symbol.empty() ? "" : ", " + p.symbol;
    draw_line(style, p.label + symbol, with_labels(p.help, info.parameters) + unit, names, width);
  }
  if (info.paper.empty()) return;
  heading(style, "Paper");
  draw_wrapped(info.paper, color::text);
}

}  // namespace

void draw_help(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  Dialog dialog(panel, "help", 760, "Help");
  constexpr const char* pages[] = {"Keys and mouse", "What am I seeing", "Lessons"};
  segmented_control(style, "page", pages, 3, state.help_page,
                    std::min(style.px(440), ImGui::GetContentRegionAvail().x));
  ImGui::Dummy(ImVec2(0, style.px(2)));

  // The height that the page of keys needs, for every page; longer pages scroll.
  const float room = static_cast<float>(panel.layout.height - panel.layout.status.height) - style.px(160);
  ImGui::PushID(state.help_page);
  ImGui::BeginChild("##page", ImVec2(0, std::clamp(room, style.px(90), style.px(470))), false);
  if (state.help_page == 0)
    draw_keys(panel);
  else if (state.help_page == lessons_help_page)
    draw_lesson_list(panel);
  else
    draw_scene(panel);
  ImGui::EndChild();
  ImGui::PopID();
}

}  // namespace perturb
