#include "app/ui/kernels/launch_overlay.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/i18n/language.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/panels/mark_painter.h"
#include "app/ui/panels/number_box.h"
#include "app/ui/panels/view_overlays.h"
#include "app/ui/widgets/slider_scale.h"
#include "cuda/core/launch/launch_map.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// Blocks are drawn where they are at least this large, and where there are at most this many; and their colours.
constexpr float min_tile = 5, min_colored_tile = 2;  // design pixels
constexpr std::int64_t max_tiles = 4000, max_colored_tiles = 12000;
constexpr std::size_t max_reads = 12;  // listed in the number box

constexpr float block_opacity = 0.5f;
constexpr ImU32 border_shade = IM_COL32(0, 0, 0, 110), tile_fill = IM_COL32(255, 178, 90, 40),
                warp_fill = IM_COL32(255, 178, 90, 70), thread_ink = IM_COL32(244, 246, 250, 255);

// From dark blue, the first start, to yellow, the last one.
ImU32 color_of_share(double share) {
  const auto at = static_cast<float>(std::clamp(share, 0., 1.));
  return ImGui::ColorConvertFloat4ToU32(
      ImVec4(0.1f + 0.9f * at, 0.15f + 0.75f * at, 0.6f * (1 - at) + 0.1f, block_opacity));
}

// The grid's cells on the screen.
class CellPlane {
 public:
  CellPlane(const Panel& panel, const LaunchMap& map) : panel_(panel), map_(map) {}

  ImVec2 to_screen(double i, double j) const {
    const DomainSize domain = panel_.session.domain();
    const Camera::Point p = domain_to_screen({i / map_.width, j / map_.height}, panel_.layout.pointer_frame(),
                                             panel_.session.view().camera(), domain.width, domain.height, has_depth());
    return {static_cast<float>(p.x), static_cast<float>(p.y)};
  }
  // The corners of a cell box, in order.
  std::vector<ImVec2> corners(const CellBox& box) const {
    const int right = box.x + box.width, top = box.y + box.height;
    return {to_screen(box.x, box.y), to_screen(right, box.y), to_screen(right, top), to_screen(box.x, top)};
  }
  // The cells within a rectangle of the screen; all of them where the ground is turned.
  CellBox visible(const Rect& area) const {
    if (has_depth()) return {0, 0, map_.width, map_.height};
    const ImVec2 zero = to_screen(0, 0), end = to_screen(map_.width, map_.height);
    const auto cell = [](double at, double from, double to, int count) {
      return std::clamp(static_cast<int>(std::floor((at - from) / (to - from) * count)), 0, count - 1);
    };
    const int left = cell(area.x, zero.x, end.x, map_.width),
              right = cell(area.x + area.width, zero.x, end.x, map_.width);
    const int top = cell(area.y, zero.y, end.y, map_.height),
              bottom = cell(area.y + area.height, zero.y, end.y, map_.height);
    return {left, bottom, right - left + 1, top - bottom + 1};
  }
  // Whether a cell box is large enough to be drawn among others of its kind. `min_size`: design pixels.
  bool is_large(const CellBox& box, float min_size = min_tile) const {
    const std::vector<ImVec2> at = corners(box);
    const auto length = [](ImVec2 a, ImVec2 b) { return std::hypot(b.x - a.x, b.y - a.y); };
    return std::min(length(at[0], at[1]), length(at[1], at[2])) >= panel_.style.px(min_size);
  }

 private:
  bool has_depth() const { return panel_.session.view().quantity().has_depth; }

  const Panel& panel_;
  const LaunchMap& map_;
};

void fill(const MarkPainter& in, const std::vector<ImVec2>& at, ImU32 ink) {
  in.list->AddQuadFilled(at[0], at[1], at[2], at[3], ink);
}
void outline(const MarkPainter& in, std::vector<ImVec2> at, ImU32 ink) {
  at.push_back(at.front());
  in.polyline(at, ink);
}

