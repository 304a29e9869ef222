#include "app/ui/widgets/message.h"

#include <algorithm>
#include <string>

#include "app/ui/panels/drawer.h"
#include "app/ui/widgets/tab_order.h"

namespace perturb {

void draw_message(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  const Rect view_rect = visible_view_rect(panel);
  const float margin = style.px(12), pad = style.px(12);
  const float width =
      std::max(std::min(style.px(420), static_cast<float>(view_rect.width) - 2 * (margin + pad)), style.px(100));
  const std::string lines = wrap_text(state.message, width);
  const ImVec2 letters = ImGui::CalcTextSize(lines.c_str());
  const std::string words = "Show the folder  (" + shown_chord(UiCommand::show_output_folder) + ")";
  const ImVec2 button(text_size(words).x + style.px(20), style.row());
  const float close = state.message_is_error ? style.px(24) : 0;
  const bool has_folder = !state.message_folder.empty() && button.x <= width;
  const ImVec2 size(std::max(letters.x + close, has_folder ? button.x : 0) + 2 * pad,
                    letters.y + 2 * pad + (has_folder ? button.y + style.px(6) : 0));
  // At the bottom of the view; at the bottom of the window while an overlay in the view must not be covered.
  const float foot = state.overlay == Overlay::none ? static_cast<float>(view_rect.y + view_rect.height) - margin
                                                    : static_cast<float>(panel.layout.height) - style.px(2);
  const ImVec2 from(static_cast<float>(view_rect.x) + margin, foot - size.y);
  const ImVec2 to(from.x + size.x, from.y + size.y);
  panel.session.panel_areas().add({from.x, from.y, size.x, size.y});
  ImGui::SetNextWindowPos(from);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, style.px(6));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::popup);
  ImGui::Begin("##note", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRect(from, to, state.message_is_error ? color::bad : color::line, style.px(6), 0, style.px(1));
  list->AddText(ImVec2(from.x + pad, from.y + pad), state.message_is_error ? color::bad : color::accent_bright,
                lines.c_str());
  if (state.message_is_error) {
    ImGui::SetCursorScreenPos(ImVec2(to.x - close - style.px(4), from.y + style.px(4)));
    if (icon_button(style, "dismiss", Icon::close, close)) state.message.clear(), state.message_is_error = false;
    tooltip(style, "Dismiss  (Esc)");
  }
  if (has_folder) {
    const ImVec2 at(from.x + pad, to.y - pad - button.y), end(at.x + button.x, at.y + button.y);
    ImGui::SetCursorScreenPos(at);
    if (press_area("##folder", button)) state.ask(UiCommand::show_output_folder);
    list->AddRectFilled(at, end, ImGui::IsItemHovered() ? color::hovered : color::raised, style.px(5));
    draw_text_in(list, at, end, color::text, words, 0.5f);
  }
  ImGui::End();
}

}  // namespace perturb
