#include "app/ui/kernels/access_map_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/i18n/language.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "cuda/core/launch/launch_map.h"

namespace perturb {

namespace {

constexpr float largest_cell = 16, smallest_cell = 1.5f, lined_cell = 4;  // design pixels
constexpr float narrowest_sheet = 110, sheet_gap = 14, group_gap = 26;    // design pixels
constexpr int threads_sheet = -1;
constexpr std::int64_t max_outside = 2;  // cells from the array at which a wrong index is drawn

// The part of an array that the block uses, or the block's threads; on the screen the first row is at the bottom.
struct Sheet {
  int array = threads_sheet;
  ArrayCell first;
  std::int64_t columns = 1, rows = 1;
  ImVec2 at;  // upper left corner, below the title
  float cell = 1;

  bool contains(const ArrayCell& one) const {
    return one.column >= first.column && one.row >= first.row && one.column < first.column + columns &&
           one.row < first.row + rows;
  }
  ImVec2 corner(const ArrayCell& one) const {
    return {at.x + static_cast<float>(one.column - first.column) * cell,
            at.y + static_cast<float>(rows - 1 - (one.row - first.row)) * cell};
  }
  ImVec2 centre(const ArrayCell& one) const {
    const ImVec2 from = corner(one);
    return {from.x + 0.5f * cell, from.y + 0.5f * cell};
  }
  ImVec2 end() const { return {at.x + static_cast<float>(columns) * cell, at.y + static_cast<float>(rows) * cell}; }
};

// The cells read, the threads with shared memory, the cells written.
using Groups = std::array<std::vector<Sheet>, 3>;

// Cells at both ends of a part of an array.
struct CellRange {
  std::int64_t left = std::numeric_limits<std::int64_t>::max(), right = -1, bottom = left, top = -1;
  bool empty() const { return right < left; }
  void add(const ArrayCell& cell) {
    left = std::min(left, cell.column);
    right = std::max(right, cell.column);
    bottom = std::min(bottom, cell.row);
    top = std::max(top, cell.row);
  }
};

std::int64_t rows_of(const AccessMap::Array& array) { return (array.size + array.columns - 1) / array.columns; }

// Outside of the array not farther than it can be drawn.
ArrayCell shown_fault(const AccessMap& map) {
  const AccessMap::Array& array = map.arrays[static_cast<std::size_t>(map.fault->array)];
  const ArrayCell& cell = map.fault->cell;
  return {std::clamp(cell.column, -max_outside, array.columns - 1 + max_outside),
          std::clamp(cell.row, -max_outside, rows_of(array) - 1 + max_outside)};
}

CellRange used_cells(const AccessMap& map, int number) {
  const AccessMap::Array& array = map.arrays[static_cast<std::size_t>(number)];
  CellRange used;
  if (array.role == AccessMap::Role::shared) {
    used.add({0, 0});
    used.add({array.columns - 1, rows_of(array) - 1});
    return used;
  }
  constexpr std::int64_t in_sector = sector_bytes / std::int64_t{sizeof(float)};
  for (const PuzzleAccess& access : map.accesses) {
    if (access.array != number) continue;
    const ArrayCell cell = array.cell_of(access.element);
    used.add(cell);
    // The rest of the sector in this row.
    const std::int64_t before = access.element % in_sector;
    used.add({std::max<std::int64_t>(0, cell.column - before), cell.row});
    used.add({std::min(array.columns - 1, cell.column - before + in_sector - 1), cell.row});
  }
  if (used.empty()) used.add({0, 0});
  // At least as wide as the block, which may have ended early.
  used.add({std::min<std::int64_t>(used.left + map.block_size.x, array.columns) - 1, used.bottom});
  return used;
}

Sheet sheet_of(const AccessMap& map, int number) {
  CellRange bounds = used_cells(map, number);
  if (map.fault && map.fault->array == number) bounds.add(shown_fault(map));
  Sheet sheet;
  sheet.array = number;
  sheet.first = {bounds.left, bounds.bottom};
  sheet.columns = bounds.right - bounds.left + 1;
  sheet.rows = bounds.top - bounds.bottom + 1;
  return sheet;
}

Groups groups_of(const AccessMap& map) {
  Groups groups;
  Sheet threads;
  threads.columns = map.block_size.x;
  threads.rows = map.block_size.y;
  groups[1].push_back(threads);
  for (int k = 0; k < static_cast<int>(map.arrays.size()); ++k) {
    const AccessMap::Role role = map.arrays[static_cast<std::size_t>(k)].role;
    const std::size_t group = role == AccessMap::Role::input ? 0 : role == AccessMap::Role::shared ? 1 : 2;
    groups[group].push_back(sheet_of(map, k));
  }
  return groups;
}

// How the sheets are laid out: the groups below or next to each other, and the sheets of each in a row or a column.
struct Arrangement {
  bool downwards = true, in_rows = true;
  float cell = 1;
  ImVec2 extent;
};

ImVec2 sheet_size(const Style& style, const Sheet& sheet, float cell, float title) {
  return {std::max(style.px(narrowest_sheet), static_cast<float>(sheet.columns) * cell),
          title + static_cast<float>(sheet.rows) * cell};
}

// Arrows to shared memory need some height.
float gap_in_group(const Style& style, bool in_row) { return style.px(in_row ? sheet_gap : group_gap); }

ImVec2 group_size(const Style& style, const std::vector<Sheet>& group, bool in_row, float cell, float title) {
  const float gap = gap_in_group(style, in_row);
  float along = -gap, across = 0;
  for (const Sheet& sheet : group) {
    const ImVec2 size = sheet_size(style, sheet, cell, title);
    along += (in_row ? size.x : size.y) + gap;
    across = std::max(across, in_row ? size.y : size.x);
  }
  return in_row ? ImVec2(along, across) : ImVec2(across, along);
}

ImVec2 groups_size(const Style& style, const Groups& groups, const Arrangement& how, float title) {
  float along = -style.px(group_gap), across = 0;
  for (const std::vector<Sheet>& group : groups) {
    if (group.empty()) continue;
    const ImVec2 size = group_size(style, group, how.in_rows, how.cell, title);
    along += (how.downwards ? size.y : size.x) + style.px(group_gap);
    across = std::max(across, how.downwards ? size.x : size.y);
  }
  return how.downwards ? ImVec2(across, along) : ImVec2(along, across);
}

// With the largest cells that fit.
Arrangement arrangement_of(const Style& style, const Groups& groups, ImVec2 room, float title) {
  constexpr float step = 0.25f;
  Arrangement how;
  for (how.cell = style.px(largest_cell); how.cell > smallest_cell; how.cell -= step)
    for (const auto& [downwards, in_rows] : {std::pair{true, true}, {true, false}, {false, false}}) {
      how.downwards = downwards;
      how.in_rows = in_rows;
      how.extent = groups_size(style, groups, how, title);
      if (how.extent.x <= room.x && how.extent.y <= room.y) return how;
    }
  return how;
}

// Returns all sheets in their places, the threads first.
std::vector<Sheet> arrange(const Style& style, const Groups& groups, ImVec2 from, ImVec2 room, float title) {
  const Arrangement how = arrangement_of(style, groups, room, title);
  const float free = how.downwards ? room.y - how.extent.y : room.x - how.extent.x;
  const float gap = style.px(group_gap) + std::clamp(0.5f * free, 0.f, style.px(2 * group_gap));
  std::vector<Sheet> all;
  ImVec2 next = from;
  for (const std::vector<Sheet>& group : groups) {
    if (group.empty()) continue;
    const ImVec2 size = group_size(style, group, how.in_rows, how.cell, title);
    ImVec2 at = next;
    if (how.downwards)
      at.x += std::max(0.f, 0.5f * (room.x - size.x));
    else
      at.y += std::max(0.f, 0.5f * (how.extent.y - size.y));
    for (Sheet sheet : group) {
      sheet.at = ImVec2(std::round(at.x), std::round(at.y + title));
      sheet.cell = how.cell;
      const ImVec2 own = sheet_size(style, sheet, how.cell, title);
      (how.in_rows ? at.x : at.y) += (how.in_rows ? own.x : own.y) + gap_in_group(style, how.in_rows);
      all.insert(sheet.array == threads_sheet ? all.begin() : all.end(), sheet);
    }
    (how.downwards ? next.y : next.x) += (how.downwards ? size.y : size.x) + gap;
  }
  return all;
}

ImU32 with_opacity(ImU32 ink, float alpha) {
  const auto a = static_cast<ImU32>(alpha * static_cast<float>((ink >> IM_COL32_A_SHIFT) & 0xff));
  return (ink & ~IM_COL32_A_MASK) | (a << IM_COL32_A_SHIFT);
}

ImU32 memory_ink(const AccessMap::Array& array) {
  return array.role == AccessMap::Role::shared ? color::inks[2] : color::inks[0];
}

class MapPainter {
 public:
  MapPainter(const Style& style, const AccessMap& map, const std::vector<Sheet>& sheets, int thread)
      : style_(style), map_(map), sheets_(sheets), thread_(thread), uses_(uses_of(map, thread)) {}

