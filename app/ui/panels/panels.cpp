#include "app/ui/panels/panels.h"

#include <algorithm>
#include <span>
#include <utility>

#include "app/i18n/language.h"
#include "app/ui/kernels/kernel_editor.h"
#include "app/ui/kernels/kernel_panel.h"
#include "app/ui/kernels/launch_overlay.h"
#include "app/ui/kernels/microscope.h"
#include "app/ui/kernels/puzzle_card.h"
#include "app/ui/panels/dialogs.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/panels/file_browser.h"
#include "app/ui/panels/instrument_panel.h"
#include "app/ui/panels/lane_titles.h"
#include "app/ui/panels/lesson_panel.h"
#include "app/ui/panels/object_panel.h"
#include "app/ui/panels/parameter_panel.h"
#include "app/ui/panels/scene_panel.h"
#include "app/ui/panels/simple_panel.h"
#include "app/ui/panels/status_bar.h"
#include "app/ui/panels/theory_marks.h"
#include "app/ui/panels/tool_panel.h"
#include "app/ui/panels/transport.h"
#include "app/ui/panels/view_overlays.h"
#include "app/ui/panels/view_panel.h"
#include "app/ui/plots/plot_dock.h"
#include "app/ui/plots/plots_panel.h"
#include "app/ui/widgets/color_bar.h"
#include "app/ui/widgets/gauges.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/pointer_marks.h"

namespace perturb {

std::optional<double> Panel::value_row(const ValueInfo& info, const ValueRow& row) const {
  const DisplayUnit unit = info.kind == ValueKind::real ? shown_unit(info.unit, info.id) : DisplayUnit{info.unit, 1};
  if (unit.factor == 1 && unit.text == info.unit) return rows.draw(style, info, row);
  const ValueInfo shown_info = in_display_unit(info, unit);
  ValueRow shown = row;
  const ValueInfo& limits = row.typed ? *row.typed : info;
  const ValueInfo shown_limits = in_display_unit(limits, unit);
  if (row.typed) shown.typed = &shown_limits;
  shown.value *= unit.factor;
  shown.default_value *= unit.factor;
  const std::optional<double> chosen = rows.draw(style, shown_info, shown);
  if (!chosen) return std::nullopt;
  // Division does not always give the same double back.
  if (*chosen == shown.default_value) return row.default_value;
  if (*chosen == shown_info.minimum) return info.minimum;
  if (*chosen == shown_info.maximum) return info.maximum;
  if (*chosen == shown_limits.minimum) return limits.minimum;
  if (*chosen == shown_limits.maximum) return limits.maximum;
  return std::clamp(*chosen / unit.factor, limits.minimum, limits.maximum);
}

namespace {

// The simple view has no kernels.
Tab open_tab(const Panel& panel) {
  const Tab tab = panel.interface().tab;
  return tab == Tab::kernels && panel.interface().preferences.simple ? Tab::physics : tab;
}

constexpr float tabs_height = 34;  // design pixels
// Whether the settings of the tools, above the tabs, would leave less than half of the column to a tab in the full
// view. They are then below the tabs, which stay where they are when another one opens. Call after the buttons of the
// tools.
bool settings_are_below_tabs(const Panel& panel, float column_height) {
  if (panel.interface().preferences.simple || panel.session.lesson()) return false;
  const float spacing = ImGui::GetStyle().ItemSpacing.y;
  const float tabs = panel.style.px(tabs_height) + 2 * panel.style.px(2) + 2 * spacing;
  return column_height - ImGui::GetCursorPosY() - tool_settings_height(panel) - tabs < 0.5f * column_height;
}

// The settings of the tools at the end of a tab.
void draw_settings_in_tab(const Panel& panel) {
  for (const Tool& tool : panel.run().info->tools)
    if (tool.id == panel.session.tools().tool()) heading(panel.style, {"Tool: {}", Message(tool.label)});
  draw_tool_settings(panel);
}

// The tabs in the lower part of the column: labels, with a line under the open one.
void draw_tabs(const Panel& panel) {
  const Style& style = panel.style;
  struct Entry {
    Tab tab;
    const char* label;
  };
  constexpr Entry all[] = {{Tab::lesson, "Lesson"},
                           {Tab::physics, "Physics"},
                           {Tab::view, "View"},
                           {Tab::plots, "Plots"},
                           {Tab::kernels, "Kernels"}};
  std::span<const Entry> entries = std::span(all).subspan(panel.session.lesson() ? 0 : 1);
  if (panel.interface().preferences.simple) entries = entries.first(entries.size() - 1);  // without the kernels
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = style.px(tabs_height),
              each = width / static_cast<float>(entries.size());
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(ImVec2(at.x, at.y + height - style.px(1)), ImVec2(at.x + width, at.y + height), color::line);
  float x = at.x;
  for (const Entry& entry : entries) {
    const ImVec2 from(x, at.y), to(x + each, at.y + height);
    ImGui::SetCursorScreenPos(from);
    if (press_area(entry.label, ImVec2(each, height))) panel.ask(ShowTab{entry.tab});
    const bool on = open_tab(panel) == entry.tab;
    ImGui::PushFont(on ? style.strong : style.body);
    draw_text_in(list, from, to,
                 on                       ? color::text
                 : ImGui::IsItemHovered() ? color::text
                                          : color::dim,
                 entry.label, 0.5f);
    ImGui::PopFont();
    if (on)
      list->AddRectFilled(ImVec2(from.x + style.px(8), to.y - style.px(2)), ImVec2(to.x - style.px(8), to.y),
                          color::accent, style.px(1));
    x += each;
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + style.px(2)));
}

// Empty backgrounds for panels next to the view, with nothing but the status bar.
void draw_blank_panels(const Panel& panel) {
  const auto fill = [](const Rect& rect) {
    const ImVec2 from(static_cast<float>(rect.x), static_cast<float>(rect.y));
    ImGui::GetBackgroundDrawList()->AddRectFilled(
        from, ImVec2(from.x + static_cast<float>(rect.width), from.y + static_cast<float>(rect.height)), color::panel);
  };
  if (panel.layout.has_column) fill(panel.layout.is_drawer ? panel.layout.handle : panel.layout.column);
  if (!panel.layout.has_bars) return;
  fill(panel.layout.transport);
  fill(panel.layout.dock);
  draw_status_bar(panel);
}

}  // namespace