// Returns whether all blocks in the view are coloured, as far as they are recorded.
bool draw_colors(const MarkPainter& in, const CellPlane& plane, const LaunchMap& map, const CellBox& visible,
                 const BlockColors& colors) {
  if (tile_count(map, visible) > max_colored_tiles) return false;
  bool all = true;
  const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
  for (const LaunchTile& tile : tiles_in(map, visible)) {
    const BlockStart* const start = colors.starts->of(map, tile);
    if (!start) continue;
    if (!plane.is_large(tile.tile, min_colored_tile)) {
      all = false;
      continue;
    }
    // Without the smooth edges of AddQuadFilled, which would overlap those of the neighbours.
    const std::vector<ImVec2> at = plane.corners(tile.tile);
    in.list->PrimReserve(6, 4);
    in.list->PrimQuadUV(at[0], at[1], at[2], at[3], white, white, white, white, color_of_block(colors, *start));
  }
  return all;
}

// Returns whether all blocks in the view are drawn.
bool draw_tiles(const MarkPainter& in, const CellPlane& plane, const LaunchMap& map, const CellBox& visible) {
  if (tile_count(map, visible) > max_tiles) return false;
  bool all = true;
  for (const LaunchTile& tile : tiles_in(map, visible)) {
    if (!plane.is_large(tile.tile)) {
      all = false;
      continue;
    }
    const std::vector<ImVec2> at = plane.corners(tile.tile);
    in.list->AddQuad(at[0], at[1], at[2], at[3], border_shade, in.style.px(2));
    in.list->AddQuad(at[0], at[1], at[2], at[3], launch_border_ink, in.style.px(1));
  }
  return all;
}

// The rows at each border between threads that are finished in a second phase. In a periodic grid both ends are one
// border too.
void draw_seams(const MarkPainter& in, const CellPlane& plane, const LaunchMap& map) {
  for (const Launch& launch : map.launches) {
    if (launch.seam_rows == 0) continue;
    for (const Launch::Part& part : launch.parts) {
      if (part.box.y == 0 && !launch.wraps) continue;
      const int border = part.box.y == 0 ? map.height : part.box.y;
      for (const int row : {border - launch.seam_rows, part.box.y + launch.seam_rows})
        in.dashes({plane.to_screen(0, row), plane.to_screen(map.width, row)}, theory_ink);
    }
  }
}

// The block of a location: its halo, its warps and its thread.
void draw_location(const MarkPainter& in, const CellPlane& plane, const LaunchMap& map,
                   const LaunchLocation& location) {
  const CellBox& tile = location.tile;
  const Launch& launch = *location.launch;
  if (map.on_gpu) fill(in, plane.corners(tile), tile_fill);
  for (const WarpCells& warp : warps_of(map, {&launch, tile})) {
    const std::vector<ImVec2> at = plane.corners(warp.cells);
    if (warp.warp == location.warp()) fill(in, at, warp_fill);
    if (plane.is_large(warp.cells)) in.list->AddQuad(at[0], at[1], at[2], at[3], measured_ink, in.style.px(1));
  }
  if (launch.halo_x > 0 || launch.halo_y > 0) {
    std::vector<ImVec2> halo = plane.corners({tile.x - launch.halo_x, tile.y - launch.halo_y,
                                              tile.width + 2 * launch.halo_x, tile.height + 2 * launch.halo_y});
    halo.push_back(halo.front());
    in.dashes(halo, measured_ink);
  }
  outline(in, plane.corners(tile), measured_ink);
  outline(in, plane.corners(location.cells), thread_ink);
}

std::string pair_text(int a, int b) { return "(" + std::to_string(a) + ", " + std::to_string(b) + ")"; }
Message size_text(const char* format, int a, int b) { return {format, a, b}; }
// "16 to 19", or one number.
std::string range_text(int first, int count) {
  return count == 1 ? std::to_string(first) : tr(Message("{} to {}", first, first + count - 1));
}

