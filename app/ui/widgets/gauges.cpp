#include "app/ui/widgets/gauges.h"

#include <cmath>

#include "app/i18n/language.h"
#include "app/run/run_text.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/slider_scale.h"

namespace perturb {

namespace {

struct Advice {
  Message text;
  ImU32 ink;
};
std::vector<Advice> current_advice(const Panel& panel) {
  std::vector<Advice> all;
  for (const Gauge& gauge : panel.run().gauges) {
    if (gauge_is_crossed(gauge)) all.push_back({gauge_advice(gauge, panel.run().info->parameters), gauge_color(gauge)});
  }
  return all;
}

}  // namespace

ImU32 gauge_color(const Gauge& gauge) {
  switch (gauge.level()) {
    case Gauge::Level::good:
      return color::good;
    case Gauge::Level::near:
      return color::warning;
    case Gauge::Level::exceeded:
      break;
    case Gauge::Level::unknown:
      return color::dim;
  }
  return color::bad;
}

std::string gauge_numbers(const Gauge& gauge) {
  if (!gauge.measured) return tr("not measured yet");
  // A sign in addition to the colour.
  const std::string sign = gauge.level() == Gauge::Level::good   ? ""
                           : gauge.level() == Gauge::Level::near ? "! "
                                                                 : "!! ";
  const auto shown = [](double number, const std::string& text) {
    return std::isfinite(number) ? Message::value(text) : Message(text);  // "not a number" is translated
  };
  if (gauge.advisory) return sign + tr(shown(gauge.value, number_text(gauge.value, 3)));
  // With enough digits to differ from the limit: a value below it never reads "2 of 2".
  std::string value = number_text(gauge.value, 3), limit = number_text(gauge.limit, 3);
  for (int digits = 4; value == limit && gauge.value != gauge.limit && digits < 8; ++digits) {
    value = number_text(gauge.value, digits);
    limit = number_text(gauge.limit, digits);
  }
  return sign + tr("{0} of {1}", shown(gauge.value, value), limit);
}

float gauge_advice_height(const Panel& panel) {
  const Style& style = panel.style;
  float height = 0;
  ImGui::PushFont(style.small);
  for (const Advice& advice : current_advice(panel))
    height += ImGui::CalcTextSize(wrap_text(advice.text, ImGui::GetContentRegionAvail().x).c_str()).y + style.px(6);
  ImGui::PopFont();
  return height > 0 ? height + style.px(10) : 0;
}

void draw_gauge_advice(const Panel& panel) {
  const Style& style = panel.style;
  separator(style);
  ImGui::PushFont(style.small);
  for (const Advice& advice : current_advice(panel)) draw_wrapped(advice.text, advice.ink);
  ImGui::PopFont();
}

void draw_gauges(const Panel& panel) {
  const Style& style = panel.style;
  const std::vector<Gauge> gauges = panel.run().gauges;
  if (gauges.empty()) return;
  heading(style, "Stability");
  for (const Gauge& gauge : gauges) {
    const float width = ImGui::GetContentRegionAvail().x, bar = style.px(6);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float line = ImGui::GetTextLineHeight() + style.px(4);
    // If name and widest numbers do not fit on one line, the numbers have their own line, whatever their values.
    const float widest =
        text_size(gauge.advisory ? Message::value("! 0000000")
                                 : Message("{0} of {1}", std::string("!! 0.00000"), std::string("0.00")))
            .x;
    const bool tall = text_size(gauge.label).x + style.gap() + widest > width;
    const float below = tall ? line - style.px(3) : 0;
    ImGui::PushID(gauge.id.c_str());
    press_area("##gauge", ImVec2(width, line + below + bar + style.px(4)));
    ImGui::PopID();
    tooltip(style, gauge_advice(gauge, panel.run().info->parameters));

    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 ink = gauge_color(gauge);
    const Message numbers = Message::value(gauge_numbers(gauge));
    const float numbers_width = text_size(numbers).x;
    const float label_width = tall ? width : width - numbers_width - style.gap();
    draw_text_in(list, at, ImVec2(at.x + label_width, at.y + line), color::text, gauge.label);
    draw_text_in(list, ImVec2(at.x + width - numbers_width - 1, at.y + below),
                 ImVec2(at.x + width, at.y + below + line), ink == color::good ? color::dim : ink, numbers, 1);

    const float filled = width * static_cast<float>(gauge_share(gauge) / gauge_span);
    const float mark = std::round(width / static_cast<float>(gauge_span));
    const ImVec2 from(at.x, at.y + below + line), to(at.x + width, at.y + below + line + bar);
    list->AddRectFilled(from, to, color::raised, 0.5f * bar);
    if (filled > bar) list->AddRectFilled(from, ImVec2(from.x + filled, to.y), ink, 0.5f * bar);
    if (!gauge.advisory)
      list->AddRectFilled(ImVec2(from.x + mark - style.px(1), from.y - style.px(3)),
                          ImVec2(from.x + mark + style.px(1), to.y + style.px(3)), color::text);
  }
  separator(style);
}

}  // namespace perturb
