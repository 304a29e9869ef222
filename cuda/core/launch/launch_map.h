// How a kernel divides a grid among the blocks, warps and threads of a GPU, or among the threads and vectors of a CPU:
// drawn over the view (Simulation::launch_map). A simulation fills it from the constants and functions that its kernels
// use; the view draws it and does not depend on the simulation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/core/backend/block_recorder.h"
#include "cuda/core/backend/loop_blocks.h"
#include "cuda/core/backend/message.h"

namespace perturb {

struct SkewedRows;

// Cells x .. x + width - 1, y .. y + height - 1.
struct CellBox {
  int x = 0, y = 0, width = 0, height = 0;
  bool holds(int i, int j) const { return i >= x && i < x + width && j >= y && j < y + height; }
  bool operator==(const CellBox&) const = default;
};

// Where the value of a cell outside a side of the grid is read: nowhere, or in the cell at the other end of the row or
// column, at the side, or next to that one.
enum class BeyondSide { nothing, opposite, own, inner };

// A read of a thread: consecutive cells of a field, from a cell `dx`, `dy` away from the thread's own.
struct LaunchRead {
  Message field;                // "u(t)"
  std::int64_t first_byte = 0;  // of cell (0, 0), from the start of the field's memory
  int dx = 0, dy = 0, cells = 1;
  // Which threads of a warp read: the others get the value from a neighbour in their warp.
  enum class Lanes { all, first, last } lanes = Lanes::all;
};

// The launches of a kernel that write cells. A block (GPU) or a thread (CPU) writes the cells of a tile.
struct Launch {
  // Tiles of equal size that cover a box; those at its right and upper end may be cut.
  struct Part {
    CellBox box;
    int tile_width = 0, tile_height = 0;
    bool numbered = false;  // blockIdx.x counts the tiles row by row, from `first_block`; otherwise blockIdx is 2-D
    int first_block = 0;
  };
  // Which thread of a block writes a cell: by column and row, or in turn, row by row through the tile.
  enum class Order { by_place, in_turn };

  std::string label;  // of the loop, as in KernelStats: "wave.fused"
  std::vector<Part> parts;
  // Cells that a block reads beyond its tile, at either end.
  int halo_x = 0, halo_y = 0;
  std::vector<LaunchRead> reads;

  // ---- on a GPU
  int block_x = 0, block_y = 0;  // threads
  bool is_recorded = true;       // the kernel writes a BlockRecord
  Order order = Order::by_place;
  int cells_of_thread = 1;  // consecutive columns
  int lead = 0;             // columns before the tile at which the first thread begins
  bool sweeps = false;      // each thread goes through all rows of the tile
  // Cells beyond the tile, at either end, that the block also computes or stages in shared memory. Its threads take
  // tile and frame in turn; `reads` are those of a cell there. -1: none, `reads` are those of the thread's own cells.
  int frame = -1;

  // ---- on a CPU
  int vector_cells = 0;  // of a vector; 0: not known
  int min_vectors = 0;   // rows with fewer are not divided (row_vectors)
  // Rows on either side of a border between two threads whose last step follows in a second phase.
  int seam_rows = 0;
  bool wraps = false;  // the lower and the upper end of the grid are such a border too
  // The lowest and the uppermost row are computed cell by cell.
  bool single_bottom = false, single_top = false;
};

// The bands of rows of a loop of several steps on a CPU (core/loops/skewed_rows.h), one for each thread; and those of a
// loop over this many blocks of rows.
std::vector<Launch::Part> band_parts(const SkewedRows& rows, int width);
std::vector<Launch::Part> band_parts(int blocks, int width, int height);

struct LaunchMap {
  bool on_gpu = false;
  int width = 0, height = 0;          // cells
  int row_bytes = 0, cell_bytes = 0;  // from row to row, and of a cell
  BeyondSide left{}, right{}, bottom{}, top{};
  std::string kernel;  // its title
  int steps = 1;       // of a pass over memory
  std::vector<Launch> launches;
  bool block_is_a_choice = false;  // HasLoopBlocks::set_loop_block changes the blocks
  Message remark;                  // about launches that are not shown, a whole sentence; empty: none
  Message reason;                  // why nothing is shown; empty where there are launches