std::string microseconds_text(double microseconds) { return tr(Message("{} \u00b5s", format_number(microseconds, 4))); }

// "sectors: 5 (minimum 4)"
std::string units_text(const LaunchMap& map, int units, int min_units) {
  return tr(Message(map.on_gpu ? "sectors: {} (minimum {})" : "cache lines: {} (minimum {})", units, min_units));
}

void add_location(NumberBox& box, const LaunchMap& map, const LaunchLocation& location, int j) {
  const auto add = [&](const char* label, std::string value) { box.lines.push_back({tr(label), {std::move(value)}}); };
  if (map.on_gpu) {
    add("blockIdx", pair_text(location.block_x, location.block_y));
    add("threadIdx", pair_text(location.thread_x, location.thread_y));
    add("Warp and lane", pair_text(location.warp(), location.lane()));
    if (location.cells.width > 1) add("Columns of the thread", range_text(location.cells.x, location.cells.width));
    return;
  }
  const auto threads = static_cast<int>(location.launch->parts.size());
  add("Thread", tr(Message("{} of {}", location.block_x + 1, threads)));
  add("Rows of the band", range_text(location.tile.y, location.tile.height));
  add("Row", std::to_string(j));
  if (location.launch->seam_rows > 0)
    add("Phase of the last step", tr(location.second_phase ? "second, at a border" : "first"));
  if (location.vector_lane >= 0) {
    add("Columns of the vector", range_text(location.cells.x, location.cells.width));
    add("Vector lane", std::to_string(location.vector_lane));
  } else if (location.launch->vector_cells > 0) {
    add("Vector", tr("none, a single cell"));
  }
}

void add_start(NumberBox& box, const LaunchMap& map, const LaunchLocation& location, const BlockColors& colors) {
  if (!colors.starts) return;
  const std::vector<LaunchTile> tiles = tiles_in(map, {location.tile.x, location.tile.y, 1, 1});
  const BlockStart* const start = tiles.empty() ? nullptr : colors.starts->of(map, tiles.front());
  if (!start) return;
  const std::string unit = start->unit < 0 ? tr("not known") : std::to_string(start->unit);
  box.lines.push_back({tr(map.on_gpu ? "Multiprocessor" : "Core"), {unit}});
  box.lines.push_back({tr("Start of the block"), {microseconds_text(colors.starts->microseconds(*start))}});
  if (const double seconds = colors.starts->seconds(map, *location.launch); seconds > 0)
    box.lines.push_back({tr("Time of the launch"), {microseconds_text(1e6 * seconds)}});
}

// Why no block has a colour; empty: some have.
Message missing_colors(const LaunchMap& map, const BlockColors& colors) {
  if (colors.by == LaunchColors::none || map.empty()) return {};
  const bool is_recorded =
      std::any_of(map.launches.begin(), map.launches.end(), [](const Launch& one) { return one.is_recorded; });
  if (map.on_gpu && !is_recorded) return "This kernel does not record its blocks. Choose another kernel.";
  if (tile_count(map, {0, 0, map.width, map.height}) > max_recorded_blocks)
    return "This launch has too many blocks to record. Choose a smaller grid.";
  const bool has_any = colors.starts && std::any_of(map.launches.begin(), map.launches.end(),
                                                    [&](const Launch& one) { return colors.starts->has(map, one); });
  if (!has_any) return "Take a step to record the blocks.";
  return {};
}