void Panels::draw_open_tab(const Panel& panel) {
  switch (open_tab(panel)) {
    case Tab::lesson:
      if (panel.session.lesson()) draw_lesson_panel(panel, states_.lesson);
      break;
    case Tab::physics:
      if (panel.interface().preferences.simple)
        draw_simple_physics(panel);
      else
        draw_parameters(panel);
      break;
    case Tab::view:
      draw_view_panel(panel);
      break;
    case Tab::plots:
      draw_plots_panel(panel);
      break;
    case Tab::kernels:
      draw_kernel_panel(panel, states_.kernel_editor, states_.puzzle_card, states_.size_sweep);
      break;
  }
}

void Panels::draw_column(const Panel& panel) {
  const Style& style = panel.style;
  const Rect& rect = panel.layout.column;
  const ImVec2 from(static_cast<float>(rect.x), static_cast<float>(rect.y));
  const ImVec2 size(static_cast<float>(rect.width), static_cast<float>(rect.height));
  ImGui::SetNextWindowPos(from);
  ImGui::SetNextWindowSize(size);
  if (panel.session.input().panel_keys().focus_panel) {
    ImGui::SetNextWindowFocus();
    focus_next_item();
  }
  const float left = 2 * style.px(8), content = size.x - left - style.gutter() - style.px(8);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  // No padding at the bottom: the child window of the tab ends with the column.
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(left / 2, 0));
  ImGui::SetNextWindowContentSize(ImVec2(content + left / 2, 0));
  ImGui::Begin("##column", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PopStyleVar(2);  // the style is for this window, not for lists that open from it
  ImGui::GetWindowDrawList()->AddRectFilled(from, ImVec2(from.x + style.px(1), from.y + size.y), color::line);
  // Half of the left margin is padding, half is indent: ImGui clips half of the padding, also at the right, where the
  // gutter has its buttons.
  ImGui::Indent(left / 2);
  ImGui::SetCursorPosY(style.px(12));
  draw_scene_panel(panel);
  // A lesson step that declares no tools uses their space for its text.
  const LessonSession* lesson = panel.session.lesson();
  const bool without_tools = lesson && lesson->step().tools && lesson->step().tools->empty();
  bool below = false;
  if (!without_tools) {
    draw_tool_buttons(panel);
    below = settings_are_below_tabs(panel, size.y);
    if (!below) draw_tool_settings(panel);
  }
  ImGui::Dummy(ImVec2(0, style.px(2)));
  draw_tabs(panel);

  // The objects, and the gauges below, do not move when the tab scrolls or when advice appears. In the simple view the
  // readings also stay where they are while an object is selected: its sliders are below them.
  const bool gauges = open_tab(panel) == Tab::physics;
  if (gauges) {
    const bool simple = panel.interface().preferences.simple;
    if (below) draw_tool_settings(panel);
    draw_object_list(panel);
    if (!simple) draw_selected_object(panel, false);
    draw_view_choice(panel);
    draw_count_offer(panel, states_.count_offer);
    draw_lighter_offer(panel);
    if (simple) {
      draw_numerics_indicator(panel);
      draw_readings(panel);
    } else {
      draw_gauges(panel);
    }
  }

  // The open tab scrolls separately, so that scene and tool stay visible; if the remaining height is too small, the
  // whole column scrolls. That height is computed for the unscrolled column: otherwise scrolling would switch between
  // the two modes.
  const float advice = gauges ? gauge_advice_height(panel) : 0;
  const float rest = size.y - ImGui::GetCursorPosY();
  if (rest - advice > style.px(110)) {
    // One child window per tab, each with its own scroll position. It reaches to the edge of the window, where its
    // scroll bar is; its rows have the same width without a scroll bar.
    ImGui::PushID(static_cast<int>(open_tab(panel)));
    ImGui::SetNextWindowContentSize(ImVec2(content, 0));
    ImGui::BeginChild("##tab", ImVec2(size.x - left - style.px(2), rest - advice), false);
    draw_open_tab(panel);
    if (below && !gauges) draw_settings_in_tab(panel);
    ImGui::Dummy(ImVec2(0, style.px(8)));
    ImGui::EndChild();
    ImGui::PopID();
    // Below the scrolling part: rows do not move when advice appears.
    if (advice > 0) draw_gauge_advice(panel);
  } else {
    draw_open_tab(panel);
    if (below && !gauges) draw_settings_in_tab(panel);
    if (advice > 0) draw_gauge_advice(panel);
    ImGui::Dummy(ImVec2(0, style.px(8)));
  }
  ImGui::End();
}

