#include "app/ui/panels/lane_titles.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "app/i18n/language.h"
#include "app/race/race.h"
#include "app/run/display_units.h"
#include "app/ui/widgets/slider_scale.h"

namespace perturb {

namespace {

constexpr ImU32 title_fill = IM_COL32(10, 14, 20, 205), title_ink = IM_COL32(244, 246, 250, 255);

std::string step_time_text(double seconds) {
  if (!(seconds > 0)) return "\u2013";
  char text[40];
  if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.1f\u00a0\u00b5s", seconds * 1e6);
  else if (seconds < 1)
    std::snprintf(text, sizeof text, "%.2f\u00a0ms", seconds * 1e3);
  else
    std::snprintf(text, sizeof text, "%.2f\u00a0s", seconds);
  return text;
}

// A number of a lane (from 0): "step", "steps", "time" or "speed".
double number_of_lane(const Panel& panel, std::size_t lane, const char* number) {
  const std::string id = "lane_" + std::to_string(lane + 1) + "_" + number;
  for (const Scalar& scalar : panel.session.diagnostics_poller().latest().scalars)
    if (scalar.id == id) return scalar.value;
  return no_value;
}

// Relative speeds closer to 1 than this are noise.
constexpr double equal_speed = 0.02;

// Of a race by time: how far a lane is, and how fast compared with the first, once that is known.
struct Progress {
  Message text;
  double share = 0;  // of the steps of the lane that is ahead
};

Progress progress_of(const Panel& panel, std::size_t lane) {
  const double steps = number_of_lane(panel, lane, "steps"), time = number_of_lane(panel, lane, "time"),
               first = number_of_lane(panel, 0, "steps");
  if (!has_value(steps) || !has_value(first)) return {};
  double most = steps;
  for (std::size_t k = 0; k < panel.run().scene->lanes.size(); ++k)
    if (const double other = number_of_lane(panel, k, "steps"); has_value(other)) most = std::max(most, other);
  Progress progress{{"{} steps, {}", Message::value(grouped(static_cast<long long>(steps))),
                     time_text(panel.session.display_units(), panel.session.info(), time, true)},
                    most > 0 ? steps / most : 0};
  if (lane == 0) return progress;
  // On the whole, as the bar shows it.
  const double speed = first > 0 ? steps / first : no_value;
  if (!has_value(number_of_lane(panel, lane, "speed")) || !has_value(speed))
    progress.text = Message("{}: measuring", progress.text);
  else if (std::abs(speed - 1) <= equal_speed)
    progress.text = Message("{}: as fast as lane 1", progress.text);
  else
    progress.text =
        Message("{}: {} times as fast", progress.text, Message::value(number_text(std::round(100 * speed) / 100, 3)));
  return progress;
}

float pad_of(const Style& style) { return style.px(5); }
float margin_of(const Style& style) { return style.px(8); }
float bar_height(const Style& style) { return style.px(5); }

bool has_titles(const Panel& panel) {
  const std::vector<Lane>& lanes = panel.run().scene->lanes;
  return !lanes.empty() && panel.layout.lanes == lanes.size();
}

}  // namespace

double lane_titles_height(const Panel& panel) {
  if (!has_titles(panel)) return 0;
  const float line = panel.style.body->FontSize, pad = pad_of(panel.style);
  const float progress = panel.run().scene->race_by_time ? line + pad + bar_height(panel.style) : 0;
  return margin_of(panel.style) + 2 * pad + line + progress;
}

void draw_lane_titles(const Panel& panel) {
  if (!has_titles(panel)) return;
  const std::vector<Lane>& lanes = panel.run().scene->lanes;
  const Style& style = panel.style;
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  const float pad = pad_of(style), margin = margin_of(style), line = style.body->FontSize;
  const bool by_time = panel.run().scene->race_by_time;
  ImGui::PushFont(style.body);
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const Rect area = panel.layout.lane_rect(k);
    const std::size_t shown = shown_lane(lanes, k);
    const bool is_difference = shown != k || (by_time && k > 0 && lanes[k].shows_difference);
    Message title("{}. {}: {} per step", k + 1, title_of(lanes[k], *panel.run().info),
                  Message::value(step_time_text(number_of_lane(panel, k, "step"))));
    if (is_difference) title = {"{}. Difference of lanes 1 and {}", k + 1, shown + 1};
    Progress progress;
    if (by_time && is_difference)
      progress.text = "Not shown by time: the lanes are at different steps.";
    else if (by_time)
      progress = progress_of(panel, k);
    const std::string words = tr(progress.text.empty() ? title : stacked(title, progress.text));
    ImVec2 size = ImGui::CalcTextSize(words.c_str());
    const float whole = static_cast<float>(area.width) - 2 * (margin + pad);  // of the bar of the lane that is ahead
    if (progress.share > 0) size = {std::max(size.x, whole), size.y + pad + bar_height(style)};
    const ImVec2 from(std::round(static_cast<float>(area.x)) + margin, std::round(static_cast<float>(area.y)) + margin);
    list->PushClipRect(ImVec2(static_cast<float>(area.x), static_cast<float>(area.y)),
                       ImVec2(static_cast<float>(area.x + area.width), static_cast<float>(area.y + area.height)));
    list->AddRectFilled(from, ImVec2(from.x + size.x + 2 * pad, from.y + size.y + 2 * pad), title_fill, style.px(4));
    list->AddText(ImVec2(from.x + pad, from.y + pad), title_ink, words.c_str());
    if (progress.share > 0) {
      const ImVec2 bar(from.x + pad, from.y + 2 * pad + 2 * line);
      const float end = bar.x + std::max(0.0f, whole * static_cast<float>(progress.share));
      list->AddRectFilled(bar, ImVec2(end, bar.y + bar_height(style)), color::accent, style.px(2));
    }
    list->PopClipRect();
  }
  ImGui::PopFont();
}

}  // namespace perturb
