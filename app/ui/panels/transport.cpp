#include "app/ui/panels/transport.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>

#include "app/i18n/language.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/slider_scale.h"

namespace perturb {

namespace {

struct RightButton {
  const char* id;
  Icon icon;
  CommandId command;
};

const char* speed_unit_label(Pace::Unit unit) {
  return unit == Pace::Unit::per_frame    ? "steps per frame"
         : unit == Pace::Unit::per_second ? "steps per second"
                                          : "time units per second";
}
const char* speed_help(Pace::Unit unit) {
  return unit == Pace::Unit::per_frame    ? "Steps between two frames; more frames per second mean a faster run"
         : unit == Pace::Unit::per_second ? "Steps per second, independent of the frame rate"
                                          : "Simulated time per second, independent of time step and frame rate";
}
std::string speed_text(const Pace& pace) {
  if (pace.unit() == Pace::Unit::real_time && !(pace.speed() > 0)) return "\u2013";
  if (pace.unit() == Pace::Unit::per_frame) return std::to_string(pace.requested());
  return number_text(pace.speed(), 3) + (pace.unit() == Pace::Unit::per_second ? "/s" : " t/s");
}

// The list with the labels of the buttons that do not fit in the bar. It opens upwards.
void draw_more(const Panel& panel, std::span<const RightButton> buttons) {
  const Rect& bar = panel.layout.transport;
  // In a low window it covers the bar, and scrolls if that is not enough.
  const auto height = static_cast<float>(panel.layout.height);
  const float wanted = static_cast<float>(buttons.size()) * ImGui::GetTextLineHeightWithSpacing() +
                       2 * ImGui::GetStyle().WindowPadding.y;
  const float foot = std::clamp(wanted, std::min(static_cast<float>(bar.y), height), height);
  ImGui::SetNextWindowPos(ImVec2(static_cast<float>(bar.x + bar.width) - panel.style.px(12), foot), ImGuiCond_Always,
                          ImVec2(1, 1));
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(static_cast<float>(panel.layout.width), foot));
  if (!ImGui::BeginPopup("##more")) return;
  for (const RightButton& button : buttons) {
    const Message words = with_key(info_of(button.command).label, button.command);
    if (list_line((tr(words) + "###" + button.id).c_str(), false)) panel.ask(button.command);
  }
  ImGui::EndPopup();
}

}  // namespace

