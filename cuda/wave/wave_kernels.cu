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

constexpr int vectorised_rows_of_threads = 8;

// Rows [low, high) that sources may hold at this pass's level 0.
template <class Real>
PERTURB_HD inline bool may_be_held(const WaveHold<Real>& hold, int j) {
  const float low = hold.y0 < hold.y1 ? hold.y0 : hold.y1, high = hold.y0 < hold.y1 ? hold.y1 : hold.y0;
  const float y = static_cast<float>(j) + 0.5f;
  return y >= low - hold.radius - 1.f && y <= high + hold.radius + 1.f;
}

// Each thread takes `rows` quads of cells, one above the other, and keeps the two rows it will need again.
template <class Real, int rows>
__global__ void __launch_bounds__(warp_size* vectorised_rows_of_threads)
    vectorised_step(const __grid_constant__ WavePass<Real> pass, View2D<const Real> u, View2D<Real> u_previous) {
  const int i0 = (blockIdx.x * warp_size + threadIdx.x) * quad;
  const int j0 = (blockIdx.y * vectorised_rows_of_threads + threadIdx.y) * rows;
  if (i0 >= pass.width || j0 >= pass.height) return;
  const bool inner_columns = i0 > 0 && i0 + quad < pass.width;
  const bool has_medium = !pass.medium.empty(), has_sponge = !pass.sponge_x.empty();
  const auto load = [](const Real* from) { return *reinterpret_cast<const Quad<Real>*>(from); };

  Quad<Real> down{}, own = load(u.row(j0) + i0), up{};
  if (j0 > 0) down = load(u.row(j0 - 1) + i0);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int j = j0 + r;
    if (j >= pass.height) return;
    if (j + 1 < pass.height) up = load(u.row(j + 1) + i0);
    bool slow = !inner_columns || j == 0 || j + 1 == pass.height;
    for (int s = 0; s < pass.sources.count; ++s) slow |= may_be_held(pass.sources.holds[s][0], j);
    if (slow) {
#pragma unroll 1
      for (int i = i0; i < i0 + quad && i < pass.width; ++i)
        u_previous(i, j) = wave_cell(pass, u, u_previous(i, j), i, j, 0);
    } else {
      const Quad<Real> previous = load(u_previous.row(j) + i0);
      const Real left = u.row(j)[i0 - 1], right = u.row(j)[i0 + quad];
      Quad<Real> medium{}, sponge{};
      if (has_medium) medium = load(pass.medium.row(j) + i0);
      if (has_sponge) sponge = load(pass.sponge_x.data + i0);
      const Real sponge_y = has_sponge ? pass.sponge_y[j] : Real(0);
      Quad<Real> next;
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
    down = own, own = up;
  }
}

int vectorised_rows(int width, int height) {
  // Small tanks: as many threads as can be had. Large ones: fewer loads a cell.
  return static_cast<std::int64_t>(width) * height >= 4 << 20 ? 4 : 1;
}

template <class Real>
using VectorisedKernel = void (*)(const WavePass<Real>, View2D<const Real>, View2D<Real>);

template <class Real>
VectorisedKernel<Real> vectorised_kernel(int rows) {
  return rows == 4 ? vectorised_step<Real, 4> : vectorised_step<Real, 1>;
}

template <class Real>
void step_vectorised(Backend& backend, const WavePass<Real>& pass, const WaveLevels<Real>& levels) {
  const int rows = vectorised_rows(pass.width, pass.height);
  const int rows_of_block = vectorised_rows_of_threads * rows, columns_of_block = warp_size * quad;
  const dim3 block(warp_size, vectorised_rows_of_threads);
  const dim3 grid((pass.width + columns_of_block - 1) / columns_of_block, (pass.height + rows_of_block - 1) / rows_of_block);
  const CudaLaunch launch(backend, "wave.vectorised");
  vectorised_kernel<Real>(rows)<<<grid, block, 0, launch.stream()>>>(pass, levels.u, levels.u_previous);
}