  const std::vector<ThreadUse>& uses() const { return uses_; }

  void draw(float title) const {
    for (const Sheet& sheet : sheets_) {
      if (sheet.array == threads_sheet)
        draw_threads(sheet);
      else
        draw_array(sheet);
      draw_grid(sheet);
    }
    draw_marks();
    draw_arrows(ArrowPart::line);
    for (const Sheet& sheet : sheets_) draw_title(sheet, title);
    draw_arrows(ArrowPart::head);
  }

 private:
  const AccessMap::Array& array_of(const Sheet& sheet) const {
    return map_.arrays[static_cast<std::size_t>(sheet.array)];
  }
  const Sheet& sheet_of_array(int array) const {
    return *std::find_if(sheets_.begin(), sheets_.end(), [&](const Sheet& sheet) { return sheet.array == array; });
  }
  ArrayCell cell_of_thread(int thread) const {
    return {thread % static_cast<int>(map_.block_size.x), thread / static_cast<int>(map_.block_size.x)};
  }
  ImVec2 centre_of_thread(int thread) const { return sheets_.front().centre(cell_of_thread(thread)); }

  void fill(const Sheet& sheet, const ArrayCell& cell, ImU32 ink) const {
    if (!sheet.contains(cell)) return;
    const ImVec2 from = sheet.corner(cell);
    list_->AddRectFilled(from, ImVec2(from.x + sheet.cell, from.y + sheet.cell), ink);
  }
  void frame(const Sheet& sheet, const ArrayCell& cell, ImU32 ink) const {
    const ImVec2 from = sheet.corner(cell);
    list_->AddRect(from, ImVec2(from.x + sheet.cell, from.y + sheet.cell), ink, 0, 0, style_.px(1.5f));
  }

