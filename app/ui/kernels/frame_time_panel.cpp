#include "app/ui/kernels/frame_time_panel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "app/i18n/language.h"
#include "app/session/frame_times.h"
#include "app/ui/widgets/slider_scale.h"

namespace perturb {

namespace {

constexpr double frame_budget = 1.0 / 60;                              // seconds
constexpr float strip_height = 96, swatch_size = 9, share_width = 44;  // design pixels
constexpr double mean_over = 1;                                        // seconds
constexpr std::size_t max_loops = 8;
constexpr std::size_t frames_to_scroll = 3;  // the first ones: the tab grows with them

// One part of a frame, from the bottom of the strip to its top.
struct FramePart {
  TimeUse use;
  const char* name;
  ImU32 ink;
};
std::array<FramePart, frame_uses> frame_parts() {
  return {{{TimeUse::steps, "Steps", color::inks[0]},
           {TimeUse::painting, "Painting", color::inks[1]},
           {TimeUse::numbers, "Measurements", color::inks[2]},
           {TimeUse::events, "Input and actions", color::inks[3]},
           {TimeUse::panels, "Panels", color::inks[4]},
           {TimeUse::swap, "Swap", color::inks[7]},
           {TimeUse::other, "Other", color::dim},
           {TimeUse::waiting, "Waiting", color::bar}}};
}

// All times in milliseconds, so that they can be compared.
Message milliseconds_text(double seconds) {
  char number[32];
  std::snprintf(number, sizeof number, "%.2f", 1e3 * seconds);
  return {"{}\u00a0{}{}", std::string(number), Message::value("m"), Message("s")};
}
Message share_text(double share) { return {"{}\u00a0%", number_text(std::round(100 * share), 3)}; }

// The height of the strip in seconds: twice the budget, and more if most frames are longer.
double strip_range(const FrameTimes& times) {
  std::vector<double> durations;
  for (const FrameTime& frame : times.frames()) durations.push_back(frame.duration());
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  double range = 2 * frame_budget;
  while (range < *middle) range *= 2;
  return range;
}

// Returns the frame under the pointer; null: none.
const FrameTime* draw_strip(const Panel& panel, const FrameTimes& times) {
  const Style& style = panel.style;
  const float width = ImGui::GetContentRegionAvail().x, height = style.px(strip_height);
  const ImVec2 from = ImGui::GetCursorScreenPos(), to(from.x + width, from.y + height);
  ImGui::Dummy(ImVec2(width, height));
  const bool has_pointer = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(from, to, color::raised);
  list->PushClipRect(from, to, true);
  const std::int64_t newest = times.frames().back().end;
  const double range = strip_range(times);
  const auto x_of = [&](std::int64_t time) {
    return to.x - width * static_cast<float>(1e-9 * static_cast<double>(newest - time) / FrameTimes::kept_seconds);
  };
  const auto y_of = [&](double seconds) { return to.y - height * static_cast<float>(seconds / range); };
  const auto parts = frame_parts();
  const FrameTime* chosen = nullptr;
  for (const FrameTime& frame : times.frames()) {
    const float left = x_of(frame.begin), right = x_of(frame.end);
    const float pointer = ImGui::GetIO().MousePos.x;
    if (has_pointer && pointer >= left && pointer < right) chosen = &frame;
    double below = 0;
    for (const FramePart& part : parts) {
      const double above = below + frame.seconds[static_cast<std::size_t>(part.use)];
      const float bottom = y_of(below), top = y_of(above);
      below = above;
      if (bottom - top >= 0.25f && bottom > from.y)
        list->AddRectFilled(ImVec2(left, top), ImVec2(right, bottom), part.ink);
    }
    if (frame.gpu_seconds > 0) {
      const float y = y_of(frame.gpu_seconds);
      list->AddRectFilled(ImVec2(left, y - style.px(1)), ImVec2(right, y + style.px(1)), color::text);
    }
  }
  if (chosen) list->AddRect(ImVec2(x_of(chosen->begin), from.y), ImVec2(x_of(chosen->end), to.y), color::text);
  const float budget = std::floor(y_of(frame_budget)) + 0.5f;
  list->AddLine(ImVec2(from.x, budget), ImVec2(to.x, budget), color::text, style.px(1));
  list->PopClipRect();
  return chosen;
}

// A row of the table: the ink of the part, its name, its time and its share.
void draw_time_row(const Style& style, ImU32 ink, const Message& name, double seconds, const Message& last) {
  const float width = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight() + style.px(3);
  const ImVec2 from = ImGui::GetCursorScreenPos(), to(from.x + width, from.y + line);
  ImGui::Dummy(ImVec2(width, line));
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float size = ink ? style.px(swatch_size) : 0, gap = ink ? style.px(7) : 0;
  const float top = std::floor(from.y + 0.5f * (line - size));
  if (ink) list->AddRectFilled(ImVec2(from.x, top), ImVec2(from.x + size, top + size), ink, style.px(2));
  const Message time = milliseconds_text(seconds);
  const float share = to.x - style.px(share_width), left = share - text_size(time).x - style.px(6);
  draw_text_in(list, ImVec2(from.x + size + gap, from.y), ImVec2(left, to.y), color::text, name);
  draw_text_in(list, ImVec2(left, from.y), ImVec2(share, to.y), color::text, time, 1);
  draw_text_in(list, ImVec2(share, from.y), to, color::dim, last, 1);
}

MeanFrameTime only(const FrameTime& frame) {
  MeanFrameTime one{1, frame.duration(), frame.gpu_seconds, frame.seconds, frame.loops};
  std::sort(one.loops.begin(), one.loops.end(),
            [](const LoopTime& a, const LoopTime& b) { return a.seconds > b.seconds; });
  return one;
}

void draw_time_table(const Style& style, const MeanFrameTime& shown) {
  for (const FramePart& part : frame_parts()) {
    const double seconds = std::max(0.0, shown.seconds[static_cast<std::size_t>(part.use)]);
    draw_time_row(style, part.ink, part.name, seconds, share_text(seconds / shown.duration));
  }
  if (shown.gpu_seconds > 0)
    draw_time_row(style, color::text, "Loops on the GPU (line)", shown.gpu_seconds,
                  share_text(shown.gpu_seconds / shown.duration));
  if (shown.loops.empty()) return;
  ImGui::Dummy(ImVec2(0, style.px(4)));
  draw_wrapped("Loops of a frame, and how often each runs");
  for (std::size_t k = 0; k < std::min(max_loops, shown.loops.size()); ++k) {
    const LoopTime& loop = shown.loops[k];
    draw_time_row(style, 0, Message::value(loop.name), loop.seconds,
                  Message("{}\u00d7", number_text(std::round(10 * loop.launches) / 10, 3)));
  }
}

}  // namespace

void draw_frame_times(const Panel& panel) {
  const Style& style = panel.style;
  const FrameTimeController& measurement = panel.session.frame_times();
  const FrameTimes& times = measurement.times();
  bool on = measurement.is_measuring();
  // The part that the switch adds is below it, at the end of the tab: out of sight unless the tab scrolls.
  if (on && times.frames().size() <= frames_to_scroll) ImGui::SetScrollHereY(0);
  heading(style, "Time of a frame");
  if (toggle_row(style, "frame times", "Measure the frames", on)) panel.ask(MeasureFrames{on});
  tooltip(style, "Shows what each frame spends its time on. While this is off, it costs no time.");
  if (times.frames().empty()) {
    if (on) draw_wrapped("No frame has been measured yet.");
    return;
  }
  ImGui::Dummy(ImVec2(0, style.px(2)));
  const FrameTime* chosen = draw_strip(panel, times);
  const MeanFrameTime shown = chosen ? only(*chosen) : times.mean(mean_over);
  ImGui::PushFont(style.small);
  draw_wrapped({"The last 5 s; the line is the budget of 60 frames per second, {}.", milliseconds_text(frame_budget)});
  ImGui::PopFont();
  if (chosen)
    draw_wrapped({"This frame: {}", milliseconds_text(shown.duration)}, color::text);
  else
    draw_wrapped({"Mean of {} frames: {}", static_cast<std::int64_t>(shown.frames), milliseconds_text(shown.duration)},
                 color::text);
  ImGui::PushFont(style.small);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, style.px(1)));
  draw_time_table(style, shown);
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

}  // namespace perturb
