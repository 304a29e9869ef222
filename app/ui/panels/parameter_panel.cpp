#include "app/ui/panels/parameter_panel.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/i18n/language.h"
#include "app/run/run_text.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/slider_scale.h"
#include "app/ui/widgets/value_row.h"

namespace perturb {

std::optional<double> draw_parameter_row(const Panel& panel, std::size_t index) {
  const Parameter& p = panel.run().info->parameters[index];
  ValueRow row;
  row.key = p.id;
  row.value = panel.run().parameters[index];
  row.default_value = panel.session.parameters().default_of(p);
  row.restarts = p.apply == Apply::restart;
  row.error_text = with_scale(panel.session.parameters().error_of(p.id), p.unit, panel.shown_unit(p.unit, p.id));
  row.enabled = panel.session.lessons().parameter_is_open(p.id);
  return panel.value_row(p, row);
}

void draw_parameter_heading(const Panel& panel, const Message& text) {
  const Style& style = panel.style;
  const std::vector<Parameter>& table = panel.run().info->parameters;
  bool changed = false;
  for (std::size_t k = 0; k < table.size(); ++k)
    changed = changed || panel.run().parameters[k] != panel.session.parameters().default_of(table[k]);
  heading(style, text);
  const std::string words = tr("Reset all");
  ImGui::PushFont(style.small);
  const float width = ImGui::CalcTextSize(words.c_str()).x;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  ImGui::SameLine(right - width);
  if (!changed) ImGui::BeginDisabled();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (press_area("##reset all", ImVec2(width, ImGui::GetTextLineHeight() + style.px(2))))
    panel.ask(CommandId::reset_parameters);
  ImGui::GetWindowDrawList()->AddText(at,
                                      !changed                 ? color::faint
                                      : ImGui::IsItemHovered() ? color::accent_bright
                                                               : color::accent,
                                      words.c_str());
  if (!changed) ImGui::EndDisabled();
  ImGui::PopFont();
}

void draw_count_row(const Panel& panel) {
  const Scene& scene = *panel.run().scene;
  const SceneCount& count = scene.count;
  if (count.label.empty() || count.preset <= 0 || panel.session.lesson()) return;
  ValueInfo info;
  info.id = "scene-count", info.label = count.label;
  info.help = "The duration of a step grows with the square of this number.";
  info.kind = ValueKind::integer;
  info.minimum = 1, info.maximum = std::max(count.preset, scene.setup.width), info.initial = count.preset;
  ValueRow row;
  row.key = info.id;
  row.value = scene.setup.width, row.default_value = count.preset;
  row.restarts = true;
  if (const auto value = panel.value_row(info, row)) panel.ask(ChangeCount{static_cast<int>(std::lround(*value))});
}

void draw_count_offer(const Panel& panel) {
  const Scene& scene = *panel.run().scene;
  if (!scene.count.is_from_machine || panel.session.lesson()) return;
  draw_wrapped(count_text(scene), color::dim);
  if (text_button(panel.style, {"Use all {}", scene.count.preset}, false, "all"))
    panel.ask(ChangeCount{scene.count.preset});
}

void draw_parameters(const Panel& panel) {
  const std::vector<Parameter>& table = panel.run().info->parameters;
  // Groups in the order of their first members, so that the table need not be sorted.
  std::vector<std::string> groups;
  for (const Parameter& p : table)
    if (std::find(groups.begin(), groups.end(), p.group) == groups.end()) groups.push_back(p.group);

  for (const std::string& group : groups) {
    const Message words = group.empty() ? Message("Parameters") : Message(group);
    if (&group == &groups.front())
      draw_parameter_heading(panel, words);
    else
      heading(panel.style, words);
    if (&group == &groups.front()) draw_count_row(panel);
    for (std::size_t k = 0; k < table.size(); ++k) {
      const Parameter& p = table[k];
      if (p.group != group) continue;
      if (const auto value = draw_parameter_row(panel, k)) panel.ask(ParameterChange{p.id, *value});
    }
  }
}

namespace {

// A choice with a title and its idea below; the dot at the left marks the selected one.
bool draw_card(const Panel& panel, const char* id, const Message& title, const Message& idea, const Message& details,
               bool chosen, bool possible) {
  const Style& style = panel.style;
  const float width = ImGui::GetContentRegionAvail().x, indent = style.px(28), pad = style.px(9);
  const float line = ImGui::GetTextLineHeight();
  ImGui::PushFont(style.small);
  const std::string lines = wrap_text(idea, width - indent - pad);
  const float idea_height = idea.empty() ? 0 : ImGui::CalcTextSize(lines.c_str()).y + style.px(3);
  const float details_height = details.empty() ? 0 : ImGui::GetTextLineHeight() + style.px(4);
  ImGui::PopFont();
  const ImVec2 at = ImGui::GetCursorScreenPos(), to(at.x + width, at.y + 2 * pad + line + idea_height + details_height);
  if (!possible) ImGui::BeginDisabled();
  const bool pressed = press_area(id, ImVec2(width, to.y - at.y)) && possible;
  if (!possible) ImGui::EndDisabled();
  const bool hovered = ImGui::IsItemHovered() && possible;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, to, chosen ? color::accent_fill : hovered ? color::hovered : color::raised, style.px(6));
  const ImVec2 dot(at.x + style.px(15), at.y + pad + 0.5f * line);
  list->AddCircle(dot, style.px(5), chosen ? color::accent : color::faint, 20, style.px(1.5f));
  if (chosen) list->AddCircleFilled(dot, style.px(3), color::accent, 16);
  draw_text_in(list, ImVec2(at.x + indent, at.y + pad), ImVec2(to.x - pad, at.y + pad + line),
               possible ? color::text : color::faint, title);
  ImGui::PushFont(style.small);
  if (!idea.empty())
    list->AddText(ImVec2(at.x + indent, at.y + pad + line + style.px(3)), possible ? color::dim : color::faint,
                  lines.c_str());
  if (!details.empty())
    draw_text_in(list, ImVec2(at.x + indent, to.y - pad - ImGui::GetTextLineHeight()), ImVec2(to.x - pad, to.y - pad),
                 color::faint, details);
  ImGui::PopFont();
  return pressed;
}

}  // namespace