  void draw_title(const Sheet& sheet, float title) const {
    const float right = std::max(sheet.end().x, sheet.at.x + style_.px(narrowest_sheet));
    Message text("Threads of block ({}, {})", map_.block.x, map_.block.y);
    if (sheet.array != threads_sheet) {
      const AccessMap::Array& array = array_of(sheet);
      text = {array.role == AccessMap::Role::input    ? "{}: input"
              : array.role == AccessMap::Role::output ? "{}: output"
                                                      : "{}: shared memory",
              array.name};
    }
    const ImVec2 from(sheet.at.x, sheet.at.y - title), to(right, sheet.at.y - style_.px(2));
    // A line may pass below it.
    list_->AddRectFilled(from, ImVec2(std::min(right, from.x + text_size(text).x + style_.px(3)), to.y),
                         with_opacity(color::panel, 0.6f));
    draw_text_in(list_, from, to, color::dim, text);
  }

  void draw_threads(const Sheet& sheet) const {
    for (int t = 0; t < map_.threads(); ++t)
      fill(sheet, cell_of_thread(t), t / threads_of_warp == thread_ / threads_of_warp ? color::chosen : color::raised);
    fill(sheet, cell_of_thread(thread_), color::text);
  }

  void draw_array(const Sheet& sheet) const {
    const AccessMap::Array& array = array_of(sheet);
    const ImU32 ink = memory_ink(array);
    for (std::int64_t row = sheet.first.row; row < sheet.first.row + sheet.rows; ++row)
      for (std::int64_t column = sheet.first.column; column < sheet.first.column + sheet.columns; ++column)
        if (column >= 0 && row >= 0 && column < array.columns && row * array.columns + column < array.size)
          fill(sheet, {column, row}, color::raised);
    std::vector<std::int64_t> touched;
    for (const PuzzleAccess& access : map_.accesses)
      if (access.array == sheet.array) touched.push_back(access.element);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (const std::int64_t element : touched) fill(sheet, array.cell_of(element), with_opacity(ink, 0.25f));
    std::vector<std::int64_t> of_warp, moved;
    for (const ThreadUse& use : uses_) {
      if (use.array != sheet.array) continue;
      of_warp.insert(of_warp.end(), use.elements_of_warp.begin(), use.elements_of_warp.end());
      moved.insert(moved.end(), use.moved.begin(), use.moved.end());
    }
    std::sort(of_warp.begin(), of_warp.end());
    // Before the end, threads may not yet have used them.
    for (const std::int64_t element : moved)
      if (map_.finished && !std::binary_search(of_warp.begin(), of_warp.end(), element))
        fill(sheet, array.cell_of(element), with_opacity(color::warning, 0.7f));
    for (const std::int64_t element : of_warp) fill(sheet, array.cell_of(element), with_opacity(ink, 0.4f));
    for (const ThreadUse& use : uses_)
      if (use.array == sheet.array)
        for (const std::int64_t element : use.elements) fill(sheet, array.cell_of(element), ink);
  }

