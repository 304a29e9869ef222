#include "app/ui/panels/transport.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

// `in_scene_unit`: the number has the scene's unit of time.
const char* speed_unit_label(Pace::Unit unit, bool in_scene_unit) {
  return unit == Pace::Unit::per_frame    ? "steps per frame"
         : unit == Pace::Unit::per_second ? "steps per second"
         : in_scene_unit                  ? "per second"
                                          : "time units per second";
}
const char* speed_help(Pace::Unit unit) {
  return unit == Pace::Unit::per_frame    ? "Steps between two frames; more frames per second mean a faster run"
         : unit == Pace::Unit::per_second ? "Steps per second, independent of the frame rate"
                                          : "Simulated time per second, independent of time step and frame rate";
}
// `time`: the scene's unit of time, if it has one.
Message speed_text(const Pace& pace, const std::optional<DisplayUnit>& time) {
  if (pace.unit() == Pace::Unit::real_time && !(pace.speed() > 0)) return Message::value("\u2013");
  if (pace.unit() == Pace::Unit::per_frame) return Message::value(std::to_string(pace.requested()));
  if (pace.unit() == Pace::Unit::per_second) return Message::value(number_text(pace.speed(), 3) + "/s");
  return time ? Message::value(number_text(pace.speed() * time->factor, 3) + "\u00a0" + time->text)
              : Message::value(number_text(pace.speed(), 3) + " t/s");
}

// The scene's unit of time, in which "t" is displayed; none: the simulation's.
std::optional<DisplayUnit> scene_time_unit(const Panel& panel) {
  const DisplayUnit unit = time_unit(panel.session.display_units(), panel.session.info());
  return unit.factor == 1 ? std::nullopt : std::optional(unit);
}

// A count in few characters: "61 440", "123 k", "1.23 M".
std::string short_count(double count) {
  if (count < 1e5) return grouped(std::llround(count));
  char text[32];
  if (count < 1e6)
    std::snprintf(text, sizeof text, "%.0f\u00a0k", count / 1e3);
  else
    std::snprintf(text, sizeof text, count < 1e9 ? "%.3g\u00a0M" : "%.4g\u00a0M", count / 1e6);
  return text;
}

// A number in all its forms, the longest first. The last one is always shown.
struct Readout {
  std::vector<Message> forms;
  ImU32 ink = color::text;
  float least_width = 0;  // of the longest form: its digits change, but its neighbours do not move
  float width(std::size_t form) const { return std::max(text_size(forms[form]).x, form == 0 ? least_width : 0); }
};

