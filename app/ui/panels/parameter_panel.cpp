#include "app/ui/panels/parameter_panel.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/i18n/language.h"
#include "app/ui/widgets/tab_order.h"
#include "app/ui/widgets/value_row.h"

namespace perturb {

std::optional<double> draw_parameter_row(const Panel& panel, std::size_t index) {
  const Parameter& p = panel.run().info->parameters[index];
  ValueRow row;
  row.key = p.id;
  row.value = panel.run().parameters[index];
  row.default_value = panel.session.parameters().default_of(p);
  row.restarts = p.apply == Apply::restart;
  row.enabled = panel.session.lessons().parameter_is_open(p.id);
  row.parameters = &panel.run().info->parameters;
  return draw_value_row(panel.style, panel.state(), p, row);
}

void draw_parameters(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  const std::vector<Parameter>& table = panel.run().info->parameters;
  const std::vector<double>& values = panel.run().parameters;

  // Groups in the order of their first members, so that the table need not be sorted.
  std::vector<std::string> groups;
  bool changed = false;
  for (std::size_t k = 0; k < table.size(); ++k) {
    const Parameter& p = table[k];
    if (std::find(groups.begin(), groups.end(), p.group) == groups.end()) groups.push_back(p.group);
    changed = changed || values[k] != panel.session.parameters().default_of(p);
  }

  for (const std::string& group : groups) {
    heading(style, group.empty() ? "Parameters" : group.c_str());
    if (&group == &groups.front()) {
      const std::string words = tr("Reset all");
      ImGui::PushFont(style.small);
      const float width = ImGui::CalcTextSize(words.c_str()).x;
      const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
      ImGui::SameLine(right - width);
      if (!changed) ImGui::BeginDisabled();
      const ImVec2 at = ImGui::GetCursorScreenPos();
      if (press_area("##reset all", ImVec2(width, ImGui::GetTextLineHeight() + style.px(2))))
        state.ask(ResetParameters{});
      ImGui::GetWindowDrawList()->AddText(at,
                                          !changed                 ? color::faint
                                          : ImGui::IsItemHovered() ? color::accent_bright
                                                                   : color::accent,
                                          words.c_str());
      if (!changed) ImGui::EndDisabled();
      ImGui::PopFont();
    }
    for (std::size_t k = 0; k < table.size(); ++k) {
      const Parameter& p = table[k];
      if (p.group != group) continue;
      if (const auto value = draw_parameter_row(panel, k)) state.ask(ParameterChange{p.id, *value});
    }
  }
}

}  // namespace perturb