  void draw_grid(const Sheet& sheet) const {
    const ImVec2 end = sheet.end();
    if (sheet.cell >= style_.px(lined_cell)) {
      for (std::int64_t k = 1; k < sheet.columns; ++k) {
        const float x = sheet.at.x + static_cast<float>(k) * sheet.cell;
        list_->AddLine(ImVec2(x, sheet.at.y), ImVec2(x, end.y), color::panel);
      }
      for (std::int64_t k = 1; k < sheet.rows; ++k) {
        const float y = sheet.at.y + static_cast<float>(k) * sheet.cell;
        list_->AddLine(ImVec2(sheet.at.x, y), ImVec2(end.x, y), color::panel);
      }
    }
    list_->AddRect(sheet.at, end, color::line, 0, 0, style_.px(1));
  }

  void draw_marks() const {
    for (const ThreadUse& use : uses_) {
      const Sheet& sheet = sheet_of_array(use.array);
      if (!use.writes) continue;
      for (const std::int64_t element : use.elements) frame(sheet, array_of(sheet).cell_of(element), color::text);
    }
    if (!map_.fault) return;
    const Sheet& sheet = sheet_of_array(map_.fault->array);
    const ArrayCell cell = shown_fault(map_);
    fill(sheet, cell, color::bad);
    frame(sheet, cell, color::text);
    for (const int thread : {map_.fault->thread, map_.fault->other_thread})
      if (is_thread(thread)) frame(sheets_.front(), cell_of_thread(thread), color::bad);
  }

