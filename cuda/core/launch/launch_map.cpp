#include "cuda/core/launch/launch_map.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "cuda/core/loops/skewed_rows.h"

namespace perturb {

namespace {

int quotient_up(int count, int unit) { return (count + unit - 1) / unit; }

CellBox clipped(const CellBox& box, const CellBox& to) {
  const int x = std::max(box.x, to.x), y = std::max(box.y, to.y);
  return {x, y, std::min(box.x + box.width, to.x + to.width) - x, std::min(box.y + box.height, to.y + to.height) - y};
}

CellBox tile_at(const Launch::Part& part, int column, int row) {
  return clipped(
      {part.box.x + column * part.tile_width, part.box.y + row * part.tile_height, part.tile_width, part.tile_height},
      part.box);
}

// The tiles of a part that overlap a box: columns x .. x + width - 1 of tiles, and rows.
CellBox tiles_between(const Launch::Part& part, const CellBox& box) {
  const CellBox cells = clipped(part.box, box);
  if (cells.width <= 0 || cells.height <= 0) return {};
  const int x = (cells.x - part.box.x) / part.tile_width, y = (cells.y - part.box.y) / part.tile_height;
  return {x, y, (cells.x + cells.width - 1 - part.box.x) / part.tile_width - x + 1,
          (cells.y + cells.height - 1 - part.box.y) / part.tile_height - y + 1};
}

// The index of the block that writes a tile.
LoopBlocks block_at(const LaunchMap& map, const Launch::Part& part, int column, int row) {
  if (!map.on_gpu) return {part.first_block, 0};
  if (part.numbered) return {part.first_block + row * quotient_up(part.box.width, part.tile_width) + column, 0};
  return {column, row % max_block_rows};
}

// How many blocks a launch has.
LoopBlocks blocks_of(const LaunchMap& map, const Launch& launch) {
  if (!map.on_gpu) return {static_cast<int>(launch.parts.size()), 1};
  const Launch::Part& last = launch.parts.back();
  const int columns = quotient_up(last.box.width, last.tile_width),
            rows = quotient_up(last.box.height, last.tile_height);
  if (last.numbered) return {last.first_block + std::max(1, columns * rows), 1};  // a chunk without rows is a block
  return {columns, std::min(rows, max_block_rows)};
}

// The thread of a GPU's block that writes a cell of its tile. `tile_width`: of a tile that is not cut.
int thread_of(const Launch& launch, int tile_width, const CellBox& tile, int i, int j) {
  if (launch.order == Launch::Order::in_turn)
    return ((j - tile.y) * tile_width + i - tile.x) % (launch.block_x * launch.block_y);
  return (launch.sweeps ? 0 : (j - tile.y) * launch.block_x) + (i - tile.x + launch.lead) / launch.cells_of_thread;
}

void locate_on_gpu(const LaunchMap& map, const Launch& launch, const Launch::Part& part, int i, int j,
                   LaunchLocation& location) {
  const int column = (i - part.box.x) / part.tile_width, row = (j - part.box.y) / part.tile_height;
  const LoopBlocks block = block_at(map, part, column, row);
  location.block_x = block.x;
  location.block_y = block.y;
  location.thread = thread_of(launch, part.tile_width, location.tile, i, j);
  location.thread_x = location.thread % launch.block_x;
  location.thread_y = location.thread / launch.block_x;
  const int begin = location.tile.x - launch.lead;
  location.cells = launch.order == Launch::Order::in_turn
                       ? CellBox{i, j, 1, 1}
                       : clipped({begin + (i - begin) / launch.cells_of_thread * launch.cells_of_thread, j,
                                  launch.cells_of_thread, 1},
                                 location.tile);
}

void locate_on_cpu(const LaunchMap& map, const Launch& launch, const Launch::Part& part, int i, int j,
                   LaunchLocation& location) {
  const int threads = static_cast<int>(launch.parts.size());
  location.block_x = part.first_block;
  location.cells = {i, j, 1, 1};
  const int begin = part.box.y, end = begin + part.box.height;
  const bool border_below = begin > 0 || launch.wraps, border_above = end < map.height || launch.wraps;
  const bool at_lower = border_below && j < begin + launch.seam_rows,
             at_upper = border_above && j >= end - launch.seam_rows;
  location.second_phase = at_lower || at_upper;
  // Border s is that between bands s and s + 1, or s and 0.
  if (at_lower) location.block_x = part.first_block > 0 ? part.first_block - 1 : threads - 1;
  const int last = map.width - 1, lanes = launch.vector_cells;
  if (lanes == 0 || i == 0 || i == last || (j == 0 && launch.single_bottom) ||
      (j == map.height - 1 && launch.single_top))
    return;
  const RowVectors whole = row_vectors(last, lanes, launch.min_vectors);
  if (whole.empty()) return;
  const int first = i < whole.begin ? 1 : i < whole.end ? i / lanes * lanes : last - lanes;
  location.cells = {first, j, lanes, 1};
  location.vector_lane = i - first;
}

// The cell that is read at index `k`, which may be outside; -1: none.
int read_index(int k, int count, BeyondSide low, BeyondSide high) {
  if (k >= 0 && k < count) return k;
  const int outwards = k < 0 ? -1 - k : k - count;
  int inwards = 0;
  switch (k < 0 ? low : high) {
    case BeyondSide::nothing:
      return -1;
    case BeyondSide::opposite:
      inwards = count - 1 - outwards;
      break;
    case BeyondSide::own:
      inwards = outwards;
      break;
    case BeyondSide::inner:
      inwards = outwards + 1;
      break;
  }
  return inwards < 0 || inwards >= count ? -1 : k < 0 ? inwards : count - 1 - inwards;
}

// One access of a warp or vector: the bytes that its lanes touch.
class Access {
 public:
  Access(const LaunchMap& map, const LaunchRead& read) : map_(map), read_(read) {}

