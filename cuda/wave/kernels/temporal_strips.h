// Division of the tank by the kernel `temporal`: strips of columns and chunks of rows, one warp each
// (kernels/temporal.cu has a drawing). Only for files that nvcc compiles.
#pragma once

#include "cuda/core/backend/cuda_warp.h"
#include "cuda/core/backend/field.h"
#include "cuda/wave/model/quad.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

// Four columns per lane. Of the 128, 104 are useful at T = 12. With fewer columns, the overlap would take a larger
// share; with more, three rows of twelve levels would not fit into a lane's 255 registers.
constexpr int strip_columns = warp_size * quad;
// Number of live rows per level: the scheme reads one row on either side. The loop over rows is unrolled by this
// number.
constexpr int slots = 3;

// Number of columns at each end of a strip that other strips compute: at least T, in whole quads.
constexpr int strip_overlap(int levels) { return (levels + quad - 1) / quad * quad; }
constexpr int useful_columns(int levels) { return strip_columns - 2 * strip_overlap(levels); }

constexpr int power_of_two_from(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

// Number of rows being copied at any time. With the row in use, they have a power of two of slots in shared memory: 8
// slots of 1 KiB in FP32, 4 of 2 KiB in FP64. With fewer rows, warps wait for memory; with more, shared memory would
// allow fewer warps. 3 where the medium takes shared memory too: its rows stay from their load until level T has used
// them, T + 3 rows (16 slots at T = 12 in FP32, 8 KiB).
constexpr int rows_ahead(int bytes_per_real, bool has_medium) { return has_medium || bytes_per_real == 8 ? 3 : 6; }

// One warp computes a chunk of rows of a strip up to the last level. A strip with slower sweeps (it extends over a
// side, or a source holds cells all along it) is cut into more chunks, which start first, so that all warps end at
// about the same time.
struct SlowStrip {
  int strip, chunks;
};
// The list is part of the kernel's arguments. Slow strips that do not fit into it are cut like the others: their warps
// end later, and nothing else changes.
constexpr int max_slow_strips = 24;

template <class Real>
struct TemporalArguments {
  View2D<const Real> u, u_previous;
  View2D<Real> u_out, u_previous_out;
  int width, height;
  Real courant2, inertia;
  Boundary left, right, bottom, top;
  int steps;                    // 1 .. T
  int strips, chunks;           // chunks of a strip that is not slow
  int extra_bottom, extra_top;  // number of rows by which the lowest and the highest chunk of a strip are smaller
  int slow_strips;              // sorted by strip
  SlowStrip slow[max_slow_strips];
};

// Number of warps that a multiprocessor should hold: the compiler limits registers accordingly. Each of its four
// schedulers has its own warps, hence multiples of four. A multiprocessor has 65536 registers, so 16 warps leave 128
// per lane, 12 leave 170 and 8 leave the maximum, 255. `depth` counts levels in FP32 registers: a lane holds 12 · depth
// numbers of 4 bytes, 96 at depth 8 and 144 at depth 12. A sweep needs more for itself, and the versions for special
// rows more still. With four more warps, the plain FP32 versions would no longer fit and would spill to memory in every
// sweep; with fewer warps, less latency is hidden.
constexpr int warps_wanted(int levels, int bytes_per_real, bool special) {
  const int depth = levels * bytes_per_real / 4;
  if (depth > 8) return special ? 8 : 12;
  if (depth > 4) return special || bytes_per_real == 8 ? 12 : 16;
  return 16;  // blocks that the smallest multiprocessors can hold
}

// Work of one warp: rows row_begin .. row_end - 1 of a strip.
struct TemporalChunk {
  int strip, row_begin, row_end;
};

// Slow strips get the first blocks, so that they start first.
template <class Real>
__device__ inline TemporalChunk chunk_of_block(const TemporalArguments<Real>& tank, int block) {
  int strip = 0, chunk = block, chunks = tank.chunks, s = 0;
  while (s < tank.slow_strips && chunk >= tank.slow[s].chunks) chunk -= tank.slow[s++].chunks;
  if (s < tank.slow_strips) {
    strip = tank.slow[s].strip, chunks = tank.slow[s].chunks;
  } else {
    const int others = tank.strips - tank.slow_strips;
    strip = chunk % others, chunk /= others;
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

}  // namespace perturb::wave
