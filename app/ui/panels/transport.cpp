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
  if (unit == Pace::Unit::per_frame) return "steps per frame";
  if (unit == Pace::Unit::per_second) return "steps per second";
  if (in_scene_unit) return "per second";
  return "time units per second";
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
  float min_width = 0;  // of the longest form: its digits change, but its neighbours do not move
  float width(std::size_t form) const { return std::max(text_size(forms[form]).x, form == 0 ? min_width : 0); }
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
  for (std::size_t k = readouts.size(); k > 0 && needed() > room;) {
    if (chosen[k - 1] + 1 < readouts[k - 1].forms.size())
      ++chosen[k - 1];
    else
      --k;
  }
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

// ---- texts

// The speed that the user has chosen.
struct Speed {
  const Pace& pace;
  std::optional<DisplayUnit> time_of_scene;
  Message wanted, unit;
  bool is_throttled = false;  // the run does not reach it
};

bool can_continue(const Panel& panel) { return panel.run().stop_reason.empty(); }

Speed speed_of(const Panel& panel) {
  const Pace& pace = panel.session.playback().pace();
  const std::optional<DisplayUnit> time = scene_time_unit(panel);
  return {pace, time, speed_text(pace, time), speed_unit_label(pace.unit(), time.has_value()),
          pace.is_throttled() && panel.session.playback().playing() && can_continue(panel)};
}

Message clock_text(const Panel& panel) { return {"step {}", grouped(panel.run().steps)}; }

Message time_form(const Panel& panel, bool is_short) {
  return time_text(panel.session.display_units(), panel.session.info(), panel.run().time, is_short);
}

// The speed as text, with the clock, for which a narrow bar has no space.
Message speed_tooltip(const Panel& panel, const Pace& pace) {
  const Message speed = speed_help(pace.unit());
  return stacked(stacked(pace.is_throttled() ? Message("{}: limited to {} steps/frame", speed, pace.steps()) : speed,
                         {"Click to change the unit  ({}).", shown_chord(CommandId::speed_unit)}),
                 {"Now at {}, {}", clock_text(panel), time_form(panel, false)});
}

// The speed that is reached instead of the one wanted; in steps per frame, the number actually taken.
Readout reached_readout(const Speed& speed, double steps_per_second) {
  const Pace& pace = speed.pace;
  if (pace.unit() == Pace::Unit::per_frame)
    return {{{"{}: {}, limited", speed.unit, Message("{} done", pace.steps())},
             {"{} done", pace.steps()},
             Message::value(std::to_string(pace.steps()))},
            color::warning};
  if (pace.unit() == Pace::Unit::per_second)
    return {{{"{}: {}, limited", speed.unit, Message("{} reached", number_text(std::round(steps_per_second)))},
             {"{} reached", number_text(std::round(steps_per_second))},
             Message::value(short_count(steps_per_second) + "/s")},
            color::warning};
  const bool has_unit = speed.time_of_scene.has_value();
  return {
      {{"{}: {}, limited", has_unit ? Message("{} {}", speed.wanted, speed.unit) : speed.unit, Message("not reached")},
       "not reached",
       has_unit ? Message("< {}", speed.wanted) : Message::value("< " + number_text(pace.speed(), 3))},
      color::warning};
}

// The numbers at the right, which are shortened rather than dropped.
struct Readouts {
  std::vector<Readout> all;
  float reserved = 0;  // buttons leave this width, so that only the narrowest bars show the time without its unit
};

Readouts readouts_of(const Panel& panel, const Speed& speed) {
  Readouts readouts;
  if (speed.is_throttled)
    readouts.all.push_back(reached_readout(speed, panel.session.playback().rates().steps_per_second));
  readouts.all.push_back({{clock_text(panel), {"step {}", short_count(static_cast<double>(panel.run().steps))}},
                          color::text,
                          text_size({"step {}", std::string("0\u00a0000\u00a0000")}).x});
  const Message time = time_form(panel, false);
  Readout times{{time, time_form(panel, true)}, color::dim, ImGui::CalcTextSize("t = 00000.00").x};
  if (const double now = panel.run().time; !speed.time_of_scene) {
    times.min_width = text_size(Message::with_arguments(time.text(), {Message::value("00000.00")})).x;
    times.forms.push_back(Message::value("t = " + (now < 1e3 ? number_text(now, 3) : short_count(now))));
    readouts.reserved = times.width(1) - times.width(2);
  }
  readouts.all.push_back(times);
  return readouts;
}

// ---- layout and drawing

// Places the parts one after the other, and draws each at once.
class TransportBar {
 public:
  TransportBar(const Panel& panel, ImVec2 from, ImVec2 size);
  // The three parts from the left; the last one gets what is left.
  void draw_run_buttons();
  void draw_speed(const Speed& speed);
  // From the right: commands for the image. Those that do not fit next to the numbers are in a list behind three dots.
  void draw_image_buttons(const Readouts& readouts);
  void draw_numbers(const Speed& speed, const Readouts& readouts);

