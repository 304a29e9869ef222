#include "app/ui/panels/scene_panel.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "app/i18n/language.h"
#include "app/io/preset/scenes.h"
#include "app/lessons/lesson_library.h"
#include "app/ui/widgets/equation.h"
#include "app/ui/widgets/glyphs.h"
#include "app/ui/widgets/tab_order.h"

namespace perturb {

namespace {

// All scenes, grouped by simulation.
void draw_list(const Panel& panel) {
  const Setup& setup = panel.run().scene->setup;
  std::string simulation;
  for (const SceneEntry& scene : all_scenes()) {
    if (scene.simulation != simulation) {
      simulation = scene.simulation;
      heading(panel.style, scene.simulation_title.c_str());
    }
    const bool here = scene.simulation == setup.simulation && scene.preset == setup.preset;
    ImGui::PushID(scene.path().c_str());
    if (list_line(tr(scene.title).c_str(), here)) panel.state().ask(OpenScene{scene.path()});
    if (here) ImGui::SetItemDefaultFocus();
    ImGui::PopID();
  }
  heading(panel.style, "Lessons");
  for (const auto& lesson : all_lessons().lessons) {
    const LessonSession* open = panel.session.lesson();
    ImGui::PushID(lesson->path().c_str());
    if (list_line(tr(lesson->title).c_str(), open && open->lesson().path() == lesson->path()))
      panel.state().ask(OpenLesson{lesson->path()});
    ImGui::PopID();
  }
}

}  // namespace

void draw_scene_panel(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  const Scene& scene = *panel.run().scene;
  const SimulationInfo& info = *panel.run().info;

  // The title is the picker: a bar that opens the list, between arrows to the neighbouring scenes.
  const float button = style.row();
  const float width = ImGui::GetContentRegionAvail().x - 2 * button - style.px(8);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string& preset = scene.setup.preset;
  std::string title = !scene.title.empty() ? scene.title : !preset.empty() ? preset : info.title;
  ImGui::PushFont(style.strong);
  // If no installed font can show a file's title, its file name is used.
  if (preset.ends_with(".toml") && !is_legible(title)) title = std::filesystem::path(preset).stem().string();
  const std::string title_lines = wrap_text(title, width - style.px(36));
  const float title_height = ImGui::CalcTextSize(title_lines.c_str()).y;
  ImGui::PopFont();
  const float height = std::max(style.px(38), title_height + style.px(14));
  const ImVec2 to(at.x + width, at.y + height);
  ImGui::SetNextItemWidth(width);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(10), 0.5f * (height - ImGui::GetTextLineHeight())));
  const bool open = begin_list("##scene", ImGuiComboFlags_NoArrowButton | ImGuiComboFlags_HeightLargest);
  ImGui::PopStyleVar();
  if (open) {
    draw_list(panel);
    ImGui::EndCombo();
  } else {
    tooltip(style, "Choose a scene");
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::PushFont(style.strong);
  list->AddText(ImVec2(at.x + style.px(10), std::floor(at.y + 0.5f * (height - title_height) + 0.5f)), color::text,
                title_lines.c_str());
  ImGui::PopFont();
  const ImVec2 c(to.x - style.px(14), 0.5f * (at.y + to.y));
  const float r = style.px(4);
  const ImVec2 arrow[] = {ImVec2(c.x - r, c.y - 0.5f * r), ImVec2(c.x, c.y + 0.5f * r),
                          ImVec2(c.x + r, c.y - 0.5f * r)};
  list->AddPolyline(arrow, 3, color::dim, 0, style.px(1.5f));

  const float top = at.y + 0.5f * (height - button);
  ImGui::SetCursorScreenPos(ImVec2(to.x + style.px(6), top));
  if (icon_button(style, "previous", Icon::previous, button)) state.ask(UiCommand::previous_scene);
  tooltip(style, "Previous scene  (" + shown_chord(UiCommand::previous_scene) + ")");
  ImGui::SetCursorScreenPos(ImVec2(to.x + style.px(6) + button, top));
  if (icon_button(style, "next", Icon::next, button)) state.ask(UiCommand::next_scene);
  tooltip(style, "Next scene  (" + shown_chord(UiCommand::next_scene) + ")");
  ImGui::SetCursorScreenPos(ImVec2(at.x, to.y + style.px(8)));

  if (state.tab == Tab::lesson) return;  // the lesson describes the scene, and needs the space
  if (!info.equation.empty()) draw_equation(style, info.equation);
  // The hint is not repeated here while it is shown over the view. The same height is reserved in both cases, so that
  // nothing below moves when the bubble disappears.
  const float wide = ImGui::GetContentRegionAvail().x;
  const std::string hint = wrap_text(scene.hint, wide), summary = wrap_text(info.summary, wide);
  const float room = std::max(ImGui::CalcTextSize(hint.c_str()).y, ImGui::CalcTextSize(summary.c_str()).y);
  const ImVec2 text = ImGui::GetCursorScreenPos();
  draw_wrapped(!scene.hint.empty() && !state.hint ? scene.hint : info.summary);
  const float rest = text.y + room + ImGui::GetStyle().ItemSpacing.y - ImGui::GetCursorScreenPos().y;
  if (rest > 0) ImGui::Dummy(ImVec2(0, rest - ImGui::GetStyle().ItemSpacing.y));
}

}  // namespace perturb