  // The offset of a cell; -1 where none is read.
  std::int64_t byte_of(int i, int j) const {
    const int a = read_index(i, map_.width, map_.left, map_.right),
              b = read_index(j, map_.height, map_.bottom, map_.top);
    if (a < 0 || b < 0) return -1;
    return read_.first_byte + static_cast<std::int64_t>(b) * map_.row_bytes +
           static_cast<std::int64_t>(a) * map_.cell_bytes;
  }
  // Cells `first` .. `end`-1 of the read at (i, j).
  void add(int i, int j, int first, int end) {
    for (int c = first; c < end; ++c)
      if (const std::int64_t byte = byte_of(i + c, j); byte >= 0) cells_.insert(byte);
  }
  int units(int unit) const {
    std::set<std::int64_t> touched;
    for (const std::int64_t byte : cells_)
      for (std::int64_t u = byte / unit; u <= (byte + map_.cell_bytes - 1) / unit; ++u) touched.insert(u);
    return static_cast<int>(touched.size());
  }
  int min_units(int unit) const { return quotient_up(static_cast<int>(cells_.size()) * map_.cell_bytes, unit); }

 private:
  const LaunchMap& map_;
  const LaunchRead& read_;
  std::set<std::int64_t> cells_;
};

// The widest access of a thread of a GPU.
constexpr int max_access_bytes = 16;

// Adds a read of a warp. Threads read at at(thread, &i, &j), if that returns true.
template <class At>
ThreadRead warp_read(const LaunchMap& map, const LaunchRead& read, int warp, int threads, int own, const At& at) {
  ThreadRead result{&read};
  int begin = warp * threads_of_warp, end = std::min(begin + threads_of_warp, threads);
  if (int i = 0, j = 0; read.lanes == LaunchRead::Lanes::first) {
    end = begin + 1;
  } else if (read.lanes == LaunchRead::Lanes::last) {
    while (end > begin + 1 && !at(end - 1, &i, &j)) --end;  // lanes beyond the row are idle
    begin = end - 1;
  }
  const int cells = std::min(read.cells, std::max(1, max_access_bytes / map.cell_bytes));
  for (int part = 0; part < read.cells; part += cells) {
    Access access(map, read);
    for (int t = begin; t < end; ++t) {
      int i = 0, j = 0;
      if (!at(t, &i, &j)) continue;
      i += read.dx;
      j += read.dy;
      access.add(i, j, part, std::min(part + cells, read.cells));
      if (t != own || part > 0) continue;
      result.i = i;
      result.j = j;
      result.byte = access.byte_of(i, j);
    }
    result.units += access.units(sector_bytes);
    result.min_units += access.min_units(sector_bytes);
  }
  return result;
}

std::vector<ThreadRead> reads_on_gpu(const LaunchMap& map, const LaunchLocation& location, int j) {
  const Launch& launch = *location.launch;
  std::vector<ThreadRead> all;
  const int threads = launch.block_x * launch.block_y;
  if (launch.frame >= 0) {
    // Rows of the frame are as long as those of a tile that is not cut.
    int tile_width = location.tile.width;
    for (const Launch::Part& part : launch.parts)
      if (part.box.holds(location.tile.x, location.tile.y)) tile_width = part.tile_width;
    const int pitch = tile_width + 2 * launch.frame, rows = location.tile.height + 2 * launch.frame;
    for (int first = 0; first < pitch * rows; first += threads)
      for (const LaunchRead& read : launch.reads)
        all.push_back(warp_read(map, read, location.warp(), threads, location.thread, [&](int t, int* a, int* b) {
          const int k = first + t, x = k % pitch, y = k / pitch;
          *a = location.tile.x - launch.frame + x;
          *b = location.tile.y - launch.frame + y;
          return y < rows && x < location.tile.width + 2 * launch.frame &&
                 read_index(*a, map.width, map.left, map.right) >= 0 &&
                 read_index(*b, map.height, map.bottom, map.top) >= 0;
        }));
    return all;
  }
  for (const LaunchRead& read : launch.reads)
    all.push_back(warp_read(map, read, location.warp(), threads, location.thread, [&](int t, int* a, int* b) {
      *a = location.tile.x - launch.lead + t % launch.block_x * launch.cells_of_thread;
      *b = launch.sweeps ? j : location.tile.y + t / launch.block_x;
      return launch.lead > 0 || (*a < map.width && *b < map.height);
    }));
  return all;
}

}  // namespace

std::vector<Launch::Part> band_parts(const SkewedRows& rows, int width) {
  std::vector<Launch::Part> parts;
  for (int b = 0; b < rows.bands; ++b) {
    const CellBox box{0, rows.border(b), width, rows.border(b + 1) - rows.border(b)};
    parts.push_back({box, width, box.height, true, b});
  }
  return parts;
}
std::vector<Launch::Part> band_parts(int blocks, int width, int height) {
  return band_parts(SkewedRows{height, 1, 0, false, blocks, false}, width);
}

LaunchLocation location_of(const LaunchMap& map, int i, int j) {
  LaunchLocation location;
  for (const Launch& launch : map.launches)
    for (const Launch::Part& part : launch.parts) {
      if (!part.box.holds(i, j)) continue;
      location.launch = &launch;
      location.tile = tile_at(part, (i - part.box.x) / part.tile_width, (j - part.box.y) / part.tile_height);
      if (map.on_gpu)
        locate_on_gpu(map, launch, part, i, j, location);
      else
        locate_on_cpu(map, launch, part, i, j, location);
      return location;
    }
  return location;
}

std::int64_t tile_count(const LaunchMap& map, const CellBox& box) {
  std::int64_t count = 0;
  for (const Launch& launch : map.launches)
    for (const Launch::Part& part : launch.parts) {
      const CellBox tiles = tiles_between(part, box);
      count += static_cast<std::int64_t>(tiles.width) * tiles.height;
    }
  return count;
}

std::vector<LaunchTile> tiles_in(const LaunchMap& map, const CellBox& box) {
  std::vector<LaunchTile> all;
  for (const Launch& launch : map.launches)
    for (const Launch::Part& part : launch.parts) {
      const CellBox tiles = tiles_between(part, box);
      for (int row = tiles.y; row < tiles.y + tiles.height; ++row)
        for (int column = tiles.x; column < tiles.x + tiles.width; ++column) {
          const LoopBlocks block = block_at(map, part, column, row);
          all.push_back({&launch, tile_at(part, column, row), block.x, block.y});
        }
    }
  return all;
}

std::vector<WarpCells> warps_of(const LaunchMap& map, const LaunchTile& tile) {
  const Launch& launch = *tile.launch;
  std::vector<WarpCells> all;
  if (!map.on_gpu) return all;
  const CellBox& box = tile.tile;
  if (launch.sweeps && launch.block_x * launch.block_y <= threads_of_warp) return {{0, box}};
  int tile_width = box.width;
  for (const Launch::Part& part : launch.parts)
    if (part.box.holds(box.x, box.y)) tile_width = part.tile_width;
  std::vector<std::size_t> below;  // boxes of the row below, which may grow upwards
  for (int j = box.y; j < box.y + box.height; ++j) {
    std::vector<std::size_t> row;
    for (int i = box.x; i < box.x + box.width;) {
      const int warp = thread_of(launch, tile_width, box, i, j) / threads_of_warp;
      int end = i + 1;
      while (end < box.x + box.width && thread_of(launch, tile_width, box, end, j) / threads_of_warp == warp) ++end;
      const auto grows = std::find_if(below.begin(), below.end(), [&](std::size_t k) {
        return all[k].warp == warp && all[k].cells.x == i && all[k].cells.width == end - i;
      });
      if (grows != below.end()) {
        ++all[*grows].cells.height;
        row.push_back(*grows);
      } else {
        row.push_back(all.size());
        all.push_back({warp, {i, j, end - i, 1}});
      }
      i = end;
    }
    below = row;
  }
  return all;
}

std::vector<ThreadRead> reads_of(const LaunchMap& map, const LaunchLocation& location, int i, int j) {
  if (!location.launch) return {};
  if (map.on_gpu) return reads_on_gpu(map, location, j);
  std::vector<ThreadRead> all;
  for (const LaunchRead& read : location.launch->reads) {
    ThreadRead result{&read};
    Access access(map, read);
    access.add(location.cells.x + read.dx, j + read.dy, 0, location.cells.width);
    result.i = i + read.dx;
    result.j = j + read.dy;
    result.byte = access.byte_of(result.i, result.j);
    result.units = access.units(cache_line_bytes);
    result.min_units = access.min_units(cache_line_bytes);
    all.push_back(result);
  }
  return all;
}

LaunchStarts::LaunchStarts(const LaunchMap& map, std::vector<BlockStarts> records) {
  for (BlockStarts& record : records) {
    const bool is_shown = std::any_of(map.launches.begin(), map.launches.end(),
                                      [&](const Launch& launch) { return launch.label == record.label; });
    if (is_shown) records_.push_back(std::move(record));
  }
  std::set<int> units;
  for (const BlockStarts& record : records_)
    for (const BlockStart& start : record.blocks) {
      if (start.nanoseconds == 0) continue;
      if (first_ == 0) first_ = last_ = start.nanoseconds;
      first_ = std::min(first_, start.nanoseconds);
      last_ = std::max(last_, start.nanoseconds);
      units.insert(start.unit);
    }
  units_.assign(units.begin(), units.end());
}

const BlockStarts* LaunchStarts::record_of(const LaunchMap& map, const Launch& launch) const {
  const LoopBlocks blocks = blocks_of(map, launch);
  for (const BlockStarts& record : records_)
    if (record.label == launch.label && record.blocks_x == blocks.x && record.blocks_y == blocks.y) return &record;
  return nullptr;
}

const BlockStart* LaunchStarts::of(const LaunchMap& map, const LaunchTile& tile) const {
  const BlockStarts* const record = record_of(map, *tile.launch);
  if (!record) return nullptr;
  const BlockStart& start =
      record->blocks[static_cast<std::size_t>(tile.block_y) * static_cast<std::size_t>(record->blocks_x) +
                     static_cast<std::size_t>(tile.block_x)];
  return start.nanoseconds != 0 ? &start : nullptr;
}

}  // namespace perturb