  // The heads are drawn over the titles.
  enum class ArrowPart { line, head };
  void draw_arrows(ArrowPart part) const {
    for (const ThreadUse& use : uses_) {
      const Sheet& sheet = sheet_of_array(use.array);
      const AccessMap::Array& array = array_of(sheet);
      for (const std::int64_t element : use.elements)
        connect(part, thread_, sheet, array.cell_of(element), use.writes, memory_ink(array));
    }
    if (!map_.fault) return;
    const AccessMap::Fault& fault = *map_.fault;
    for (const auto& [thread, writes] :
         {std::pair{fault.thread, fault.writes}, {fault.other_thread, fault.other_writes}})
      if (is_thread(thread)) connect(part, thread, sheet_of_array(fault.array), shown_fault(map_), writes, color::bad);
  }
  bool is_thread(int thread) const { return thread >= 0 && thread < map_.threads(); }

  // Towards the thread if it reads, up to the edge of the cell.
  void connect(ArrowPart part, int thread, const Sheet& sheet, const ArrayCell& cell, bool writes, ImU32 ink) const {
    const ImVec2 own = centre_of_thread(thread), other = sheet.centre(cell), tail = writes ? own : other,
                 end = writes ? other : own;
    const float whole = std::hypot(end.x - tail.x, end.y - tail.y), length = whole - 0.5f * sheet.cell;
    if (!(length > 0)) return;
    const float size = std::min(style_.px(8), 0.5f * length), x = (end.x - tail.x) / whole,
                y = (end.y - tail.y) / whole;
    const ImVec2 head(tail.x + length * x, tail.y + length * y), neck(head.x - size * x, head.y - size * y);
    if (part == ArrowPart::line)
      list_->AddLine(tail, neck, ink, style_.px(1.5f));
    else
      list_->AddTriangleFilled(head, ImVec2(neck.x - 0.4f * size * y, neck.y + 0.4f * size * x),
                               ImVec2(neck.x + 0.4f * size * y, neck.y - 0.4f * size * x), ink);
  }

