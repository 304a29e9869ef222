#include "app/ui/plots/plot_dock.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/i18n/language.h"
#include "app/ui/plots/plot_list.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/slider_scale.h"

namespace perturb {

namespace {

// Design pixels: the narrowest column and the lowest row of plots, so that the frame of a plot is at least 480 x 200
// without its margins.
constexpr float narrowest_column = 560, lowest_frame = 206, edge = 6, header = 28;
constexpr double zoom_per_notch = 0.85, zoom_per_key = 0.8, pan_per_key = 0.1, resize_per_key = 20;
constexpr int period_choices[] = {3, 10, 30};
// Of a probe whose newest part the user has not chosen: more would be a block of colour.
constexpr int first_periods = 5;
constexpr std::size_t first_samples = 500;

// A plot in the dock, laid out.
struct DockPlot {
  PlotData* data = nullptr;
  PlotRange whole_x, whole_y;
  PlotGrid grid;
  std::vector<std::vector<CurvePoint>> clipped;  // the lines, cut near the frame
  PlotScale scale;
};

double end_of(const PlotData& plot) {
  double end = -std::numeric_limits<double>::infinity();
  for (const PlotLine& line : plot.lines)
    for (const CurvePoint& p : *line.points)
      if (std::isfinite(p.x)) end = std::max(end, p.x);
  return end;
}

// The period of the first line that has one.
std::optional<double> period_of(const PlotData& plot) {
  for (const PlotLine& line : plot.lines)
    if (!line.dashed)
      if (const std::optional<double> period = oscillation_period(*line.points)) return period;
  return std::nullopt;
}

// The period of each trace; that of another shown trace if it has none, so that they show the same time.
std::optional<double> common_period(const std::vector<PlotData*>& shown) {
  for (const PlotData* plot : shown)
    if (plot->is_trace)
      if (const std::optional<double> period = period_of(*plot)) return period;
  return std::nullopt;
}

double longest_trace(const std::vector<PlotData*>& shown) {
  double longest = 0;
  for (const PlotData* plot : shown) {
    if (!plot->is_trace) continue;
    for (const PlotLine& line : plot->lines)
      if (!line.points->empty()) longest = std::max(longest, line.points->back().x - line.points->front().x);
  }
  return longest;
}

Message newest_text(const Panel& panel, const PlotDockState::Newest& newest) {
  if (newest.automatic) return "Automatic";
  if (newest.periods > 0) return {"Last {} periods", newest.periods};
  const DisplayUnit unit = time_unit(panel.session.display_units(), panel.session.info());
  if (newest.duration > 0) return {"Last {}", value_with_unit(number_text(newest.duration), unit.text)};
  return "All that is kept";
}

// The list of the newest parts that plots over time can show.
void draw_newest_list(const Panel& panel, PlotDockState& state, const std::vector<PlotData*>& shown,
                      std::optional<double> period, ImVec2 at, float width) {
  const Style& style = panel.style;
  ImGui::SetCursorScreenPos(at);
  ImGui::SetNextItemWidth(width);
  const float height = style.px(22);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(style.px(8), std::max(0.f, 0.5f * (height - ImGui::GetTextLineHeight()))));
  const bool open = begin_list("##newest", ImGuiComboFlags_HeightLarge);
  ImGui::PopStyleVar();
  if (open) {
    const auto entry = [&](const PlotDockState::Newest& choice) {
      if (!list_line(tr(newest_text(panel, choice)).c_str(), choice == state.newest)) return;
      state.newest = choice;
      for (const PlotData* plot : shown)
        if (plot->is_trace) state.zoom.erase(plot->id);
    };
    entry({.automatic = true});
    entry({});
    if (period)
      for (const int periods : period_choices) entry({.periods = periods});
    for (const double duration : round_parts(longest_trace(shown))) entry({.duration = duration});
    ImGui::EndCombo();
  } else {
    tooltip(style, "The part of the run in plots over time");
  }
  draw_text_in(ImGui::GetWindowDrawList(), ImVec2(at.x + style.px(8), at.y),
               ImVec2(at.x + width - height, at.y + height), color::text, newest_text(panel, state.newest));
}

// The strip at the upper edge that resizes the dock.
void draw_edge(const Panel& panel, PlotDockState& state, ImVec2 from, float width) {
  const Style& style = panel.style;
  const double unit = panel.layout.unit;
  ImGui::SetCursorScreenPos(from);
  press_area("##edge", ImVec2(width, style.px(edge)));
  const bool by_keys = focus_is_shown() && ImGui::IsItemFocused();
  const bool held = ImGui::IsItemActive() && ImGui::GetIO().MouseDown[0];
  if (ImGui::IsItemActivated()) state.resize_from = panel.layout.dock.height / unit;
  if (held && ImGui::IsMouseDragging(0, 1))
    panel.ask(ResizePlotDock{state.resize_from - static_cast<double>(ImGui::GetMouseDragDelta(0, 0).y) / unit});
  if (by_keys)
    if (const TabOrder::Arrows arrows = capture_arrows(); arrows.up != 0)
      panel.ask(ResizePlotDock{panel.layout.dock.height / unit + resize_per_key * arrows.up});
  const bool hovered = ImGui::IsItemHovered();
  if (hovered || held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  tooltip(style, by_keys ? "Up and down: change the height" : "");
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(from, ImVec2(from.x + width, from.y + style.px(1)), color::line);
  const float middle = from.x + 0.5f * width, half = style.px(18), y = from.y + style.px(3);
  list->AddRectFilled(ImVec2(middle - half, y), ImVec2(middle + half, y + style.px(2)),
                      hovered || held ? color::accent : color::bar, style.px(1));
}

// Zoom, pan and automatic ranges by the pointer and the keys. The area includes the numbers of the axes.
void move_plot(const Panel& panel, PlotDockState& state, const DockPlot& plot, ImVec2 from, ImVec2 size) {
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetCursorScreenPos(from);
  const bool pressed = press_area("##plot", size);
  const bool hovered = ImGui::IsItemHovered(), held = ImGui::IsItemActive() && io.MouseDown[0];
  const bool by_keys = focus_is_shown() && ImGui::IsItemFocused();
  if (by_keys) tooltip(panel.style, "Arrow keys: pan and zoom. Enter: show everything.");
  state.is_over_plot = state.is_over_plot || hovered;
  const PlotScale& scale = plot.scale;
  const bool below = io.MousePos.y > scale.to.y, beside = io.MousePos.x < scale.from.x;
  PlotRange x = plot.grid.axes.x, y = plot.grid.axes.y;
  const PlotRange before_x = x, before_y = y;
  if (hovered && io.MouseWheel != 0) {
    const CurvePoint about = scale.values_at(io.MousePos);
    const double factor = std::pow(zoom_per_notch, static_cast<double>(io.MouseWheel));
    if (!beside) x = zoomed(x, about.x, factor, plot.whole_x);
    if (!below) y = zoomed(y, about.y, factor, plot.whole_y);
  }
  if (held && ImGui::IsMouseDragging(0, panel.style.px(3))) {
    if (!beside) x = panned(x, static_cast<double>(-io.MouseDelta.x / (scale.to.x - scale.from.x)));
    if (!below) y = panned(y, static_cast<double>(io.MouseDelta.y / (scale.to.y - scale.from.y)));
  }
  if (by_keys) {
    const TabOrder::Arrows arrows = capture_arrows();
    if (arrows.right != 0) x = panned(x, pan_per_key * arrows.right);
    if (arrows.up != 0) x = zoomed(x, 0.5 * (x.low + x.high), std::pow(zoom_per_key, arrows.up), plot.whole_x);
  }
  if (!(x == before_x)) state.zoom[plot.data->id].x = x;
  if (!(y == before_y)) state.zoom[plot.data->id].y = y;
  const bool by_enter = pressed && by_keys && !ImGui::IsMouseReleased(0);
  if (by_enter || (hovered && double_clicked())) state.zoom.erase(plot.data->id);
}

// Ranges as the user chose them, with the curves between them.
DockPlot lay_out(const Style& style, PlotDockState& state, PlotData& data, std::optional<double> period, float width,
                 float height) {
  DockPlot plot;
  plot.data = &data;
  const int max_x = std::clamp(static_cast<int>(width / style.px(110)), 3, 12),
            max_y = std::clamp(static_cast<int>(height / style.px(45)), 2, 8);
  const PlotAxes whole = automatic_axes(data.frame, data.lines, max_y);
  plot.whole_x = whole.x;
  plot.whole_y = whole.y;
  auto zoom = state.zoom.find(data.id);
  // After a restart the time begins again.
  if (zoom != state.zoom.end() && data.is_trace && zoom->second.x && zoom->second.x->low > whole.x.high) {
    state.zoom.erase(zoom);
    zoom = state.zoom.end();
  }
  std::optional<PlotRange> window;
  if (zoom != state.zoom.end() && zoom->second.x) {
    window = zoom->second.x;
  } else if (data.is_trace && !whole.empty) {
    const double length = newest_length(state.newest, data, period), end = end_of(data);
    if (length > 0 && end - length > whole.x.low) window = PlotRange{end - length, end};
  }
  PlotAxes axes = window ? automatic_axes(data.frame, data.lines, max_y, window) : whole;
  if (zoom != state.zoom.end() && zoom->second.y) {
    axes.y = *zoom->second.y;
    axes.note = {};
    axes.empty = whole.empty;
  }
  plot.grid = make_plot_grid(style, data.frame, axes, max_x, max_y);
  return plot;
}

// Numbers that distinguish a hundredth of the visible range.
std::string cursor_text(double value, const PlotRange& range, bool logarithmic) {
  if (logarithmic) return number_text(std::pow(10.0, value), 4);
  const double ratio = std::max(std::abs(value), range.width()) / range.width();
  const int digits = static_cast<int>(std::ceil(std::log10(ratio))) + 3;
  // Not "1.06e+03".
  const double size = std::abs(value);
  const int whole = size >= 1 && size < 1e7 ? static_cast<int>(std::log10(size)) + 1 : 0;
  return number_text(value, std::clamp(std::max(digits, whole), 3, 15));
}

// The line at the cursor with a dot on each line, and their values in a box next to it.
void draw_cursor(const Style& style, const DockPlot& plot, double x) {
  const PlotScale& scale = plot.scale;
  const PlotAxes& axes = plot.grid.axes;
  if (axes.empty || x < axes.x.low || x > axes.x.high) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float left = std::round(scale.place(x, axes.y.low).x);
  list->PushClipRect(scale.from, ImVec2(scale.to.x, scale.to.y + style.px(1)), true);
  list->AddRectFilled(ImVec2(left, scale.from.y), ImVec2(left + style.px(1), scale.to.y), color::faint);
  struct Row {
    std::string text;
    ImU32 ink;
  };
  const float pad = style.px(6), widest_row = 0.6f * (scale.to.x - scale.from.x);
  const PlotData& data = *plot.data;
  const std::string number = cursor_text(x, axes.x, data.frame.logarithmic_x);
  const Message quantity =
      names_unit(data.x_name, data.x_unit) ? Message::value(number) : value_with_unit(number, data.x_unit);
  std::vector<Row> rows = {{tr(data.x_name.empty() ? Message("{}: {}", data.frame.x_label, number)
                                                   : Message("{} = {}", data.x_name, quantity)),
                            color::text}};
  for (const PlotLine& line : plot.data->lines) {
    const std::optional<double> y = value_at(*line.points, x);
    if (!y) continue;
    list->AddCircleFilled(scale.place(x, *y), style.px(3.5f), line.ink);
    rows.push_back({tr(Message("{}: {}", line.label,
                               value_with_unit(cursor_text(*y, axes.y, data.frame.logarithmic_y), data.y_unit))),
                    line.ink});
  }
  float width = 0;
  for (Row& row : rows) {
    row.text = elided(row.text, widest_row);
    width = std::max(width, ImGui::CalcTextSize(row.text.c_str()).x);
  }
  const float line_height = ImGui::GetTextLineHeight() + style.px(2);
  const ImVec2 size(width + 2 * pad, static_cast<float>(rows.size()) * line_height + 2 * pad);
  const bool fits = left + style.px(8) + size.x < scale.to.x;
  const ImVec2 at(fits ? left + style.px(8) : left - style.px(8) - size.x, scale.from.y + style.px(2));
  list->AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), color::popup, style.px(4));
  list->AddRect(at, ImVec2(at.x + size.x, at.y + size.y), color::line, style.px(4));
  for (std::size_t k = 0; k < rows.size(); ++k)
    list->AddText(ImVec2(at.x + pad, at.y + pad + static_cast<float>(k) * line_height), rows[k].ink,
                  rows[k].text.c_str());
  list->PopClipRect();
}

