// The wave's CUDA kernels. Every one of them gives the bits of wave_cell.
//
// A step needs 12 bytes a cell in FP32 (read u(t) and u(t-1), write u(t+1)) and 7 arithmetic instructions (10 flops), so that
// a step by itself is bound by memory: the machine's copy bandwidth over 12 bytes is the most it can reach.
//
//   convolution   The source's first version. 3x3-thread blocks stage a 5x5 apron in shared memory for the Laplacian, then a
//                 kernel for each term and each sum and two copies of the whole field: some 68 bytes a cell, and 9 of a warp's
//                 32 lanes at work.
//   fused         One kernel, a thread per cell, t+1 written over t-1: 12 bytes a cell, in 4-byte accesses.
//   vectorised    The same with four cells a thread in 16-byte accesses, marching up a few rows, so that enough bytes are in
//                 flight to fill the memory bus.
//   temporal      T steps in one pass over memory: 16/T bytes a cell and step, so that arithmetic becomes the bound.
//
// How `temporal` works. A warp owns a strip of 128 columns, four to a lane, and streams upwards. When it has loaded row R of
// level 0, it computes row R-1 of level 1 from level 0's rows R-2, R-1, R; from that row R-2 of level 2; and so on to row R-T
// of level T, which is written. Each level so keeps its last three rows, in registers:
//
//      row  R  |  0                        level k at row R-k needs
//         R-1  |  0  1                       of level k-1: row R-k+1 (just computed), R-k (left, own, right), R-k-1
//         R-2  |  0  1  2                    of level k-2: row R-k
//         R-3  |     1  2  3               so that the oldest row of each level makes room for the newest
//         R-4  |        2  3  T
//
// Rows take turns in three slots and the loop over rows is unrolled by three, so that slots are registers. The neighbours left
// and right of a lane's four columns come by shuffle. At a strip's ends they are wrong, by one more column each level: strips
// overlap by T columns on each side and chunks of rows by T rows at each end, where the redundant work is the price for never
// waiting on another warp: no barrier anywhere. Rows arrive two ahead by asynchronous copies into shared memory, each lane
// copying for itself, which hides the latency of memory without holding registers (with one row ahead in registers instead,
// warps waited on memory more than half the time).
//
// The sides of the tank cost the stream nothing: it sees an endless field, the tank's continuation. Beyond a periodic side the
// tank repeats; a free side is a mirror on the face of the outermost cell; an absorbing side a mirror through the centre of
// that cell; a fixed side one through the centre of the line of zeros one cell outside, which also turns the sign. The scheme
// sums its neighbours in pairs, so these symmetries hold to the bit at every later level, and only loads look at the sides.
// What remains for single cells (absorbing rims, held sources) or single rows and columns (sponge) is done by a second version
// of the row's code, which a warp takes only at rows that have such cells.
#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

#include "cuda/core/check.h"
#include "cuda/core/cuda_check.h"
#include "cuda/core/cuda_launch.h"
#include "cuda/core/parallel_for.h"
#include "cuda/wave/wave_kernels.h"