// --------------------------------------------------------------------------------------------------------------- temporal

constexpr int strip_columns = warp_size * quad;
constexpr int slots = 3;

// Columns at each end of a strip that other strips compute: at least T, and whole quads.
constexpr int strip_overlap(int steps) { return (steps + quad - 1) / quad * quad; }
constexpr int useful_columns(int steps) { return strip_columns - 2 * strip_overlap(steps); }

constexpr int power_of_two_from(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

template <class Real>
struct TemporalArguments {
  View2D<const Real> u, u_previous;
  View2D<Real> u_out, u_previous_out;
  int width, height;
  Real courant2, damping;
  WaveBoundary left, right, bottom, top;
  int steps;          // 1 .. T
  int rows_of_chunk;  // rows that one warp brings to the last level
};

// What a warp's lanes find out about their four columns, for strips that reach over a side of the tank.
template <class Real>
struct StripColumns {
  int index[quad];
  int sign[quad];
};

struct Nothing {};

// The cells of one lane at one level and row that are not to be updated as the scheme says: held, or on absorbing rims.
// `row` and `row_sign`: the row folded into the tank; `row_sides`: absorbing sides it lies on; `column_sides`: the same for
// the columns, two bits each.
template <class Real>
struct SpecialCells {
  Real value[quad], previous[quad], courant2[quad];  // courant2 negative: a wall
};
template <class Real>
__device__ __noinline__ void correct_special_cells(const WavePass<Real>& pass, int level, const StripColumns<Real>& columns,
                                                   int row, int row_sign, int row_sides, int column_sides,
                                                   SpecialCells<Real>& cells) {
#pragma unroll 1
  for (int c = 0; c < quad; ++c) {
    const int sign = columns.sign[c] * row_sign;
    if (sign == 0) continue;
    bool held = false;
    for (int s = 0; s < pass.sources.count && !held; ++s) {
      const WaveHold<Real>& hold = pass.sources.holds[s][level];
      held = wave_is_held(hold, columns.index[c], row);
      if (held) cells.value[c] = signed_value(sign, hold.height);
    }
    const int sides = row_sides + (column_sides >> 2 * c & 3);
    if (held || sides == 0 || cells.courant2[c] < Real(0)) continue;
    cells.value[c] = wave_absorb(cells.value[c], cells.previous[c], cells.courant2[c], sides);
  }
}

__device__ inline int warp_min(int value) {
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    value = min(value, __shfl_xor_sync(whole_warp, value, distance));
  return value;
}
__device__ inline int warp_max(int value) { return -warp_min(-value); }

// `T`: levels. `special`: the tank may have absorbing sides, a sponge or sources. `has_medium`: walls or a speed map.
template <class Real, int T, bool special, bool has_medium>
__global__ void __launch_bounds__(warp_size)
    temporal_steps(const __grid_constant__ TemporalArguments<Real> tank,
                   const __grid_constant__ std::conditional_t<special, WavePass<Real>, Nothing> pass,
                   View2D<const Real> medium) {
  constexpr int overlap = strip_overlap(T), useful = useful_columns(T);
  constexpr int medium_slots = has_medium ? power_of_two_from(T + 2) : 1;
  __shared__ Quad<Real> arriving[slots][2][warp_size];        // rows of u and u_previous on their way
  __shared__ Quad<Real> media[medium_slots][warp_size];       // the medium, then (c·dt/dx)² of its cells, -1 for walls
  __shared__ StripColumns<Real> strip[warp_size];

  const int lane = threadIdx.x;
  const int strip_begin = static_cast<int>(blockIdx.x) * useful - overlap;
  const int column = strip_begin + lane * quad;
  const int steps = tank.steps, height = tank.height;
  const int row_begin = static_cast<int>(blockIdx.y) * tank.rows_of_chunk;
  const int row_end = min(row_begin + tank.rows_of_chunk, height);
  const int load_end = row_end + steps;
  const bool over_a_side = strip_begin < 0 || strip_begin + strip_columns > tank.width;
  const bool stores = lane * quad >= overlap && lane * quad < strip_columns - overlap && column < tank.width;
  if (special || over_a_side) {
#pragma unroll
    for (int c = 0; c < quad; ++c) {
      const Folded folded = fold(column + c, tank.width, tank.left, tank.right);
      strip[lane].index[c] = folded.index;
      strip[lane].sign[c] = folded.sign;
    }
  }

  // Level k of row r of the lane's columns is in level[k][slot of r]. In a sweep that loads row R, slot `newest` of level k
  // receives row R-k, `own` has row R-k-1 and `oldest` row R-k-2.
  Real level[T][slots][quad];
#pragma unroll
  for (int k = 0; k < T; ++k)
#pragma unroll
    for (int s = 0; s < slots; ++s)
#pragma unroll
      for (int c = 0; c < quad; ++c) level[k][s][c] = Real(0);

  // Starts the copies of u's row r, and of the row below it of u_previous and of the medium: what the sweep of row r needs.
  const auto fetch = [&](int r, int slot) {
    if (r < load_end) {
      int row_u = r, row_below = r - 1;
      if (r <= 0 || r >= height) {
        row_u = fold(r, height, tank.bottom, tank.top).index;
        row_below = fold(r - 1, height, tank.bottom, tank.top).index;
      }
      const Real* const u = tank.u.row(row_u);
      const Real* const u_previous = tank.u_previous.row(row_below);
      const Real* const m = has_medium ? medium.row(row_below) : nullptr;
      Quad<Real>* const to_u = &arriving[slot][0][lane];
      Quad<Real>* const to_previous = &arriving[slot][1][lane];
      Quad<Real>* const to_medium = &media[has_medium ? (r - 1) & (medium_slots - 1) : 0][lane];
      if (over_a_side) {
#pragma unroll
        for (int c = 0; c < quad; ++c) {
          const int i = strip[lane].index[c];
          __pipeline_memcpy_async(&to_u->v[c], u + i, sizeof(Real));
          __pipeline_memcpy_async(&to_previous->v[c], u_previous + i, sizeof(Real));
          if (has_medium) __pipeline_memcpy_async(&to_medium->v[c], m + i, sizeof(Real));
        }
      } else {
#pragma unroll
        for (int part = 0; part < static_cast<int>(sizeof(Quad<Real>) / 16); ++part) {
          const int c = part * static_cast<int>(16 / sizeof(Real));
          __pipeline_memcpy_async(&to_u->v[c], u + column + c, 16);
          __pipeline_memcpy_async(&to_previous->v[c], u_previous + column + c, 16);
          if (has_medium) __pipeline_memcpy_async(&to_medium->v[c], m + column + c, 16);
        }
      }
    }
    __pipeline_commit();
  };

  // What only the second version of the row's code looks at.
  int column_sides = 0;                             // absorbing sides that the lane's columns lie on
  bool always_special = false, any_held = false, any_sponge = false;
  int plain_begin = 1, plain_end = height - 1;      // rows without sponge or rim
  int held_begin = 0, held_end = 0;                 // rows that a source may hold in this strip
  if constexpr (special) {
    bool special_column = false;
#pragma unroll
    for (int c = 0; c < quad; ++c) {
      const int i = strip[lane].index[c];
      const int sides = (i == 0 && tank.left == WaveBoundary::absorbing) +
                        (i == tank.width - 1 && tank.right == WaveBoundary::absorbing);
      column_sides |= sides << 2 * c;
      special_column |= sides > 0;
      if (!pass.sponge_x.empty()) special_column |= !(pass.sponge_x[i] == Real(0));
    }
    always_special = __any_sync(whole_warp, special_column);
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
    int first_held = height, last_held = -1;
    for (int n = lane; n < pass.sources.count * steps; n += warp_size) {
      const WaveHold<Real>& hold = pass.sources.holds[n / steps][n % steps];
      const float reach = hold.radius + 1.f;
      const float columns_low = fminf(hold.x0, hold.x1) - reach, columns_high = fmaxf(hold.x0, hold.x1) + reach;
      if (!over_a_side &&
          (columns_high < static_cast<float>(strip_begin) || columns_low > static_cast<float>(strip_begin + strip_columns)))
        continue;
      first_held = min(first_held, static_cast<int>(fmaxf(fminf(hold.y0, hold.y1) - reach, 0.f)));
      last_held = max(last_held, static_cast<int>(fminf(fmaxf(hold.y0, hold.y1) + reach, static_cast<float>(height))));
    }
    held_begin = warp_min(first_held), held_end = warp_max(last_held) + 1;
    any_held = held_begin < held_end;
  }

  // The sweep that loads row R: one row of every level. `whole`: every level has the rows it needs, there are T of them, and
  // all is plain; otherwise only levels up to `last_level` are computed.
  const auto sweep = [&](auto phase, auto is_whole, int R, int last_level, int sweeps) {
    constexpr bool whole = is_whole();
    constexpr int newest = phase(), own = (newest + 2) % slots, oldest = (newest + 1) % slots;
    // Row R+2 goes to the slot that the last sweep has emptied.
    fetch(R + 2, own);
    __pipeline_wait_prior(2);
    Real previous[quad];
    {
      const Quad<Real> a = arriving[newest][0][lane], b = arriving[newest][1][lane];
#pragma unroll
      for (int c = 0; c < quad; ++c) level[0][newest][c] = a.v[c], previous[c] = b.v[c];
    }
    if (over_a_side || R <= 0 || R >= height) {
      const int sign_u = fold(R, height, tank.bottom, tank.top).sign;
      const int sign_previous = fold(R - 1, height, tank.bottom, tank.top).sign;
#pragma unroll
      for (int c = 0; c < quad; ++c) {
        const int sign = over_a_side ? strip[lane].sign[c] : 1;
        level[0][newest][c] = signed_value(sign * sign_u, level[0][newest][c]);
        previous[c] = signed_value(sign * sign_previous, previous[c]);
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

    // Lane k looks at row R-k, for level k.
    unsigned special_rows = 0;
    Real sponge_x[quad] = {}, sponge_row = 0;
    if constexpr (special) if constexpr (!whole) {
      const Folded folded = fold(R - lane, height, tank.bottom, tank.top);
      const int sides = (folded.index == 0 && tank.bottom == WaveBoundary::absorbing) +
                        (folded.index == height - 1 && tank.top == WaveBoundary::absorbing);
      special_rows = __ballot_sync(
          whole_warp, sides > 0 || (any_held && folded.index >= held_begin && folded.index < held_end));
      if (any_sponge) {
        sponge_row = pass.sponge_y[folded.index];
#pragma unroll
        for (int c = 0; c < quad; ++c) sponge_x[c] = pass.sponge_x[strip[lane].index[c]];
      }
    }

#pragma unroll
    for (int k = 1; k <= T; ++k) {
      if (!whole && k > last_level) break;
      const auto& of = level[k - 1];
      const Real left = __shfl_up_sync(whole_warp, of[own][quad - 1], 1);
      const Real right = __shfl_down_sync(whole_warp, of[own][0], 1);
      Quad<Real> courant2;
      if constexpr (has_medium) courant2 = media[(R - k) & (medium_slots - 1)][lane];
      Real row_of_sponge = 0;
      if constexpr (special && !whole)
        if (any_sponge) row_of_sponge = __shfl_sync(whole_warp, sponge_row, k);
      Real next[quad];
#pragma unroll
      for (int c = 0; c < quad; ++c) {
        Real damping = tank.damping;
        if constexpr (special && !whole) damping += sponge_x[c] + row_of_sponge;
        next[c] = wave_update(of[own][c], k == 1 ? previous[c] : level[k < 2 ? 0 : k - 2][oldest][c],
                              c > 0 ? of[own][c - 1] : left, c + 1 < quad ? of[own][c + 1] : right, of[oldest][c],
                              of[newest][c], has_medium ? courant2.v[c] : tank.courant2, damping);
        if (has_medium && courant2.v[c] < Real(0)) next[c] = Real(0);
      }
      if constexpr (special) if constexpr (!whole) {
        if (column_sides != 0 || (special_rows >> k & 1u)) {
          SpecialCells<Real> cells;
#pragma unroll
          for (int c = 0; c < quad; ++c) {
            cells.value[c] = next[c];
            cells.previous[c] = k == 1 ? previous[c] : level[k < 2 ? 0 : k - 2][oldest][c];
            cells.courant2[c] = has_medium ? courant2.v[c] : tank.courant2;
          }
          const Folded folded = fold(R - k, height, tank.bottom, tank.top);
          const int sides = (folded.index == 0 && tank.bottom == WaveBoundary::absorbing) +
                            (folded.index == height - 1 && tank.top == WaveBoundary::absorbing);
          correct_special_cells(pass, k - 1, strip[lane], folded.index, folded.sign, sides, column_sides, cells);
#pragma unroll
          for (int c = 0; c < quad; ++c) next[c] = cells.value[c];
        }
      }
      if (k < T) {
#pragma unroll
        for (int c = 0; c < quad; ++c) level[k < T ? k : 0][newest][c] = next[c];
      }
      // Row R-k is whole at the last level, and so is the level before it, a sweep ago.
      if (whole ? k == T : k == steps && sweeps >= 2 * steps) {
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

  const int first = row_begin - steps;
  fetch(first, 0);
  fetch(first + 1, 1);
  const auto phase0 = std::integral_constant<int, 0>{};
  const auto phase1 = std::integral_constant<int, 1>{};
  const auto phase2 = std::integral_constant<int, 2>{};
  const auto is_whole = std::true_type{};
  const auto is_partial = std::false_type{};
  if constexpr (special) {
    // Sweeps since the start; level k has all it needs from sweep 2k on.
    const auto one = [&](auto phase, int n) {
      const int R = first + n;
      const bool plain = steps == T && n >= 2 * T && !always_special && R - T >= plain_begin && R <= plain_end &&
                         (!any_held || R - T >= held_end || R <= held_begin);
      if (plain)
        sweep(phase, is_whole, R, T, n);
      else
        sweep(phase, is_partial, R, min(n / 2, steps), n);
    };
    const int sweeps = load_end - first;
    for (int n = 0;;) {
      one(phase0, n);
      if (++n == sweeps) break;
      one(phase1, n);
      if (++n == sweeps) break;
      one(phase2, n);
      if (++n == sweeps) break;
    }
  } else {
    const int sweeps = load_end - first, partial = steps == T ? 2 * T : sweeps;
    int n = 0;
    for (;;) {
      sweep(phase0, is_partial, first + n, min(n / 2, steps), n);
      if (++n == partial) break;
      sweep(phase1, is_partial, first + n, min(n / 2, steps), n);
      if (++n == partial) break;
      sweep(phase2, is_partial, first + n, min(n / 2, steps), n);
      if (++n == partial) break;
    }
    if (n == sweeps) return;
    // The slots go on taking turns where the loop above has stopped.
    const auto next_phase0 = std::integral_constant<int, 2 * T % slots>{};
    const auto next_phase1 = std::integral_constant<int, (2 * T + 1) % slots>{};
    const auto next_phase2 = std::integral_constant<int, (2 * T + 2) % slots>{};
    int R = first + n;
    for (;;) {
      sweep(next_phase0, is_whole, R, T, 0);
      if (++R == load_end) break;
      sweep(next_phase1, is_whole, R, T, 0);
      if (++R == load_end) break;
      sweep(next_phase2, is_whole, R, T, 0);
      if (++R == load_end) break;
    }
  }
}

template <class Real, int T>
const void* temporal_function(bool special, bool has_medium) {
  if (special && has_medium) return reinterpret_cast<const void*>(temporal_steps<Real, T, true, true>);
  if (special) return reinterpret_cast<const void*>(temporal_steps<Real, T, true, false>);
  if (has_medium) return reinterpret_cast<const void*>(temporal_steps<Real, T, false, true>);
  return reinterpret_cast<const void*>(temporal_steps<Real, T, false, false>);
}

struct TemporalKernel {
  int levels;  // T
  const void* function;
};

// The kernel of fewest levels for so many steps. FP64 rows take twice the registers, so it goes half as deep.
template <class Real>
TemporalKernel temporal_kernel(int steps, bool special, bool has_medium) {
  if (steps <= 2) return {2, temporal_function<Real, 2>(special, has_medium)};
  if (steps <= 4) return {4, temporal_function<Real, 4>(special, has_medium)};
  if constexpr (sizeof(Real) == 8) {
    return {6, temporal_function<Real, 6>(special, has_medium)};
  } else {
    if (steps <= 8) return {8, temporal_function<Real, 8>(special, has_medium)};
    return {12, temporal_function<Real, 12>(special, has_medium)};
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
namespace {
#endif

// Rows that each warp brings to the last level. Taller chunks do less twice, but there must be warps for the whole device.
int rows_of_chunk(int strips, int height, int steps, int resident) {
  int chunks = std::max(1, resident / strips);
#if defined(WAVE_KERNELS_TUNE)
  if (tune_chunks) chunks = tune_chunks;
#endif
  return std::max(1, (height + chunks - 1) / chunks);
}

template <class Real>
void step_temporal(Backend& backend, const WavePass<Real>& pass, const WaveLevels<Real>& levels, int steps) {
  const bool special = is_special(pass);
  const TemporalKernel kernel = temporal_kernel<Real>(steps, special, !pass.medium.empty());
  const int useful = useful_columns(kernel.levels), strips = (pass.width + useful - 1) / useful;
  const int rows = rows_of_chunk(strips, pass.height, steps, resident_blocks(kernel.function, warp_size));
  TemporalArguments<Real> tank{levels.u, levels.u_previous, levels.spare, levels.spare_previous, pass.width, pass.height,
                               pass.courant2, pass.damping, pass.left, pass.right, pass.bottom, pass.top, steps, rows};
  WavePass<Real> whole_pass = pass;
  Nothing nothing;
  View2D<const Real> medium = pass.medium;
  void* arguments[] = {&tank, special ? static_cast<void*>(&whole_pass) : static_cast<void*>(&nothing), &medium};
  const dim3 grid(strips, (pass.height + rows - 1) / rows);
  const CudaLaunch launch(backend, "wave.temporal");
  PERTURB_CUDA_CHECK(cudaLaunchKernel(kernel.function, grid, dim3(warp_size), arguments, 0, launch.stream()));
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
LaunchShape kernel_shape(WaveKernel kernel, int width, int height) {
  switch (kernel) {
    case WaveKernel::convolution:
      return shape_of(reinterpret_cast<const void*>(convolve<Real>), dim3(convolution_block, convolution_block));
    case WaveKernel::fused:
      return shape_of(reinterpret_cast<const void*>(detail::run_functor_2d<FusedStep<Real>>), dim3(64, 4));
    case WaveKernel::vectorised:
      return shape_of(reinterpret_cast<const void*>(vectorised_kernel<Real>(vectorised_rows(width, height))),
                      dim3(warp_size, vectorised_rows_of_threads));
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

LaunchShape wave_kernel_shape(WaveKernel kernel, int width, int height, int bytes_per_real) {
  return bytes_per_real == 8 ? kernel_shape<double>(kernel, width, height) : kernel_shape<float>(kernel, width, height);
}

}  // namespace perturb