// Of the legend in a single row.
float legend_width(const Style& style, const std::vector<PlotLine>& lines) {
  float width = -style.px(14 - 2);  // none after the last line, except for rounding
  for (const PlotLine& line : lines) width += style.px(22 + 14) + text_size(label_of(line)).x;
  return width;
}

void draw_title(const Style& style, const PlotData& plot, ImVec2 from, ImVec2 to) {
  ImGui::PushFont(style.strong);
  draw_text_in(ImGui::GetWindowDrawList(), from, to, color::text, plot.frame.title);
  ImGui::PopFont();
}

// The plots in columns. Several plots stacked over each other have their frames at the same x.
void draw_plots(const Panel& panel, PlotDockState& state, std::vector<PlotData*>& shown, std::optional<double> period) {
  const Style& style = panel.style;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const auto count = static_cast<int>(shown.size());
  const float gap = style.px(16), title = count > 1 ? style.px(24) : 0, available = ImGui::GetContentRegionAvail().y;
  const float whole_width = ImGui::GetContentRegionAvail().x;
  const int columns = std::clamp(static_cast<int>((whole_width + gap) / (style.px(narrowest_column) + gap)), 1, count);
  const int rows = (count + columns - 1) / columns;
  const float width = std::floor((whole_width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  ImGui::PushFont(style.small);
  // In a single column there is space for the names next to the title, which leaves more height for the plots.
  const bool in_one_row = title > 0 && columns == 1;
  const float line = ImGui::GetTextLineHeight(), name = line + style.px(4), numbers = 2 * line + style.px(14);
  std::vector<DockPlot> plots;
  float names_height = 0, row_height = 0, height = 0;
  const auto lay_out_all = [&](float height_of_names) {
    names_height = height_of_names;
    const float around = title + names_height + numbers;
    row_height = std::max(std::floor(available / static_cast<float>(rows)),
                          std::min(available, style.px(lowest_frame) + around));
    height = std::max(style.px(30), row_height - around);
    plots.clear();
    for (PlotData* data : shown) plots.push_back(lay_out(style, state, *data, period, width, height));
  };
  lay_out_all(in_one_row ? 0 : name);
  // The title of a y axis has a row of its own where its legend leaves no space next to it.
  const bool in_two_rows = !in_one_row && std::any_of(plots.begin(), plots.end(), [&](const DockPlot& plot) {
    const std::vector<PlotLine>& lines = plot.data->lines;
    return lines.size() > 1 && text_size(plot.grid.y_title).x + gap + legend_width(style, lines) > width;
  });
  if (in_two_rows) lay_out_all(2 * name);
  std::vector<float> margins(static_cast<std::size_t>(columns), 0);
  for (std::size_t k = 0; k < plots.size(); ++k) {
    float& margin = margins[k % static_cast<std::size_t>(columns)];
    margin = std::max(margin, plots[k].grid.margin);
  }
  state.is_over_plot = false;
  for (std::size_t k = 0; k < plots.size(); ++k) {
    DockPlot& plot = plots[k];
    const std::size_t column = k % static_cast<std::size_t>(columns), row = k / static_cast<std::size_t>(columns);
    const ImVec2 at(start.x + static_cast<float>(column) * (width + gap),
                    start.y + static_cast<float>(row) * row_height);
    plot.grid.margin = margins[column];
    ImGui::PushID(plot.data->id.c_str());
    const float beside = plot.data->lines.size() > 1 && !in_two_rows ? legend_width(style, plot.data->lines) + gap : 0;
    // The title of the plot, that of the y axis, and the legend next to it.
    ImVec2 names(at.x, at.y + title);
    float right = at.x + width;
    if (title > 0) {
      const float button = draw_overlay_button(panel, *plot.data, ImVec2(at.x + width, at.y));
      ImGui::PushFont(style.strong);
      const float own = text_size(plot.data->frame.title).x + style.px(2);
      ImGui::PopFont();
      // Shortened only if what is next to it needs the space, and then not below 0.45 of the width.
      const float others = text_size(plot.grid.y_title).x + gap + beside;
      const float room =
          in_one_row ? std::min(own, std::max(0.45f * width, width - button - gap - others)) : width - button;
      draw_title(style, *plot.data, at, ImVec2(at.x + room, at.y + title));
      if (in_one_row) {
        names = ImVec2(at.x + room + gap, std::round(at.y + 0.5f * (title - line)));
        right -= button;
      }
    }
    // It contains the factor or offset of the numbers, and is shortened only if the legend needs the space.
    const std::string y_title = elided(tr(plot.grid.y_title), std::max(0.3f * width, right - names.x - beside));
    ImGui::GetWindowDrawList()->AddText(names, color::dim, y_title.c_str());
    if (plot.data->lines.size() > 1) {
      if (in_two_rows)
        names.y += name;
      else if (!y_title.empty())
        names.x += ImGui::CalcTextSize(y_title.c_str()).x + gap;
      ImGui::SetCursorScreenPos(names);
      draw_legend(style, plot.data->lines, std::max(style.px(80), right - names.x));
    }
    const ImVec2 frame(at.x, at.y + title + names_height);
    // Cut some frames away, where a line leaves the frame in its own direction.
    constexpr double around_frame = 50;
    const PlotAxes& axes = plot.grid.axes;
    const auto wide = [](const PlotRange& range) {
      return PlotRange{range.low - around_frame * range.width(), range.high + around_frame * range.width()};
    };
    std::vector<PlotLine> lines = plot.data->lines;
    plot.clipped.reserve(lines.size());
    for (PlotLine& one : lines) {
      plot.clipped.push_back(clipped(*one.points, wide(axes.x), wide(axes.y)));
      one.points = &plot.clipped.back();
    }
    plot.scale = draw_plot_grid(style, plot.data->frame, lines, plot.grid, frame, width, height);
    if (!axes.note.empty())
      draw_text_in(ImGui::GetWindowDrawList(), plot.scale.from,
                   ImVec2(plot.scale.to.x - style.px(6), plot.scale.from.y + name), color::dim, axes.note, 1);
    move_plot(panel, state, plot, frame, ImVec2(width, height + numbers - style.px(2)));
    ImGui::PopID();
  }
  // Over everything else. Plots over time share the cursor.
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  for (const DockPlot& plot : plots) {
    const PlotScale& scale = plot.scale;
    const bool inside =
        pointer.x >= scale.from.x && pointer.x <= scale.to.x && pointer.y >= scale.from.y && pointer.y <= scale.to.y;
    if (!inside || !state.is_over_plot) continue;
    const double x = scale.values_at(pointer).x;
    for (const DockPlot& other : plots)
      if (&other == &plot || (other.data->is_trace && plot.data->is_trace)) draw_cursor(style, other, x);
  }
  ImGui::PopFont();
  ImGui::SetCursorScreenPos(start);
  ImGui::Dummy(ImVec2(whole_width, static_cast<float>(rows) * row_height));
}

}  // namespace

double newest_length(const PlotDockState::Newest& newest, const PlotData& plot, std::optional<double> period) {
  if (newest.automatic && !plot.is_probe) return 0;
  const int periods = newest.automatic ? first_periods : newest.periods;
  if (periods == 0) return newest.duration;
  if (const std::optional<double> own = period_of(plot)) return periods * *own;
  if (period) return periods * *period;
  double longest = 0;
  if (newest.automatic)
    for (const PlotLine& line : plot.lines)
      if (const std::vector<CurvePoint>& points = *line.points; points.size() > first_samples)
        longest = std::max(longest, points.back().x - points[points.size() - first_samples].x);
  return longest;
}

void draw_plot_dock(const Panel& panel, PlotDockState& state) {
  const Style& style = panel.style;
  if (state.scene != panel.session.scenes() || state.units != panel.session.display_units()) {
    state = PlotDockState();
    state.scene = panel.session.scenes();
    state.units = panel.session.display_units();
  }
  PlotList list = current_plots(panel);
  std::vector<PlotData*> shown;
  for (PlotData& plot : list.plots)
    if (plot.shown) shown.push_back(&plot);
  const std::optional<double> period = common_period(shown);

  const Rect& rect = panel.layout.dock;
  panel.areas.add(rect);
  const ImVec2 from(static_cast<float>(rect.x), static_cast<float>(rect.y));
  const ImVec2 size(static_cast<float>(rect.width), static_cast<float>(rect.height));
  begin_plain_window("##dock", from, size);
  draw_edge(panel, state, from, size.x);

  // From the right: close, automatic ranges, the newest part, and for a single plot its overlays and title.
  const float pad = style.px(12), top = from.y + style.px(edge), button = style.px(22);
  float right = from.x + size.x - pad;
  ImGui::SetCursorScreenPos(ImVec2(right - button, top + style.px(2)));
  if (icon_button(style, "close", Icon::close, button)) panel.ask(CommandId::toggle_plots);
  tooltip(style, with_key("Close the plots", CommandId::toggle_plots));
  right -= button + style.px(4);
  ImGui::SetCursorScreenPos(ImVec2(right - button, top + style.px(2)));
  if (icon_button(style, "automatic", Icon::home, button, false, !state.zoom.empty())) state.zoom.clear();
  tooltip(style, "Show everything (or double-click a plot). Wheel: zoom. Drag: pan.");
  right -= button + style.px(8);
  const bool has_trace = std::any_of(shown.begin(), shown.end(), [](const PlotData* plot) { return plot->is_trace; });
  if (const float width = style.px(150); has_trace && size.x > 3 * width) {
    draw_newest_list(panel, state, shown, period, ImVec2(right - width, top + style.px(2)), width);
    right -= width + style.px(8);
  }
  const ImVec2 title(from.x + pad, top), title_end(right, top + style.px(header) - style.px(2));
  if (shown.size() == 1) {
    const float overlays = draw_overlay_button(panel, *shown.front(), ImVec2(right, top + style.px(2)));
    draw_title(style, *shown.front(), title, ImVec2(title_end.x - overlays, title_end.y));
  }

  ImGui::SetCursorScreenPos(ImVec2(from.x + pad, top + style.px(header)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const ImGuiWindowFlags wheel = state.is_over_plot ? ImGuiWindowFlags_NoScrollWithMouse : ImGuiWindowFlags_None;
  ImGui::BeginChild("##plots", ImVec2(size.x - pad - style.px(2), size.y - style.px(edge) - style.px(header)), false,
                    wheel);
  ImGui::PopStyleVar();
  if (shown.empty())
    draw_wrapped("Switch on a plot in the tab Plots.");
  else
    draw_plots(panel, state, shown, period);
  ImGui::EndChild();
  ImGui::End();
}

}  // namespace perturb