void draw_kernel_panel(const Panel& panel) {
  const Style& style = panel.style;
  const RunStatus& run = panel.run();
  const bool cuda = panel.session.backend().is_cuda();
  const std::string& chosen = run.kernel;
  heading(style, "Kernel");
  draw_wrapped("All kernels compute the same field. They differ in how they use the hardware.");
  if (!run.kernel_choice.empty()) draw_wrapped(run.kernel_choice, color::dim);
  if (chosen == "auto" && panel.session.kernels_are_timed()) {
    if (text_button(style, "Measure again", false)) panel.ask(MeasureKernels{});
    tooltip(style, "Times the kernels of this simulation again, during the next steps");
  }
  if (draw_card(panel, "auto", "Automatic", "The fastest kernel for the current number of steps per frame.", "",
                chosen == "auto", true))
    panel.ask(ChooseKernel{"auto"});
  for (std::size_t k = 0; k < run.kernels.size(); ++k) {
    const KernelVariant& kernel = run.info->kernels[k];
    const bool possible = cuda ? kernel.on_cuda : kernel.on_cpu;
    Message details;
    const auto add = [&](const Message& more) {
      details = details.empty() ? more : Message("{}  \u00b7  {}", details, more);
    };
    if (possible) {
      const auto& [bytes_per_cell, shape] = run.kernels[k];
      if (bytes_per_cell > 0) add({"{} bytes per cell and step", number_text(bytes_per_cell, 3)});
      if (shape.block_x > 0)
        add({"blocks of {}",
             std::to_string(shape.block_x) + (shape.block_y > 1 ? "\u00d7" + std::to_string(shape.block_y) : "")});
      if (shape.registers_per_thread > 0) add({"{} registers", shape.registers_per_thread});
    } else {
      details = cuda ? "on the CPU only" : "needs an NVIDIA GPU";
    }
    if (draw_card(panel, kernel.id.c_str(), kernel.title, kernel.idea, details, chosen == kernel.id, possible))
      panel.ask(ChooseKernel{kernel.id});
  }
}

}  // namespace perturb
