// The kernel `temporal`: several steps of the wave in one pass over memory, on CUDA. It needs 16/T bytes per cell and
// step in FP32, so that arithmetic becomes the bound.
//
// Strips and chunks. A warp owns a strip of 128 columns, four per lane (16 bytes in FP32, one access). It streams
// upwards through a chunk of rows, row by row, and never waits for another warp: there are no barriers. The cost is
// redundant work. A value at level k depends on its neighbours at level k-1. At each level, one more column and one
// more row at the ends of the loaded area are therefore wrong. Strips therefore overlap by T columns, rounded up to
// whole lanes, at both ends, and chunks by T rows; each warp writes only the cells that are correct at level T:
//
//       strip s      ::::::########################::::::
//       strip s+1                            ::::::########################::::::        columns ->
//                                            |-----|------- useful -------|-----|
//                                            overlap                      overlap
//
//       #  correct at level T, written        :  loaded; from its end on one more column is wrong at each level
//
//   of a chunk:   rows row_begin - T .. row_end + T - 1 are loaded, rows row_begin .. row_end - 1 are written
//
// The sweep. The work between two loads is a sweep. The sweep that loads row R of level 0 (and row R-1 of the level
// before it) computes row R-1 of level 1, from that row R-2 of level 2, and so on to row R-T of level T. The rows form
// a staircase that moves up one row per sweep. For T = 3, with `o` for values in registers, `L` for the row that the
// sweep loads and `*` for the rows that it computes:
//
//              before sweep R                     in sweep R
//              level  0  1  2  3                  level  0  1  2  3
//       row  R                                           L
//            R-1      o                                  o  *
//            R-2      o  o                               o  o  *
//            R-3      o  o  o                               o  o  *  -> written
//            R-4         o  o                                  o
//            R-5            o
//
// Level k at row R-k reads its neighbours from level k-1: the upper one from row R-k+1, which this sweep has just
// computed; left, own and right from row R-k; the lower one from row R-k-1. It reads the value two levels before, level
// k-2, from row R-k. So three rows of each level are live, all in registers: 3 · 4 · T numbers per lane (144 in FP32 at
// T = 12). The newest row takes the slot of the oldest. The loop over rows is unrolled by three, so that a slot is a
// register and not an index. Left and right neighbours outside a lane's own columns come from shuffles.
//
// Loads. Asynchronous copies into shared memory fetch rows several sweeps ahead. Each lane copies its own columns, so a
// lane waits only for its own copies. This hides memory latency without using registers: with one row ahead in
// registers, warps waited for memory more than half of the time. The remaining cost is 30 instructions for 4 cells and
// one level; the schedulers issue at about 80 % of their rate.
//
// The first sweeps of a chunk compute rows from rows that were never loaded. From sweep 2k on (counted from 0), all
// inputs of level k are valid, and level T is written from sweep 2T on: no wrong value is ever written.
//
// Sides add no cost to the stream. It processes an infinite field, the tank's continuation (model/fold.h). Beyond a
// periodic side the tank repeats. A free side is a mirror on the face of the outermost cell, an absorbing side a mirror
// through the centre of that cell. A fixed side is a mirror through the line of zeros one cell outside, and also
// changes the sign. The scheme sums its neighbours in pairs, so these symmetries hold bit for bit at every later level,
// and only loads depend on the sides.
//
// Special rows. The continuation cannot express a sponge, the one-way condition at an absorbing side, or cells that a
// source holds. These need longer code, which a warp runs only in sweeps that touch such cells (enum Sweep). `special`
// handles a sponge, columns on an absorbing side and one source without branches. `unusual` also calls a function
// (finish_cells), for rows on absorbing sides and where sources overlap. These sweeps take about three times as long.
// For such tanks `temporal` is the fastest kernel only where most warps are away from the sides; `auto` measures this.
//
// Fewer steps than levels. Kernels exist for a few T only. For fewer steps, the levels beyond alternately repeat the
// last two, so that the last level holds either the newest or the one before it, and the caller swaps the outputs.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "cuda/core/backend/cuda_launch.h"
#include "cuda/wave/kernels/kernels.h"
#include "cuda/wave/kernels/temporal_steps.h"