namespace perturb {

namespace {

// Four neighbouring values: one or two 16-byte accesses.
template <class Real>
struct alignas(16) Quad {
  Real v[4];
};
constexpr int quad = 4;
constexpr int warp_size = 32;
constexpr unsigned whole_warp = 0xffffffffu;

// ------------------------------------------------------------------------------------------------ the tank's continuation

// Where the value of a cell outside the tank is found along one axis: cell `index`, times `sign`; sign 0: it is zero.
struct Folded {
  int index, sign;
};

// `x` may lie outside [0, size) by any distance. See above for the mirrors; a tank one cell wide has no inner neighbour, so an
// absorbing side then has a line of zeros outside, like a fixed one (wave_cell).
__device__ inline Folded fold(int x, int size, WaveBoundary low, WaveBoundary high) {
  int sign = 1;
  while (x < 0 || x >= size) {
    const bool below = x < 0;
    WaveBoundary side = below ? low : high;
    if (side == WaveBoundary::absorbing && size == 1) side = WaveBoundary::fixed;
    const int outwards = below ? -1 - x : x - size;  // 0 for the first cell outside
    int inwards = 0;                                 // 0 for the outermost cell of the tank
    switch (side) {
      case WaveBoundary::fixed:
        if (outwards == 0) return {below ? 0 : size - 1, 0};
        inwards = outwards - 1, sign = -sign;
        break;
      case WaveBoundary::free: inwards = outwards; break;
      case WaveBoundary::absorbing: inwards = outwards + 1; break;
      case WaveBoundary::periodic: inwards = size - 1 - outwards; break;
    }
    x = below ? inwards : size - 1 - inwards;
  }
  return {x, sign};
}

template <class Real>
__device__ inline Real signed_value(int sign, Real value) {
  return sign == 0 ? Real(0) : sign < 0 ? -value : value;
}

// ------------------------------------------------------------------------------------------------------------ convolution

template <class Real>
PERTURB_HD inline Real local_damping(const WavePass<Real>& pass, int i, int j) {
  Real damping = pass.damping;
  if (!pass.sponge_x.empty()) damping += pass.sponge_x[i] + pass.sponge_y[j];
  return damping;
}

template <class Real>
PERTURB_HD inline Real local_courant2(const WavePass<Real>& pass, int i, int j) {
  return pass.medium.empty() ? pass.courant2 : wave_courant2(pass.medium(i, j), pass.courant2);
}

constexpr int convolution_block = 3;

// The Laplacian, by blocks of 3x3 threads with an apron of one cell around them in shared memory.
template <class Real>
__global__ void convolve(const __grid_constant__ WavePass<Real> pass, View2D<const Real> u, View2D<Real> laplacian) {
  constexpr int tile = convolution_block + 2;
  __shared__ Real apron[tile][tile];
  const int i0 = blockIdx.x * convolution_block, j0 = blockIdx.y * convolution_block;
  const int thread = threadIdx.y * convolution_block + threadIdx.x;
  for (int t = thread; t < tile * tile; t += convolution_block * convolution_block) {
    const Folded x = fold(i0 + t % tile - 1, pass.width, pass.left, pass.right);
    const Folded y = fold(j0 + t / tile - 1, pass.height, pass.bottom, pass.top);
    apron[t / tile][t % tile] = signed_value(x.sign * y.sign, u(x.index, y.index));
  }
  __syncthreads();
  const int i = i0 + threadIdx.x, j = j0 + threadIdx.y;
  if (i >= pass.width || j >= pass.height) return;
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  laplacian(i, j) =
      multiply_add(Real(-4), apron[y][x], (apron[y][x - 1] + apron[y][x + 1]) + (apron[y - 1][x] + apron[y + 1][x]));
}

// The terms and the sums, a kernel each. The scheme rounds (2 - k·dt) u(t) and (c·dt/dx)² L u(t) only together with the sum
// they enter: to give its bits, those two products are taken in the kernels of the sums.
template <class Real>
struct PreviousTerm {
  WavePass<Real> pass;
  View2D<const Real> u_previous;
  View2D<Real> term;
  PERTURB_HD void operator()(int i, int j) const {
    term(i, j) = (local_damping(pass, i, j) - Real(1)) * u_previous(i, j);
  }
};

template <class Real>
struct SumOfMemory {
  WavePass<Real> pass;
  View2D<const Real> u;
  View2D<Real> sum;
  PERTURB_HD void operator()(int i, int j) const {
    sum(i, j) = multiply_add(Real(2) - local_damping(pass, i, j), u(i, j), sum(i, j));
  }
};

template <class Real>
struct SumOfAll {
  WavePass<Real> pass;
  View2D<const Real> memory;
  View2D<Real> sum;  // in: the Laplacian
  PERTURB_HD void operator()(int i, int j) const {
    sum(i, j) = multiply_add(local_courant2(pass, i, j), sum(i, j), memory(i, j));
  }
};

// What the source's tank did not have: held sources, walls and absorbing sides.
template <class Real>
struct RimAndMedium {
  WavePass<Real> pass;
  View2D<const Real> u, u_previous;
  View2D<Real> u_new;
  PERTURB_HD void operator()(int i, int j) const {
    const bool rim = (i == 0 && pass.left == WaveBoundary::absorbing) ||
                     (i == pass.width - 1 && pass.right == WaveBoundary::absorbing) ||
                     (j == 0 && pass.bottom == WaveBoundary::absorbing) ||
                     (j == pass.height - 1 && pass.top == WaveBoundary::absorbing);
    const bool wall = !pass.medium.empty() && wave_is_wall(pass.medium(i, j));
    if (rim || wall || pass.sources.count > 0) u_new(i, j) = wave_cell(pass, u, u_previous(i, j), i, j, 0);
  }
};

template <class Real>
void step_by_convolution(Backend& backend, const WavePass<Real>& pass, const WaveLevels<Real>& levels) {
  constexpr const char* label = "wave.convolution";
  const Range2D cells{pass.width, pass.height};
  const std::size_t bytes = sizeof(Real) * levels.u.stride * pass.height;
  const View2D<Real> result = levels.spare, scratch = levels.spare_previous;
  backend.copy_within(scratch.data, levels.u.data, bytes);
  {
    const dim3 block(convolution_block, convolution_block);
    const dim3 grid((pass.width + convolution_block - 1) / convolution_block,
                    (pass.height + convolution_block - 1) / convolution_block);
    const CudaLaunch launch(backend, label);
    convolve<Real><<<grid, block, 0, launch.stream()>>>(pass, scratch, result);
  }
  parallel_for(backend, label, cells, PreviousTerm<Real>{pass, levels.u_previous, scratch});
  parallel_for(backend, label, cells, SumOfMemory<Real>{pass, levels.u, scratch});
  parallel_for(backend, label, cells, SumOfAll<Real>{pass, scratch, result});
  if (!pass.is_plain()) parallel_for(backend, label, cells, RimAndMedium<Real>{pass, levels.u, levels.u_previous, result});
  backend.copy_within(levels.u_previous.data, result.data, bytes);
}

// ------------------------------------------------------------------------------------------------------------------ fused

template <class Real>
struct FusedStep {
  WavePass<Real> pass;
  View2D<const Real> u;
  View2D<Real> u_previous;  // out: u(t+1)
  PERTURB_HD void operator()(int i, int j) const {
    Real& cell = u_previous(i, j);
    cell = wave_cell(pass, u, cell, i, j, 0);
  }
};

// ------------------------------------------------------------------------------------------------------------- vectorised

constexpr int vectorised_rows = 8;  // of a block, a warp each

// Whether a source may hold a cell of the quad from (i, j) on at this level; rounding is what the last cell is for.
template <class Real>
PERTURB_HD inline bool may_be_held(const WaveHold<Real>& hold, int i, int j) {
  const float reach = hold.radius + 1.f;
  const float x = static_cast<float>(i), y = static_cast<float>(j) + 0.5f;
  return x <= fmaxf(hold.x0, hold.x1) + reach && x + static_cast<float>(quad) >= fminf(hold.x0, hold.x1) - reach &&
         y <= fmaxf(hold.y0, hold.y1) + reach && y >= fminf(hold.y0, hold.y1) - reach;
}

template <class Real>
__global__ void __launch_bounds__(warp_size* vectorised_rows)
    vectorised_step(const __grid_constant__ WavePass<Real> pass, View2D<const Real> u, View2D<Real> u_previous) {
  const int i0 = (blockIdx.x * warp_size + threadIdx.x) * quad;
  const int j = blockIdx.y * vectorised_rows + threadIdx.y;
  if (i0 >= pass.width || j >= pass.height) return;
  bool single_cells = i0 == 0 || i0 + quad >= pass.width || j == 0 || j + 1 == pass.height;
  for (int s = 0; s < pass.sources.count; ++s) single_cells |= may_be_held(pass.sources.holds[s][0], i0, j);
  if (single_cells) {
#pragma unroll 1
    for (int i = i0; i < i0 + quad && i < pass.width; ++i)
      u_previous(i, j) = wave_cell(pass, u, u_previous(i, j), i, j, 0);
    return;
  }
  const auto load = [](const Real* from) { return *reinterpret_cast<const Quad<Real>*>(from); };
  const Quad<Real> own = load(u.row(j) + i0), down = load(u.row(j - 1) + i0), up = load(u.row(j + 1) + i0);
  const Quad<Real> previous = load(u_previous.row(j) + i0);
  const Real left = u.row(j)[i0 - 1], right = u.row(j)[i0 + quad];
  const bool has_medium = !pass.medium.empty(), has_sponge = !pass.sponge_x.empty();
  Quad<Real> medium{}, sponge{}, next;
  if (has_medium) medium = load(pass.medium.row(j) + i0);
  if (has_sponge) sponge = load(pass.sponge_x.data + i0);
  const Real sponge_y = has_sponge ? pass.sponge_y[j] : Real(0);
#pragma unroll
  for (int c = 0; c < quad; ++c) {
    const Real courant2 = has_medium ? wave_courant2(medium.v[c], pass.courant2) : pass.courant2;
    const Real damping = has_sponge ? pass.damping + (sponge.v[c] + sponge_y) : pass.damping;
    next.v[c] = wave_update(own.v[c], previous.v[c], c > 0 ? own.v[c - 1] : left, c + 1 < quad ? own.v[c + 1] : right,
                            down.v[c], up.v[c], courant2, damping);
    if (has_medium && wave_is_wall(medium.v[c])) next.v[c] = Real(0);
  }
  *reinterpret_cast<Quad<Real>*>(u_previous.row(j) + i0) = next;
}

template <class Real>
void step_vectorised(Backend& backend, const WavePass<Real>& pass, const WaveLevels<Real>& levels) {
  constexpr int columns_of_block = warp_size * quad;
  const dim3 block(warp_size, vectorised_rows);
  const dim3 grid((pass.width + columns_of_block - 1) / columns_of_block, (pass.height + vectorised_rows - 1) / vectorised_rows);
  const CudaLaunch launch(backend, "wave.vectorised");
  vectorised_step<Real><<<grid, block, 0, launch.stream()>>>(pass, levels.u, levels.u_previous);
}

// --------------------------------------------------------------------------------------------------------------- temporal

constexpr int strip_columns = warp_size * quad;
constexpr int slots = 3;

// Columns at each end of a strip that other strips compute: at least T, and whole quads.
constexpr int strip_overlap(int levels) { return (levels + quad - 1) / quad * quad; }
constexpr int useful_columns(int levels) { return strip_columns - 2 * strip_overlap(levels); }

constexpr int power_of_two_from(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

// Rows under way at any time, and the slots they arrive in. Few where shared memory is needed for the medium too.
constexpr int rows_ahead(int bytes_per_real, bool has_medium) { return has_medium || bytes_per_real == 8 ? 3 : 6; }

// The part of the tank that one warp brings to the last level is a chunk of rows of a strip. A strip whose sweeps take longer
// (it reaches over a side, or a source holds cells all along it) is cut into more chunks, which start first, so that all warps
// end at about the same time.
struct SlowStrip {
  int strip, chunks;
};
constexpr int max_slow_strips = 24;

template <class Real>
struct TemporalArguments {
  View2D<const Real> u, u_previous;
  View2D<Real> u_out, u_previous_out;
  int width, height;
  Real courant2, damping;
  WaveBoundary left, right, bottom, top;
  int steps;                        // 1 .. T
  int strips, chunks;               // chunks of a strip that is not slow
  int slow_strips;                  // sorted by strip
  SlowStrip slow[max_slow_strips];
};

struct Nothing {};

// How a lane's four columns are found in the tank: the columns they fold to, and what their values must be combined with so
// that they have the right sign: value & keep ^ flip.
struct FoldedColumns {
  int index[quad];
  unsigned keep[quad], flip[quad];
};

__device__ inline float with_sign(float value, unsigned keep, unsigned flip) {
  return __uint_as_float((__float_as_uint(value) & keep) ^ flip);
}
__device__ inline double with_sign(double value, unsigned keep, unsigned flip) {
  return __hiloint2double(static_cast<int>((static_cast<unsigned>(__double2hiint(value)) & keep) ^ flip),
                          static_cast<int>(static_cast<unsigned>(__double2loint(value)) & keep));
}

// x / divisor, rounded like the division, from reciprocal = 1/divisor. A quotient within an ulp, corrected by its exact
// remainder, is the rounded one (Markstein 1990); one correction makes it that good, the other one right. Far from 1 the
// remainder may not be exact.
template <class Real>
__device__ inline Real quotient(Real x, Real divisor, Real reciprocal) {
  const Real size = x < Real(0) ? -x : x;
  if (!(size > Real(1e-25) && size < Real(1e25))) return x / divisor;
  Real q = x * reciprocal;
  q = multiply_add(multiply_add(-q, divisor, x), reciprocal, q);
  return multiply_add(multiply_add(-q, divisor, x), reciprocal, q);
}

// Where in a strip a source may hold cells during a pass: columns first .. last of the strip, rows first .. last of the tank.
struct HeldSpan {
  int first_column, last_column, first_row, last_row;
};
constexpr int levels_of_half_a_warp = 16;
static_assert(max_wave_steps_per_pass <= levels_of_half_a_warp);

template <class Real>
__device__ inline Real pick(const Real (&values)[quad], int c) {
  const Real low = c & 1 ? values[1] : values[0], high = c & 1 ? values[3] : values[2];
  return c & 2 ? high : low;
}

__device__ inline int warp_min(int value) {
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    value = min(value, __shfl_xor_sync(whole_warp, value, distance));
  return value;
}
__device__ inline int warp_max(int value) { return -warp_min(-value); }

// Warps that a multiprocessor shall hold: the compiler keeps registers low enough for that. Each of its four schedulers has
// warps of its own, hence multiples of four.
constexpr int warps_wanted(int levels, int bytes_per_real, bool special) {
  const int depth = levels * bytes_per_real / 4;
  if (depth > 8) return special ? 8 : 12;
  if (depth > 4) return special || bytes_per_real == 8 ? 12 : 16;
  return special ? 16 : 20;
}

// `T`: levels; it is used for more than `fewer` steps. `special`: the tank may have absorbing sides, a sponge or sources.
// `has_medium`: walls or a speed map.
template <class Real, int T, int fewer, bool special, bool has_medium>
__global__ void __launch_bounds__(warp_size, (warps_wanted(T, sizeof(Real), special)))
    temporal_steps(const __grid_constant__ TemporalArguments<Real> tank,
                   const __grid_constant__ std::conditional_t<special, WavePass<Real>, Nothing> pass,
                   View2D<const Real> medium) {
  constexpr int overlap = strip_overlap(T), useful = useful_columns(T);
  constexpr int ahead = rows_ahead(sizeof(Real), has_medium), arrivals = power_of_two_from(ahead + 1);
  constexpr int medium_slots = has_medium ? power_of_two_from(T + ahead) : 1;
  __shared__ Quad<Real> arriving[arrivals][2][warp_size];  // rows of u and u_previous on their way
  __shared__ Quad<Real> media[medium_slots][warp_size];    // the medium, then (c·dt/dx)² of its cells, -1 for walls
  __shared__ FoldedColumns folded_columns[warp_size];
  // By source: what it does at the pass's levels, where, and, for each lane, which of its cells it holds in this sweep: bit
  // 16·c + k-1 for column c at level k.
  __shared__ WaveHold<Real> holds[special ? max_wave_sources : 1][max_wave_steps_per_pass];
  __shared__ HeldSpan spans[special ? max_wave_sources : 1];
  __shared__ unsigned long long held_by[special ? max_wave_sources : 1][warp_size];

  int strip = 0, chunk = static_cast<int>(blockIdx.x), chunks = tank.chunks;
  {
    int s = 0;
    while (s < tank.slow_strips && chunk >= tank.slow[s].chunks) chunk -= tank.slow[s++].chunks;
    if (s < tank.slow_strips) {
      strip = tank.slow[s].strip, chunks = tank.slow[s].chunks;
    } else {
      const int others = tank.strips - tank.slow_strips;
      strip = chunk % others, chunk /= others;
      for (s = 0; s < tank.slow_strips; ++s) strip += strip >= tank.slow[s].strip;
    }
  }
  const int steps = tank.steps, height = tank.height;
  const int row_begin = static_cast<int>(static_cast<long long>(height) * chunk / chunks);
  const int row_end = static_cast<int>(static_cast<long long>(height) * (chunk + 1) / chunks);
  const int load_end = row_end + steps;
  const int lane = threadIdx.x;
  const int strip_begin = strip * useful - overlap;
  const int column = strip_begin + lane * quad;
  const bool over_a_side = strip_begin < 0 || strip_begin + strip_columns > tank.width;
  const bool stores = lane * quad >= overlap && lane * quad < strip_columns - overlap && column < tank.width;
  FoldedColumns& columns = folded_columns[lane];
  if (special || over_a_side) {
#pragma unroll 1
    for (int c = 0; c < quad; ++c) {
      const Folded folded = fold(column + c, tank.width, tank.left, tank.right);
      columns.index[c] = folded.index;
      columns.keep[c] = folded.sign == 0 ? 0u : ~0u;
      columns.flip[c] = folded.sign < 0 ? 0x80000000u : 0u;
    }
  }

  // The last three rows of each level. In the sweep that loads row R, slot `newest` of level k receives row R-k, `own` has row
  // R-k-1 and `oldest` row R-k-2.
  Real level[T][slots][quad];
#pragma unroll
  for (int k = 0; k < T; ++k)
#pragma unroll
    for (int s = 0; s < slots; ++s)
#pragma unroll
      for (int c = 0; c < quad; ++c) level[k][s][c] = Real(0);

  // Starts the copies of u's row r, and of the row below it of u_previous and of the medium: what the sweep of row r needs.
  const auto fetch = [&](int r, bool inside) {
    if (r < load_end) {
      int row_u = r, row_below = r - 1;
      if (!inside && (r <= 0 || r >= height)) {
        row_u = fold(r, height, tank.bottom, tank.top).index;
        row_below = fold(r - 1, height, tank.bottom, tank.top).index;
      }
      const Real* const u = tank.u.row(row_u);
      const Real* const u_previous = tank.u_previous.row(row_below);
      const Real* const m = has_medium ? medium.row(row_below) : nullptr;
      Quad<Real>& to_u = arriving[r & (arrivals - 1)][0][lane];
      Quad<Real>& to_previous = arriving[r & (arrivals - 1)][1][lane];
      Quad<Real>& to_medium = media[has_medium ? (r - 1) & (medium_slots - 1) : 0][lane];
      if (over_a_side) {
#pragma unroll
        for (int c = 0; c < quad; ++c) {
          const int i = columns.index[c];
          __pipeline_memcpy_async(&to_u.v[c], u + i, sizeof(Real));
          __pipeline_memcpy_async(&to_previous.v[c], u_previous + i, sizeof(Real));
          if (has_medium) __pipeline_memcpy_async(&to_medium.v[c], m + i, sizeof(Real));
        }
      } else {
#pragma unroll
        for (int part = 0; part < static_cast<int>(sizeof(Quad<Real>) / 16); ++part) {
          const int c = part * static_cast<int>(16 / sizeof(Real));
          __pipeline_memcpy_async(&to_u.v[c], u + column + c, 16);
          __pipeline_memcpy_async(&to_previous.v[c], u_previous + column + c, 16);
          if (has_medium) __pipeline_memcpy_async(&to_medium.v[c], m + column + c, 16);
        }
      }
    }
    __pipeline_commit();
  };

  // What only the second version of the row's code looks at.
  int rims = 0;                                // bits: the lane's columns on an absorbing side, four more where on two
  Real share = 0, divisor[2] = {}, reciprocal[2] = {};  // of wave_absorb, for one and two sides
  bool always_special = false, any_sponge = false;
  int plain_begin = 1, plain_end = height - 1;  // rows without sponge or rim
  int held_begin = 0, held_end = 0;            // rows that sources may hold in this strip, and those sources, as bits
  unsigned sources = 0;
  if constexpr (special) {
    bool special_column = false;
#pragma unroll 1
    for (int c = 0; c < quad; ++c) {
      const int i = columns.index[c];
      const bool on_left = i == 0 && tank.left == WaveBoundary::absorbing;
      const bool on_right = i == tank.width - 1 && tank.right == WaveBoundary::absorbing;
      if (columns.keep[c] != 0) rims |= (on_left || on_right) << c | (on_left && on_right) << (quad + c);
      if (!pass.sponge_x.empty()) special_column |= !(pass.sponge_x[i] == Real(0));
    }
    always_special = __any_sync(whole_warp, special_column || rims != 0);
    any_sponge = !pass.sponge_x.empty();
    if (any_sponge) {
      // The chunk's plain rows lie between those with a sponge in its lower and in its upper half.
      const int low = max(row_begin - T, 0), high = min(row_end + T, height), middle = (low + high) / 2;
      int last_low = 0, first_high = height - 1;
      for (int r = low + lane; r < high; r += warp_size) {
        if (pass.sponge_y[r] == Real(0)) continue;
        if (r < middle)
          last_low = r;
        else
          first_high = min(first_high, r);
      }
      plain_begin = max(plain_begin, warp_max(last_low) + 1);
      plain_end = min(plain_end, warp_min(first_high));
    }
    held_begin = height;
    __syncwarp();  // other lanes' columns are looked at below
    for (int s = 0; s < pass.sources.count; ++s) {
      constexpr float far = 1e9f;
      HeldSpan span{1 << 30, -(1 << 30), 1 << 30, -(1 << 30)};
      if (lane < steps) {
        const WaveHold<Real> hold = pass.sources.holds[s][lane];
        holds[s][lane] = hold;
        const float reach = hold.radius + 1.f;
        const auto cell = [](float x) { return static_cast<int>(fminf(fmaxf(x, -far), far)); };
        span.first_column = cell(fminf(hold.x0, hold.x1) - reach), span.last_column = cell(fmaxf(hold.x0, hold.x1) + reach);
        span.first_row = cell(fminf(hold.y0, hold.y1) - reach), span.last_row = cell(fmaxf(hold.y0, hold.y1) + reach);
      }
      span = {warp_min(span.first_column), warp_max(span.last_column), warp_min(span.first_row), warp_max(span.last_row)};
      bool near = false;
      for (int c = 0; c < quad; ++c) near |= columns.index[c] >= span.first_column && columns.index[c] <= span.last_column;
      const unsigned lanes = __ballot_sync(whole_warp, near);
      if (lanes == 0) continue;
      sources |= 1u << s;
      span.first_column = (__ffs(lanes) - 1) * quad, span.last_column = (warp_size - __clz(lanes)) * quad - 1;
      if (lane == 0) spans[s] = span;
      held_begin = min(held_begin, span.first_row), held_end = max(held_end, span.last_row + 1);
    }
    __syncwarp();
    share = sqrt(tank.courant2);
    for (int sides = 1; sides <= 2; ++sides) {
      divisor[sides - 1] = Real(1) + Real(sides) * share;
      reciprocal[sides - 1] = Real(1) / divisor[sides - 1];
    }
  }

  // The sweep that loads row R: one row of every level. `whole`: every level has the rows it needs, there are T of them, all is
  // plain and inside the tank; three such sweeps take turns with the slots. Otherwise levels up to `last_level` are computed
  // (and perhaps one or two more, from rows that do not matter, and to no use), rows are written where `writes`, and the slots
  // are shifted, so that there is one copy of that code: a warp that runs through more code than its cache holds waits for it.
  const auto sweep = [&](auto phase, auto is_whole, int R, int last_level, bool writes) {
    constexpr bool whole = is_whole();
    constexpr int newest = phase(), own = (newest + 2) % slots, oldest = (newest + 1) % slots;
    const auto make_room = [&](int k) {
      if constexpr (!whole) {
#pragma unroll
        for (int c = 0; c < quad; ++c) level[k][oldest][c] = level[k][own][c], level[k][own][c] = level[k][newest][c];
      }
    };
    make_room(0);
    fetch(R + ahead, whole);  // to the slot that the last sweep has emptied
    __pipeline_wait_prior(ahead);
    Real previous[quad];
    {
      const Quad<Real>(&arrived)[2][warp_size] = arriving[R & (arrivals - 1)];
      const Quad<Real> a = arrived[0][lane], b = arrived[1][lane];
#pragma unroll
      for (int c = 0; c < quad; ++c) level[0][newest][c] = a.v[c], previous[c] = b.v[c];
    }
    if (over_a_side) {
#pragma unroll
      for (int c = 0; c < quad; ++c) {
        level[0][newest][c] = with_sign(level[0][newest][c], columns.keep[c], columns.flip[c]);
        previous[c] = with_sign(previous[c], columns.keep[c], columns.flip[c]);
      }
    }
    if (!whole && (R <= 0 || R >= height)) {
      const int sign_u = fold(R, height, tank.bottom, tank.top).sign;
      const int sign_previous = fold(R - 1, height, tank.bottom, tank.top).sign;
#pragma unroll
      for (int c = 0; c < quad; ++c) {
        level[0][newest][c] = signed_value(sign_u, level[0][newest][c]);
        previous[c] = signed_value(sign_previous, previous[c]);
      }
    }
    if constexpr (has_medium) {
      Quad<Real>& arrived = media[(R - 1) & (medium_slots - 1)][lane];
      Quad<Real> m = arrived;
#pragma unroll
      for (int c = 0; c < quad; ++c)
        m.v[c] = wave_is_wall(m.v[c]) ? Real(-1) : wave_courant2(m.v[c], tank.courant2);
      arrived = m;
    }

    // Lanes k-1 and k+15 look at row R-k, for level k.
    [[maybe_unused]] unsigned bottom_rim = 0, top_rim = 0, negative_rows = 0, held_levels = 0;
    [[maybe_unused]] Real sponge_x[quad] = {}, sponge_row = 0;
    if constexpr (special) if constexpr (!whole) {
      const int of_level = lane % levels_of_half_a_warp;
      const Folded row = fold(R - 1 - of_level, height, tank.bottom, tank.top);
      if (R - T <= 0 || R >= height) {
        bottom_rim = __ballot_sync(whole_warp, row.sign != 0 && row.index == 0 && tank.bottom == WaveBoundary::absorbing);
        top_rim = __ballot_sync(whole_warp, row.sign != 0 && row.index == height - 1 && tank.top == WaveBoundary::absorbing);
        negative_rows = __ballot_sync(whole_warp, row.sign < 0);
      }
      if (any_sponge) {
        sponge_row = pass.sponge_y[row.index];
#pragma unroll
        for (int c = 0; c < quad; ++c) sponge_x[c] = pass.sponge_x[columns.index[c]];
      }
      const bool relevant = of_level < steps && row.sign != 0;
#pragma unroll 1
      for (unsigned left = sources; left != 0; left &= left - 1) {
        const int s = __ffs(left) - 1;
        const HeldSpan span = spans[s];
        unsigned long long held = 0;
        if (__any_sync(whole_warp, relevant && row.index >= span.first_row && row.index <= span.last_row)) {
          const WaveHold<Real> hold = holds[s][relevant ? of_level : 0];
          // Two columns at a time, one for each half of the warp.
#pragma unroll 1
          for (int at = span.first_column; at < span.last_column; at += 2) {
            const int mine = at + lane / levels_of_half_a_warp;
            const FoldedColumns& of = folded_columns[mine / quad];
            const unsigned bits = __ballot_sync(
                whole_warp, relevant && of.keep[mine % quad] != 0 && wave_is_held(hold, of.index[mine % quad], row.index));
            held_levels |= bits;
            if (at / quad == lane) held |= static_cast<unsigned long long>(bits) << levels_of_half_a_warp * (at % quad);
          }
        }
        held_by[s][lane] = held;
      }
      held_levels |= held_levels >> levels_of_half_a_warp;
    }

#pragma unroll
    for (int k = 1; k <= T; ++k) {
      if (!whole && k % 3 == 1 && k > last_level) break;
      const auto& of = level[k - 1];
      const Real left = __shfl_up_sync(whole_warp, of[own][quad - 1], 1);
      const Real right = __shfl_down_sync(whole_warp, of[own][0], 1);
      [[maybe_unused]] Quad<Real> courant2;
      if constexpr (has_medium) courant2 = media[(R - k) & (medium_slots - 1)][lane];
      [[maybe_unused]] Real row_of_sponge = 0;
      if constexpr (special) if constexpr (!whole) {
        if (any_sponge) row_of_sponge = __shfl_sync(whole_warp, sponge_row, k - 1);
      }
      Real before[quad], next[quad];
#pragma unroll
      for (int c = 0; c < quad; ++c) {
        before[c] = k == 1 ? previous[c] : level[k < 2 ? 0 : k - 2][oldest][c];
        Real damping = tank.damping;
        if constexpr (special && !whole) damping += sponge_x[c] + row_of_sponge;
        next[c] = wave_update(of[own][c], before[c], c > 0 ? of[own][c - 1] : left, c + 1 < quad ? of[own][c + 1] : right,
                              of[oldest][c], of[newest][c], has_medium ? courant2.v[c] : tank.courant2, damping);
        if (has_medium && courant2.v[c] < Real(0)) next[c] = Real(0);
      }
      if constexpr (special) if constexpr (!whole) {
        const int row_sides = static_cast<int>(bottom_rim >> (k - 1) & 1u) + static_cast<int>(top_rim >> (k - 1) & 1u);
#pragma unroll 1
        for (int rim = row_sides > 0 ? 15 : rims & 15; rim != 0; rim &= rim - 1) {
          const int c = __ffs(rim) - 1;
          const int sides = row_sides + (rims >> c & 1) + (rims >> (quad + c) & 1);
          Real absorbed;
          if constexpr (has_medium) {
            const Real of_cell = pick(courant2.v, c);
            if (of_cell < Real(0)) continue;
            absorbed = wave_absorb(pick(next, c), pick(before, c), of_cell, sides);
          } else if (sides <= 2) {
            absorbed = quotient(multiply_add(Real(sides) * share, pick(before, c), pick(next, c)),
                                sides == 1 ? divisor[0] : divisor[1], sides == 1 ? reciprocal[0] : reciprocal[1]);
          } else {  // tanks one cell wide or high
            absorbed = wave_absorb(pick(next, c), pick(before, c), tank.courant2, sides);
          }
#pragma unroll
          for (int d = 0; d < quad; ++d) next[d] = c == d ? absorbed : next[d];
        }
        if (held_levels >> (k - 1) & 1u) {
#pragma unroll 1
          for (unsigned others = sources; others != 0;) {
            const int s = 31 - __clz(others);  // the first source has the last word
            others ^= 1u << s;
            const unsigned long long held = held_by[s][lane] >> (k - 1);
            if (held == 0) continue;
            const Real at = negative_rows >> (k - 1) & 1u ? -holds[s][k - 1].height : holds[s][k - 1].height;
#pragma unroll
            for (int c = 0; c < quad; ++c)
              if (held >> levels_of_half_a_warp * c & 1u) next[c] = columns.flip[c] != 0 ? -at : at;
          }
        }
      }
      if (k < T) {
        make_room(k < T ? k : 0);
#pragma unroll
        for (int c = 0; c < quad; ++c) level[k < T ? k : 0][newest][c] = next[c];
      }
      // Row R-k is whole at the last level, and so is the level before it, a sweep ago.
      if ((whole && k == T) || (!whole && k > fewer && k == steps && writes)) {
        if (stores) {
          Quad<Real> a, b;
#pragma unroll
          for (int c = 0; c < quad; ++c) a.v[c] = next[c], b.v[c] = of[own][c];
          *reinterpret_cast<Quad<Real>*>(tank.u_out.row(R - k) + column) = a;
          *reinterpret_cast<Quad<Real>*>(tank.u_previous_out.row(R - k) + column) = b;
        }
      }
    }
  };

  const int first = row_begin - steps, sweeps = load_end - first;
#pragma unroll 1
  for (int r = first; r < first + ahead; ++r) fetch(r, false);
  // Whether sweeps n, n+1 and n+2 since the start are whole. From sweep 2k on level k has all it needs.
  const int whole_begin = steps == T ? 2 * T : sweeps, whole_end = min(sweeps, height - first - ahead) - 2;
  const auto three_are_whole = [&](int n) {
    if (n < whole_begin || n >= whole_end) return false;
    if constexpr (special) {
      const int R = first + n;
      return !always_special && R - T >= plain_begin && R + 2 <= plain_end &&
             (sources == 0 || R - T >= held_end || R + 2 <= held_begin);
    }
    return true;
  };
  for (int n = 0; n < sweeps;) {
    if (three_are_whole(n)) {
      do {
        sweep(std::integral_constant<int, 1>{}, std::true_type{}, first + n, T, true);
        sweep(std::integral_constant<int, 2>{}, std::true_type{}, first + n + 1, T, true);
        sweep(std::integral_constant<int, 0>{}, std::true_type{}, first + n + 2, T, true);
        n += slots;
      } while (three_are_whole(n));
    } else {
      sweep(std::integral_constant<int, 0>{}, std::false_type{}, first + n, min(n / 2, steps), n >= 2 * steps);
      ++n;
    }
  }
}

struct TemporalKernel {
  int levels;  // T
  const void* function;
};

template <class Real, int T, int fewer>
TemporalKernel temporal_kernel_of(bool special, bool has_medium) {
  void (*plain)(TemporalArguments<Real>, Nothing, View2D<const Real>) =
      has_medium ? temporal_steps<Real, T, fewer, false, true> : temporal_steps<Real, T, fewer, false, false>;
  void (*general)(TemporalArguments<Real>, WavePass<Real>, View2D<const Real>) =
      has_medium ? temporal_steps<Real, T, fewer, true, true> : temporal_steps<Real, T, fewer, true, false>;
  return {T, special ? reinterpret_cast<const void*>(general) : reinterpret_cast<const void*>(plain)};
}

// The kernel of fewest levels for so many steps. FP64 rows take twice the registers, so it goes half as deep.
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
template <class Real>
constexpr int most_temporal_steps = sizeof(Real) == 8 ? 6 : 12;
static_assert(most_temporal_steps<float> <= max_wave_steps_per_pass);

template <class Real>
bool is_special(const WavePass<Real>& pass) {
  return pass.has_absorbing() || !pass.sponge_x.empty() || pass.sources.count > 0;
}

// Blocks of a kernel that the device can hold at once; asked for once, since a frame has no time for that.
int resident_blocks(const void* function, int threads) {
  static std::mutex mutex;
  static std::map<std::pair<int, const void*>, int> known;
  int device = 0;
  PERTURB_CUDA_CHECK(cudaGetDevice(&device));
  const std::lock_guard lock(mutex);
  int& blocks = known[{device, function}];
  if (blocks == 0) {
    int of_each = 0, processors = 0;
    PERTURB_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, function, threads, 0));
    PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    blocks = std::max(1, of_each * processors);
  }
  return blocks;
}

#if defined(WAVE_KERNELS_TUNE)
}
int tune_chunks = 0;
double tune_side = 0, tune_held = 0;
namespace {
#endif

// How the tank is cut into strips and chunks of rows, a warp each. `resident`: warps the device can hold at once.
template <class Real>
void cut(const WavePass<Real>& pass, const TemporalKernel& kernel, bool special, int resident, TemporalArguments<Real>* tank) {
  const int useful = useful_columns(kernel.levels), overlap = strip_overlap(kernel.levels);
  const int strips = (pass.width + useful - 1) / useful;
  // What a sweep takes more than a plain one: measured.
  double over_a_side = special ? 2.4 : 1.2, held_along = 3;
#if defined(WAVE_KERNELS_TUNE)
  if (tune_side > 0) over_a_side = tune_side;
  if (tune_held > 0) held_along = tune_held;
#endif
  std::map<int, double> slow{{0, over_a_side}, {strips - 1, over_a_side}};
  for (int s = 0; s < pass.sources.count; ++s) {
    const WaveHold<Real>& hold = pass.sources.holds[s][0];
    // A share of the rows; those of an oscillator or of a level line are few.
    const double rows = std::min<double>(pass.height, std::abs(hold.y1 - hold.y0) + 2 * hold.radius);
    if (rows < 0.25 * pass.height) continue;
    const double low = std::min(hold.x0, hold.x1) - hold.radius - 1, high = std::max(hold.x0, hold.x1) + hold.radius + 1;
    const int first = std::max(0, static_cast<int>(std::floor((low - overlap) / useful)));
    const int last = std::min(strips - 1, static_cast<int>(std::floor((high + overlap) / useful)));
    if (last - first > 2) continue;  // slanted: nowhere for long
    for (int strip = first; strip <= last; ++strip)
      if (slow.size() < max_slow_strips) slow.try_emplace(strip, 1).first->second += held_along - 1;
  }
  double weight = strips - static_cast<double>(slow.size());
  for (const auto& [strip, cost] : slow) weight += cost;

  // Chunks of fewer rows than half the levels would mostly compute what their neighbours do.
  int best = std::clamp(static_cast<int>(resident / weight), 1, std::max(1, 2 * pass.height / kernel.levels));
#if defined(WAVE_KERNELS_TUNE)
  if (tune_chunks) best = tune_chunks;
#endif
  const auto within = [&](double chunks) { return std::clamp(static_cast<int>(chunks + 0.5), 1, pass.height); };
  tank->strips = strips, tank->chunks = within(best);
  tank->slow_strips = 0;
  for (const auto& [strip, cost] : slow) tank->slow[tank->slow_strips++] = {strip, within(best * cost)};
}

template <class Real>
void step_temporal(Backend& backend, const WavePass<Real>& pass, const WaveLevels<Real>& levels, int steps) {
  const bool special = is_special(pass);
  const TemporalKernel kernel = temporal_kernel<Real>(steps, special, !pass.medium.empty());
  TemporalArguments<Real> tank{};
  tank.u = levels.u, tank.u_previous = levels.u_previous;
  tank.u_out = levels.spare, tank.u_previous_out = levels.spare_previous;
  tank.width = pass.width, tank.height = pass.height;
  tank.courant2 = pass.courant2, tank.damping = pass.damping;
  tank.left = pass.left, tank.right = pass.right, tank.bottom = pass.bottom, tank.top = pass.top;
  tank.steps = steps;
  cut(pass, kernel, special, resident_blocks(kernel.function, warp_size), &tank);
  int blocks = (tank.strips - tank.slow_strips) * tank.chunks;
  for (int s = 0; s < tank.slow_strips; ++s) blocks += tank.slow[s].chunks;

  WavePass<Real> whole_pass = pass;
  Nothing nothing;
  View2D<const Real> medium = pass.medium;
  void* arguments[] = {&tank, special ? static_cast<void*>(&whole_pass) : static_cast<void*>(&nothing), &medium};
  const CudaLaunch launch(backend, "wave.temporal");
  PERTURB_CUDA_CHECK(cudaLaunchKernel(kernel.function, dim3(blocks), dim3(warp_size), arguments, 0, launch.stream()));
}

LaunchShape shape_of(const void* function, dim3 block) {
  cudaFuncAttributes attributes;
  PERTURB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, function));
  const int threads = static_cast<int>(block.x * block.y);
  int device = 0, processors = 1, threads_of_processor = 1;
  PERTURB_CUDA_CHECK(cudaGetDevice(&device));
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&threads_of_processor, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  // A block of fewer threads than a warp still takes a whole one.
  const int warps = (threads + warp_size - 1) / warp_size;
  LaunchShape shape;
  shape.block_x = static_cast<int>(block.x), shape.block_y = static_cast<int>(block.y);
  shape.registers_per_thread = attributes.numRegs;
  shape.shared_bytes = static_cast<int>(attributes.sharedSizeBytes);
  shape.occupancy = static_cast<double>(resident_blocks(function, threads) / processors * warps * warp_size) / threads_of_processor;
  return shape;
}

