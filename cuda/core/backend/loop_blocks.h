// How loops over a grid are divided: into blocks of threads on CUDA, and each row into vectors on a CPU.
#pragma once

#include "cuda/core/backend/host_device.h"

namespace perturb {

constexpr int threads_of_warp = 32;

// A loop over rows and columns on CUDA. A warp covers 32 columns of a row, a block four rows. Blocks also loop over the
// rows beyond the maximum y extent of a grid of blocks.
constexpr int loop_block_width = 64, loop_block_height = 4, max_block_rows = 65535;
struct LoopBlock {
  int width = loop_block_width, height = loop_block_height;
  bool operator==(const LoopBlock&) const = default;
};
struct LoopBlocks {
  int x, y;
};
constexpr LoopBlocks loop_blocks(int width, int height, LoopBlock block = {}) {
  const int rows = (height + block.height - 1) / block.height;
  return {(width + block.width - 1) / block.width, rows < max_block_rows ? rows : max_block_rows};
}
// The shapes that a user can choose for a loop (HasLoopBlocks): the usual one, and others with as many threads, for
// which kernels are compiled.
constexpr LoopBlock loop_block_choices[] = {{}, {32, 8}, {16, 16}, {8, 32}, {128, 2}, {256, 1}};

// Implemented by simulations that have kernels with such a loop over cells.
class HasLoopBlocks {
 public:
  // The shape of the blocks on CUDA, one of loop_block_choices, where it is a choice (LaunchMap::block_is_a_choice).
  // The result does not depend on it.
  virtual void set_loop_block(LoopBlock block) = 0;

 protected:
  ~HasLoopBlocks() = default;
};

// On a CPU: the least number of rows of a block, because waking a thread is not worthwhile for less than about 4096
// cells.
constexpr int min_loop_rows(int width) { return width > 0 ? 1 + 4095 / width : 1; }

// Division of the cells 1 .. last-1 of a row into CPU vectors of `lanes`: whole vectors begin .. end-1 from a multiple
// of `lanes` on, and one vector at each end that overlaps them. A row with fewer than `min_vectors` vectors has none
// (begin == end).
struct RowVectors {
  int begin = 0, end = 0;
  constexpr bool empty() const { return begin == end; }
};
constexpr RowVectors row_vectors(int last, int lanes, int min_vectors) {
  return last < min_vectors * lanes ? RowVectors{} : RowVectors{lanes, last / lanes * lanes};
}

}  // namespace perturb
