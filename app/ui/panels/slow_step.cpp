#include "app/ui/panels/slow_step.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "app/ui/panels/drawer.h"

namespace perturb {

namespace {

constexpr double slow_step_seconds = 0.7;  // seconds: shorter steps are not reported
constexpr float full_turn = 2 * std::numbers::pi_v<float>;

}  // namespace

void draw_slow_step(const Panel& panel) {
  const Session& session = panel.session;
  const double waited = session.playback().waiting();
  if (waited < slow_step_seconds) return;
  const Style& style = panel.style;
  char words[64];
  std::snprintf(words, sizeof words, "A step takes long: %.0f s", waited);
  const char* const button = "Give it up";
  const float pad = style.px(12), ring = style.px(12), gap = style.px(10);
  // As wide as with three digits, so that it does not move.
  const float text = text_size("A step takes long: 000 s").x;
  // Visitors of a kiosk have no button: they wait, or the next scene cancels the step.
  const bool has_button = !session.state().kiosk;
  const float button_width = has_button ? text_size(button).x + style.px(28) + gap : 0;
  const ImVec2 size(2 * pad + 2 * ring + text + button_width + gap, style.px(52));
  const Rect view_rect = visible_view_rect(panel);
  if (view_rect.width < size.x) return;
  const ImVec2 at(std::round(static_cast<float>(view_rect.x + 0.5 * (view_rect.width - size.x))),
                  std::round(static_cast<float>(view_rect.y + view_rect.height) - size.y - style.px(14)));
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::overlay_fill);
  ImGui::Begin("##waiting", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  panel.session.panel_areas().add({at.x, at.y, size.x, size.y});

  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 center(at.x + pad + ring, at.y + 0.5f * size.y);
  const float thick = style.px(3), top = -0.25f * full_turn;
  list->AddCircle(center, ring - thick, color::line, 0, thick);
  // Fraction of the expected time of a step; if that is not known, the circle rotates, or stays a quarter full.
  const double one = panel.session.pace().seconds_per_step();
  float from = top, to = top + 0.25f * full_turn;
  if (one > slow_step_seconds)
    to = top + full_turn * static_cast<float>(std::min(0.97, waited / one));
  else if (!panel.state().reduced_motion)
    from += full_turn * static_cast<float>(std::fmod(waited, 2.0) / 2), to = from + 0.25f * full_turn;
  list->PathArcTo(center, ring - thick, from, to, 32);
  list->PathStroke(color::accent, 0, thick);
  const float left = at.x + pad + 2 * ring + gap;
  draw_text_in(list, ImVec2(left, at.y), ImVec2(left + text + 1, at.y + size.y), color::text, words);
  if (has_button) {
    ImGui::SetCursorScreenPos(
        ImVec2(left + text + gap, at.y + std::round(0.5f * (size.y - style.px(8) * 2 - ImGui::GetTextLineHeight()))));
    if (text_button(style, button, false)) panel.state().ask(UiCommand::cancel_step);
    tooltip(style, std::string(binding_of(UiCommand::cancel_step).action) + "  (" +
                       shown_chord(UiCommand::cancel_step) +
                       "). What it had begun is lost, the last whole step stays.");
  }
  ImGui::End();
}

}  // namespace perturb