template <class Real>
LaunchShape kernel_shape(WaveKernel kernel) {
  switch (kernel) {
    case WaveKernel::convolution:
      return shape_of(reinterpret_cast<const void*>(convolve<Real>), dim3(convolution_block, convolution_block));
    case WaveKernel::fused:
      return shape_of(reinterpret_cast<const void*>(detail::run_functor_2d<FusedStep<Real>>), dim3(64, 4));
    case WaveKernel::vectorised:
      return shape_of(reinterpret_cast<const void*>(vectorised_step<Real>),
                      dim3(warp_size, vectorised_rows));
    case WaveKernel::temporal:
      return shape_of(temporal_kernel<Real>(most_temporal_steps<Real>, false, false).function, dim3(warp_size));
  }
  return {};
}

}  // namespace

int wave_kernel_steps(WaveKernel kernel, int width, int height, int bytes_per_real) {
  if (width <= 0 || height <= 0) return 0;
  if (kernel != WaveKernel::temporal) return 1;
  return bytes_per_real == 8 ? most_temporal_steps<double> : most_temporal_steps<float>;
}

template <class Real>
bool wave_run_kernel(Backend& backend, WaveKernel kernel, const WavePass<Real>& pass, const WaveLevels<Real>& levels, int steps) {
  PERTURB_ASSERT(steps >= 1 && steps <= wave_kernel_steps(kernel, pass.width, pass.height, sizeof(Real)));
  switch (kernel) {
    case WaveKernel::convolution: step_by_convolution(backend, pass, levels); return false;
    case WaveKernel::fused:
      parallel_for(backend, "wave.fused", Range2D{pass.width, pass.height}, FusedStep<Real>{pass, levels.u, levels.u_previous});
      return false;
    case WaveKernel::vectorised: step_vectorised(backend, pass, levels); return false;
    case WaveKernel::temporal: step_temporal(backend, pass, levels, steps); return true;
  }
  return false;
}

template bool wave_run_kernel(Backend&, WaveKernel, const WavePass<float>&, const WaveLevels<float>&, int);
template bool wave_run_kernel(Backend&, WaveKernel, const WavePass<double>&, const WaveLevels<double>&, int);

LaunchShape wave_kernel_shape(WaveKernel kernel, int, int, int bytes_per_real) {
  return bytes_per_real == 8 ? kernel_shape<double>(kernel) : kernel_shape<float>(kernel);
}

}  // namespace perturb
