#include "app/ui/panels/lane_titles.h"

#include <cmath>
#include <cstdio>
#include <string>

#include "app/i18n/language.h"
#include "app/race/race.h"

namespace perturb {

namespace {

constexpr ImU32 title_fill = IM_COL32(10, 14, 20, 205), title_ink = IM_COL32(244, 246, 250, 255);

std::string time_text(double seconds) {
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

double time_of_lane(const Panel& panel, std::size_t lane) {
  const std::string id = "lane_" + std::to_string(lane + 1) + "_step";
  for (const Scalar& scalar : panel.session.diagnostics_poller().latest().scalars)
    if (scalar.id == id) return scalar.value;
  return no_value;
}

float pad_of(const Style& style) { return style.px(5); }
float margin_of(const Style& style) { return style.px(8); }

bool has_titles(const Panel& panel) {
  const std::vector<Lane>& lanes = panel.run().scene->lanes;
  return !lanes.empty() && panel.layout.lanes == lanes.size();
}

}  // namespace

double lane_titles_height(const Panel& panel) {
  if (!has_titles(panel)) return 0;
  return margin_of(panel.style) + 2 * pad_of(panel.style) + ImGui::GetTextLineHeight();
}

void draw_lane_titles(const Panel& panel) {
  if (!has_titles(panel)) return;
  const std::vector<Lane>& lanes = panel.run().scene->lanes;
  const Style& style = panel.style;
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  const float pad = pad_of(style), margin = margin_of(style);
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const Rect area = panel.layout.lane_rect(k);
    const std::size_t shown = shown_lane(lanes, k);
    const std::string words = shown != k ? tr("{}. Difference of lanes 1 and {}", k + 1, shown + 1)
                                         : tr("{}. {}: {} per step", k + 1, title_of(lanes[k], *panel.run().info),
                                              Message::value(time_text(time_of_lane(panel, k))));
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    const ImVec2 from(std::round(static_cast<float>(area.x)) + margin, std::round(static_cast<float>(area.y)) + margin);
    list->PushClipRect(ImVec2(static_cast<float>(area.x), static_cast<float>(area.y)),
                       ImVec2(static_cast<float>(area.x + area.width), static_cast<float>(area.y + area.height)));
    list->AddRectFilled(from, ImVec2(from.x + size.x + 2 * pad, from.y + size.y + 2 * pad), title_fill, style.px(4));
    list->AddText(ImVec2(from.x + pad, from.y + pad), title_ink, words.c_str());
    list->PopClipRect();
  }
}

}  // namespace perturb
