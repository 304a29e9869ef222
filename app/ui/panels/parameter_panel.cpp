#include "app/ui/panels/parameter_panel.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/i18n/language.h"
#include "app/io/preset/scenes.h"
#include "app/run/lighter.h"
#include "app/run/pitch.h"
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
  row.error_text = in_display_units(panel.session.display_units(), panel.session.parameters().error_of(p.id));
  row.enabled = panel.session.lessons().parameter_is_open(p.id);
  return panel.value_row(p, row);
}

void draw_singing(const Panel& panel, const std::string& id) {
  const std::optional<SungParameter> sung = sung_parameter(panel.run());
  if (!sung || sung->id != id || panel.interface().kiosk) return;
  const Singing& singing = panel.session.singing();
  if (text_button(panel.style, singing.is_on() ? "Stop singing" : "Sing", false, "sing")) panel.ask(Sing{});
  tooltip(panel.style, "The microphone drives the frequency. Nothing is kept or sent.");
  if (!singing.is_on()) return;
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  draw_wrapped(singing.pitch() ? Message("{} Hz", number_text(*singing.pitch(), 3)) : Message("no tone"));
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
  info.id = "scene-count";
  info.label = count.label;
  info.help = "The duration of a step grows with the square of this number.";
  info.kind = ValueKind::integer;
  info.minimum = 1;
  info.maximum = std::max(count.preset, scene.setup.width);
  info.initial = count.preset;
  ValueRow row;
  row.key = info.id;
  row.value = scene.setup.width;
  row.default_value = count.preset;
  row.restarts = true;
  if (const auto value = panel.value_row(info, row)) panel.ask(ChangeCount{static_cast<int>(std::lround(*value))});
}

void draw_count_offer(const Panel& panel, CountOfferState& state) {
  const Scene& scene = *panel.run().scene;
  const SceneCount& count = scene.count;
  if (state.scene != panel.session.scenes()) state = {panel.session.scenes(), 0};
  if (panel.session.lesson() || (!count.is_from_machine && state.height == 0)) return;
  const float top = ImGui::GetCursorPosY();
  draw_wrapped(count.is_from_machine ? count_text(scene)
                                     : Message("{}: {} of {}", Message(count.label), scene.setup.width, count.preset),
               color::dim);
  if (scene.setup.width != count.preset && text_button(panel.style, {"Use all {}", count.preset}, false, "all"))
    panel.ask(ChangeCount{count.preset});
  const float height = ImGui::GetCursorPosY() - top, rest = state.height - height;
  if (count.is_from_machine)
    state.height = height;
  else if (rest > ImGui::GetStyle().ItemSpacing.y)
    ImGui::Dummy(ImVec2(0, rest - ImGui::GetStyle().ItemSpacing.y));
}

void draw_lighter_offer(const Panel& panel) {
  const Scene& scene = *panel.run().scene;
  const Lightness& lightness = scene.lightness;
  if (panel.session.lesson()) return;
  if (!lightness.full.empty()) {
    draw_wrapped(lighter_text(scene), color::dim);
    if (text_button(panel.style, "Open the full scene", false, "full"))
      panel.ask(OpenScene{full_scene_name(scene.setup)});
  } else if (lightness.is_chosen) {
    if (text_button(panel.style, "Open the scene as this machine can compute it", false, "lighter"))
      panel.ask(OpenScene{full_scene_path_of(scene.setup)});
  }
}

namespace {

void draw_parameter_rows(const Panel& panel, std::string_view group) {
  const std::vector<Parameter>& table = panel.run().info->parameters;
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (table[k].group != group) continue;
    if (const auto value = draw_parameter_row(panel, k)) panel.ask(ParameterChange{table[k].id, *value});
    draw_singing(panel, table[k].id);
  }
}

}  // namespace

void draw_parameters(const Panel& panel) {
  const std::vector<Parameter>& table = panel.run().info->parameters;
  // Groups in the order of their first members, so that the table need not be sorted.
  std::vector<std::string> groups;
  for (const Parameter& p : table)
    if (p.group != display_group && std::find(groups.begin(), groups.end(), p.group) == groups.end())
      groups.push_back(p.group);

  for (const std::string& group : groups) {
    const Message words = group.empty() ? Message("Parameters") : Message(group);
    if (&group == &groups.front())
      draw_parameter_heading(panel, words);
    else
      heading(panel.style, words);
    if (&group == &groups.front()) draw_count_row(panel);
    draw_parameter_rows(panel, group);
  }
}

void draw_display_parameters(const Panel& panel) { draw_parameter_rows(panel, display_group); }

}  // namespace perturb
