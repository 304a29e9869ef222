#include "app/ui/panels/launch_overlay.h"

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
#include "cuda/core/bench/launch_map.h"

namespace perturb {

namespace {

// Blocks are drawn where they are at least this large, and where there are at most so many.
constexpr float least_tile = 5;  // design pixels
constexpr std::int64_t most_tiles = 4000;
constexpr std::size_t most_reads = 12;  // listed in the box

constexpr ImU32 border_shade = IM_COL32(0, 0, 0, 110), tile_fill = IM_COL32(255, 178, 90, 40),
                warp_fill = IM_COL32(255, 178, 90, 70), thread_ink = IM_COL32(244, 246, 250, 255);

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
  // The corners of a box, in order.
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
  // Whether a box is large enough to be drawn among others of its kind.
  bool is_large(const CellBox& box) const {
    const std::vector<ImVec2> at = corners(box);
    const auto length = [](ImVec2 a, ImVec2 b) { return std::hypot(b.x - a.x, b.y - a.y); };
    return std::min(length(at[0], at[1]), length(at[1], at[2])) >= panel_.style.px(least_tile);
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

// Returns whether all blocks in the view are drawn.
bool draw_tiles(const MarkPainter& in, const CellPlane& plane, const LaunchMap& map, const CellBox& visible) {
  if (tile_count(map, visible) > most_tiles) return false;
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

// The block of a place: its halo, its warps and its thread.
void draw_place(const MarkPainter& in, const CellPlane& plane, const LaunchMap& map, const LaunchPlace& place) {
  const CellBox& tile = place.tile;
  const Launch& launch = *place.launch;
  if (map.on_gpu) fill(in, plane.corners(tile), tile_fill);
  for (const WarpCells& warp : warps_of(map, {&launch, tile})) {
    const std::vector<ImVec2> at = plane.corners(warp.cells);
    if (warp.warp == place.warp()) fill(in, at, warp_fill);
    if (plane.is_large(warp.cells)) in.list->AddQuad(at[0], at[1], at[2], at[3], measured_ink, in.style.px(1));
  }
  if (launch.halo_x > 0 || launch.halo_y > 0) {
    std::vector<ImVec2> halo = plane.corners({tile.x - launch.halo_x, tile.y - launch.halo_y,
                                              tile.width + 2 * launch.halo_x, tile.height + 2 * launch.halo_y});
    halo.push_back(halo.front());
    in.dashes(halo, measured_ink);
  }
  outline(in, plane.corners(tile), measured_ink);
  outline(in, plane.corners(place.cells), thread_ink);
}

std::string pair_text(int a, int b) { return "(" + std::to_string(a) + ", " + std::to_string(b) + ")"; }
Message size_text(const char* format, int a, int b) { return {format, a, b}; }
// "16 to 19", or one number.
std::string range_text(int first, int count) {
  return count == 1 ? std::to_string(first) : tr(Message("{} to {}", first, first + count - 1));
}

// "sectors: 5, at least 4"
std::string units_text(const LaunchMap& map, int units, int least) {
  return tr(Message(map.on_gpu ? "sectors: {}, at least {}" : "cache lines: {}, at least {}", units, least));
}

void add_place(NumberBox& box, const LaunchMap& map, const LaunchPlace& place, int j) {
  const auto add = [&](const char* label, std::string value) { box.lines.push_back({tr(label), {std::move(value)}}); };
  if (map.on_gpu) {
    add("blockIdx", pair_text(place.block_x, place.block_y));
    add("threadIdx", pair_text(place.thread_x, place.thread_y));
    add("Warp and lane", pair_text(place.warp(), place.lane()));
    if (place.cells.width > 1) add("Columns of the thread", range_text(place.cells.x, place.cells.width));
    return;
  }
  const auto threads = static_cast<int>(place.launch->parts.size());
  add("Thread", tr(Message("{} of {}", place.block_x + 1, threads)));
  add("Rows of the band", range_text(place.tile.y, place.tile.height));
  add("Row", std::to_string(j));
  if (place.launch->seam_rows > 0)
    add("Last step", tr(place.second_phase ? "second phase, at a border" : "first phase"));
  if (place.vector_lane >= 0) {
    add("Columns of the vector", range_text(place.cells.x, place.cells.width));
    add("Vector lane", std::to_string(place.vector_lane));
  } else if (place.launch->vector_cells > 0) {
    add("Vector", tr("none, a single cell"));
  }
}

void add_reads(NumberBox& box, const LaunchMap& map, const LaunchPlace& place, int i, int j) {
  const std::vector<ThreadRead> reads = reads_of(map, place, i, j);
  int units = 0, least = 0;
  std::size_t listed = 0;
  for (const ThreadRead& read : reads) {
    units += read.units, least += read.least_units;
    if (read.byte < 0 || listed == most_reads) continue;
    ++listed;
    box.lines.push_back(
        {tr(Message("{} of cell ({}, {})", read.read->field, read.i, read.j)),
         {tr(Message("byte {}, {}", grouped(read.byte), units_text(map, read.units, read.least_units)))}});
  }
  if (!reads.empty())
    box.lines.push_back(
        {tr(map.on_gpu ? "All reads of the warp" : "All reads of the vector"), {units_text(map, units, least)}});
}

// Null while it is not shown.
const LaunchMap* shown_map(const Panel& panel) {
  const LaunchMap* const map = panel.session.diagnostics_poller().launch_map();
  return !map || panel.interface().overlay != Overlay::none || (map->empty() && map->reason.empty()) ? nullptr : map;
}

// Outside the grid while the pointer is elsewhere.
std::pair<int, int> cell_under_pointer(const Panel& panel, const LaunchMap& map) {
  const PointerProbe& pointer = panel.session.pointer();
  if (!pointer.in_domain()) return {-1, -1};
  return {static_cast<int>(std::floor(pointer.fraction().x * map.width)),
          static_cast<int>(std::floor(pointer.fraction().y * map.height))};
}

}  // namespace

NumberBox describe_launch(const LaunchMap& map, const LaunchPlace& place, int i, int j, bool all_drawn) {
  NumberBox box;
  box.at_lower_edge = true;
  box.title = tr(Message("Launch of {}", Message(map.kernel)));
  box.remark = map.empty() ? map.reason : map.remark;
  if (map.empty()) return box;
  const Launch& launch = place.launch ? *place.launch : map.launches.front();
  const auto add = [&](const char* label, std::string value) { box.lines.push_back({tr(label), {std::move(value)}}); };
  if (place.launch) box.title += "   " + tr(Message("Cell ({}, {})", i, j));
  add("Steps per pass", std::to_string(map.steps));
  if (map.on_gpu) {
    add("Block", tr(size_text("{} \u00d7 {} threads", launch.block_x, launch.block_y)));
    const CellBox tile =
        place.launch ? place.tile : CellBox{0, 0, launch.parts.front().tile_width, launch.parts.front().tile_height};
    add("Cells of the block", tr(size_text("{} \u00d7 {}", tile.width, tile.height)));
    add("Halo", tr(size_text("{} \u00d7 {} cells", launch.halo_x, launch.halo_y)));
  }
  if (place.launch) {
    add_place(box, map, place, j);
    add_reads(box, map, place, i, j);
  } else if (box.remark.empty()) {
    box.remark = "Point at a cell to see its thread.";
  }
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
  const bool all_drawn = draw_tiles(in, plane, *map, plane.visible(area));
  draw_seams(in, plane, *map);
  const auto [i, j] = cell_under_pointer(panel, *map);
  const LaunchPlace place = place_of(*map, i, j);
  if (place.launch) draw_place(in, plane, *map, place);
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
  draw_number_box(panel, describe_launch(*map, place_of(*map, i, j), i, j, all_drawn), area, hint);
  ImGui::PopFont();
}

void draw_launch_row(const Panel& panel) {
  const bool on = panel.interface().launch, is_possible = on || panel.run().info->maps_launch;
  ValueInfo info;
  info.kind = ValueKind::boolean;
  info.label = "Show launch";
  info.help = "Draws over the view which thread computes which cell. Point at a cell to see what its thread reads.";
  ValueRow row;
  row.key = "kernels/launch";
  row.value = on;
  row.enabled = is_possible;
  if (const auto chosen = panel.value_row(info, row)) panel.ask(ShowLaunch{*chosen != 0});
  if (!is_possible) draw_wrapped(no_launch_text);
}

}  // namespace perturb
