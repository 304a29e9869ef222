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
#include <utility>

#include "cuda/core/backend/cuda_launch.h"
#include "cuda/wave/kernels/kernels.h"
#include "cuda/wave/kernels/launches.h"
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

template <class Real>
TemporalKernel temporal_kernel(int steps, bool special, bool has_medium) {
  const int levels = temporal_levels(steps, sizeof(Real));
  if (levels == 2) return temporal_kernel_of<Real, 2, 0>(special, has_medium);
  if (levels == 4) return temporal_kernel_of<Real, 4, 2>(special, has_medium);
  if constexpr (sizeof(Real) == 8) {
    return temporal_kernel_of<Real, 6, 4>(special, has_medium);
  } else {
    if (levels == 8) return temporal_kernel_of<Real, 8, 4>(special, has_medium);
    return temporal_kernel_of<Real, 12, 8>(special, has_medium);
  }
}
}  // namespace

template <class Real>
void step_temporal(Backend& backend, const StepParams<Real>& params, const Levels<Real>& levels, int steps) {
  const bool special = is_special(params);
  const TemporalKernel kernel = temporal_kernel<Real>(steps, special, !params.medium.empty());
  TemporalArguments<Real> tank{};
  tank.u = levels.u;
  tank.u_previous = levels.u_previous;
  tank.u_out = levels.spare;
  tank.u_previous_out = levels.spare_previous;
  tank.width = params.width;
  tank.courant2 = params.courant2;
  tank.inertia = params.inertia;
  tank.left = params.left;
  tank.right = params.right;
  tank.bottom = params.bottom;
  tank.top = params.top;
  tank.steps = steps;
  // Levels that only repeat (see the kernel): if their number is odd, the last one holds t+steps-1.
  if ((kernel.levels - steps) % 2 != 0) std::swap(tank.u_out, tank.u_previous_out);
  static_cast<TemporalDivision&>(tank) =
      divide_tank(params, kernel.levels, cuda_resident_blocks(kernel.function, warp_size));

  StepParams<Real> whole_params = params;
  Nothing nothing;
  View2D<const Real> medium = params.medium;
  void* arguments[] = {&tank, special ? static_cast<void*>(&whole_params) : static_cast<void*>(&nothing), &medium};
  constexpr const char* label = "wave.temporal";
  tank.record = {begin_block_record(backend, label, tank.blocks(), 1)};
  const CudaLaunch launch(backend, label);
  PERTURB_CUDA_CHECK(
      cudaLaunchKernel(kernel.function, dim3(tank.blocks()), dim3(warp_size), arguments, 0, launch.stream()));
}

template <class Real>
int temporal_resident(const StepParams<Real>& params, int steps) {
  return cuda_resident_blocks(temporal_kernel<Real>(steps, is_special(params), !params.medium.empty()).function,
                              warp_size);
}

template <class Real>
LaunchShape temporal_shape() {
  return cuda_launch_shape(temporal_kernel<Real>(max_temporal_steps<Real>, false, false).function, dim3(warp_size));
}

template void step_temporal(Backend&, const StepParams<float>&, const Levels<float>&, int);
template void step_temporal(Backend&, const StepParams<double>&, const Levels<double>&, int);
template int temporal_resident(const StepParams<float>&, int);
template int temporal_resident(const StepParams<double>&, int);
template LaunchShape temporal_shape<float>();
template LaunchShape temporal_shape<double>();

}  // namespace perturb::wave