 private:
  void button(const char* id, Icon icon, CommandId command, bool prominent = false, bool enabled = true,
              const Message& of_what = {});
  // The number of these buttons that are drawn next to the numbers.
  int shown_buttons(int count, const Readouts& readouts) const;
  void draw_dots(std::span<const RightButton> hidden);
  void draw_text(float left, float right, ImU32 ink, const Message& text, float align = 0) const {
    draw_text_in(list_, ImVec2(left, from_.y), ImVec2(right, from_.y + size_.y), ink, text, align);
  }
  // From the right; `forms`: chosen by fit_readouts. Returns the left end.
  float draw_readouts(std::span<const Readout> readouts, std::span<const std::size_t> forms, bool is_throttled) const;

  const Panel& panel_;
  const Style& style_;
  ImVec2 from_, size_;
  ImDrawList* list_ = ImGui::GetWindowDrawList();
  float middle_, gap_;
  float x_, right_;                           // the space that is left
  float number_left_ = 0, number_width_ = 0;  // of the speed
  float left_end_ = 0;                        // of what is drawn from the left
};

TransportBar::TransportBar(const Panel& panel, ImVec2 from, ImVec2 size)
    : panel_(panel),
      style_(panel.style),
      from_(from),
      size_(size),
      middle_(from.y + 0.5f * size.y),
      gap_(style_.px(14)),
      x_(from.x + style_.px(12)),
      right_(from.x + size.x - style_.px(12)) {}

void TransportBar::button(const char* id, Icon icon, CommandId command, bool prominent, bool enabled,
                          const Message& of_what) {
  const float side = style_.px(prominent ? 38 : 34);
  ImGui::SetCursorScreenPos(ImVec2(x_, std::round(middle_ - 0.5f * side)));
  if (icon_button(style_, id, icon, side, prominent, enabled)) panel_.ask(command);
  const Message action = info_of(command).label;
  tooltip(style_, with_key(of_what.empty() ? action : Message("{}: {}", action, of_what), command));
  x_ += side + style_.px(4);
}

void TransportBar::draw_run_buttons() {
  const bool well = can_continue(panel_);
  button("restart", Icon::restart, CommandId::restart);
  button("play", panel_.session.playback().playing() ? Icon::pause : Icon::play, CommandId::play_pause, true, well);
  button("step", Icon::step, CommandId::single_step, false, well);
  // Undo and redo; dimmed if there is nothing to undo or redo.
  const Message undone = panel_.run().next_undo, redone = panel_.run().next_redo;
  button("undo", Icon::undo, CommandId::undo, false, !undone.empty(), undone);
  button("redo", Icon::redo, CommandId::redo, false, !redone.empty(), redone);
  x_ += style_.px(14);
}

// The number has a fixed position between its two buttons.
void TransportBar::draw_speed(const Speed& speed) {
  button("slower", Icon::minus, CommandId::slower);
  // With the scene's unit it may be wider.
  const float usual_width = ImGui::CalcTextSize("1048576").x;
  const bool has_unit = speed.time_of_scene && speed.pace.unit() == Pace::Unit::real_time;
  const float widest = has_unit ? std::max(usual_width, text_size({"< {}", speed.wanted}).x) : usual_width;
  number_left_ = x_;
  number_width_ = widest + style_.px(4);
  ImGui::SetCursorScreenPos(ImVec2(x_, from_.y));
  if (press_area("##speed", ImVec2(number_width_, size_.y))) panel_.ask(CommandId::speed_unit);
  tooltip(style_, speed_tooltip(panel_, speed.pace));
  x_ += number_width_ + style_.px(4);
  button("faster", Icon::plus, CommandId::faster);
  left_end_ = x_;
}

int TransportBar::shown_buttons(int count, const Readouts& readouts) const {
  float shortest = readouts.reserved;
  for (const Readout& readout : readouts.all) shortest += readout.width(readout.forms.size() - 1) + gap_;
  const auto slots_in = [&](float room) { return static_cast<int>((room + style_.px(2)) / style_.px(36)); };
  // One slot is for the dots, which a narrow bar shows in any case.
  const int all_slots = slots_in(right_ - left_end_), slots = std::max(slots_in(right_ - left_end_ - shortest), 1);
  return slots >= count && all_slots >= count ? count : std::max(0, std::min(slots, all_slots) - 1);
}

void TransportBar::draw_image_buttons(const Readouts& readouts) {
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
                                 {"keep", Icon::restart_keeping, CommandId::restart_keeping},
                                 {"share", Icon::people, CommandId::share}};
  const int count = static_cast<int>(std::size(buttons)), shown = shown_buttons(count, readouts);
  for (int i = 0; i < shown; ++i) {
    x_ = right_ - style_.px(34);
    button(buttons[i].id, buttons[i].icon, buttons[i].command);
    right_ -= style_.px(36);
  }
  if (shown < count) draw_dots(std::span(buttons).subspan(static_cast<std::size_t>(shown)));
}

