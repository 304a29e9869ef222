#include "app/ui/kernels/kernel_panel.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/i18n/language.h"
#include "app/kernels/kernel_numbers.h"
#include "app/ui/kernels/frame_time_panel.h"
#include "app/ui/kernels/kernel_editor.h"
#include "app/ui/kernels/launch_overlay.h"
#include "app/ui/plots/roofline_plot.h"
#include "app/ui/plots/size_plot.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/slider_scale.h"
#include "cuda/core/simulation/edited_kernel.h"

namespace perturb {

Message kernel_name(const RunStatus& run, const std::string& id) {
  for (const KernelVariant& kernel : run.info->kernels)
    if (kernel.id == id) return Message::parameter(id, kernel.title);
  return Message::value(id);
}

Message with_kernel_names(const RunStatus& run, const Message& text) {
  if (text.is_value()) return kernel_name(run, text.text());
  if (text.is_parameter() || text.arguments().empty()) return text;
  std::vector<Message> parts;
  for (const Message& part : text.arguments()) parts.push_back(with_kernel_names(run, part));
  return Message::with_arguments(text.text(), std::move(parts));
}

namespace {

constexpr float plot_height = 200;  // design pixels

Message percent(double fraction) { return {"{}\u00a0%", number_text(std::round(100 * fraction), 3)}; }

// A choice of a kernel, with what is known about it.
struct KernelCard {
  std::string id;
  Message title, aside;         // aside: at the right of the title
  std::vector<Message> lines;   // paragraphs below
  std::optional<double> share;  // of the roofline; none: no bar
  Message share_text;
  ImU32 ink = color::accent;  // of the bar
  bool chosen = false, possible = true;
};

// Several values in one line: "a \u00b7 b".
Message joined(const Message& left, const Message& right) {
  return left.empty() ? right : right.empty() ? left : Message("{}  \u00b7  {}", left, right);
}

// The dot at the left marks the selected kernel. Returns whether the card was pressed.
bool draw_card(const Panel& panel, const KernelCard& card) {
  const Style& style = panel.style;
  const float width = ImGui::GetContentRegionAvail().x, indent = style.px(28), pad = style.px(9);
  const float line = ImGui::GetTextLineHeight(), gap = style.px(4), bar = style.px(6);
  // A long title has the line for itself.
  const float aside = card.aside.empty() ? 0 : text_size(card.aside).x + style.px(1), inside = width - indent - pad;
  const bool aside_below = aside > 0 && text_size(card.title).x + gap + aside > inside;
  ImGui::PushFont(style.small);
  const float small = ImGui::GetTextLineHeight();
  std::vector<std::string> paragraphs;
  float height = 2 * pad + (aside_below ? 2 : 1) * line;
  for (const Message& text : card.lines) {
    paragraphs.push_back(wrap_text(text, inside));
    height += gap + ImGui::CalcTextSize(paragraphs.back().c_str()).y;
  }
  ImGui::PopFont();
  if (card.share) height += 2 * gap + bar + small;
  const ImVec2 at = ImGui::GetCursorScreenPos(), to(at.x + width, at.y + height);
  if (!card.possible) ImGui::BeginDisabled();
  const bool pressed = press_area(card.id.c_str(), ImVec2(width, height)) && card.possible;
  if (!card.possible) ImGui::EndDisabled();
  const bool hovered = ImGui::IsItemHovered() && card.possible;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, to, card.chosen ? color::accent_fill : hovered ? color::hovered : color::raised, style.px(6));
  const ImVec2 dot(at.x + style.px(15), at.y + pad + 0.5f * line);
  list->AddCircle(dot, style.px(5), card.chosen ? color::accent : color::faint, 20, style.px(1.5f));
  if (card.chosen) list->AddCircleFilled(dot, style.px(3), color::accent, 16);
  const float left = at.x + indent, right = to.x - pad;
  float y = at.y + pad;
  const ImU32 ink = card.possible ? color::text : color::faint;
  draw_text_in(list, ImVec2(left, y), ImVec2(aside_below || aside == 0 ? right : right - aside - gap, y + line), ink,
               card.title);
  if (aside_below) y += line;
  draw_text_in(list, ImVec2(left, y), ImVec2(right, y + line), ink, card.aside, aside_below ? 0 : 1);
  y += line;
  ImGui::PushFont(style.small);
  if (card.share) {
    y += gap;
    const float full = right - left, part = full * static_cast<float>(std::clamp(*card.share, 0.0, 1.0));
    list->AddRectFilled(ImVec2(left, y), ImVec2(right, y + bar), color::line, style.px(3));
    if (part > 0) list->AddRectFilled(ImVec2(left, y), ImVec2(left + part, y + bar), card.ink, style.px(3));
    y += bar + gap;
    draw_text_in(list, ImVec2(left, y), ImVec2(right, y + small), color::text, card.share_text);
    y += small;
  }
  for (const std::string& text : paragraphs) {
    y += gap;
    list->AddText(ImVec2(left, y), card.possible ? color::dim : color::faint, text.c_str());
    y += ImGui::CalcTextSize(text.c_str()).y;
  }
  ImGui::PopFont();
  return pressed;
}

// The rates that follow from the measured time.
Message rates_text(const KernelStatus& kernel, const KernelFigures& figures) {
  Message text;
  if (figures.cells_per_second) text = prefixed_text(*figures.cells_per_second, kernel.cost.rate_unit);
  if (figures.bytes_per_second) text = joined(text, prefixed_text(*figures.bytes_per_second, "B/s"));
  if (figures.flops_per_second) text = joined(text, prefixed_text(*figures.flops_per_second, "flop/s"));
  if (kernel.timing && kernel.timing->spread > 0) text = joined(text, {"spread {}", percent(kernel.timing->spread)});
  return text;
}

// The cost of a step, and how the kernel is launched.
Message launch_text(const KernelStatus& kernel) {
  Message text;
  const StepCost& cost = kernel.cost;
  if (cost.cells > 0 && cost.bytes > 0) text = {"{} bytes per cell and step", number_text(cost.bytes / cost.cells, 3)};
  const LaunchShape& shape = kernel.shape;
  if (shape.block_x == 0) return text;
  text = joined(text, {"blocks of {}", std::to_string(shape.block_x) +
                                           (shape.block_y > 1 ? "\u00d7" + std::to_string(shape.block_y) : "")});
  if (shape.registers_per_thread > 0)
    text = joined(text, shape.local_bytes > 0 ? Message("{} registers, {} bytes of a thread in memory",
                                                        shape.registers_per_thread, shape.local_bytes)
                                              : Message("{} registers, none spilled", shape.registers_per_thread));
  text = joined(text, {"{} bytes of shared memory", shape.shared_bytes});
  if (shape.occupancy > 0)
    text = joined(
        text, kernel.limit == OccupancyLimit::not_launched
                  ? Message("occupancy {}", percent(shape.occupancy))
                  : Message("occupancy {}, limited by {}", percent(shape.occupancy), Message(name_of(kernel.limit))));
  return text;
}

// The occupancy on the papers' GPUs; of those with the same, the names together.
Message paper_text(const LaunchShape& shape) {
  if (shape.registers_per_thread == 0) return {};
  const std::vector<Occupancy> occupancies = paper_occupancies(shape);
  Message text;
  std::string names;
  for (std::size_t k = 0; k < occupancies.size(); ++k) {
    names += (names.empty() ? "" : ", ") + paper_gpus()[k].name;
    const Occupancy& here = occupancies[k];
    if (k + 1 < occupancies.size() && occupancies[k + 1].share == here.share) continue;
    text = joined(
        text, {"{} {}", Message::value(names), here.blocks > 0 ? percent(here.share) : Message(name_of(here.limit))});
    names.clear();
  }
  return {"Occupancy on the papers' GPUs: {}", text};
}

KernelCard kernel_card(const Panel& panel, std::size_t k) {
  const RunStatus& run = panel.run();
  const KernelVariant& kernel = run.info->kernels[k];
  const KernelStatus& status = run.kernels[k];
  const KernelController& measurement = panel.session.kernel_controller();
  KernelCard card;
  card.id = kernel.id;
  card.title = kernel.title;
  card.ink = kernel_ink(k);
  card.chosen = run.kernel == kernel.id;
  card.aside = missing_kernel_reason(*run.backend, kernel);
  card.possible = card.aside.empty();
  if (!card.possible) {
    card.lines.emplace_back(kernel.idea);
    return card;
  }
  const KernelFigures figures = figures_of(status, run.roofline);
  if (status.timing) {
    card.aside = prefixed_text(status.timing->seconds_per_step, "s");
  } else if (const UnmeasuredKernel* why = measurement.unmeasured(kernel.id)) {
    card.aside = "not measured";
    card.lines.push_back(why->reason);
  } else {
    card.aside =
        measurement.is_measuring() && measurement.progress().current == kernel.id ? "measuring" : "not measured";
  }
  card.share = figures.roofline_share;
  if (card.share)
    card.share_text = {figures.is_memory_bound ? "{} of what the memory allows" : "{} of what the arithmetic allows",
                       percent(*card.share)};
  if (card.share && std::round(100 * *card.share) > 100)
    card.lines.emplace_back(
        "More than 100 %: the field stays in a cache, or the machine was busy while its peak rates were measured.");
  if (const Message rates = rates_text(status, figures); !rates.empty()) card.lines.push_back(rates);
  card.lines.emplace_back(kernel.idea);
  if (const Message launch = launch_text(status); !launch.empty()) card.lines.push_back(launch);
  if (const Message papers = paper_text(status.shape); !papers.empty()) card.lines.push_back(papers);
  return card;
}

// The kernel whose cell function the user edits; a press opens the editor.
KernelCard edited_card(const Panel& panel) {
  KernelCard card;
  card.id = "edited";
  card.title = "Edited";
  card.chosen = is_edited_kernel(panel.run().kernel);
  const Message reason = no_editing_reason(panel);
  card.possible = reason.empty();
  card.lines = {"The update of one cell as text: change it while the simulation runs."};
  if (!reason.empty()) card.lines.push_back(reason);
  if (const Message& failure = panel.run().edited_kernel_failure; !failure.empty()) card.lines.push_back(failure);
  return card;
}

// The measured quantity, and the buttons that start and stop it.
void draw_measurement(const Panel& panel) {
  const Style& style = panel.style;
  const RunStatus& run = panel.run();
  const KernelController& measurement = panel.session.kernel_controller();
  if (measurement.is_measuring()) {
    const KernelProgress& progress = measurement.progress();
    draw_wrapped(progress.current.empty() ? Message("Measuring the peak rates of this machine.")
                                          : Message("Measuring {}; kernels left: {}.",
                                                    kernel_name(run, progress.current), progress.remaining));
    if (text_button(style, "Stop measuring", false)) panel.ask(MeasureKernels{false});
    return;
  }
  const bool all = measurement.all_are_measured();
  if (text_button(style, all ? "Measure again" : "Measure all", !all, "measure")) panel.ask(MeasureKernels{});
  tooltip(style, "Times every kernel on a copy of this run, in short parts. The run does not change.");
  const bool any = std::any_of(run.kernels.begin(), run.kernels.end(),
                               [](const KernelStatus& kernel) { return kernel.timing.has_value(); });
  if (!any) return;
  ImGui::SameLine(0, style.gap());
  if (text_button(style, "Save as CSV", false)) panel.ask(Export{ExportKind::kernels});
  tooltip(style, "Saves this table, one row per kernel");
}

// The button that shows this plot in the dock too.
void draw_large_plot_button(const Panel& panel, const char* plot) {
  const auto& plots = panel.interface().plots;
  const auto choice = plots.choices.find(plot);
  const bool in_dock = plots.open && choice != plots.choices.end() && choice->second;
  if (text_button(panel.style, in_dock ? "Hide the large plot" : "Show a large plot", false, plot))
    panel.ask(ShowPlot{plot, !in_dock});
}

void draw_roofline(const Panel& panel) {
  const Style& style = panel.style;
  const RooflinePlot plot = make_roofline_plot(panel.run());
  if (plot.lines.empty()) return;
  ImGui::Dummy(ImVec2(0, style.px(4)));
  draw_plot(style, plot.frame, plot.lines, style.px(plot_height));
  draw_large_plot_button(panel, roofline_plot);
  draw_wrapped("A kernel below the slope waits for the memory, one below the level line for the arithmetic.");
}

// The grids that were not measured, by reason.
void draw_unmeasured_sizes(const SizeTimings& sizes) {
  std::vector<std::pair<Message, int>> reasons;
  for (const UnmeasuredSize& one : sizes.unmeasured) {
    const auto same =
        std::find_if(reasons.begin(), reasons.end(), [&](const auto& r) { return r.first == one.reason; });
    if (same == reasons.end())
      reasons.emplace_back(one.reason, 1);
    else
      ++same->second;
  }
  for (const auto& [reason, count] : reasons) draw_wrapped({"Not measured, {} times: {}.", count, reason});
}

// Times against size: the slider sets the largest grid and begins the measurement.
void draw_sizes(const Panel& panel, SizeSweepState& sweep) {
  const Style& style = panel.style;
  const RunStatus& run = panel.run();
  heading(style, "Time by size");
  if (std::none_of(run.kernels.begin(), run.kernels.end(), [](const KernelStatus& k) { return has_grid(k.cost); }))
    return draw_wrapped(no_sizes_text);
  const KernelController& measurement = panel.session.kernel_controller();
  const SizeTimings& sizes = measurement.sizes();
  const double usual = usual_swept_width(*run.backend);
  ValueInfo info = real_value("largest", "Largest width", "cells", "", usual, min_swept_width, max_swept_width,
                              "Measures all kernels on grids of up to this width, with the scene's proportions.");
  info.kind = ValueKind::integer;
  info.scale = Scale::logarithmic;
  ValueRow row;
  row.key = "kernels/sizes";
  row.value = sweep.largest > 0 ? sweep.largest : usual;
  row.default_value = usual;
  row.on_release = true;
  if (const auto largest = panel.value_row(info, row)) {
    sweep.largest = *largest;
    panel.ask(MeasureSizes{static_cast<int>(*largest)});
  }
  if (measurement.is_sweeping()) {
    draw_wrapped(sizes.current_kernel.empty() ? Message("Measuring.")
                                              : Message("Measuring {} on {}; measurements left: {}.",
                                                        kernel_name(panel.run(), sizes.current_kernel),
                                                        Message::value(format_size(sizes.current)), sizes.remaining));
    if (text_button(style, "Stop measuring", false, "stop sizes")) panel.ask(MeasureSizes{0, false});
  } else {
    if (text_button(style, "Measure sizes", false)) panel.ask(MeasureSizes{static_cast<int>(row.value)});
    tooltip(style, "Times every kernel on grids of other sizes, in short parts. The run does not change.");
    if (!sizes.timings.empty()) {
      ImGui::SameLine(0, style.gap());
      if (text_button(style, "Save as CSV", false, "save sizes")) panel.ask(Export{ExportKind::kernel_sizes});
      tooltip(style, "Saves these times, one row per kernel and size");
    }
  }
  const SizePlot plot = make_size_plot(run, sizes);
  if (plot.lines.empty()) return;
  ImGui::Dummy(ImVec2(0, style.px(4)));
  draw_plot(style, plot.frame, plot.lines, style.px(plot_height));
  draw_large_plot_button(panel, size_plot);
  draw_wrapped(
      "A dashed line is the size at which the run no longer fits into a cache. Small grids are slow where threads wait "
      "for each other, or for a launch.");
  draw_unmeasured_sizes(sizes);
}

void draw_race_choice(const Panel& panel) {
  const Scene& scene = *panel.run().scene;
  if (scene.lanes.empty()) return;
  heading(panel.style, "Race");
  const char* const labels[] = {"By steps", "By time"};
  int chosen = scene.race_by_time;
  if (segmented_control(panel.style, "race", labels, 2, chosen, ImGui::GetContentRegionAvail().x))
    panel.ask(ChangeRace{chosen == 1});
  draw_wrapped(scene.race_by_time
                   ? "Each lane gets the time that the steps of lane 1 take, and does as many steps as it manages. "
                     "By steps, all lanes begin again."
                   : "All lanes take the same steps. By time, a faster lane runs ahead; all lanes begin again.");
}

}  // namespace

