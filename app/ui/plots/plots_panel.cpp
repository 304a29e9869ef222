// The tab "Plots": instruments, the list of plots, and the current numbers.
#include "app/ui/plots/plots_panel.h"

#include <cmath>

#include "app/i18n/language.h"
#include "app/ui/panels/instrument_panel.h"
#include "app/ui/plots/order_by_meaning.h"
#include "app/ui/plots/plot_list.h"
#include "app/ui/widgets/slider_scale.h"
#include "app/ui/widgets/style.h"

namespace perturb {

namespace {

// The heading of a group, with space above it; "": no text.
void draw_group_heading(const Style& style, const std::string& heading, bool below_others) {
  if (below_others) ImGui::Dummy(ImVec2(0, style.px(2)));
  if (heading.empty()) return;
  ImGui::PushFont(style.strong);
  draw_wrapped(heading, color::dim);
  ImGui::PopFont();
}

// A switch for each plot.
void draw_plot_switches(const Panel& panel) {
  const PlotList list = current_plots(panel);
  if (list.plots.empty()) return;
  heading(panel.style, "Plots");
  for (const PlotData& plot : list.plots) {
    bool shown = plot.shown && panel.interface().plots.open;
    if (toggle_row(panel.style, plot.id.c_str(), plot.frame.title, shown)) panel.ask(ShowPlot{plot.id, shown});
  }
}

}  // namespace

void draw_plots_panel(const Panel& panel) {
  const Style& style = panel.style;
  draw_instrument_panel(panel);
  draw_plot_switches(panel);
  const Diagnostics& now = panel.session.diagnostics_poller().latest();

  if (!now.scalars.empty()) {
    heading(style, "Now");
    const float width = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight() + style.px(4);
    const std::vector<std::size_t> order = order_by_meaning(now.scalars);
    const bool grouped = now.scalars[order.front()].meaning != now.scalars[order.back()].meaning;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Scalar& scalar = now.scalars[order[k]];
      const bool begins = k == 0 || scalar.meaning != now.scalars[order[k - 1]].meaning;
      const bool ends = k + 1 == order.size() || scalar.meaning != now.scalars[order[k + 1]].meaning;
      // A scalar named after its meaning, such as the energy, needs no heading.
      if (grouped && begins)
        draw_group_heading(style, ends && scalar.label == label_of(scalar.meaning) ? "" : label_of(scalar.meaning),
                           k > 0);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      // A value that is not defined yet has no number.
      const DisplayUnit unit = panel.shown_unit(scalar.unit, scalar.id);
      const Message value = std::isfinite(scalar.value)
                                ? value_with_unit(number_text(scalar.value * unit.factor), unit.text)
                                : Message::value("\u2013");
      // If name and widest value do not fit on one line, the value has its own line, whatever the number.
      const Message widest = value_with_unit("-0.0000e-00", unit.text);
      const float name = text_size(scalar.label).x, gap = style.gap();
      const bool tall = name + gap + text_size(widest).x > width;
      const float below = tall ? line - style.px(3) : 0;
      ImDrawList* list = ImGui::GetWindowDrawList();
      draw_text_in(list, at, ImVec2(at.x + width, at.y + line), color::dim, scalar.label);
      draw_text_in(list, ImVec2(at.x, at.y + below), ImVec2(at.x + width, at.y + below + line), color::text, value, 1);
      ImGui::Dummy(ImVec2(width, line + below - ImGui::GetStyle().ItemSpacing.y));
    }
    for (const Message& remark : now.remarks) draw_wrapped(remark);
  }

  if (now.scalars.empty() && now.curves.empty()) draw_wrapped("No measurements yet.");
}

}  // namespace perturb
