#include "app/ui/gauges.h"

#include <algorithm>
#include <cmath>

#include "app/ui/slider_scale.h"

namespace perturb {

namespace {
constexpr double near_limit = 0.9;  // of the limit: amber from here on
// The bar spans a little more than the limit, so that the mark stands inside it and a crossing is seen.
constexpr double span = 1.25;
}  // namespace

ImU32 gauge_color(const Gauge& gauge) {
  const double share = gauge.limit != 0 ? gauge.value / gauge.limit : 0;
  if (gauge.only_warns) return share <= 1 ? color::good : color::warning;
  return !(share <= 1) ? color::bad : share >= near_limit ? color::warning : color::good;
}

std::string gauge_advice(const Experiment& experiment, const Gauge& gauge) {
  std::string remedy = gauge.remedy;
  for (const Parameter& p : experiment.info().parameters)
    if (p.id == gauge.remedy) remedy = "Lower \u201c" + p.label + "\u201d.";
  return gauge.help + (remedy.empty() || gauge.help.empty() ? "" : " ") + remedy;
}

void draw_gauges(const Panel& panel) {
  const Style& style = panel.style;
  const std::vector<Gauge> gauges = panel.experiment().simulation().gauges();
  if (gauges.empty()) return;
  heading(style, "Stability");
  for (const Gauge& gauge : gauges) {
    const float width = ImGui::GetContentRegionAvail().x, bar = style.px(6);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float line = ImGui::GetTextLineHeight() + style.px(4);
    ImGui::PushID(gauge.id.c_str());
    ImGui::InvisibleButton("##gauge", ImVec2(width, line + bar + style.px(4)));
    ImGui::PopID();
    tooltip(style, gauge.help);

    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 ink = gauge_color(gauge);
    const std::string numbers =
        number_text(gauge.value, 3) + (gauge.only_warns ? "" : " of " + number_text(gauge.limit, 3));
    const float numbers_width = ImGui::CalcTextSize(numbers.c_str()).x;
    text_in(list, at, ImVec2(at.x + width - numbers_width - style.gap(), at.y + line), color::text, gauge.label);
    text_in(list, ImVec2(at.x + width - numbers_width - 1, at.y), ImVec2(at.x + width, at.y + line),
            ink == color::good ? color::dim : ink, numbers, 1);

    const double share = gauge.limit != 0 && std::isfinite(gauge.value) ? gauge.value / gauge.limit : span;
    const float filled = width * static_cast<float>(std::clamp(share / span, 0.0, 1.0));
    const float mark = std::round(width / static_cast<float>(span));
    const ImVec2 from(at.x, at.y + line), to(at.x + width, at.y + line + bar);
    list->AddRectFilled(from, to, color::raised, 0.5f * bar);
    if (filled > bar) list->AddRectFilled(from, ImVec2(from.x + filled, to.y), ink, 0.5f * bar);
    if (!gauge.only_warns)
      list->AddRectFilled(ImVec2(from.x + mark - style.px(1), from.y - style.px(3)),
                          ImVec2(from.x + mark + style.px(1), to.y + style.px(3)), color::text);
    if (!(share <= 1)) wrapped(gauge_advice(panel.experiment(), gauge), ink);
  }
}

}  // namespace perturb
