#include "app/ui/panels/status_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "app/i18n/language.h"
#include "app/instruments/instruments.h"
#include "app/run/run_text.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/panels/view_overlays.h"
#include "app/ui/widgets/gauges.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/slider_scale.h"

namespace perturb {

namespace {

std::string rate_text(double rate) {
  if (!(rate > 0)) return "\u2013";
  char text[40];
  if (rate < 1e5) return grouped(std::llround(rate));
  std::snprintf(text, sizeof text, rate < 1e6 ? "%.0f\u00a0k" : "%.2f\u00a0M", rate < 1e6 ? rate / 1e3 : rate / 1e6);
  return text;
}

std::string duration_text(const Rates& rates) {
  if (!(rates.seconds_per_step > 0)) return "\u2013";
  char text[40];
  const double s = rates.seconds_per_step;
  if (s < 1)
    std::snprintf(text, sizeof text, s < 1e-3 ? "%.1f\u00a0\u00b5s" : "%.2f\u00a0ms", s < 1e-3 ? s * 1e6 : s * 1e3);
  else
    std::snprintf(text, sizeof text, "%.2f\u00a0s", s);
  // Queued steps are asynchronous, so this is only an upper bound of their duration.
  return (rates.is_bound ? "< " : "") + std::string(text);
}

}  // namespace

void draw_status_bar(const Panel& panel) {
  const Style& style = panel.style;
  const Session& session = panel.session;
  const Backend& backend = panel.session.backend();
  const Rect& rect = panel.layout.status;
  const ImVec2 from(static_cast<float>(rect.x), static_cast<float>(rect.y));
  const ImVec2 size(static_cast<float>(rect.width), static_cast<float>(rect.height));
  ImGui::SetNextWindowPos(from);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::background);
  ImGui::Begin("##status", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse |
                   ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar(2);
  ImGui::PushFont(style.small);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(from, ImVec2(from.x + size.x, from.y + style.px(1)), color::line);

  struct Cell {
    Message text, widest;  // width of the cell: the numbers in it change, but its neighbours do not move
    float align;
    Message help;
    ImU32 ink = color::dim;
    bool warns = false;
  };
  std::vector<Cell> cells;
  const auto cell = [&](const Message& text, const Message& widest, float align, const Message& help,
                        ImU32 ink = color::dim) {
    cells.push_back({text, widest, align, help, ink, false});
  };

  const Message threads(backend.threads() == 1 ? "{} thread" : "{} threads", backend.threads());
  const std::string& name = backend.device_name();
  const Message device = backend.is_cuda() ? Message("CUDA: {}", name) : Message("CPU, {}", threads);
  const Message device_help = backend.is_cuda() ? Message("The physics runs on this GPU: {}", name)
                              : session.run().runs_on_cpu
                                  ? Message(
                                        "The physics runs on the CPU: {}, {}. This scene is so small that a GPU "
                                        "would be slower.",
                                        name, threads)
                                  : Message("The physics runs on the CPU: {}, {}", name, threads);
  const bool long_name = text_size(device).x > style.px(210);
  const Message shown_device = !long_name ? device : backend.is_cuda() ? "CUDA" : "CPU";
  cell(shown_device, shown_device, 0, device_help, color::text);
  const Rates& rates = session.playback().rates();
  char fps[24];
  std::snprintf(fps, sizeof fps, "%.0f", rates.frames_per_second);
  const auto numbers = [&](const char* format, const std::string& value, const std::string& widest,
                           const Message& help) {
    cell({format, value}, {format, widest}, 1, help);
  };
  numbers("{} fps", rates.frames_per_second > 0 ? fps : "\u2013", "000", "Frames drawn per second");
  numbers("{} steps/s reached", rate_text(rates.steps_per_second), "00\u00a0000",
          "Steps per second that the run reaches. The bar above shows the chosen speed.");
  numbers("{} per step", duration_text(rates), "< 000.0\u00a0\u00b5s",
          rates.is_bound ? "Upper limit for the time of a step. Steps are queued on the GPU and not timed one by one."
                         : "Time per step");
  if (!panel.display.path.empty())
    cell(panel.display.path, panel.display.path, 0,
         "How the image reaches the screen. interop: CUDA writes into OpenGL's buffer. host-mapped: the CPU writes "
         "into it. staged: copied through pinned memory.");

  // A gauge near its limit is shown here even if its tab is closed.
  for (const Gauge& gauge : panel.run().gauges) {
    const ImU32 ink = gauge_color(gauge);
    if (ink == color::good || !gauge.measured) continue;
    const Message text("{} {}", Message(gauge.label), gauge_numbers(gauge));
    cell(text, text, 0, gauge_advice(gauge, panel.run().info->parameters), ink);
    cells.back().warns = true;
  }

  // The value under the pointer is at the right; messages use the space between, or their own box.
  const float left = from.x + style.px(14), end = from.x + size.x - style.px(14), gap = style.px(18);
  float right = end;
  if (session.pointer().in_domain()) {
    char at[96];
    const DisplayUnit unit = panel.shown_unit(length_unit_of(session.info()));
    std::snprintf(at, sizeof at, "(%.1f, %.1f)", unit.factor * session.pointer().position().x,
                  unit.factor * session.pointer().position().y);
    const Message place = value_with_unit(at, unit.text);
    const Message value = in_display_units(session.display_units(), session.pointer().value());
    const Message text = value.empty() ? place : Message("{}  at {}", value, place);
    const float actual = text_size(text).x;
    const Message widest("{}  at {}", std::string("-0.00000 units"), value_with_unit("(0000.0, 0000.0)", unit.text));
    float width = std::max(text_size(widest).x, actual);
    if (width > 0.5f * size.x) width = actual;
    if (right - width > left) {
      draw_text_in(list, ImVec2(right - width, from.y), ImVec2(right, from.y + size.y), color::text, text, 1);
      right -= width + gap;
    }
  }

  float x = left;
  const auto item = [&](const Cell& one, float width, int id) {
    ImGui::SetCursorScreenPos(ImVec2(x, from.y));
    ImGui::PushID(id);
    press_area("##cell", ImVec2(width, size.y));
    ImGui::PopID();
    ImGui::PushFont(style.body);
    tooltip(style, one.help);
    ImGui::PopFont();
    draw_text_in(list, ImVec2(x, from.y), ImVec2(x + width, from.y + size.y), one.ink, one.text, one.align);
    x += width + gap;
  };
  const auto width_of = [&](const Cell& one) {
    return std::max({text_size(one.widest).x, text_size(one.text).x, style.px(10)}) + style.px(2);
  };
  // Errors, and messages that offer a folder, have their own box with buttons.
  const bool has_message_box = !panel.session.message().text.empty() &&
                               (panel.session.message().is_error || !panel.session.message().folder.empty());
  const bool passing = !panel.session.message().text.empty() && !has_message_box;
  const Message note = passing ? panel.session.message().text : panel.display.notes;
  const float message_width = text_size(note).x + style.px(2);
  const float lasting = !note.empty() && !passing ? gap + message_width : 0;

  // Three dots replace cells that do not fit; a warning is always shown.
  const float dots = style.px(16);
  float all = -gap;
  for (const Cell& one : cells) all += width_of(one) + gap;
  if (x + all > right) std::stable_partition(cells.begin(), cells.end(), [](const Cell& one) { return one.warns; });
  Message rest;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    float others = 0;
    for (std::size_t j = i; j < cells.size(); ++j) others += width_of(cells[j]) + (j > i ? gap : 0);
    if (rest.empty() && (x + others + lasting <= right || x + width_of(cells[i]) + gap + dots <= right)) {
      item(cells[i], width_of(cells[i]), static_cast<int>(i));
      continue;
    }
    rest = stacked(rest, cells[i].text);
  }

  const bool inline_message = !note.empty() && rest.empty() && x + message_width <= right;
  if (inline_message) {
    draw_text_in(list, ImVec2(x, from.y), ImVec2(x + message_width, from.y + size.y),
                 passing ? color::accent_bright : color::faint, note);
  } else if (!note.empty() && !passing) {
    rest = stacked(rest, note);
  }
  if (!rest.empty() && x + dots <= end) {
    ImGui::SetCursorScreenPos(ImVec2(x, from.y));
    press_area("##rest", ImVec2(dots, size.y));
    ImGui::PushFont(style.body);
    tooltip(style, rest);
    ImGui::PopFont();
    draw_icon(list, Icon::more, ImVec2(x + 0.5f * dots, from.y + 0.5f * size.y), dots, color::dim);
  }
  ImGui::PopFont();
  ImGui::End();
  ImGui::PopStyleColor();
  if (has_message_box || (passing && !inline_message)) draw_message(panel);
}

}  // namespace perturb
