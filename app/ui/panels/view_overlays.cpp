#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include "app/i18n/language.h"
#include "app/ui/kernels/kernel_editor.h"
#include "app/ui/kernels/kernel_text.h"
#include "app/ui/kernels/puzzle_card.h"
#include "app/ui/panels/dialogs.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/panels/lane_titles.h"
#include "app/ui/panels/panel_states.h"
#include "app/ui/widgets/color_bar.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "cuda/core/paint/layer.h"

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

// The part of the view that no card covers.
Rect uncovered_view_rect(const Panel& panel) {
  Rect seen = visible_view_rect(panel);
  if (!kernel_editor_is_shown(panel, panel.states.kernel_editor) &&
      !puzzle_card_is_shown(panel, panel.states.puzzle_card))
    return seen;
  const Rect card = card_over_view_rect(panel);
  const double end = seen.x + seen.width;
  seen.x = card.x + card.width;
  seen.width = std::max(0.0, end - seen.x);
  return seen;
}

std::optional<HintBox> hint_box(const Panel& panel) {
  const Style& style = panel.style;
  const HintState& state = panel.states.hint;
  const std::string& hint = panel.run().scene->hint;
  Rect view_rect = uncovered_view_rect(panel);
  const double titles = lane_titles_height(panel);
  view_rect.y += titles;
  view_rect.height -= titles;
  const bool busy = panel.interface().overlay != Overlay::none || panel.session.playback().film().has_value() ||
                    !panel.run().stop_reason.empty();
  if (!panel.interface().hint || hint.empty() || busy || view_rect.width < style.px(200)) return std::nullopt;
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
    box.rect.x = std::round(left + margin + state.box.across * across);
    box.rect.y = std::round(view_rect.y + margin + state.box.down * down);
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
void move_hint(const Panel& panel, HintState& state, const Rect& box, const Rect& cross) {
  const ImGuiIO& io = ImGui::GetIO();
  panel.areas.add(box);
  const bool over = box.contains(io.MousePos.x, io.MousePos.y) && !io.WantCaptureMouse;
  if (over || state.box.is_dragged) state.age = 0;
  if (ImGui::IsMouseClicked(0) && over) {
    if (cross.contains(io.MousePos.x, io.MousePos.y))
      panel.ask(CommandId::hide_hint);
    else
      state.box.is_dragged = true;
  }
  if (!io.MouseDown[0]) state.box.is_dragged = false;
  if (!state.box.is_dragged) return;
  const Rect view_rect = uncovered_view_rect(panel);
  const double margin = 2 * panel.style.px(20), across = view_rect.width - box.width - margin,
               down = view_rect.height - box.height - margin;
  if (across > 0) state.box.across = std::clamp(state.box.across + io.MouseDelta.x / across, 0.0, 1.0);
  if (down > 0) state.box.down = std::clamp(state.box.down + io.MouseDelta.y / down, 0.0, 1.0);
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

void draw_hint(const Panel& panel, HintState& state) {
  const Style& style = panel.style;
  if (state.scene != panel.session.scenes()) state = {state.box, 0, panel.session.scenes()};
  const std::optional<HintBox> box = hint_box(panel);
  if (!box) return;
  // The time only counts while the run plays: while it is paused, a teacher may be explaining it.
  if (panel.session.playback().playing()) state.age += std::min(0.1, static_cast<double>(ImGui::GetIO().DeltaTime));
  if (state.age > hint_seconds + (panel.interface().preferences.reduced_motion ? 0 : fading_seconds)) {
    panel.ask(CommandId::hide_hint);
    return;
  }
  const Rect& rect = box->rect;
  const float side = style.px(22);
  const ImVec2 from(static_cast<float>(rect.x), static_cast<float>(rect.y)),
      to(from.x + static_cast<float>(rect.width), from.y + static_cast<float>(rect.height));
  const ImVec2 middle(to.x - hint_pad_x(style) + style.px(4), from.y + hint_pad_y(style) + 0.5f * side - style.px(3));
  move_hint(panel, state, rect, {middle.x - side / 2, middle.y - side / 2, side, side});
  const double share = std::clamp(1 - (state.age - hint_seconds) / fading_seconds, 0.0, 1.0);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->AddRectFilled(from, to, faded(color::overlay_fill, share), style.px(10));
  list->AddRect(from, to, faded(color::accent_dim, share), style.px(10), 0, style.px(1));
  list->AddText(ImVec2(from.x + hint_pad_x(style), from.y + hint_pad_y(style)), faded(color::text, share),
                box->lines.c_str());
  draw_icon(list, Icon::close, middle, style.px(11), faded(color::dim, share));
}

void draw_quantity_suggestion(const Panel& panel) {
  const Style& style = panel.style;
  const Quantity* suggested = nullptr;
  for (const Quantity& quantity : panel.run().info->quantities)
    if (quantity.id == panel.session.view().suggestion().quantity) suggested = &quantity;
  if (!suggested || panel.interface().overlay != Overlay::none || !panel.run().stop_reason.empty()) return;

  // At the position of the hint, which disappears with the first gesture.
  const std::string sentence = tr("{} is visible in the quantity {}.",
                                  Message(panel.session.view().suggestion().action_label), Message(suggested->label));
  const Message words = with_key("Show it", CommandId::show_suggested);
  const ImVec2 text = ImGui::CalcTextSize(sentence.c_str());
  const ImVec2 pad(style.px(14), style.px(8)), gap(style.px(14), 0);
  const ImVec2 button(text_size(words).x + style.px(20), style.row());
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
  panel.areas.add({at.x, at.y, size.x, size.y});
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line = beside ? at.y + 0.5f * (size.y - text.y) : at.y + pad.y;
  list->AddText(ImVec2(at.x + pad.x, std::round(line)), color::text, sentence.c_str());
  const ImVec2 from(beside ? at.x + size.x - pad.x - button.x : at.x + pad.x, at.y + size.y - pad.y - button.y);
  const ImVec2 to(from.x + button.x, from.y + button.y);
  ImGui::SetCursorScreenPos(from);
  if (press_area("##show", button)) panel.ask(CommandId::show_suggested);
  list->AddRectFilled(from, to, ImGui::IsItemHovered() ? color::accent_bright : color::accent, style.px(5));
  draw_text_in(list, from, to, color::on_accent, words, 0.5f);
  ImGui::End();
}

namespace {

constexpr double slow_step_seconds = 0.7;  // seconds: shorter steps are not reported
constexpr float full_turn = 2 * std::numbers::pi_v<float>;

}  // namespace

void draw_slow_step(const Panel& panel) {
  const Session& session = panel.session;
  const double waited = session.playback().waiting();
  if (waited < slow_step_seconds) return;
  const Style& style = panel.style;
  const Message words("This step has taken {} s", std::llround(waited));
  const char* const button = "Cancel";
  const float pad = style.px(12), ring = style.px(12), gap = style.px(10);
  // As wide as with three digits, so that it does not move.
  const float text = text_size({"This step has taken {} s", std::string("000")}).x;
  // Visitors of a kiosk have no button: they wait, or the next scene cancels the step.
  const bool has_button = !panel.interface().kiosk;
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
  panel.areas.add({at.x, at.y, size.x, size.y});

  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 center(at.x + pad + ring, at.y + 0.5f * size.y);
  const float thick = style.px(3), top = -0.25f * full_turn;
  list->AddCircle(center, ring - thick, color::line, 0, thick);
  // Fraction of the expected time of a step; if that is not known, the circle rotates, or stays a quarter full.
  const double one = panel.session.playback().pace().seconds_per_step();
  float from = top, to = top + 0.25f * full_turn;
  if (one > slow_step_seconds) {
    to = top + full_turn * static_cast<float>(std::min(0.97, waited / one));
  } else if (!panel.interface().preferences.reduced_motion) {
    from += full_turn * static_cast<float>(std::fmod(waited, 2.0) / 2);
    to = from + 0.25f * full_turn;
  }
  list->PathArcTo(center, ring - thick, from, to, 32);
  list->PathStroke(color::accent, 0, thick);
  const float left = at.x + pad + 2 * ring + gap;
  draw_text_in(list, ImVec2(left, at.y), ImVec2(left + text + 1, at.y + size.y), color::text, words);
  if (has_button) {
    ImGui::SetCursorScreenPos(
        ImVec2(left + text + gap, at.y + std::round(0.5f * (size.y - style.px(8) * 2 - ImGui::GetTextLineHeight()))));
    if (text_button(style, button, false)) panel.ask(CommandId::cancel_step);
    tooltip(style, {"{}  ({}). The incomplete step is lost; the last complete step is kept.",
                    info_of(CommandId::cancel_step).label, shown_chord(CommandId::cancel_step)});
  }
  ImGui::End();
}

namespace {

// Letters of captions without panels: readable from the back of a room, at least 1/50 of the window's height.
struct CaptionFont {
  explicit CaptionFont(const Panel& panel) {
    const float min_text = static_cast<float>(panel.layout.height) / 50;
    ImGui::PushFont(panel.style.title);
    font = ImGui::GetFont();
    own = ImGui::GetFontSize();
    ImGui::PopFont();
    ImGui::PushFont(panel.style.body);
    text = std::max(ImGui::GetFontSize(), min_text);
    ImGui::PopFont();
    title = std::max(own, 1.25f * min_text);
  }
  std::string wrap(const Message& words, float room, float letters) const {
    ImGui::PushFont(font);
    std::string lines = wrap_text(words, room * own / letters);
    ImGui::PopFont();
    return lines;
  }
  ImVec2 size_of(const std::string& lines, float letters) const {
    return font->CalcTextSizeA(letters, FLT_MAX, 0, lines.c_str());
  }

  ImFont* font = nullptr;
  float own = 0, title = 0, text = 0;  // heights
};

}  // namespace

void draw_invitation(const Panel& panel, const Message& words) {
  const Style& style = panel.style;
  const Scene& scene = *panel.run().scene;
  const Rect& view_rect = panel.layout.view_rect;
  const Rect bar = floating_color_bar_rect(panel);
  const float pad = style.px(18), margin = style.px(20), gap = style.px(6);
  const double right = bar.width > 0 ? bar.x : view_rect.x + view_rect.width;
  const float room = std::min(std::max(style.px(620), 0.6f * static_cast<float>(view_rect.width)),
                              static_cast<float>(right - view_rect.x) - 2 * (margin + pad));
  if (room < style.px(140)) return;
  const CaptionFont font(panel);
  const std::string title =
      font.wrap(scene.title.empty() ? words : Message("{}.  {}", Message(scene.title), words), room, font.title);
  const ImVec2 title_size = font.size_of(title, font.title);
  // The other hints name panels, and buttons or fingers that a visitor may not have.
  const std::string& invites = scene.kiosk_hint;
  const std::string hint = font.wrap(invites, room, font.text);
  const ImVec2 hint_size = invites.empty() ? ImVec2(0, 0) : font.size_of(hint, font.text);
  const float between = invites.empty() ? 0 : gap;
  const ImVec2 size(std::max(title_size.x, hint_size.x) + 2 * pad, title_size.y + between + hint_size.y + 2 * pad);
  const ImVec2 from(static_cast<float>(view_rect.x) + margin,
                    static_cast<float>(view_rect.y + view_rect.height) - margin - size.y);
  if (from.y < view_rect.y) return;
  const ImVec2 to(from.x + size.x, from.y + size.y);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->AddRectFilled(from, to, color::overlay_fill, style.px(10));
  list->AddText(font.font, font.title, ImVec2(from.x + pad, from.y + pad), color::text, title.c_str());
  if (!invites.empty())
    list->AddText(font.font, font.text, ImVec2(from.x + pad, from.y + pad + title_size.y + between), color::dim,
                  hint.c_str());
}

void draw_message(const Panel& panel) {
  const Style& style = panel.style;
  const Rect view_rect = visible_view_rect(panel);
  const float margin = style.px(12), pad = style.px(12);
  const float width =
      std::max(std::min(style.px(420), static_cast<float>(view_rect.width) - 2 * (margin + pad)), style.px(100));
  const std::string lines = wrap_text(panel.session.message().text, width);
  const ImVec2 letters = ImGui::CalcTextSize(lines.c_str());
  const Message words = with_key("Show the folder", CommandId::show_output_folder);
  const ImVec2 button(text_size(words).x + style.px(20), style.row());
  const float close = panel.session.message().is_error ? style.px(24) : 0;
  const bool has_folder = !panel.session.message().folder.empty() && button.x <= width;
  const ImVec2 size(std::max(letters.x + close, has_folder ? button.x : 0) + 2 * pad,
                    letters.y + 2 * pad + (has_folder ? button.y + style.px(6) : 0));
  // At the bottom of the view; at the bottom of the window while an overlay in the view must not be covered.
  const float foot = panel.interface().overlay == Overlay::none
                         ? static_cast<float>(view_rect.y + view_rect.height) - margin
                         : static_cast<float>(panel.layout.height) - style.px(2);
  const ImVec2 from(static_cast<float>(view_rect.x) + margin, foot - size.y);
  const ImVec2 to(from.x + size.x, from.y + size.y);
  panel.areas.add({from.x, from.y, size.x, size.y});
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
  list->AddRect(from, to, panel.session.message().is_error ? color::bad : color::line, style.px(6), 0, style.px(1));
  list->AddText(ImVec2(from.x + pad, from.y + pad),
                panel.session.message().is_error ? color::bad : color::accent_bright, lines.c_str());
  if (panel.session.message().is_error) {
    ImGui::SetCursorScreenPos(ImVec2(to.x - close - style.px(4), from.y + style.px(4)));
    if (icon_button(style, "dismiss", Icon::close, close)) panel.ask(CommandId::dismiss_message);
    tooltip(style, "Dismiss  (Esc)");
  }
  if (has_folder) {
    const ImVec2 at(from.x + pad, to.y - pad - button.y), end(at.x + button.x, at.y + button.y);
    ImGui::SetCursorScreenPos(at);
    if (press_area("##folder", button)) panel.ask(CommandId::show_output_folder);
    list->AddRectFilled(at, end, ImGui::IsItemHovered() ? color::hovered : color::raised, style.px(5));
    draw_text_in(list, at, end, color::text, words, 0.5f);
  }
  ImGui::End();
}

void draw_caption(const Panel& panel) {
  const Style& style = panel.style;
  const Scene& scene = *panel.run().scene;
  const Rect& view_rect = panel.layout.view_rect;
  const Rect bar = floating_color_bar_rect(panel);
  const float margin = style.px(14), pad = style.px(12);
  const double right = bar.width > 0 ? bar.x : view_rect.x + view_rect.width;
  const float room = static_cast<float>(right - view_rect.x) - 2 * (margin + pad);
  if (room < style.px(120)) return;
  const Message time = time_text(panel.session.display_units(), panel.session.info(), panel.run().time);
  const Message about =
      stacked({"{},  {}", Message(panel.session.view().quantity().label), time},
              layer_text(panel.session.display_units(), *panel.run().info, panel.session.view().resolved()));

  const CaptionFont font(panel);
  const std::string title = font.wrap(scene.title.empty() ? panel.run().info->title : scene.title, room, font.title);
  const std::string words = font.wrap(about, room, font.text);
  const ImVec2 title_size = font.size_of(title, font.title), size = font.size_of(words, font.text);
  const float width = std::max(title_size.x, size.x), gap = style.px(3);
  const ImVec2 to(static_cast<float>(view_rect.x) + margin + width + 2 * pad,
                  static_cast<float>(view_rect.y + view_rect.height) - margin);
  const ImVec2 from(static_cast<float>(view_rect.x) + margin, to.y - title_size.y - gap - size.y - 2 * pad);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->AddRectFilled(from, to, color::overlay_fill, style.px(6));
  list->AddText(font.font, font.title, ImVec2(from.x + pad, from.y + pad), color::text, title.c_str());
  list->AddText(font.font, font.text, ImVec2(from.x + pad, from.y + pad + title_size.y + gap), color::dim,
                words.c_str());
}

}  // namespace perturb
