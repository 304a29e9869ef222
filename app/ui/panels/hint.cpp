#include "app/ui/panels/hint.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "app/ui/panels/drawer.h"
#include "app/ui/widgets/color_bar.h"

namespace perturb {

namespace {

// Time to read the hint, and duration of the fade-out.
constexpr double hint_seconds = 30, fading_seconds = 3;

struct HintBox {
  std::string lines;
  Rect rect;
};

float hint_pad_x(const Style& style) { return style.px(18); }
float hint_pad_y(const Style& style) { return style.px(12); }

std::optional<HintBox> hint_box(const Panel& panel) {
  const Style& style = panel.style;
  const UiState& state = panel.state();
  const std::string& hint = panel.run().scene->hint;
  const Rect view_rect = visible_view_rect(panel);
  const bool busy = state.overlay != Overlay::none || state.film.has_value() || !panel.run().stop_reason.empty();
  if (!state.hint || hint.empty() || busy || view_rect.width < style.px(200)) return std::nullopt;
  const float cross = style.px(22), margin = style.px(20);
  // Over the middle of the view; if that would overlap the colour bar, over the middle of the rest.
  const Rect bar = floating_color_bar_rect(panel);
  HintBox box;
  const auto overlaps_bar = [&] {
    return bar.width > 0 && box.rect.x < bar.x + bar.width + style.gap() &&
           box.rect.x + box.rect.width > bar.x - style.gap() && box.rect.y < bar.y + bar.height + style.gap() &&
           box.rect.y + box.rect.height > bar.y - style.gap();
  };
  const auto fill = [&](double left, double right) {
    const auto room = static_cast<float>(right - left);
    box.lines = wrap_text(hint, std::min(style.px(460), room - style.px(48)) - 2 * hint_pad_x(style) - cross);
    const ImVec2 size = ImGui::CalcTextSize(box.lines.c_str());
    box.rect = {0, 0, size.x + 2.0 * hint_pad_x(style) + cross, size.y + 2.0 * hint_pad_y(style)};
    const double across = std::max(0.0, room - box.rect.width - 2.0 * margin),
                 down = std::max(0.0, view_rect.height - box.rect.height - 2.0 * margin);
    box.rect.x = std::round(left + margin + state.hint_across * across);
    box.rect.y = std::round(view_rect.y + margin + state.hint_down * down);
  };
  fill(view_rect.x, view_rect.x + view_rect.width);
  // The larger side next to the bar.
  if (overlaps_bar() && bar.x - view_rect.x >= view_rect.x + view_rect.width - bar.x - bar.width)
    fill(view_rect.x, bar.x - style.gap());
  else if (overlaps_bar())
    fill(bar.x + bar.width + style.gap(), view_rect.x + view_rect.width);
  // If it does not fit there either, the help page shows it.
  if (overlaps_bar() || box.rect.y + box.rect.height > view_rect.y + view_rect.height || box.rect.x < view_rect.x)
    return std::nullopt;
  return box;
}

// Moves the hint where it is dragged, within the view; the tool does not act below it meanwhile.
void move_hint(const Panel& panel, const Rect& box, const Rect& cross) {
  UiState& state = panel.state();
  const ImGuiIO& io = ImGui::GetIO();
  panel.session.panel_areas().add(box);
  const bool over = box.contains(io.MousePos.x, io.MousePos.y) && !io.WantCaptureMouse;
  if (over || state.hint_drag) state.hint_age = 0;
  if (ImGui::IsMouseClicked(0) && over) {
    if (cross.contains(io.MousePos.x, io.MousePos.y))
      state.hint = false;
    else
      state.hint_drag = true;
  }
  if (!io.MouseDown[0]) state.hint_drag = false;
  if (!state.hint_drag) return;
  const Rect view_rect = visible_view_rect(panel);
  const double margin = 2 * panel.style.px(20), across = view_rect.width - box.width - margin,
               down = view_rect.height - box.height - margin;
  if (across > 0) state.hint_across = std::clamp(state.hint_across + io.MouseDelta.x / across, 0.0, 1.0);
  if (down > 0) state.hint_down = std::clamp(state.hint_down + io.MouseDelta.y / down, 0.0, 1.0);
}

ImU32 faded(ImU32 ink, double share) {
  const auto alpha = static_cast<ImU32>(share * (ink >> IM_COL32_A_SHIFT & 0xFF) + 0.5);
  return (ink & ~IM_COL32_A_MASK) | alpha << IM_COL32_A_SHIFT;
}

}  // namespace

Rect hint_rect(const Panel& panel) {
  const std::optional<HintBox> box = hint_box(panel);
  return box ? box->rect : Rect{};
}

void draw_hint(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  const std::optional<HintBox> box = hint_box(panel);
  if (!box) return;
  // The time only counts while the run plays: while it is paused, a teacher may be explaining it.
  if (state.playing) state.hint_age += std::min(0.1, static_cast<double>(ImGui::GetIO().DeltaTime));
  if (state.hint_age > hint_seconds + (state.reduced_motion ? 0 : fading_seconds)) {
    state.hint = false;
    return;
  }
  const Rect& rect = box->rect;
  const float side = style.px(22);
  const ImVec2 from(static_cast<float>(rect.x), static_cast<float>(rect.y)),
      to(from.x + static_cast<float>(rect.width), from.y + static_cast<float>(rect.height));
  const ImVec2 middle(to.x - hint_pad_x(style) + style.px(4), from.y + hint_pad_y(style) + 0.5f * side - style.px(3));
  move_hint(panel, rect, {middle.x - side / 2, middle.y - side / 2, side, side});
  const double share = std::clamp(1 - (state.hint_age - hint_seconds) / fading_seconds, 0.0, 1.0);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->AddRectFilled(from, to, faded(color::overlay_fill, share), style.px(10));
  list->AddRect(from, to, faded(color::accent_dim, share), style.px(10), 0, style.px(1));
  list->AddText(ImVec2(from.x + hint_pad_x(style), from.y + hint_pad_y(style)), faded(color::text, share),
                box->lines.c_str());
  draw_icon(list, Icon::close, middle, style.px(11), faded(color::dim, share));
}

}  // namespace perturb