void draw_kernel_panel(const Panel& panel, KernelEditorState& editor, PuzzleCardState& puzzles, SizeSweepState& sweep) {
  const Style& style = panel.style;
  const RunStatus& run = panel.run();
  draw_race_choice(panel);
  heading(style, "Kernel");
  draw_wrapped("All kernels compute the same field. They differ in how they use the hardware.");
  draw_measurement(panel);
  draw_launch_row(panel);
  KernelCard automatic;
  automatic.id = "auto";
  automatic.title = "Automatic";
  automatic.chosen = run.kernel == "auto";
  automatic.lines = {"The fastest kernel for the current number of steps per frame."};
  if (!run.kernel_choice.empty()) automatic.lines.push_back(with_kernel_names(run, run.kernel_choice));
  if (draw_card(panel, automatic)) panel.ask(ChooseKernel{"auto"});
  for (std::size_t k = 0; k < run.kernels.size(); ++k)
    if (const KernelCard card = kernel_card(panel, k); draw_card(panel, card)) panel.ask(ChooseKernel{card.id});
  const KernelCard edited = edited_card(panel);
  if (draw_card(panel, edited)) {
    editor.open = true;
    editor.takes_focus = true;
    puzzles.open = false;
  }
  draw_roofline(panel);
  draw_sizes(panel, sweep);
  heading(style, "Puzzles");
  draw_wrapped("Write a kernel of your own: it is checked and scored.");
  if (!panel.interface().preferences.edit_kernels) {
    draw_wrapped("Switch on \"Edit kernels\" in the tab View.");
  } else if (text_button(style, "Open the puzzles", false)) {
    puzzles.open = true;
    puzzles.field.takes_focus = true;
    editor.open = false;
  }
  draw_frame_times(panel);
}

}  // namespace perturb
