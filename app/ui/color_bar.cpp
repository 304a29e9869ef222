#include "app/ui/color_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/ui/slider_scale.h"
#include "cuda/core/colormap.h"

namespace perturb {

std::vector<double> nice_ticks(double minimum, double maximum, int most) {
  std::vector<double> ticks;
  if (!(maximum > minimum) || !std::isfinite(maximum - minimum) || most < 1) return ticks;
  const double raw = (maximum - minimum) / most, decade = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * decade;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * decade >= raw * (1 - 1e-9)) {
      step = factor * decade;
      break;
    }
  // Counted, not compared: beside a large number a small step is lost to rounding, and the end would never come.
  const double first = std::ceil(minimum / step - 1e-6);
  for (int n = 0; n <= most + 1; ++n) {
    const double tick = (first + n) * step;
    if (tick > maximum + 1e-6 * step) break;
    if (ticks.empty() || tick > ticks.back()) ticks.push_back(tick);
  }
  return ticks;
}

std::string tick_text(double tick, double step) {
  if (std::abs(tick) < 1e-9 * step) return "0";
  char text[40];
  const double size = std::max(std::abs(tick), step);
  if (size >= 1e5 || step < 1e-4) {
    std::snprintf(text, sizeof text, "%.3g", tick);
    return text;
  }
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-6)));
  std::snprintf(text, sizeof text, "%.*f", decimals, tick);
  return text;
}

void draw_color_strip(ImDrawList* list, const std::string& colormap, ImVec2 from, ImVec2 to, bool vertical) {
  const std::vector<Colormap>& all = colormaps();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Colormap& map) { return map.id == colormap; });
  if (found == all.end() || found->colors.empty()) return;
  const std::vector<std::uint32_t>& colors = found->colors;
  // A colour of the table is RGBA with red lowest, as ImGui has it. Steps of two pixels are as fine as the eye asks for.
  const float length = vertical ? to.y - from.y : to.x - from.x;
  const int steps = std::clamp(static_cast<int>(length / 2), 1, static_cast<int>(colors.size()));
  for (int i = 0; i < steps; ++i) {
    const auto index = static_cast<std::size_t>((i + 0.5) / steps * static_cast<double>(colors.size()));
    const float a = std::round(length * static_cast<float>(i) / static_cast<float>(steps));
    const float b = std::round(length * static_cast<float>(i + 1) / static_cast<float>(steps));
    if (vertical)
      list->AddRectFilled(ImVec2(from.x, to.y - b), ImVec2(to.x, to.y - a), colors[index] | 0xFF000000u);
    else
      list->AddRectFilled(ImVec2(from.x + a, from.y), ImVec2(from.x + b, to.y), colors[index] | 0xFF000000u);
  }
}

void draw_color_bar(const Panel& panel) {
  const Style& style = panel.style;
  const ViewSettings view = panel.session.resolved_view();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = style.px(16);
  ImGui::PushFont(style.small);
  const float line = ImGui::GetTextLineHeight();
  ImDrawList* list = ImGui::GetWindowDrawList();
  draw_color_strip(list, view.colormap, at, ImVec2(at.x + width, at.y + height), false);
  const std::vector<double> ticks = nice_ticks(view.minimum, view.maximum, 5);
  for (const double tick : ticks) {
    const auto t = static_cast<float>((tick - view.minimum) / (view.maximum - view.minimum));
    const float x = std::round(at.x + t * (width - 1));
    list->AddRectFilled(ImVec2(x, at.y + height), ImVec2(x + style.px(1), at.y + height + style.px(4)), color::dim);
    const std::string text = tick_text(tick, ticks.size() > 1 ? ticks[1] - ticks[0] : view.maximum - view.minimum);
    const float w = ImGui::CalcTextSize(text.c_str()).x;
    const float left = std::clamp(x - 0.5f * w, at.x, at.x + width - w);
    list->AddText(ImVec2(std::round(left), at.y + height + style.px(6)), color::dim, text.c_str());
  }
  ImGui::PopFont();
  ImGui::Dummy(ImVec2(width, height + style.px(6) + line));
}

void draw_floating_color_bar(const Panel& panel) {
  const Style& style = panel.style;
  const Rect& picture = panel.layout.picture;
  const ViewSettings view = panel.session.resolved_view();
  const Quantity& quantity = panel.session.shown_quantity();
  const float bar_height = style.px(150), bar_width = style.px(10), pad = style.px(10);
  if (picture.height < 2 * bar_height || picture.width < style.px(320)) return;

  ImGui::PushFont(style.small);
  const std::string title = broken(quantity.label + (quantity.unit.empty() ? "" : ", " + quantity.unit), style.px(120));
  const std::vector<double> ticks = nice_ticks(view.minimum, view.maximum, 5);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : view.maximum - view.minimum;
  // As wide as the widest number a bar commonly has, so that an automatic range does not make the box breathe.
  float numbers = ImGui::CalcTextSize("-0.000").x;
  for (const double tick : ticks) numbers = std::max(numbers, ImGui::CalcTextSize(tick_text(tick, step).c_str()).x);
  const float line = ImGui::GetTextLineHeight();
  const float width = std::max(bar_width + style.px(8) + numbers, ImGui::CalcTextSize(title.c_str()).x);
  const ImVec2 to(static_cast<float>(picture.x + picture.width) - style.px(14),
                  static_cast<float>(picture.y + picture.height) - style.px(14));
  const float title_height = ImGui::CalcTextSize(title.c_str()).y;
  const ImVec2 from(to.x - width - 2 * pad, to.y - bar_height - title_height - style.px(10) - 2 * pad);

  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->AddRectFilled(from, to, IM_COL32(14, 17, 21, 190), style.px(6));
  list->AddText(ImVec2(from.x + pad, from.y + pad), color::text, title.c_str());
  const ImVec2 bar(from.x + pad, to.y - pad - bar_height), bar_to(bar.x + bar_width, to.y - pad);
  draw_color_strip(list, view.colormap, bar, bar_to, true);
  for (const double tick : ticks) {
    const auto t = static_cast<float>((tick - view.minimum) / (view.maximum - view.minimum));
    const float y = std::round(bar_to.y - t * (bar_height - 1));
    list->AddRectFilled(ImVec2(bar_to.x, y), ImVec2(bar_to.x + style.px(3), y + style.px(1)), color::text);
    const float text_y = std::clamp(y - 0.5f * line, bar.y - 0.3f * line, bar_to.y - 0.7f * line);
    list->AddText(ImVec2(bar_to.x + style.px(8), std::round(text_y)), color::text, tick_text(tick, step).c_str());
  }
  ImGui::PopFont();
}

}  // namespace perturb