// Chooses the longest form of each number with which all fit in `room`, with gaps between them. Those at the end of the
// list are shortened first. Returns false if even the shortest do not fit.
bool fit_readouts(std::span<const Readout> readouts, float room, float gap, std::vector<std::size_t>& chosen) {
  chosen.assign(readouts.size(), 0);
  const auto needed = [&] {
    float sum = 0;
    for (std::size_t k = 0; k < readouts.size(); ++k) sum += readouts[k].width(chosen[k]) + gap;
    return sum;
  };
  for (std::size_t k = readouts.size(); k > 0 && needed() > room;)
    chosen[k - 1] + 1 < readouts[k - 1].forms.size() ? void(++chosen[k - 1]) : void(--k);
  return needed() <= room;
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
  const auto time_form = [&](bool is_short) {
    return time_text(panel.session.display_units(), panel.session.info(), panel.run().time, is_short);
  };
  const Message time = time_form(false);

  // Speed: the number has a fixed position between its two buttons.
  button("slower", Icon::minus, CommandId::slower);
  const Pace& pace = panel.session.playback().pace();
  const std::optional<DisplayUnit> time_of_scene = scene_time_unit(panel);
  const Message wanted = speed_text(pace, time_of_scene);
  // With the scene's unit it may be wider.
  const float usual_width = ImGui::CalcTextSize("1048576").x, number_left = x;
  const bool has_unit = time_of_scene && pace.unit() == Pace::Unit::real_time;
  const float widest = has_unit ? std::max(usual_width, text_size({"< {}", wanted}).x) : usual_width;
  const float number_width = widest + style.px(4);
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
  // Between them the numbers, which are shortened rather than dropped: the speed that is reached, if it is lower than
  // the one wanted (in steps per frame, the number actually taken), the clock and the time.
  const bool is_throttled = pace.is_throttled() && panel.session.playback().playing() && well;
  const Message unit = speed_unit_label(pace.unit(), time_of_scene.has_value());
  const double taken = panel.session.playback().rates().steps_per_second;
  std::vector<Readout> readouts;
  if (is_throttled && pace.unit() == Pace::Unit::per_frame)
    readouts.push_back({{{"{}: {}, limited", unit, Message("{} done", pace.steps())},
                         {"{} done", pace.steps()},
                         Message::value(std::to_string(pace.steps()))},
                        color::warning});
  else if (is_throttled && pace.unit() == Pace::Unit::per_second)
    readouts.push_back({{{"{}: {}, limited", unit, Message("{} reached", number_text(std::round(taken)))},
                         {"{} reached", number_text(std::round(taken))},
                         Message::value(short_count(taken) + "/s")},
                        color::warning});
  else if (is_throttled)
    readouts.push_back(
        {{{"{}: {}, limited", time_of_scene ? Message("{} {}", wanted, unit) : unit, Message("not reached")},
          "not reached",
          time_of_scene ? Message("< {}", wanted) : Message::value("< " + number_text(pace.speed(), 3))},
         color::warning});
  readouts.push_back({{clock, {"step {}", short_count(static_cast<double>(panel.run().steps))}},
                      color::text,
                      text_size({"step {}", std::string("0\u00a0000\u00a0000")}).x});
  Readout times{{time, time_form(true)}, color::dim, ImGui::CalcTextSize("t = 00000.00").x};
  // Buttons leave space for the unit. Only the narrowest bars show the number alone.
  float reserved = 0;
  if (const double now = panel.run().time; !time_of_scene) {
    times.least_width = text_size(Message::with_arguments(time.text(), {Message::value("00000.00")})).x;
    times.forms.push_back(Message::value("t = " + (now < 1e3 ? number_text(now, 3) : short_count(now))));
    reserved = times.width(1) - times.width(2);
  }
  readouts.push_back(times);
  const float gap = style.px(14);
  float shortest = reserved;
  for (const Readout& readout : readouts) shortest += readout.width(readout.forms.size() - 1) + gap;
  float right = from.x + size.x - style.px(12);
  const auto places_in = [&](float room) { return static_cast<int>((room + style.px(2)) / style.px(36)); };
  // One slot is for the dots, which a narrow bar shows in any case.
  const int all_places = places_in(right - left_end), places = std::max(places_in(right - left_end - shortest), 1);
  const int shown = places >= count && all_places >= count ? count : std::max(0, std::min(places, all_places) - 1);
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

  std::vector<std::size_t> forms;
  const bool fits = fit_readouts(readouts, right - left_end, gap, forms);
  // In the narrowest bars the speed that is reached replaces the one wanted. The tooltip has the others.
  const bool replaces = is_throttled && !fits;
  draw_text_in(list, ImVec2(number_left, from.y), ImVec2(number_left + number_width, from.y + size.y),
               replaces ? color::warning : color::text, replaces ? readouts.front().forms.back() : wanted, 0.5f);
  float end = right - style.px(8);
  for (std::size_t k = readouts.size(); k > 0; --k) {
    const Readout& readout = readouts[k - 1];
    if (k == 1 && is_throttled) break;
    const float width = readout.width(forms[k - 1]);
    if (end - width < left_end) break;
    draw_text_in(list, ImVec2(end - width, from.y), ImVec2(end, from.y + size.y), readout.ink,
                 readout.forms[forms[k - 1]], 1);
    end -= width + gap;
  }
  // The meaning of the number if there is space, or the speed that is reached.
  if (is_throttled && fits)
    draw_text_in(list, ImVec2(left_end + style.px(4), from.y), ImVec2(end, from.y + size.y), color::warning,
                 readouts.front().forms[forms.front()]);
  else if (!is_throttled && text_size(unit).x <= end - left_end - style.px(4))
    draw_text_in(list, ImVec2(left_end + style.px(4), from.y), ImVec2(end, from.y + size.y), color::dim, unit);
  ImGui::End();
}

}  // namespace perturb
