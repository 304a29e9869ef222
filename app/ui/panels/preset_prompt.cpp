#include "app/ui/panels/preset_prompt.h"

#include <filesystem>
#include <string>

#include "app/i18n/language.h"
#include "app/io/preset/user_presets.h"
#include "app/ui/panels/overlays.h"
#include "app/ui/widgets/tab_order.h"

namespace perturb {

void draw_preset_prompt(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  Dialog dialog(panel, "preset", 460, "Save as a preset of your own", true, Dialog::Modality::modal);
  draw_wrapped(
      "It begins as this scene does now: its parameters and view, and what has been drawn, dropped and pushed since "
      "the "
      "start.");
  if (state.preset.just_opened) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  const bool entered = text_field("##title", tr("Title").c_str(), state.preset.title, sizeof state.preset.title,
                                  ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  // Checked when the title changes, not in every frame.
  if (state.preset.just_opened || ImGui::IsItemEdited()) {
    std::error_code ignored;
    state.preset.replaces = std::filesystem::exists(
        user_presets_folder() + "/" + panel.run().info->id + "/" + preset_file_stem(state.preset.title) + ".toml",
        ignored);
    state.preset.error.clear();
  }
  state.preset.just_opened = false;
  if (!state.preset.error.empty())
    draw_wrapped(state.preset.error, color::bad);
  else if (state.preset.replaces)
    draw_wrapped("There is one of this name: it will be replaced.", color::warning);
  ImGui::Dummy(ImVec2(0, style.px(4)));
  if (text_button(style, state.preset.replaces ? "Replace" : "Save", true) || entered)
    state.ask(SavePreset{state.preset.title});
  ImGui::SameLine();
  if (text_button(style, "Cancel", false)) state.ask(UiCommand::close_overlay);
}

}  // namespace perturb