void Panels::draw_open_dialog(const Panel& panel) {
  if (!panel.run().stop_reason.empty()) return draw_stop_message(panel);
  switch (panel.interface().overlay) {
    case Overlay::none:
      break;
    case Overlay::help:
      draw_help(panel);
      break;
    case Overlay::files:
      draw_file_browser(panel, states_.files);
      break;
    case Overlay::image_use:
      draw_image_use(panel);
      break;
    case Overlay::browser:
      draw_browser(panel, states_.browser);
      break;
    case Overlay::save_preset:
      draw_preset_prompt(panel, states_.preset);
      break;
    case Overlay::unread_kernel:
      draw_unread_kernel(panel);
      break;
    case Overlay::export_files:
      draw_export_dialog(panel);
      break;
  }
}

void Panels::draw_view_and_panels(const Panel& panel) {
  const InterfaceState& interface = panel.interface();
  const bool all_blocks_drawn = draw_launch(panel);
  if (interface.color_bar_is_shown()) draw_floating_color_bar(panel, states_.color_bar);
  draw_theory(panel);
  draw_lane_titles(panel);
  draw_objects(panel);
  draw_instruments(panel);
  draw_brush(panel);
  draw_drag_line(panel);
  draw_crosshair(panel);
  draw_launch_box(panel, all_blocks_drawn);
  draw_microscope(panel);
  draw_slow_step(panel);
  if (interface.presentation) draw_caption(panel);
  if (interface.panels) {
    draw_hint(panel, states_.hint);
    draw_quantity_suggestion(panel);
  }
  if (panel.layout.has_bars) {
    draw_transport(panel);
    draw_status_bar(panel);
  }
  if (interface.panels) {
    draw_kernel_editor(panel, states_.kernel_editor);
    draw_puzzle_card(panel, states_.puzzle_card);
  }
  if (panel.layout.has_dock()) draw_plot_dock(panel, states_.plots);
  if (panel.layout.is_drawer) draw_drawer_handle(panel);
  if (column_is_shown(panel)) {
    if (panel.layout.is_drawer) panel.areas.add(panel.layout.column);
    draw_column(panel);
  }
}

