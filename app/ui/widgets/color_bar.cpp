#include "app/ui/widgets/color_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/run/ticks.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/panels/panel_states.h"
#include "app/ui/widgets/slider_scale.h"
#include "cuda/core/paint/colormap.h"

namespace perturb {

namespace {

constexpr int strip_slack = 2, strip_jump = 24;  // of a channel's 255

// Whether the table's colours between two indices are close to a linear blend of the two ends.
bool is_straight(const std::vector<std::uint32_t>& colors, int first, int last) {
  const auto channel = [&](int index, int shift) {
    return static_cast<int>(colors[static_cast<std::size_t>(index)] >> shift & 0xFF);
  };
  for (const int shift : {0, 8, 16}) {
    const int a = channel(first, shift), b = channel(last, shift);
    if (last == first + 1 && std::abs(b - a) > strip_jump) return false;
    for (int i = first + 1; i < last; ++i)
      if (std::abs((last - first) * (channel(i, shift) - a) - (i - first) * (b - a)) > strip_slack * (last - first))
        return false;
  }
  return true;
}

// Part of the table between two indices, and the colours at its ends.
struct StripPart {
  int first, end;
  ImU32 low, high;
};

// As few parts as look the same as the table: in each, the colours are close to a linear blend.
std::vector<StripPart> parts_of(const std::vector<std::uint32_t>& colors) {
  std::vector<StripPart> parts;
  const auto count = static_cast<int>(colors.size());
  // A colour of the table is RGBA with red in the lowest byte, as in ImGui.
  const auto color = [&](int index) { return colors[static_cast<std::size_t>(index)] | 0xFF000000u; };
  for (int first = 0; first < count;) {
    int end = first + 1;
    while (end < count && is_straight(colors, first, end)) ++end;
    // The next part starts with the last colour of this one, unless the table jumps there.
    const bool jumps = end == count || !is_straight(colors, end - 1, end);
    parts.push_back({first, end, color(first), color(jumps ? end - 1 : end)});
    first = end;
  }
  return parts;
}

}  // namespace

void draw_color_strip(ImDrawList* list, const std::string& colormap, ImVec2 from, ImVec2 to, bool vertical) {
  const Colormap& map = find_colormap(colormap);
  static std::map<const Colormap*, std::vector<StripPart>> kept;  // maps live as long as the program
  std::vector<StripPart>& parts = kept[&map];
  if (parts.empty()) parts = parts_of(map.colors);
  const auto count = static_cast<float>(map.colors.size());
  const float length = vertical ? to.y - from.y : to.x - from.x;
  for (const StripPart& part : parts) {
    const float a = std::round(length * static_cast<float>(part.first) / count);
    const float b = std::round(length * static_cast<float>(part.end) / count);
    if (vertical)
      list->AddRectFilledMultiColor(ImVec2(from.x, to.y - b), ImVec2(to.x, to.y - a), part.high, part.high, part.low,
                                    part.low);
    else
      list->AddRectFilledMultiColor(ImVec2(from.x + a, from.y), ImVec2(from.x + b, to.y), part.low, part.high,
                                    part.high, part.low);
  }
}

namespace {

DisplayUnit unit_of_colors(const Panel& panel) {
  const Quantity& quantity = panel.session.view().quantity();
  return panel.shown_unit(quantity.unit, quantity.id);
}

// The view with its range in the displayed unit.
ViewSettings shown_view(const Panel& panel) {
  ViewSettings view = panel.session.view().resolved();
  const double factor = unit_of_colors(panel).factor;
  view.minimum *= factor;
  view.maximum *= factor;
  return view;
}

}  // namespace

void draw_color_bar(const Panel& panel) {
  const Style& style = panel.style;
  const ViewSettings view = shown_view(panel);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = style.px(16);
  ImGui::PushFont(style.small);
  const float line = ImGui::GetTextLineHeight();
  ImDrawList* list = ImGui::GetWindowDrawList();
  draw_color_strip(list, view.colormap, at, ImVec2(at.x + width, at.y + height), false);
  const Axis axis = make_axis(view.minimum, view.maximum, false, 5);
  float free = at.x;  // prevents labels from overlapping
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    const auto t = static_cast<float>((axis.ticks[i] - view.minimum) / (view.maximum - view.minimum));
    const float x = std::round(at.x + t * (width - 1));
    list->AddRectFilled(ImVec2(x, at.y + height), ImVec2(x + style.px(1), at.y + height + style.px(4)), color::dim);
    const std::string& text = axis.labels.texts[i];
    const float w = ImGui::CalcTextSize(text.c_str()).x;
    const float left = std::clamp(x - 0.5f * w, at.x, std::max(at.x, at.x + width - w));
    if (left < free) continue;
    list->AddText(ImVec2(std::round(left), at.y + height + style.px(6)), color::dim, text.c_str());
    free = left + w + style.px(6);
  }
  float below = height + style.px(6) + line;
  if (!axis.labels.are_values()) {
    draw_text_in(list, ImVec2(at.x, at.y + below), ImVec2(at.x + width, at.y + below + line), color::dim,
                 axis_title({}, axis.labels), 1);
    below += line;
  }
  ImGui::PopFont();
  ImGui::Dummy(ImVec2(width, below));
}

