#include "app/ui/panels/quantity_suggestion.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/i18n/language.h"
#include "app/ui/widgets/tab_order.h"

namespace perturb {

void draw_quantity_suggestion(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  const Quantity* suggested = nullptr;
  for (const Quantity& quantity : panel.run().info->quantities)
    if (quantity.id == state.suggestion.quantity) suggested = &quantity;
  if (!suggested || state.overlay != Overlay::none || !panel.run().stop_reason.empty()) return;

  // At the position of the hint, which disappears with the first gesture.
  const std::string sentence = tr(state.suggestion.action_label + " shows in the quantity " + suggested->label + ".");
  const std::string words = tr("Show it  (" + shown_chord(UiCommand::show_suggested) + ")");
  const ImVec2 text = ImGui::CalcTextSize(sentence.c_str());
  const ImVec2 pad(style.px(14), style.px(8)), gap(style.px(14), 0);
  const ImVec2 button(ImGui::CalcTextSize(words.c_str()).x + style.px(20), style.row());
  const float height = button.y + 2 * pad.y;
  // The button is below the text if there is no space next to it.
  const Rect& view_rect = panel.layout.view_rect;
  const bool beside = view_rect.width > text.x + gap.x + button.x + 2 * pad.x + style.px(48);
  const ImVec2 size(beside ? text.x + gap.x + button.x + 2 * pad.x : std::max(text.x, button.x) + 2 * pad.x,
                    beside ? height : height + text.y + style.px(6));
  const ImVec2 at(std::round(static_cast<float>(view_rect.x + 0.5 * view_rect.width) - 0.5f * size.x),
                  static_cast<float>(view_rect.y) + style.px(20));
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, style.px(10));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::overlay_fill);
  ImGui::Begin("##offer", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  panel.session.panel_areas().add({at.x, at.y, size.x, size.y});
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line = beside ? at.y + 0.5f * (size.y - text.y) : at.y + pad.y;
  list->AddText(ImVec2(at.x + pad.x, std::round(line)), color::text, sentence.c_str());
  const ImVec2 from(beside ? at.x + size.x - pad.x - button.x : at.x + pad.x, at.y + size.y - pad.y - button.y);
  const ImVec2 to(from.x + button.x, from.y + button.y);
  ImGui::SetCursorScreenPos(from);
  if (press_area("##show", button)) state.ask(UiCommand::show_suggested);
  list->AddRectFilled(from, to, ImGui::IsItemHovered() ? color::accent_bright : color::accent, style.px(5));
  draw_text_in(list, from, to, color::on_accent, words, 0.5f);
  ImGui::End();
}

}  // namespace perturb
