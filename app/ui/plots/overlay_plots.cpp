#include "app/ui/plots/overlay_plots.h"

#include <algorithm>
#include <utility>

#include "app/i18n/language.h"
#include "app/ui/widgets/keyboard_focus.h"

namespace perturb {

namespace {

bool is_listed(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

bool can_overlay(const PlotData& a, const PlotData& b) {
  return a.id != b.id && a.units == b.units && a.over_time == b.over_time;
}

// The name of a line if it has one; otherwise, and for theory, that of its plot.
Message line_name(const PlotData& plot, const PlotLine& line) {
  if (plot.over_time) return line.label;
  return line.dashed ? Message("{}: {}", plot.frame.title, line.label) : plot.frame.title;
}

void add_lines(PlotData& plot, const PlotData& more) {
  std::size_t ink = 0;
  for (const PlotLine& line : plot.lines) ink += line.dashed ? 0 : 1;
  for (PlotLine line : more.lines) {
    line.label = label_of(line);
    line.error_of = nullptr;
    line.label = line_name(more, line);
    line.ink = plot_ink(line.dashed && ink > 0 ? ink - 1 : ink);
    ink += line.dashed ? 0 : 1;
    plot.lines.push_back(std::move(line));
  }
}

}  // namespace

Message axis_label_of(const std::string& unit) {
  return unit.empty() ? Message("dimensionless") : Message("in {}", Message(unit));
}

std::vector<PlotData> overlay_plots(std::vector<PlotData> plots,
                                    const std::map<std::string, std::vector<std::string>>& over) {
  // Id of the plot that it is drawn over; empty while that plot is missing or has other units.
  const auto base_of = [&](const PlotData& plot) -> std::string {
    for (const PlotData& below : plots) {
      const auto chosen = over.find(below.id);
      if (chosen != over.end() && is_listed(chosen->second, plot.id) && can_overlay(below, plot)) return below.id;
    }
    return {};
  };
  std::vector<PlotData> result;
  for (const PlotData& plot : plots) {
    if (!base_of(plot).empty()) continue;
    PlotData whole = plot;
    const auto chosen = over.find(plot.id);
    for (const PlotData& other : plots) {
      if (!can_overlay(plot, other)) continue;
      const std::string below = base_of(other);
      const bool is_base = over.contains(other.id) && !over.at(other.id).empty();
      if (is_base || (!below.empty() && below != plot.id)) continue;
      whole.overlays.push_back(other);
      if (chosen == over.end() || !is_listed(chosen->second, other.id)) continue;
      if (whole.lines.size() == plot.lines.size()) {
        // In a combined plot, each line has the name of its plot.
        PlotData named = plot;
        named.lines.clear();
        add_lines(named, plot);
        whole.lines = named.lines;
      }
      add_lines(whole, other);
      whole.frame.y_label = axis_label_of(plot.y_unit);
      whole.frame.title = Message("{}, {}", whole.frame.title, other.frame.title);
    }
    result.push_back(std::move(whole));
  }
  return result;
}

float draw_overlay_button(const Panel& panel, const PlotData& plot, ImVec2 at) {
  if (plot.overlays.empty()) return 0;
  const Style& style = panel.style;
  const float side = style.px(22);
  ImGui::SetCursorScreenPos(ImVec2(at.x - side, at.y));
  ImGui::PushID(("over/" + plot.id).c_str());
  if (icon_button(style, "over", Icon::plus, side)) ImGui::OpenPopup("##over");
  tooltip(style, "Overlay another plot");
  if (ImGui::BeginPopup("##over")) {
    const auto found = panel.interface().plots.overlays.find(plot.id);
    std::vector<std::string> over =
        found != panel.interface().plots.overlays.end() ? found->second : std::vector<std::string>();
    heading(style, "Overlaid plots");
    for (const PlotData& other : plot.overlays) {
      ImGui::PushID(other.id.c_str());
      const bool lies = is_listed(over, other.id);
      if (list_line(tr(other.frame.title).c_str(), lies)) {
        if (lies)
          std::erase(over, other.id);
        else
          over.push_back(other.id);
        panel.ask(OverlayPlots{plot.id, over});
      }
      ImGui::PopID();
    }
    ImGui::EndPopup();
  }
  ImGui::PopID();
  return side + style.px(6);
}

}  // namespace perturb