void add_reads(NumberBox& box, const LaunchMap& map, const LaunchLocation& location, int i, int j) {
  const std::vector<ThreadRead> reads = reads_of(map, location, i, j);
  int units = 0, min_units = 0;
  std::size_t listed = 0;
  for (const ThreadRead& read : reads) {
    units += read.units;
    min_units += read.min_units;
    if (read.byte < 0 || listed == max_reads) continue;
    ++listed;
    box.lines.push_back(
        {tr(Message("{} of cell ({}, {})", read.read->field, read.i, read.j)),
         {tr(Message("byte {}, {}", grouped(read.byte), units_text(map, read.units, read.min_units)))}});
  }
  if (!reads.empty())
    box.lines.push_back(
        {tr(map.on_gpu ? "All reads of the warp" : "All reads of the vector"), {units_text(map, units, min_units)}});
}

// Null while it is not shown.
const LaunchMap* shown_map(const Panel& panel) {
  const LaunchMap* const map = panel.session.diagnostics_poller().launch_map();
  return !map || panel.interface().overlay != Overlay::none || (map->empty() && map->reason.empty()) ? nullptr : map;
}

BlockColors shown_colors(const Panel& panel) {
  return {panel.interface().launch_colors, panel.session.diagnostics_poller().block_starts()};
}

// The colours with what they mean, above or below the number box.
void draw_legend(const Panel& panel, const LaunchMap& map, const BlockColors& colors, const Rect& area,
                 const Rect& box) {
  if (colors.by == LaunchColors::none || !missing_colors(map, colors).empty()) return;
  const LaunchStarts& starts = *colors.starts;
  std::string title = tr("Start of the block"), low = microseconds_text(0),
              high = microseconds_text(starts.last_microseconds());
  std::vector<ImU32> inks;
  if (colors.by == LaunchColors::unit) {
    title = tr(map.on_gpu ? "Multiprocessor" : "Core");
    low = std::to_string(starts.units().front());
    high = std::to_string(starts.units().back());
    for (const int unit : starts.units()) inks.push_back(color_of_block(colors, {1, unit}));
  } else {
    constexpr int shades = 24;
    for (int k = 0; k < shades; ++k) inks.push_back(color_of_share(static_cast<double>(k) / (shades - 1)));
  }
  const Style& style = panel.style;
  const float pad = style.px(8), line = ImGui::GetTextLineHeight();
  const float height = 2 * line + 2 * pad + style.px(4);
  const float x = static_cast<float>(box.x), width = static_cast<float>(box.width);
  float y = static_cast<float>(box.y) - height - style.px(6);
  if (y < static_cast<float>(area.y)) y = static_cast<float>(box.y + box.height) + style.px(6);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->AddRectFilled(ImVec2(x, y), ImVec2(x + width, y + height), color::overlay_fill, style.px(6));
  list->AddText(ImVec2(x + pad, y + pad), color::text, title.c_str());
  y += pad + line + style.px(4);
  const float high_width = ImGui::CalcTextSize(high.c_str()).x;
  list->AddText(ImVec2(x + pad, y), color::dim, low.c_str());
  list->AddText(ImVec2(x + width - pad - high_width, y), color::dim, high.c_str());
  const float from = x + pad + ImGui::CalcTextSize(low.c_str()).x + style.px(6);
  const float step = (x + width - pad - high_width - style.px(6) - from) / static_cast<float>(inks.size());
  for (std::size_t k = 0; k < inks.size(); ++k) {
    const float left = from + step * static_cast<float>(k);
    list->AddRectFilled(ImVec2(left, y), ImVec2(left + step, y + line), inks[k] | IM_COL32_A_MASK);
  }
}

// Outside the grid while the pointer is elsewhere.
std::pair<int, int> cell_under_pointer(const Panel& panel, const LaunchMap& map) {
  const PointerProbe& pointer = panel.session.pointer();
  if (!pointer.in_domain()) return {-1, -1};
  return {static_cast<int>(std::floor(pointer.fraction().x * map.width)),
          static_cast<int>(std::floor(pointer.fraction().y * map.height))};
}

}  // namespace