  bool empty() const { return launches.empty(); }
};

// Implemented by simulations that can show which thread computes which cell.
class MapsLaunch {
 public:
  // How the kernel in use divides the grid among threads; empty where no thread writes cells.
  virtual LaunchMap launch_map() const = 0;

 protected:
  ~MapsLaunch() = default;
};

// Which thread writes a cell.
struct LaunchLocation {
  const Launch* launch = nullptr;  // null: none
  CellBox tile;
  int block_x = 0, block_y = 0;    // blockIdx; on a CPU block_x is the thread
  int thread_x = 0, thread_y = 0;  // threadIdx
  int thread = 0;                  // in its block
  CellBox cells;                   // that the thread writes in this row; `cells` of a vector on a CPU
  int vector_lane = -1;            // on a CPU; -1: the cell is computed alone
  bool second_phase = false;       // on a CPU: the last step of this row follows after those of all threads

  int warp() const { return thread / threads_of_warp; }
  int lane() const { return thread % threads_of_warp; }
};
LaunchLocation location_of(const LaunchMap& map, int i, int j);

// The tiles that overlap a box, with their launch.
struct LaunchTile {
  const Launch* launch;
  CellBox tile;
  int block_x = 0, block_y = 0;  // blockIdx; on a CPU block_x is the band
};
std::vector<LaunchTile> tiles_in(const LaunchMap& map, const CellBox& box);
// How many there are, without listing them.
std::int64_t tile_count(const LaunchMap& map, const CellBox& box);

// The cells that each warp of a tile writes, as few boxes.
struct WarpCells {
  int warp;
  CellBox cells;
};
std::vector<WarpCells> warps_of(const LaunchMap& map, const LaunchTile& tile);

// A read of the thread of a location, and what it moves for the whole warp, or for the vector on a CPU.
struct ThreadRead {
  const LaunchRead* read;
  int i = 0, j = 0;        // the first cell that it reads
  std::int64_t byte = -1;  // its offset in the field's memory; -1: the thread reads nothing
  int units = 0;           // sectors of 32 bytes (GPU) or cache lines of 64 bytes (CPU) that the warp touches
  int min_units = 0;       // the fewest that hold as many bytes
};
inline constexpr int sector_bytes = 32, cache_line_bytes = 64;
std::vector<ThreadRead> reads_of(const LaunchMap& map, const LaunchLocation& location, int i, int j);

// ---- where and when the blocks started

// Records of a map's launches.
class LaunchStarts {
 public:
  LaunchStarts() = default;
  // Leaves out records of other launches.
  LaunchStarts(const LaunchMap& map, std::vector<BlockStarts> records);

  bool empty() const { return records_.empty(); }
  // Whether a launch of `map`, which may be a later one, is recorded with these blocks.
  bool has(const LaunchMap& map, const Launch& launch) const { return record_of(map, launch) != nullptr; }
  // The start of a tile's block; null: not recorded.
  const BlockStart* of(const LaunchMap& map, const LaunchTile& tile) const;
  // The time that a launch took, in seconds; 0: not known.
  double seconds(const LaunchMap& map, const Launch& launch) const {
    const BlockStarts* const record = record_of(map, launch);
    return record ? record->seconds : 0;
  }
  // Since the first block.
  double microseconds(const BlockStart& start) const { return 1e-3 * static_cast<double>(start.nanoseconds - first_); }
  double last_microseconds() const { return 1e-3 * static_cast<double>(last_ - first_); }
  // The multiprocessors or cores that ran blocks, in ascending order.
  const std::vector<int>& units() const { return units_; }

 private:
  const BlockStarts* record_of(const LaunchMap& map, const Launch& launch) const;

  std::vector<BlockStarts> records_;
  std::vector<int> units_;
  std::int64_t first_ = 0, last_ = 0;
};

}  // namespace perturb
