#include "app/ui/panels/overlays.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <imgui_internal.h>

#include "app/i18n/language.h"
#include "app/session/labels.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/widgets/color_bar.h"
#include "app/ui/widgets/tab_order.h"

namespace perturb {

namespace {

constexpr ImGuiWindowFlags dialog_flags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                          ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                          ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize;

// A window between the panels and a dialog that blocks the pointer from the panels.
void draw_backdrop(float width, float height) {
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImVec2(width, height));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::backdrop);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("##veil", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  // The dialog appears in the same pass, on top.
  if (ImGui::IsWindowAppearing()) ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

}  // namespace

Dialog::Dialog(const Panel& panel, const char* id, float design_width, const char* title, bool closable,
               Modality modality) {
  const Style& style = panel.style;
  panel.session.panel_areas().add_everything();
  const auto width = static_cast<float>(panel.layout.width), height = static_cast<float>(panel.layout.height);
  if (modality == Modality::modal)
    draw_backdrop(width, height);
  else
    ImGui::GetBackgroundDrawList()->AddRectFilled(ImVec2(0, 0), ImVec2(width, height), color::backdrop);
  const float dialog_width = std::max(1.f, std::min(style.px(design_width), width - style.px(32)));
  // In the middle of the view if it fits there, so that the panels stay visible.
  const Rect& view_rect = panel.layout.view_rect;
  const bool fits = view_rect.width >= dialog_width + style.px(32);
  // It ends above the status bar.
  const float usable = height - static_cast<float>(panel.layout.status.height), margin = style.px(12);
  ImGui::SetNextWindowPos(
      ImVec2(fits ? static_cast<float>(view_rect.x + 0.5 * view_rect.width) : 0.5f * width, 0.5f * usable),
      ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowSizeConstraints(ImVec2(dialog_width, 0),
                                      ImVec2(dialog_width, std::max(1.f, usable - 2 * margin)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(style.px(24), style.px(20)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, style.px(1));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::dialog);
  ImGui::Begin(id, nullptr, dialog_flags);
  tab_mark_dialog();
  ImGui::PushFont(style.title);
  ImGui::TextUnformatted(tr(title).c_str());
  ImGui::PopFont();
  if (closable) {
    const float button = style.px(28);
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - button);
    if (icon_button(style, "close", Icon::close, button)) panel.state().ask(UiCommand::close_overlay);
    tooltip(style, "Close  (Esc)");
  }
  ImGui::Dummy(ImVec2(0, style.px(2)));
}

Dialog::~Dialog() {
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

void draw_brush(const Panel& panel) {
  const GestureRecognizer& gestures = panel.session.tools().gestures();
  if (!gestures.over_picture() || gestures.is_panning() || !panel.session.pointer().in_domain()) return;
  const UiState& state = panel.state();
  const auto brush = state.brushes.find(state.tool);
  if (brush == state.brushes.end()) return;
  const auto radius = brush->second.find("radius");
  if (radius == brush->second.end()) return;
  const RunStatus& run = panel.run();
  const Viewport viewport = panel.layout.viewport();
  const double unit =
      Camera::units_per_pixel(viewport.width, viewport.height, run.domain_width, run.domain_height, state.camera.zoom);
  const auto r = static_cast<float>(radius->second / unit / panel.layout.pixels_per_coordinate);
  if (!(r > 1)) return;
  const ImVec2 center(static_cast<float>(gestures.x()) + 0.5f, static_cast<float>(gestures.y()) + 0.5f);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  const Rect& p = panel.layout.view_rect;
  list->PushClipRect(ImVec2(static_cast<float>(p.x), static_cast<float>(p.y)),
                     ImVec2(static_cast<float>(p.x + p.width), static_cast<float>(p.y + p.height)));
  // A dark line below a light one: visible on any colour.
  const float thick = panel.style.px(1.5f);
  const bool has_depth = panel.session.view().quantity().has_depth;
  const GroundView ground(state.camera, run.domain_width, run.domain_height);
  for (const bool light : {false, true}) {
    const ImU32 ink = light ? IM_COL32(255, 255, 255, 200) : IM_COL32(0, 0, 0, 110);
    if (!has_depth) {
      list->AddCircle(center, r, ink, 0, light ? thick : 2.2f * thick);
      continue;
    }
    // A circle on the ground appears as an ellipse.
    const auto across = r * static_cast<float>(ground.scale()), along = across * static_cast<float>(ground.sine());
    constexpr int corners = 48;
    for (int k = 0; k < corners; ++k) {
      const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(k) / corners;
      list->PathLineTo(ImVec2(center.x + across * std::cos(angle), center.y + along * std::sin(angle)));
    }
    list->PathStroke(ink, ImDrawFlags_Closed, light ? thick : 2.2f * thick);
  }
  list->PopClipRect();
}

void draw_stop_message(const Panel& panel) {
  const Style& style = panel.style;
  Dialog dialog(panel, "trouble", 460, "The run has stopped", false);
  draw_wrapped(with_labels(panel.run().stop_reason, panel.run().info->parameters), color::text);
  ImGui::Dummy(ImVec2(0, style.px(6)));
  if (panel.run().can_restore_last_good) {
    if (text_button(style, "Back to the last good state", true)) panel.state().ask(RestoreLastGood{});
    ImGui::SameLine();
  }
  if (text_button(style, "Restart", !panel.run().can_restore_last_good)) panel.state().ask(UiCommand::restart);
  ImGui::SameLine();
  if (text_button(style, "Restart with defaults", false)) {
    panel.state().ask(ResetParameters{});
    panel.state().ask(UiCommand::restart);
  }
}

}  // namespace perturb