void TransportBar::draw_dots(std::span<const RightButton> hidden) {
  const float side = style_.px(34);
  ImGui::SetCursorScreenPos(ImVec2(right_ - side, std::round(middle_ - 0.5f * side)));
  if (icon_button(style_, "more", Icon::more, side)) ImGui::OpenPopup("##more");
  tooltip(style_, "More");
  right_ -= style_.px(36);
  draw_more(panel_, hidden);
}

float TransportBar::draw_readouts(std::span<const Readout> readouts, std::span<const std::size_t> forms,
                                  bool is_throttled) const {
  float end = right_ - style_.px(8);
  for (std::size_t k = readouts.size(); k > 0; --k) {
    const Readout& readout = readouts[k - 1];
    if (k == 1 && is_throttled) break;  // the speed that is reached is drawn at the left
    const float width = readout.width(forms[k - 1]);
    if (end - width < left_end_) break;
    draw_text(end - width, end, readout.ink, readout.forms[forms[k - 1]], 1);
    end -= width + gap_;
  }
  return end;
}

void TransportBar::draw_numbers(const Speed& speed, const Readouts& readouts) {
  std::vector<std::size_t> forms;
  const bool fits = fit_readouts(readouts.all, right_ - left_end_, gap_, forms);
  const Readout& first = readouts.all.front();
  // In the narrowest bars the speed that is reached replaces the one wanted. The tooltip has the others.
  const bool replaces = speed.is_throttled && !fits;
  draw_text(number_left_, number_left_ + number_width_, replaces ? color::warning : color::text,
            replaces ? first.forms.back() : speed.wanted, 0.5f);
  const float end = draw_readouts(readouts.all, forms, speed.is_throttled);
  // The meaning of the number if there is space, or the speed that is reached.
  const float left = left_end_ + style_.px(4);
  if (speed.is_throttled && fits)
    draw_text(left, end, color::warning, first.forms[forms.front()]);
  else if (!speed.is_throttled && text_size(speed.unit).x <= end - left_end_ - style_.px(4))
    draw_text(left, end, color::dim, speed.unit);
}

}  // namespace

namespace {

constexpr float past_height = 10;  // design pixels

// The strip along the upper edge: the past that is kept, from the last restart on, and the step that is shown.
void draw_past(const Panel& panel, ImVec2 from, float width) {
  const Style& style = panel.style;
  const RunStatus& run = panel.run();
  const float height = style.px(past_height), side = style.px(12), length = std::max(1.0f, width - 2 * side);
  ImGui::SetCursorScreenPos(ImVec2(from.x + side, from.y));
  press_area("##past", ImVec2(length, height));
  const bool by_keys = focus_is_shown() && ImGui::IsItemFocused();
  const bool held = ImGui::IsItemActive() && ImGui::GetIO().MouseDown[0], hovered = ImGui::IsItemHovered();
  const auto steps = static_cast<double>(run.last_step - run.first_step);
  if (held && steps > 0) {
    const double share = std::clamp(static_cast<double>((ImGui::GetIO().MousePos.x - from.x - side) / length), 0., 1.);
    panel.ask(ReturnToStep{run.first_step + std::llround(share * steps)});
  }
  if (by_keys)
    if (const TabOrder::Arrows arrows = capture_arrows(); arrows.right != 0)
      panel.ask(arrows.right > 0 ? CommandId::past_forward : CommandId::past_back);
  tooltip(style, stacked("Drag to go back in the run; it continues from there",
                         {"{}: {}", info_of(CommandId::step_back).label, shown_chord(CommandId::step_back)}));
  const double shown = steps > 0 ? static_cast<double>(run.steps - run.first_step) / steps : 1;
  const float thick = style.px(hovered || held ? 4 : 2), x = from.x + side + static_cast<float>(shown) * length;
  const float top = from.y + 0.5f * (height - thick), end = from.x + side + length;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(ImVec2(from.x + side, top), ImVec2(end, top + thick), color::bar, 0.5f * thick);
  list->AddRectFilled(ImVec2(from.x + side, top), ImVec2(x, top + thick), color::accent, 0.5f * thick);
  if (hovered || held || by_keys || run.steps < run.last_step)
    list->AddCircleFilled(ImVec2(x, from.y + 0.5f * height), style.px(4), color::accent_bright);
}

}  // namespace

void draw_transport(const Panel& panel) {
  const Rect& rect = panel.layout.transport;
  const ImVec2 from(static_cast<float>(rect.x), static_cast<float>(rect.y));
  const ImVec2 size(static_cast<float>(rect.width), static_cast<float>(rect.height));
  begin_plain_window("##transport", from, size);
  ImGui::GetWindowDrawList()->AddRectFilled(from, ImVec2(from.x + size.x, from.y + panel.style.px(1)), color::line);

  const Speed speed = speed_of(panel);
  const Readouts readouts = readouts_of(panel, speed);
  draw_past(panel, from, size.x);
  const float past = panel.style.px(past_height);
  TransportBar bar(panel, ImVec2(from.x, from.y + past), ImVec2(size.x, size.y - past));
  bar.draw_run_buttons();
  bar.draw_speed(speed);
  bar.draw_image_buttons(readouts);
  bar.draw_numbers(speed, readouts);
  ImGui::End();
}

}  // namespace perturb
