#include "app/ui/panels/tool_panel.h"

#include <algorithm>
#include <cmath>

#include "app/i18n/language.h"
#include "app/session/input_events.h"
#include "app/ui/panels/object_panel.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/value_row.h"

namespace perturb {

namespace {
// Actions of the tool, and of the wheel with it.
Message help_of(const Tool& tool) {
  const bool sized = !tool.wheel && std::any_of(tool.brush.begin(), tool.brush.end(),
                                                [](const ValueInfo& field) { return field.id == "radius"; });
  return sized && !tool.help.empty() ? Message(tool.help) + "Ctrl + wheel: change the radius." : Message(tool.help);
}

// Height of the help text and, with `rows`, of the settings below the buttons.
float settings_height(const Style& style, const Tool& tool, float width, bool rows) {
  const float spacing = ImGui::GetStyle().ItemSpacing.y;
  float height = 0;
  if (!tool.help.empty()) {
    ImGui::PushFont(style.small);
    height += ImGui::CalcTextSize(wrap_text(help_of(tool), width).c_str()).y + spacing;
    ImGui::PopFont();
  }
  if (!rows) return height;
  for (const ValueInfo& field : tool.brush) height += value_row_height(style, field, false, width) + spacing;
  return height;
}

// Widths for buttons whose names differ much in length: rows are filled as far as possible, and stretched to the width
// of the panel.
std::vector<float> packed_widths(const Style& style, const std::vector<Tool>& tools, float available, float gap) {
  std::vector<float> widths;
  std::size_t row = 0;  // index of the first button of the row
  float taken = -gap;
  const auto fill = [&](std::size_t end) {
    const float more = (available - taken) / static_cast<float>(std::max<std::size_t>(1, end - row));
    for (std::size_t k = row; k < end; ++k) widths[k] = std::floor(widths[k] + more);
  };
  for (std::size_t k = 0; k < tools.size(); ++k) {
    const float width = std::min(text_size(tools[k].label).x + style.px(24), available);
    if (k > row && taken + gap + width > available) {
      fill(k);
      row = k;
      taken = -gap;
    }
    widths.push_back(width);
    taken += gap + width;
  }
  fill(tools.size());
  return widths;
}

// The simple view leaves the space to the scene's controls; Ctrl and the wheel still change the radius.
bool has_rows(const Panel& panel) { return !panel.interface().preferences.simple || panel.session.lesson(); }

}  // namespace

void draw_tool_buttons(const Panel& panel) {
  const Style& style = panel.style;
  const std::vector<Tool>& tools = panel.run().info->tools;
  if (tools.empty()) return;
  heading(style, "Tool");
  draw_add_object(panel);

  // As many buttons per row as all names allow, all of the same width. If that is one, each row takes as many as its
  // names allow.
  const float available = ImGui::GetContentRegionAvail().x, gap = style.px(6);
  float widest = 0;
  for (const Tool& tool : tools) widest = std::max(widest, text_size(tool.label).x + style.px(24));
  const int count = static_cast<int>(tools.size());
  int columns = std::clamp(static_cast<int>((available + gap) / (widest + gap)), 1, count);
  columns =
      (count + (count + columns - 1) / columns - 1) / ((count + columns - 1) / columns);  // rows of similar length
  const float even = std::floor((available - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  const std::vector<float> widths = columns > 1 ? std::vector<float>() : packed_widths(style, tools, available, gap);
  float left = available;
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int i = 0; i < count; ++i) {
    const Tool& tool = tools[static_cast<std::size_t>(i)];
    const float width = widths.empty() ? even : widths[static_cast<std::size_t>(i)];
    const bool begins = i == 0 || (widths.empty() ? i % columns == 0 : width > left + 0.5f);
    if (!begins) ImGui::SameLine(0, gap);
    left = (begins ? available : left) - width - gap;
    const ImVec2 at = ImGui::GetCursorScreenPos(), to(at.x + width, at.y + style.row());
    ImGui::PushID(tool.id.c_str());
    const bool is_open = panel.session.lessons().tool_is_open(tool.id);
    if (!is_open) ImGui::BeginDisabled();
    if (press_area("##tool", ImVec2(width, style.row()))) panel.ask(ChooseTool{tool.id});
    if (!is_open) ImGui::EndDisabled();
    ImGui::PopID();
    const bool on = tool.id == panel.session.tools().tool(), hovered = ImGui::IsItemHovered();
    list->AddRectFilled(at, to, on ? color::accent : hovered ? color::hovered : color::raised, style.px(5));
    draw_text_in(list, ImVec2(at.x + style.px(6), at.y), ImVec2(to.x - style.px(6), to.y),
                 on        ? color::on_accent
                 : is_open ? color::text
                           : color::faint,
                 tool.label, 0.5f);
    Message words = help_of(tool);
    if (i < 9) words = stacked(words, {"Key {}", i + 1});
    if (!tool.key.empty())
      words = stacked(words, {"Use it at the pointer with any tool selected: {}", shown_chord(tool.key)});
    tooltip(style, words);
  }
}

float tool_settings_height(const Panel& panel) {
  float height = 0;
  for (const Tool& tool : panel.run().info->tools)
    height = std::max(height, settings_height(panel.style, tool, ImGui::GetContentRegionAvail().x, has_rows(panel)));
  return height;
}

void draw_tool_settings(const Panel& panel) {
  const std::vector<Tool>& tools = panel.run().info->tools;
  const auto current = std::find_if(tools.begin(), tools.end(),
                                    [&](const Tool& tool) { return tool.id == panel.session.tools().tool(); });
  if (current == tools.end()) return;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float height = tool_settings_height(panel);
  if (!current->help.empty()) {
    ImGui::PushFont(panel.style.small);
    draw_wrapped(help_of(*current));
    ImGui::PopFont();
  }
  const std::map<std::string, double> brush = panel.session.tools().brush_of(current->id);
  for (const ValueInfo& field : has_rows(panel) ? current->brush : std::vector<ValueInfo>()) {
    ValueRow row;
    row.key = "brush/" + current->id + "/" + field.id;
    row.value = brush.at(field.id);
    row.default_value = panel.session.tools().default_of(field);
    if (const auto value = panel.value_row(field, row)) panel.ask(ChangeBrush{current->id, field.id, *value});
  }
  const float rest = start.y + height - ImGui::GetCursorScreenPos().y;
  if (rest > 0) ImGui::Dummy(ImVec2(0, rest - ImGui::GetStyle().ItemSpacing.y));
}

}  // namespace perturb
