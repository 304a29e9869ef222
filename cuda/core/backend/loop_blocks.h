// How loops over a grid are divided: into blocks of threads on CUDA, and each row into vectors on a CPU.
#pragma once

#include "cuda/core/backend/host_device.h"

namespace perturb {

constexpr int threads_of_warp = 32;

// A loop over rows and columns on CUDA. A warp covers 32 columns of a row, a block four rows. Blocks also loop over the
// rows beyond the maximum y extent of a grid of blocks.
constexpr int loop_block_width = 64, loop_block_height = 4, most_block_rows = 65535;
struct LoopBlocks {
  int x, y;
};
constexpr LoopBlocks loop_blocks(int width, int height) {
  const int rows = (height + loop_block_height - 1) / loop_block_height;
  return {(width + loop_block_width - 1) / loop_block_width, rows < most_block_rows ? rows : most_block_rows};
}

// On a CPU: the least number of rows of a block, because waking a thread is not worthwhile for less than about 4096
// cells.
constexpr int least_loop_rows(int width) { return width > 0 ? 1 + 4095 / width : 1; }

// Division of the cells 1 .. last-1 of a row into CPU vectors of `lanes`: whole vectors begin .. end-1 from a multiple
// of `lanes` on, and one vector at each end that overlaps them. A row with fewer than `least` vectors has none
// (begin == end).
struct RowVectors {
  int begin = 0, end = 0;
  constexpr bool empty() const { return begin == end; }
};
constexpr RowVectors row_vectors(int last, int lanes, int least) {
  return last < least * lanes ? RowVectors{} : RowVectors{lanes, last / lanes * lanes};
}

}  // namespace perturb