namespace {

// The bar over the view: its labels and its position.
struct FloatingBar {
  std::string title;
  Axis axis;
  ImVec2 from, to;
  float bar_height = 0, title_height = 0;
};

// Measured with the small font, which must be pushed.
std::optional<FloatingBar> floating_bar(const Panel& panel) {
  const Style& style = panel.style;
  const Rect view_rect = visible_view_rect(panel);
  const float pad = style.px(10), margin = style.px(14), line = ImGui::GetTextLineHeight();
  if (!panel.interface().color_bar || view_rect.width < style.px(300)) return std::nullopt;
  const ViewSettings view = shown_view(panel);
  const Quantity& quantity = panel.session.view().quantity();
  FloatingBar bar;
  bar.axis = make_axis(view.minimum, view.maximum, false, 5);
  bar.title = wrap_text(name_with_unit(quantity.label, unit_of_colors(panel).text), style.px(120));
  if (const Message over =
          layer_text(panel.session.display_units(), *panel.run().info, panel.session.view().resolved());
      !over.empty())
    bar.title += "\n" + wrap_text(over, style.px(120));
  if (!bar.axis.labels.are_values()) bar.title += "\n" + wrap_text(axis_title({}, bar.axis.labels), style.px(120));
  bar.title_height = ImGui::CalcTextSize(bar.title.c_str()).y;
  const float around = bar.title_height + style.px(10) + 2 * pad + 2 * margin;
  bar.bar_height = std::min(style.px(150), static_cast<float>(view_rect.height) - around);
  if (bar.bar_height < style.px(60)) return std::nullopt;
  // Few numbers on a short bar; none on another.
  const int max_ticks = std::clamp(static_cast<int>(bar.bar_height / (1.6f * line)), 1, 5);
  if (max_ticks < 5) {
    Axis coarse = make_axis(view.minimum, view.maximum, false, max_ticks);
    if (coarse.ticks.size() > 1 && coarse.labels.factor == bar.axis.labels.factor &&
        coarse.labels.reference == bar.axis.labels.reference)
      bar.axis = std::move(coarse);
  }
  // As wide as the widest number that is common on a bar, so that the width does not change with an automatic range.
  float numbers = ImGui::CalcTextSize("-0.000").x;
  for (const std::string& text : bar.axis.labels.texts)
    numbers = std::max(numbers, ImGui::CalcTextSize(text.c_str()).x);
  const float width = std::max(style.px(18) + numbers, ImGui::CalcTextSize(bar.title.c_str()).x);
  const ImVec2 size(width + 2 * pad, bar.bar_height + bar.title_height + style.px(10) + 2 * pad);
  const auto place = [&](double from, double length, float own, double share) {
    const double room = std::max(0.0, length - own - 2 * margin);
    return std::round(static_cast<float>(from + length - margin - own - (1 - share) * room));
  };
  bar.from = ImVec2(place(view_rect.x, view_rect.width, size.x, panel.states.color_bar.across),
                    place(view_rect.y, view_rect.height, size.y, panel.states.color_bar.down));
  bar.to = ImVec2(bar.from.x + size.x, bar.from.y + size.y);
  return bar;
}

}  // namespace

Rect floating_color_bar_rect(const Panel& panel) {
  ImGui::PushFont(panel.style.small);
  const std::optional<FloatingBar> bar = floating_bar(panel);
  ImGui::PopFont();
  if (!bar) return {};
  return {bar->from.x, bar->from.y, bar->to.x - bar->from.x, bar->to.y - bar->from.y};
}

namespace {

// Moves the bar where it is dragged, within the view; the tool does not act below it meanwhile.
void move_color_bar(const Panel& panel, FloatingBox& state, const Rect& box) {
  const ImGuiIO& io = ImGui::GetIO();
  panel.areas.add(box);
  if (!io.MouseDown[0]) state.is_dragged = false;
  if (ImGui::IsMouseClicked(0) && box.contains(io.MousePos.x, io.MousePos.y) && !io.WantCaptureMouse)
    state.is_dragged = true;
  if (!state.is_dragged) return;
  const Rect view_rect = visible_view_rect(panel);
  const double margin = panel.style.px(14), across = view_rect.width - box.width - 2 * margin,
               down = view_rect.height - box.height - 2 * margin;
  if (across > 0) state.across = std::clamp(state.across + io.MouseDelta.x / across, 0.0, 1.0);
  if (down > 0) state.down = std::clamp(state.down + io.MouseDelta.y / down, 0.0, 1.0);
}

}  // namespace

void draw_floating_color_bar(const Panel& panel, FloatingBox& state) {
  const Style& style = panel.style;
  if (const Rect box = floating_color_bar_rect(panel); box.width > 0) move_color_bar(panel, state, box);
  ImGui::PushFont(style.small);
  if (const std::optional<FloatingBar> box = floating_bar(panel)) {
    const ViewSettings view = shown_view(panel);
    const float bar_width = style.px(10), pad = style.px(10), line = ImGui::GetTextLineHeight();
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->AddRectFilled(box->from, box->to, color::overlay_fill, style.px(6));
    list->AddText(ImVec2(box->from.x + pad, box->from.y + pad), color::text, box->title.c_str());
    const ImVec2 bar(box->from.x + pad, box->to.y - pad - box->bar_height), bar_to(bar.x + bar_width, box->to.y - pad);
    draw_color_strip(list, view.colormap, bar, bar_to, true);
    for (std::size_t i = 0; i < box->axis.ticks.size(); ++i) {
      const auto t = static_cast<float>((box->axis.ticks[i] - view.minimum) / (view.maximum - view.minimum));
      const float y = std::round(bar_to.y - t * (box->bar_height - 1));
      list->AddRectFilled(ImVec2(bar_to.x, y), ImVec2(bar_to.x + style.px(3), y + style.px(1)), color::text);
      const float text_y =
          std::clamp(y - 0.5f * line, bar.y - 0.3f * line, std::max(bar.y - 0.3f * line, bar_to.y - 0.7f * line));
      list->AddText(ImVec2(bar_to.x + style.px(8), std::round(text_y)), color::text, box->axis.labels.texts[i].c_str());
    }
  }
  ImGui::PopFont();
}

}  // namespace perturb