  const Style& style_;
  const AccessMap& map_;
  const std::vector<Sheet>& sheets_;
  int thread_;
  std::vector<ThreadUse> uses_;
  ImDrawList* list_ = ImGui::GetWindowDrawList();
};

void draw_memory_legend(const Style& style, const AccessMap& map) {
  const bool has_shared = std::any_of(map.arrays.begin(), map.arrays.end(), [](const AccessMap::Array& array) {
    return array.role == AccessMap::Role::shared;
  });
  std::vector<std::pair<ImU32, const char*>> entries = {{color::inks[0], "Global memory"}};
  if (has_shared) entries.emplace_back(color::inks[2], "Shared memory");
  if (map.finished) entries.emplace_back(color::warning, "Moved, but not used by the warp");
  if (map.fault) entries.emplace_back(color::bad, "Found by the check");
  const float square = ImGui::GetTextLineHeight();
  bool first = true;
  for (const auto& [ink, label] : entries) {
    const float width = square + style.px(5) + text_size(label).x;
    if (!first) {
      ImGui::SameLine(0, style.px(14));
      if (width > ImGui::GetContentRegionAvail().x) ImGui::NewLine();
    }
    first = false;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(ImVec2(at.x, at.y + 0.15f * square), ImVec2(at.x + 0.7f * square, at.y + 0.85f * square), ink);
    draw_text_in(list, ImVec2(at.x + square, at.y), ImVec2(at.x + width + style.px(2), at.y + square), color::dim,
                 label);
    ImGui::Dummy(ImVec2(width, square));
  }
}

Message use_text(const AccessMap& map, const ThreadUse& use) {
  const AccessMap::Array& array = map.arrays[static_cast<std::size_t>(use.array)];
  if (!map.finished) return {use.writes ? "{}: writes: {}" : "{}: reads: {}", array.name, use.accesses};
  const char* format = array.role == AccessMap::Role::shared
                           ? use.writes ? "{}: writes: {}; passes of the whole warp: {} (fewest possible: {})"
                                        : "{}: reads: {}; passes of the whole warp: {} (fewest possible: {})"
                       : use.writes ? "{}: writes: {}; sectors of the whole warp: {} (fewest possible: {})"
                                    : "{}: reads: {}; sectors of the whole warp: {} (fewest possible: {})";
  return {format, array.name, use.accesses, use.units, use.min_units};
}

// The text below the map, the height of which does not depend on the thread.
void draw_text_below(const Style& style, const AccessMap& map, const std::vector<ThreadUse>& uses, int thread) {
  const int columns = static_cast<int>(map.block_size.x);
  draw_memory_legend(style, map);
  draw_wrapped({"Thread ({}, {}) of block ({}, {}), warp {}, lane {}", thread % columns, thread / columns, map.block.x,
                map.block.y, thread / threads_of_warp, thread % threads_of_warp},
               color::text);
  for (const ThreadUse& use : uses) draw_wrapped(use_text(map, use));
  if (uses.empty()) draw_wrapped("This thread reads and writes nothing.");
  if (!map.finished) draw_wrapped("The run ended in this block, before all of its threads had come as far.");
  if (!map.complete) draw_wrapped("Only the first accesses of each thread are drawn.");
}

// Reacts to the pointer and the keys over the threads. Returns the thread to be shown.
int choose_thread(const Style& style, const AccessMap& map, const Sheet& threads, int& thread) {
  const ImVec2 before = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(threads.at);
  const bool pressed = press_area("##threads", ImVec2(threads.end().x - threads.at.x, threads.end().y - threads.at.y));
  const bool by_keys = focus_is_shown() && ImGui::IsItemFocused();
  const bool is_hovered = !by_keys && ImGui::IsItemHovered();
  tooltip(style, by_keys ? "Arrow keys: choose a thread" : "Click: keep this thread");
  ImGui::SetCursorScreenPos(before);
  const int columns = static_cast<int>(map.block_size.x), rows = static_cast<int>(map.block_size.y);
  if (by_keys) {
    const TabOrder::Arrows arrows = capture_arrows();
    const int x = std::clamp(thread % columns + arrows.right, 0, columns - 1),
              y = std::clamp(thread / columns + arrows.up, 0, rows - 1);
    thread = y * columns + x;
  }
  if (!is_hovered) return thread;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const int x = std::clamp(static_cast<int>((pointer.x - threads.at.x) / threads.cell), 0, columns - 1),
            y = std::clamp(rows - 1 - static_cast<int>((pointer.y - threads.at.y) / threads.cell), 0, rows - 1);
  if (pressed) thread = y * columns + x;
  return y * columns + x;
}

}  // namespace

void draw_access_map(const Style& style, const AccessMap& map, int& thread, ImVec2 size) {
  thread = std::clamp(thread, 0, map.threads() - 1);
  ImGui::PushFont(style.small);
  const Groups groups = groups_of(map);
  const float title = ImGui::GetTextLineHeight() + style.px(4), line = ImGui::GetTextLineHeightWithSpacing();
  // Room for a line about reads and one about writes of each shared array, and one of each other one.
  float lines = 2.5f;
  for (const AccessMap::Array& array : map.arrays) lines += array.role == AccessMap::Role::shared ? 2.f : 1.f;
  const ImVec2 from = ImGui::GetCursorScreenPos(),
               room(size.x, std::max(size.y - lines * line, std::min(size.y, style.px(160))));
  const std::vector<Sheet> sheets = arrange(style, groups, from, room, title);
  const int shown = choose_thread(style, map, sheets.front(), thread);
  const MapPainter painter(style, map, sheets, shown);
  painter.draw(title);
  float bottom = from.y;
  for (const Sheet& sheet : sheets) bottom = std::max(bottom, sheet.end().y);
  ImGui::Dummy(ImVec2(size.x, bottom - from.y + style.px(6)));
  draw_text_below(style, map, painter.uses(), shown);
  ImGui::PopFont();
}

}  // namespace perturb
