// How the kernels of the wave divide the tank among blocks, warps and threads: used by the kernels themselves, and by
// the launch overlay. Compiles without CUDA.
#pragma once

#include "cuda/core/backend/loop_blocks.h"
#include "cuda/core/launch/launch_map.h"
#include "cuda/core/loops/skewed_rows.h"
#include "cuda/core/math/simd.h"
#include "cuda/wave/kernels/kernels.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

// A column and a row.
struct CellIndex {
  int i, j;
};

constexpr int quad = 4;  // cells of one or two 16-byte accesses

// ---- convolution: blocks of 3x3 threads, an apron of one cell around them

constexpr int convolution_block = 3, convolution_apron = 1;

// ---- vectorised: a warp for each row of a block, four cells per thread

constexpr int vectorised_rows = 8;
constexpr int vectorised_columns = threads_of_warp * quad;
// The first cell of a thread.
PERTURB_HD constexpr CellIndex vectorised_cell(int block_x, int block_y, int thread_x, int thread_y) {
  return {(block_x * threads_of_warp + thread_x) * quad, block_y * vectorised_rows + thread_y};
}

// ---- temporal (kernels/temporal.cu): strips of columns and chunks of rows, one warp each

// Four columns per lane. Of the 128, 104 are useful at T = 12. With fewer columns, the overlap would take a larger
// share; with more, three rows of twelve levels would not fit into a lane's 255 registers.
constexpr int strip_columns = threads_of_warp * quad;

// Number of columns at each end of a strip that other strips compute: at least T, in whole quads.
PERTURB_HD constexpr int strip_overlap(int levels) { return (levels + quad - 1) / quad * quad; }
PERTURB_HD constexpr int useful_columns(int levels) { return strip_columns - 2 * strip_overlap(levels); }

// Levels of the kernel for this number of steps: the fewest. More levels than steps would be wasted work, and a kernel
// for each number would be too much code: passes have the maximum number of steps except where a drop falls or a run
// ends. FP64 rows take twice the registers, so FP64 has half as many levels.
constexpr int temporal_levels(int steps, int bytes_per_real) {
  return steps <= 2 ? 2 : steps <= 4 ? 4 : bytes_per_real == 8 ? 6 : steps <= 8 ? 8 : 12;
}

// One warp computes a chunk of rows of a strip up to the last level. A strip with slower sweeps (it extends over a
// side, or a source holds cells all along it) is cut into more chunks, which start first, so that all warps end at
// about the same time.
struct SlowStrip {
  int strip, chunks;
};
// The list is part of the kernel's arguments. Slow strips that do not fit into it are cut like the others: their warps
// end later, and nothing else changes.
constexpr int max_slow_strips = 24;

struct TemporalDivision {
  int height = 0;
  int strips = 0, chunks = 0;           // chunks of a strip that is not slow
  int extra_bottom = 0, extra_top = 0;  // number of rows by which the lowest and the highest chunk are smaller
  int slow_strips = 0;                  // sorted by strip
  SlowStrip slow[max_slow_strips];

  int blocks() const {
    int count = (strips - slow_strips) * chunks;
    for (int s = 0; s < slow_strips; ++s) count += slow[s].chunks;
    return count;
  }
};

// Work of one warp: rows row_begin .. row_end - 1 of a strip.
struct TemporalChunk {
  int strip, row_begin, row_end;
};

// Slow strips get the first blocks, so that they start first.
PERTURB_HD inline TemporalChunk chunk_of_block(const TemporalDivision& tank, int block) {
  int strip = 0, chunk = block, chunks = tank.chunks, s = 0;
  while (s < tank.slow_strips && chunk >= tank.slow[s].chunks) chunk -= tank.slow[s++].chunks;
  if (s < tank.slow_strips) {
    strip = tank.slow[s].strip;
    chunks = tank.slow[s].chunks;
  } else {
    const int others = tank.strips - tank.slow_strips;
    strip = chunk % others;
    chunk /= others;
    for (s = 0; s < tank.slow_strips; ++s) strip += strip >= tank.slow[s].strip;
  }
  // Equal chunks of a tank that is higher by the extra rows; the lowest and the highest chunk are smaller by those
  // rows.
  const auto first_row_of = [&](int c) {
    const long long rows = tank.height + tank.extra_bottom + tank.extra_top;
    return c == 0 ? 0 : c == chunks ? tank.height : static_cast<int>(rows * c / chunks) - tank.extra_bottom;
  };
  return {strip, first_row_of(chunk), first_row_of(chunk + 1)};
}

// Cuts the tank into strips and chunks of rows for the kernel with these levels. `resident`: warps that the device can
// hold at once.
template <class Real>
TemporalDivision divide_tank(const StepParams<Real>& params, int levels, int resident);

// ---- for the launch overlay

// The launch of a CUDA kernel for a pass of `steps` steps. `resident`: warps of `temporal` that the device can hold at
// once. `block`: of `fused`.
template <class Real>
LaunchMap cuda_launch_map(Kernel kernel, const StepParams<Real>& params, int steps, int resident, LoopBlock block = {});

// The rows of each thread in a pass of cpu_steps, and how it is drawn.
template <class Real>
SkewedRows cpu_rows(int threads, const StepParams<Real>& params, int steps);
template <class Real>
LaunchMap cpu_launch_map(int threads, const StepParams<Real>& params, int steps);

// Cells of a CPU vector, and the fewest vectors of a row that is divided into them (row_vectors).
template <class Real>
constexpr int row_lanes = vector_bytes / static_cast<int>(sizeof(Real));
constexpr int min_row_vectors = 4;

}  // namespace perturb::wave