namespace perturb::wave {

namespace {

struct TemporalKernel {
  int levels;  // T
  const void* function;
};

template <class Real, int T, int fewer>
TemporalKernel temporal_kernel_of(bool special, bool has_medium) {
  void (*plain)(TemporalArguments<Real>, Nothing, View2D<const Real>) =
      has_medium ? temporal_steps<Real, T, fewer, false, true> : temporal_steps<Real, T, fewer, false, false>;
  void (*general)(TemporalArguments<Real>, StepParams<Real>, View2D<const Real>) =
      has_medium ? temporal_steps<Real, T, fewer, true, true> : temporal_steps<Real, T, fewer, true, false>;
  return {T, special ? reinterpret_cast<const void*>(general) : reinterpret_cast<const void*>(plain)};
}

// Returns the kernel with the fewest levels for this number of steps. More levels than steps would be wasted work, and
// a kernel for each number would be too much code: passes have the maximum number of steps except where a drop falls or
// a run ends. FP64 rows take twice the registers, so FP64 has half as many levels.
template <class Real>
TemporalKernel temporal_kernel(int steps, bool special, bool has_medium) {
  if (steps <= 2) return temporal_kernel_of<Real, 2, 0>(special, has_medium);
  if (steps <= 4) return temporal_kernel_of<Real, 4, 2>(special, has_medium);
  if constexpr (sizeof(Real) == 8) {
    return temporal_kernel_of<Real, 6, 4>(special, has_medium);
  } else {
    if (steps <= 8) return temporal_kernel_of<Real, 8, 4>(special, has_medium);
    return temporal_kernel_of<Real, 12, 8>(special, has_medium);
  }
}

// Cuts the tank into strips and chunks of rows, one warp each. `resident`: warps that the device can hold at once. All
// warps should start at once and end at about the same time, since the pass ends with its last warp. The cost of a
// chunk is its rows times the cost of a sweep there, so slow strips get more chunks with fewer rows. These numbers only
// divide the work and never affect the result: a wrong one makes some warps end late.
template <class Real>
void cut(const StepParams<Real>& params, const TemporalKernel& kernel, bool special, int resident,
         TemporalArguments<Real>* tank) {
  const int useful = useful_columns(kernel.levels), overlap = strip_overlap(kernel.levels);
  const int strips = (params.width + useful - 1) / useful;
  // Measured cost of a sweep relative to a plain one. Over a side, each number is copied separately and may change its
  // sign; with `special`, the sweep also runs the longer code. A strip in which a source holds cells runs that code
  // too.
  const double over_one_side = special ? 3 : 1.3, hard_source_weight = 3;
  // Number of rows by which the chunks at an absorbing side are smaller.
  const int rows_of_sponge = params.sponge_x.empty() ? 20 : 80;
  std::map<int, double> slow{{0, over_one_side}, {strips - 1, over_one_side}};
  for (int s = 0; s < params.sources.count; ++s) {
    const HardSource<Real>& hard_source = params.sources.hard_sources[s][0];
    // A strip is slow where a source holds cells in a large share of its rows. An oscillator or a horizontal line holds
    // cells in few rows.
    const double rows =
        std::min<double>(params.height, std::abs(hard_source.y1 - hard_source.y0) + 2 * hard_source.radius);
    if (rows < 0.25 * params.height) continue;
    const double low = std::min(hard_source.x0, hard_source.x1) - hard_source.radius - 1,
                 high = std::max(hard_source.x0, hard_source.x1) + hard_source.radius + 1;
    const int first = std::max(0, static_cast<int>(std::floor((low - overlap) / useful)));
    const int last = std::min(strips - 1, static_cast<int>(std::floor((high + overlap) / useful)));
    if (last - first > 2) continue;  // an oblique line: few rows in each strip
    for (int strip = first; strip <= last; ++strip)
      if (slow.size() < max_slow_strips) slow.try_emplace(strip, 1).first->second += hard_source_weight - 1;
  }
  double weight = strips - static_cast<double>(slow.size());
  for (const auto& [strip, cost] : slow) weight += cost;

  // As many chunks as the device can hold warps. Chunks with fewer rows than half the levels would usually repeat the
  // work of their neighbours: the 2T rows of overlap cost four times as much as the rows themselves.
  const int best = std::clamp(static_cast<int>(resident / weight), 1, std::max(1, 2 * params.height / kernel.levels));
  const auto within = [&](double chunks) { return std::clamp(static_cast<int>(chunks + 0.5), 1, params.height); };
  tank->strips = strips, tank->chunks = within(best);
  tank->slow_strips = 0;
  int max_chunks = tank->chunks;
  for (const auto& [strip, cost] : slow) {
    tank->slow[tank->slow_strips++] = {strip, within(best * cost)};
    max_chunks = std::max(max_chunks, within(best * cost));
  }
  // Rows with a sponge take longer too.
  const int extra = std::min(rows_of_sponge, params.height / (2 * max_chunks));
  tank->extra_bottom = params.bottom == Boundary::absorbing ? extra : 0;
  tank->extra_top = params.top == Boundary::absorbing ? extra : 0;
}

}  // namespace

template <class Real>
void step_temporal(Backend& backend, const StepParams<Real>& params, const Levels<Real>& levels, int steps) {
  const bool special = is_special(params);
  const TemporalKernel kernel = temporal_kernel<Real>(steps, special, !params.medium.empty());
  TemporalArguments<Real> tank{};
  tank.u = levels.u, tank.u_previous = levels.u_previous;
  tank.u_out = levels.spare, tank.u_previous_out = levels.spare_previous;
  tank.width = params.width, tank.height = params.height;
  tank.courant2 = params.courant2, tank.inertia = params.inertia;
  tank.left = params.left, tank.right = params.right, tank.bottom = params.bottom, tank.top = params.top;
  tank.steps = steps;
  // Levels that only repeat (see the kernel): if their number is odd, the last one holds t+steps-1.
  if ((kernel.levels - steps) % 2 != 0) std::swap(tank.u_out, tank.u_previous_out);
  cut(params, kernel, special, cuda_resident_blocks(kernel.function, warp_size), &tank);
  int blocks = (tank.strips - tank.slow_strips) * tank.chunks;
  for (int s = 0; s < tank.slow_strips; ++s) blocks += tank.slow[s].chunks;

  StepParams<Real> whole_params = params;
  Nothing nothing;
  View2D<const Real> medium = params.medium;
  void* arguments[] = {&tank, special ? static_cast<void*>(&whole_params) : static_cast<void*>(&nothing), &medium};
  const CudaLaunch launch(backend, "wave.temporal");
  PERTURB_CUDA_CHECK(cudaLaunchKernel(kernel.function, dim3(blocks), dim3(warp_size), arguments, 0, launch.stream()));
}

template <class Real>
LaunchShape temporal_shape() {
  return cuda_launch_shape(temporal_kernel<Real>(max_temporal_steps<Real>, false, false).function, dim3(warp_size));
}

template void step_temporal(Backend&, const StepParams<float>&, const Levels<float>&, int);
template void step_temporal(Backend&, const StepParams<double>&, const Levels<double>&, int);
template LaunchShape temporal_shape<float>();
template LaunchShape temporal_shape<double>();

}  // namespace perturb::wave