ImU32 color_of_block(const BlockColors& colors, const BlockStart& start) {
  if (colors.by == LaunchColors::unit) {
    // Neighbouring indices get hues that are far apart.
    constexpr float golden_ratio = 0.618034f;
    const float hue = start.unit < 0 ? 0 : std::fmod(golden_ratio * static_cast<float>(start.unit), 1.f);
    ImVec4 ink(0, 0, 0, block_opacity);
    ImGui::ColorConvertHSVtoRGB(hue, start.unit < 0 ? 0 : 0.75f, 0.95f, ink.x, ink.y, ink.z);
    return ImGui::ColorConvertFloat4ToU32(ink);
  }
  const double last = colors.starts->last_microseconds();
  return color_of_share(last > 0 ? colors.starts->microseconds(start) / last : 0);
}

NumberBox describe_launch(const LaunchMap& map, const LaunchLocation& location, int i, int j, bool all_drawn,
                          const BlockColors& colors) {
  NumberBox box;
  box.at_lower_edge = true;
  box.title = tr(Message("Launch of {}", Message(map.kernel)));
  box.remark = map.empty() ? map.reason : map.remark;
  if (map.empty()) return box;
  const Launch& launch = location.launch ? *location.launch : map.launches.front();
  const auto add = [&](const char* label, std::string value) { box.lines.push_back({tr(label), {std::move(value)}}); };
  if (location.launch) box.title += "   " + tr(Message("Cell ({}, {})", i, j));
  add("Steps per pass", std::to_string(map.steps));
  if (map.on_gpu) {
    add("Block", tr(size_text("{} \u00d7 {} threads", launch.block_x, launch.block_y)));
    const CellBox tile = location.launch
                             ? location.tile
                             : CellBox{0, 0, launch.parts.front().tile_width, launch.parts.front().tile_height};
    add("Cells of the block", tr(size_text("{} \u00d7 {}", tile.width, tile.height)));
    add("Halo", tr(size_text("{} \u00d7 {} cells", launch.halo_x, launch.halo_y)));
  }
  if (location.launch) {
    add_location(box, map, location, j);
    add_start(box, map, location, colors);
    add_reads(box, map, location, i, j);
  } else if (box.remark.empty()) {
    box.remark = "Point at a cell to see its thread.";
  }
  if (const Message missing = missing_colors(map, colors); !missing.empty()) box.remark = box.remark + missing;
  if (!all_drawn)
    box.remark = box.remark + Message(map.on_gpu ? "Zoom in to see all blocks." : "Zoom in to see all bands.");
  return box;
}

bool draw_launch(const Panel& panel) {
  const LaunchMap* const map = shown_map(panel);
  if (!map || map->empty()) return true;
  const Rect area = visible_first_lane_rect(panel);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->PushClipRect(ImVec2(static_cast<float>(area.x), static_cast<float>(area.y)),
                     ImVec2(static_cast<float>(area.x + area.width), static_cast<float>(area.y + area.height)));
  const MarkPainter in{list, panel.style};
  const CellPlane plane(panel, *map);
  const CellBox visible = plane.visible(area);
  const BlockColors colors = shown_colors(panel);
  const bool has_colors = colors.by != LaunchColors::none && colors.starts;
  const bool all_colored = !has_colors || draw_colors(in, plane, *map, visible, colors);
  // Colours show small blocks without borders.
  const bool all_bordered = draw_tiles(in, plane, *map, visible), all_drawn = has_colors ? all_colored : all_bordered;
  draw_seams(in, plane, *map);
  const auto [i, j] = cell_under_pointer(panel, *map);
  const LaunchLocation location = location_of(*map, i, j);
  if (location.launch) draw_location(in, plane, *map, location);
  list->PopClipRect();
  return all_drawn;
}