void Panels::draw(Session& session, const Style& style, const Layout& layout, const DisplayInfo& display,
                  ThumbnailTextures* thumbnails) {
  const Panel panel = arguments(session, style, layout, display, thumbnails);
  const InterfaceState& interface = panel.interface();
  const PanelKeys& keys = session.input().panel_keys();
  feedback_.areas.begin();
  rows_.begin_pass(keys.type_value, keys.tab_moves != 0, session.runs());
  tab_begin_pass(keys.tab_moves);
  // Between two passes, not within one.
  if (!interface.preferences.language.empty()) use_language(interface.preferences.language);
  // While arrows move the crosshair, no panel responds to them.
  if (session.input().crosshair().position() && !keys.focus_panel && !session.input().keys_in_panel())
    ImGui::SetWindowFocus(nullptr);
  // A dialog that closes gives the keys back to the view, and not to the panel behind it, unless the panel had them.
  const bool has_dialog = interface.overlay != Overlay::none;
  if (std::exchange(had_dialog_, has_dialog) && !has_dialog && !session.input().keys_in_panel())
    ImGui::SetWindowFocus(nullptr);
  constexpr auto any_list = ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel;
  // Open lists refer to the previous scene. Without focus, ImGui closes all lists, including those that are no longer
  // laid out.
  const bool is_new_scene = std::exchange(scenes_, session.scenes()) != session.scenes();
  if ((keys.close_lists || is_new_scene) && ImGui::IsPopupOpen(nullptr, any_list)) ImGui::SetWindowFocus(nullptr);
  // The browser covers nearly the whole window: the panels behind it would show nothing useful, and cost as much.
  const bool browses = interface.overlay == Overlay::browser && session.run().stop_reason.empty() && !interface.kiosk;
  if (browses)
    draw_blank_panels(panel);
  else
    draw_view_and_panels(panel);
  // No dialogs in kiosk mode.
  if (!interface.kiosk) draw_open_dialog(panel);
  draw_film_progress(panel);
  draw_recovery_offer(panel);
  if (share_ && !browses) draw_share_box(panel, *share_);
  if (!invitation_.empty()) draw_invitation(panel, invitation_);
  draw_focus_ring(style);
  // An open list over the view takes the next click, even if only to close.
  feedback_.list_open = ImGui::IsPopupOpen(nullptr, any_list);
  if (feedback_.list_open) feedback_.areas.add_everything();
  feedback_.value_is_typed = !rows_.typing().empty();
  for (Command& command : std::exchange(commands_, {})) session.post(std::move(command));
}

}  // namespace perturb