void draw_transport(const Panel& panel) {
  const Style& style = panel.style;
  const Rect& rect = panel.layout.transport;
  const ImVec2 from(static_cast<float>(rect.x), static_cast<float>(rect.y));
  const ImVec2 size(static_cast<float>(rect.width), static_cast<float>(rect.height));
  ImGui::SetNextWindowPos(from);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin("##transport", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(2);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(from, ImVec2(from.x + size.x, from.y + style.px(1)), color::line);

  const float middle = from.y + 0.5f * size.y;
  float x = from.x + style.px(12);
  const auto button = [&](const char* id, Icon icon, CommandId command, bool prominent = false, bool enabled = true,
                          const Message& of_what = {}) {
    const float side = style.px(prominent ? 38 : 34);
    ImGui::SetCursorScreenPos(ImVec2(x, std::round(middle - 0.5f * side)));
    if (icon_button(style, id, icon, side, prominent, enabled)) panel.ask(command);
    const Message action = info_of(command).label;
    tooltip(style, with_key(of_what.empty() ? action : Message("{}: {}", action, of_what), command));
    x += side + style.px(4);
  };
  const bool well = panel.run().stop_reason.empty();
  button("restart", Icon::restart, CommandId::restart);
  button("play", panel.session.playback().playing() ? Icon::pause : Icon::play, CommandId::play_pause, true, well);
  button("step", Icon::step, CommandId::single_step, false, well);
  // Undo and redo; dimmed if there is nothing to undo or redo.
  const Message undone = panel.run().next_undo, redone = panel.run().next_redo;
  button("undo", Icon::undo, CommandId::undo, false, !undone.empty(), undone);
  button("redo", Icon::redo, CommandId::redo, false, !redone.empty(), redone);
  x += style.px(14);

  const Message clock("step {}", grouped(panel.run().steps));
  const std::string time = time_text(panel.session.display_units(), panel.session.info(), panel.run().time);

  // Speed: the number has a fixed position between its two buttons.
  button("slower", Icon::minus, CommandId::slower);
  const Pace& pace = panel.session.playback().pace();
  const std::string wanted = speed_text(pace);
  const float number_width = ImGui::CalcTextSize("1048576").x + style.px(4);
  draw_text_in(list, ImVec2(x, from.y), ImVec2(x + number_width, from.y + size.y), color::text, Message::value(wanted),
               0.5f);
  // The speed as text, with the clock, for which a narrow bar has no space.
  ImGui::SetCursorScreenPos(ImVec2(x, from.y));
  if (press_area("##speed", ImVec2(number_width, size.y))) panel.ask(CommandId::speed_unit);
  const Message speed = speed_help(pace.unit());
  tooltip(style,
          stacked(stacked(pace.is_throttled() ? Message("{}: limited to {} steps/frame", speed, pace.steps()) : speed,
                          {"Click to change the unit  ({}).", shown_chord(CommandId::speed_unit)}),
                  {"Now at {}, {}", clock, time}));
  x += number_width + style.px(4);
  button("faster", Icon::plus, CommandId::faster);

  // From the right: commands for the image. Those that do not fit are in a list behind three dots.
  const float left_end = x;
  const RightButton buttons[] = {{"help", Icon::question, CommandId::help},
                                 {"about", Icon::information, CommandId::about_scene},
                                 {"scenes", Icon::grid, CommandId::browse},
                                 {"fullscreen", Icon::expand, CommandId::fullscreen},
                                 {"open", Icon::folder, CommandId::open_file},
                                 {"save", Icon::disk, CommandId::save_state},
                                 {"preset", Icon::preset, CommandId::save_preset},
                                 {"camera", Icon::camera, CommandId::screenshot},
                                 {"film", Icon::film, CommandId::film},
                                 {"export", Icon::share, CommandId::export_files},
                                 {"keep", Icon::restart_keeping, CommandId::restart_keeping}};
  const int count = static_cast<int>(std::size(buttons));
  float right = from.x + size.x - style.px(12);
  const int places = static_cast<int>((right - left_end + style.px(2)) / style.px(36));
  const int shown = places >= count ? count : std::max(0, places - 1);  // one slot is for the dots
  for (int i = 0; i < shown; ++i) {
    x = right - style.px(34);
    button(buttons[i].id, buttons[i].icon, buttons[i].command);
    right -= style.px(36);
  }
  if (shown < count) {
    const float side = style.px(34);
    ImGui::SetCursorScreenPos(ImVec2(right - side, std::round(middle - 0.5f * side)));
    if (icon_button(style, "more", Icon::more, side)) ImGui::OpenPopup("##more");
    tooltip(style, "More");
    right -= style.px(36);
    draw_more(panel, std::span(buttons).subspan(static_cast<std::size_t>(shown)));
  }

  // Between them, if there is space: the meaning of the number, and the clock.
  const float clock_width = std::max(text_size({"step {}", std::string("0\u00a0000\u00a0000")}).x, text_size(clock).x);
  const float time_width = std::max(ImGui::CalcTextSize("t = 00000.00").x, ImGui::CalcTextSize(time.c_str()).x);
  float clock_left = right - style.px(8);
  if (clock_left - time_width > left_end) {
    draw_text_in(list, ImVec2(clock_left - time_width, from.y), ImVec2(clock_left, from.y + size.y), color::dim,
                 Message::value(time), 1);
    clock_left -= time_width + style.px(18);
  }
  if (clock_left - clock_width > left_end) {
    draw_text_in(list, ImVec2(clock_left - clock_width, from.y), ImVec2(clock_left, from.y + size.y), color::text,
                 clock, 1);
    clock_left -= clock_width + style.px(18);
  }
  const bool is_throttled = pace.is_throttled() && panel.session.playback().playing() && well;
  const Message unit = speed_unit_label(pace.unit());
  // The measured speed if a speed is held; in steps per frame, the number actually taken.
  const Rates& rates = panel.session.playback().rates();
  const Message reached = pace.unit() == Pace::Unit::per_frame ? Message("{} done", pace.steps())
                          : pace.unit() == Pace::Unit::per_second
                              ? Message("{} reached", number_text(std::round(rates.steps_per_second)))
                              : Message("not reached");
  const Message all = is_throttled ? Message("{}: {}, limited", unit, reached) : Message();
  const Message few = is_throttled ? reached : Message();
  for (const Message& words : {all, few, unit}) {
    if (words.empty() || text_size(words).x > clock_left - left_end - style.px(4)) continue;
    draw_text_in(list, ImVec2(left_end + style.px(4), from.y), ImVec2(clock_left, from.y + size.y),
                 is_throttled ? color::warning : color::dim, words);
    break;
  }
  ImGui::End();
}

}  // namespace perturb