void draw_launch_box(const Panel& panel, bool all_drawn) {
  const LaunchMap* const map = shown_map(panel);
  if (!map) return;
  const Rect area = visible_first_lane_rect(panel);
  const Rect hint = hint_rect(panel);  // in the font of the hint
  ImGui::PushFont(panel.style.small);
  const auto [i, j] = cell_under_pointer(panel, *map);
  const BlockColors colors = shown_colors(panel);
  const Rect box =
      draw_number_box(panel, describe_launch(*map, location_of(*map, i, j), i, j, all_drawn, colors), area, hint);
  draw_legend(panel, *map, colors, area, box);
  ImGui::PopFont();
}

namespace {

void draw_colors_row(const Panel& panel) {
  ValueInfo info;
  info.kind = ValueKind::choice;
  info.label = "Colours of blocks";
  info.help =
      "By the multiprocessor or the core that ran a block, or by its start. Recorded a few times per second; the other "
      "launches are as fast as without.";
  const LaunchMap* const map = panel.session.diagnostics_poller().launch_map();
  info.choices = {{"none", "No colours"},
                  {"unit", map && map->on_gpu ? "Multiprocessor" : "Core"},
                  {"start", "Start of the block"}};
  info.maximum = static_cast<double>(info.choices.size()) - 1;
  ValueRow row;
  row.key = "kernels/launch-colors";
  row.value = static_cast<double>(panel.interface().launch_colors);
  if (const auto chosen = panel.value_row(info, row))
    panel.ask(ChangeInterface{&InterfaceState::launch_colors, static_cast<LaunchColors>(*chosen)});
}

void draw_block_row(const Panel& panel, const LaunchMap& map) {
  ValueInfo info;
  info.kind = ValueKind::choice;
  info.label = "Threads of a block";
  info.help = "Columns and rows of a block on the GPU. They change the time of the kernel, never its result.";
  std::size_t chosen = 0;
  for (const LoopBlock& block : loop_block_choices) {
    if (block == panel.interface().launch_block) chosen = info.choices.size();
    const std::string size = std::to_string(block.width) + " \u00d7 " + std::to_string(block.height);
    info.choices.push_back({size, size});
  }
  info.maximum = static_cast<double>(info.choices.size()) - 1;
  ValueRow row;
  row.key = "kernels/launch-block";
  row.value = static_cast<double>(map.block_is_a_choice ? chosen : 0);
  row.enabled = map.block_is_a_choice;
  if (const auto index = panel.value_row(info, row))
    panel.ask(ChangeInterface{&InterfaceState::launch_block, loop_block_choices[static_cast<std::size_t>(*index)]});
  if (!map.on_gpu) {
    draw_wrapped("On a CPU a block is the rows of a thread. The option --threads sets how many there are.");
  } else if (!map.block_is_a_choice) {
    draw_wrapped("The blocks of this kernel are fixed. Choose the kernel Fused of a wave tank to change them.");
  } else if (const LaunchStarts* starts = panel.session.diagnostics_poller().block_starts(); starts && !map.empty()) {
    if (const double seconds = starts->seconds(map, map.launches.front()); seconds > 0)
      draw_wrapped(Message("Time of the launch: {} \u00b5s", format_number(1e6 * seconds, 4)));
  }
}

}  // namespace

void draw_launch_row(const Panel& panel) {
  const bool on = panel.interface().launch, is_possible = on || panel.run().maps_launch;
  ValueInfo info;
  info.kind = ValueKind::boolean;
  info.label = "Show launch";
  info.help = "Draws over the view which thread computes which cell. Point at a cell to see what its thread reads.";
  ValueRow row;
  row.key = "kernels/launch";
  row.value = on;
  row.enabled = is_possible;
  if (const auto chosen = panel.value_row(info, row)) panel.ask(ChangeInterface{&InterfaceState::launch, *chosen != 0});
  if (!is_possible) draw_wrapped(no_launch_text);
  if (!on) return;
  draw_colors_row(panel);
  if (const LaunchMap* const map = panel.session.diagnostics_poller().launch_map(); map && !map->empty())
    draw_block_row(panel, *map);
}

}  // namespace perturb
