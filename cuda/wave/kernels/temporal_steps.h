// The kernel `temporal`: several steps of the wave in one pass over memory. kernels/temporal.cu describes the method.
// Only for files that nvcc compiles.
#pragma once

#include <type_traits>

#include <cuda_pipeline_primitives.h>

#include "cuda/core/backend/cuda_launch.h"
#include "cuda/core/backend/cuda_warp.h"
#include "cuda/core/backend/field.h"
#include "cuda/wave/kernels/launches.h"
#include "cuda/wave/model/fold.h"
#include "cuda/wave/model/step_params.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

// Number of live rows per level: the scheme reads one row on either side. The loop over rows is unrolled by this
// number.
constexpr int slots = 3;

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

template <class Real>
struct TemporalArguments : TemporalDivision {
  View2D<const Real> u, u_previous;
  View2D<Real> u_out, u_previous_out;
  int width;
  Real courant2, inertia;
  Boundary left, right, bottom, top;
  int steps;           // 1 .. T
  BlockRecord record;  // null: not recorded
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

// ---- cells that the plain scheme does not express: the tank's continuation, cells in hard sources and absorbing sides

// `fold` as a function call, for rows: they are rarely outside the tank.
static __device__ __noinline__ Folded fold_row(int row, int height, Boundary bottom, Boundary top) {
  return fold(row, height, bottom, top);
}

// Position of a lane's four columns in the tank: the columns that they fold to, and the masks that give their values
// the right sign: value & keep ^ flip.
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

// x / divisor for divisors >= 1, rounded like the division, from the reciprocal in FP64. The relative distance of an
// FP32 quotient to the midpoint between two FP32 numbers is at least 2^-49, and the relative error of the product is
// below 2^-52, so it rounds correctly.
__device__ inline float divided(float x, float, double reciprocal) {
  return static_cast<float>(static_cast<double>(x) * reciprocal);
}
static __device__ __noinline__ double divided_exactly(double x, double divisor) { return x / divisor; }
// In FP64 the quotient is corrected by its exact remainder, which gives the correctly rounded quotient if it was within
// one ulp (Markstein 1990). The first correction brings it within one ulp, the second rounds it correctly. Divides
// where the remainder might not be exact.
__device__ inline double divided(double x, double divisor, double reciprocal) {
  const double size = fabs(x);
  if (x == 0) return x;
  if (!(size > 1e-200 && size < 1e200)) return divided_exactly(x, divisor);
  double q = x * reciprocal;
  q = fma(fma(-q, divisor, x), reciprocal, q);
  return fma(fma(-q, divisor, x), reciprocal, q);
}

// Cells that a source may hold in a strip during a pass: columns first .. last of the strip, rows first .. last of the
// tank.
struct HardSourceSpan {
  int first_column, last_column, first_row, last_row;
};
// Span of one level of a source.
template <class Real>
__device__ inline HardSourceSpan hard_source_span(const HardSource<Real>& hard_source) {
  constexpr float far = 1e9f;
  const float reach = hard_source.radius + 1.f;
  const auto cell = [](float x) { return static_cast<int>(fminf(fmaxf(x, -far), far)); };
  return {cell(fminf(hard_source.x0, hard_source.x1) - reach), cell(fmaxf(hard_source.x0, hard_source.x1) + reach),
          cell(fminf(hard_source.y0, hard_source.y1) - reach), cell(fmaxf(hard_source.y0, hard_source.y1) + reach)};
}
// `share` of absorb() for one side, negative in a wall, and 1/(1 + share).
template <class Real>
struct AbsorbingCell {
  Real share;
  double reciprocal;
};
template <class Real>
__device__ inline AbsorbingCell<Real> absorbing_cell_of(Real courant2) {
  if (courant2 < Real(0)) return {Real(-1), 0};
  const Real share = sqrt(courant2), divisor = Real(1) + share;
  return {share, 1. / static_cast<double>(divisor)};
}

// Values of one lane's cells at one level and row, for cases too rare for inline code.
template <class Real>
struct LaneCells {
  Real value[quad], previous[quad], courant2[quad];  // courant2 negative: a wall
};
// Applies hard sources and absorbing sides as wave_cell does. In: the scheme's new values, zero in walls.
// `hard_sources` and `sources` as in the kernel.
template <class Real>
__device__ __noinline__ void finish_cells(const StepParams<Real>& params,
                                          const HardSource<Real> (*hard_sources)[max_wave_steps_per_pass],
                                          unsigned sources, int level, int row, const FoldedColumns& columns,
                                          LaneCells<Real>& cells) {
  const Folded folded = fold(row, params.height, params.bottom, params.top);
  if (folded.sign == 0) return;
  const int row_sides = (folded.index == 0 && params.bottom == Boundary::absorbing) +
                        (folded.index == params.height - 1 && params.top == Boundary::absorbing);
#pragma unroll 1
  for (int c = 0; c < quad; ++c) {
    if (columns.keep[c] == 0) continue;
    const int i = columns.index[c];
    bool held = false;
    for (unsigned left = sources; left != 0 && !held; left &= left - 1) {
      const HardSource<Real>& hard_source = hard_sources[__ffs(left) - 1][level];
      held = in_hard_source(hard_source, i, folded.index);
      if (held) cells.value[c] = signed_value(columns.flip[c] != 0 ? -folded.sign : folded.sign, hard_source.height);
    }
    if (held || cells.courant2[c] < Real(0)) continue;
    const int sides = row_sides + (i == 0 && params.left == Boundary::absorbing) +
                      (i == params.width - 1 && params.right == Boundary::absorbing);
    if (sides > 0) cells.value[c] = absorb(cells.value[c], cells.previous[c], cells.courant2[c], sides);
  }
}
constexpr int levels_of_half_a_warp = 16;
static_assert(max_wave_steps_per_pass <= levels_of_half_a_warp);

template <class Real>
__device__ inline Real pick(const Real (&values)[quad], int c) {
  const Real low = c & 1 ? values[1] : values[0], high = c & 1 ? values[3] : values[2];
  return c & 2 ? high : low;
}

// ---- a pass of several steps

struct Nothing {};

// Versions of a row's code: for plain rows; for sponge, absorbing columns and one hard source; and for rows whose cells
// need finish_cells.
enum class Sweep { plain, special, unusual };

// A block is one warp. `T`: levels; it is used for more than `fewer` steps, so only levels above fewer + 1 check
// whether they repeat. `special`: the tank may have absorbing sides, a sponge or sources. `has_medium`: walls or a
// speed map.
template <class Real, int T, int fewer, bool special, bool has_medium>
__global__ void __launch_bounds__(warp_size, (warps_wanted(T, sizeof(Real), special)))
    temporal_steps(const __grid_constant__ TemporalArguments<Real> tank,
                   const __grid_constant__ std::conditional_t<special, StepParams<Real>, Nothing> params,
                   View2D<const Real> medium) {
  constexpr int overlap = strip_overlap(T), useful = useful_columns(T);
  constexpr int ahead = rows_ahead(sizeof(Real), has_medium), arrivals = power_of_two_from(ahead + 1);
  constexpr int medium_slots = has_medium ? power_of_two_from(T + ahead) : 1;
  __shared__ Quad<Real> arriving[arrivals][2][warp_size];  // rows of u and u_previous being copied
  __shared__ Quad<Real> media[medium_slots][warp_size];    // the medium, then (c·dt/dx)² of its cells, -1 for walls
  __shared__ FoldedColumns folded_columns[warp_size];
  // By source: its values at the levels of the pass, and the cells that it may hold.
  __shared__ HardSource<Real> hard_sources[special ? max_wave_sources : 1][max_wave_steps_per_pass];
  __shared__ HardSourceSpan hard_source_spans[special ? max_wave_sources : 1];
  // By row, as `media`: input of absorb() for the lane's cell on an absorbing side.
  __shared__ AbsorbingCell<Real> absorbing_cells[special && has_medium ? medium_slots : 1][warp_size];

  // A second version, as of the other kernels, would take too long to compile. A warp runs for thousands of
  // instructions.
  if (tank.record.starts) tank.record.write();
  const TemporalChunk mine = chunk_of_block(tank, static_cast<int>(blockIdx.x));
  const int strip = mine.strip, row_begin = mine.row_begin, row_end = mine.row_end;
  const int height = tank.height;
  const int load_end = row_end + T;
  const int lane = threadIdx.x;
  const int strip_begin = strip * useful - overlap;
  const int column = strip_begin + lane * quad;
  const bool over_one_side = strip_begin < 0 || strip_begin + strip_columns > tank.width;
  const bool stores = lane * quad >= overlap && lane * quad < strip_columns - overlap && column < tank.width;
  FoldedColumns& columns = folded_columns[lane];
  if (special || over_one_side) {
#pragma unroll 1
    for (int c = 0; c < quad; ++c) {
      const Folded folded = fold(column + c, tank.width, tank.left, tank.right);
      columns.index[c] = folded.index;
      columns.keep[c] = folded.sign == 0 ? 0u : ~0u;
      columns.flip[c] = folded.sign < 0 ? 0x80000000u : 0u;
    }
  }

  // ---- registers of a lane, and asynchronous copies of rows

  // The last three rows of each level. In the sweep that loads row R, slot `newest` of level k receives row R-k, `own`
  // has row R-k-1 and `oldest` row R-k-2.
  Real level[T][slots][quad];
#pragma unroll
  for (int k = 0; k < T; ++k)
#pragma unroll
    for (int s = 0; s < slots; ++s)
#pragma unroll
      for (int c = 0; c < quad; ++c) level[k][s][c] = Real(0);

  // Starts the copies that the sweep of row r needs: row r of u, and the row below of u_previous and of the medium.
  const auto fetch = [&](int r) {
    if (r < load_end) {
      int row_u = r, row_below = r - 1;
      if (r <= 0 || r >= height) {
        row_u = fold_row(r, height, tank.bottom, tank.top).index;
        row_below = fold_row(r - 1, height, tank.bottom, tank.top).index;
      }
      const Real* const u = tank.u.row(row_u);
      const Real* const u_previous = tank.u_previous.row(row_below);
      const Real* const m = has_medium ? medium.row(row_below) : nullptr;
      Quad<Real>& to_u = arriving[r & (arrivals - 1)][0][lane];
      Quad<Real>& to_previous = arriving[r & (arrivals - 1)][1][lane];
      Quad<Real>& to_medium = media[has_medium ? (r - 1) & (medium_slots - 1) : 0][lane];
      if (over_one_side) {
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

  // ---- positions of sponge, absorbing columns and sources in this strip, used only by sweeps that are not plain

  int rims = 0;  // bits: the lane's columns on an absorbing side, shifted by four for a second side
  int rim = 0;   // the first of these columns
  bool any_rims = false,
       many_rims = false;  // some lane has such a column; some lane has more than one, or on two sides
  AbsorbingCell<Real> absorbing_cell{};
  bool always_special = false, any_sponge = false;
  int plain_begin = 1, plain_end = height - 1;  // rows without sponge or absorbing sides
  // rows that sources may hold in this strip; `sources`: those sources, as bits
  int hard_begin = 0, hard_end = 0;
  unsigned sources = 0;
  if constexpr (special) {
    bool special_column = false;
#pragma unroll 1
    for (int c = 0; c < quad; ++c) {
      const int i = columns.index[c];
      const bool on_left = i == 0 && tank.left == Boundary::absorbing;
      const bool on_right = i == tank.width - 1 && tank.right == Boundary::absorbing;
      if (columns.keep[c] != 0) rims |= (on_left || on_right) << c | (on_left && on_right) << (quad + c);
      if (!params.sponge_x.empty()) special_column |= !(params.sponge_x[i] == Real(1));
    }
    rim = rims != 0 ? __ffs(rims) - 1 : 0;
    any_rims = warp_or(rims) != 0;
    many_rims = warp_or(__popc(rims) > 1) != 0;
    absorbing_cell = absorbing_cell_of(tank.courant2);
    always_special = warp_or(special_column || rims != 0) != 0;
    any_sponge = !params.sponge_x.empty();
    if (any_sponge) {
      // The chunk's plain rows are between the sponge rows of its lower half and those of its upper half.
      const int low = max(row_begin - T, 0), high = min(row_end + T, height), middle = (low + high) / 2;
      int last_low = 0, first_high = height - 1;
      for (int r = low + lane; r < high; r += warp_size) {
        if (params.sponge_y[r] == Real(1)) continue;
        if (r < middle)
          last_low = r;
        else
          first_high = min(first_high, r);
      }
      plain_begin = max(plain_begin, warp_max(last_low) + 1);
      plain_end = min(plain_end, warp_min(first_high));
    }
    hard_begin = height;
    __syncwarp();  // other lanes' columns are read below
    for (int s = 0; s < params.sources.count; ++s) {
      HardSourceSpan span{1 << 30, -(1 << 30), 1 << 30, -(1 << 30)};
      if (lane < tank.steps) {
        const HardSource<Real> hard_source = params.sources.hard_sources[s][lane];
        hard_sources[s][lane] = hard_source;
        span = hard_source_span(hard_source);
      }
      span = {warp_min(span.first_column), warp_max(span.last_column), warp_min(span.first_row),
              warp_max(span.last_row)};
      bool near = false;
      for (int c = 0; c < quad; ++c)
        near |= columns.index[c] >= span.first_column && columns.index[c] <= span.last_column;
      const unsigned lanes = __ballot_sync(whole_warp, near);
      if (lanes == 0) continue;
      sources |= 1u << s;
      span.first_column = (__ffs(lanes) - 1) * quad;
      span.last_column = (warp_size - __clz(lanes)) * quad - 1;
      if (lane == 0) hard_source_spans[s] = span;
      hard_begin = min(hard_begin, span.first_row);
      hard_end = max(hard_end, span.last_row + 1);
    }
    __syncwarp();
    sources = warp_or(sources);
    hard_begin = warp_min(hard_begin);
    hard_end = warp_max(hard_end);
  }

  // Properties of the rows of a sweep that is not plain: lanes k-1 and k+15 check row R-k, for level k.
  [[maybe_unused]] const int of_level = lane % levels_of_half_a_warp;
  [[maybe_unused]] Folded row{};
  [[maybe_unused]] bool row_is_relevant = false;
  [[maybe_unused]] unsigned unusual = 0;         // levels, as bits k-1, at which all cells go to finish_cells
  [[maybe_unused]] unsigned active_sources = 0;  // the sources that may hold cells; the first one is handled inline
  [[maybe_unused]] const auto look_at_rows = [&](int R) {
    if constexpr (special) {
      row = {R - 1 - of_level, 1};
      unusual = many_rims ? whole_warp : 0u;
      active_sources = 0;
      if (R - levels_of_half_a_warp < 0 || R >= height) {
        row = fold(row.index, height, tank.bottom, tank.top);
        const bool rim_row = (row.index == 0 && tank.bottom == Boundary::absorbing) ||
                             (row.index == height - 1 && tank.top == Boundary::absorbing);
        unusual |= __ballot_sync(whole_warp, (row.sign != 0 && rim_row) || (row.sign < 0 && sources != 0));
      }
      row_is_relevant = of_level < tank.steps && row.sign != 0;
      for (unsigned left = sources; left != 0; left &= left - 1) {
        const HardSourceSpan span = hard_source_spans[__ffs(left) - 1];
        const unsigned rows =
            __ballot_sync(whole_warp, row_is_relevant && row.index >= span.first_row && row.index <= span.last_row);
        if (rows == 0) continue;
        if (active_sources != 0) unusual |= rows;
        active_sources |= left & -left;
      }
      unusual = warp_or(unusual) & ((1u << T) - 1u);
      active_sources = warp_or(active_sources);
    }
  };

  // The sweep that loads row R: computes one row of each of the levels 1 to `levels`. The first sweeps of a chunk
  // compute rows from rows that were not loaded; these results are never used: from sweep 2k on, all inputs of level k
  // are valid. There are two versions. Plain rows use three copies of the code, one for each assignment of the slots.
  // Rows with special cells use one copy that shifts the slots instead (a warp stalls on code that exceeds its
  // instruction cache).
  const auto sweep = [&](auto phase, auto kind, auto levels, int R) {
    constexpr bool plain = kind() == Sweep::plain, unusual_levels = kind() == Sweep::unusual;
    constexpr int newest = phase(), own = (newest + 2) % slots, oldest = (newest + 1) % slots;
    fetch(R + ahead);  // to the slot that the last sweep has freed
    __pipeline_wait_prior(ahead);
    Real previous[quad];
    {
      const Quad<Real>(&arrived)[2][warp_size] = arriving[R & (arrivals - 1)];
      const Quad<Real> a = arrived[0][lane], b = arrived[1][lane];
#pragma unroll
      for (int c = 0; c < quad; ++c) {
        level[0][newest][c] = a.v[c];
        previous[c] = b.v[c];
      }
    }
    if (over_one_side) {
#pragma unroll
      for (int c = 0; c < quad; ++c) {
        level[0][newest][c] = with_sign(level[0][newest][c], columns.keep[c], columns.flip[c]);
        previous[c] = with_sign(previous[c], columns.keep[c], columns.flip[c]);
      }
    }
    if (R <= 0 || R >= height) {
      const int sign_u = fold_row(R, height, tank.bottom, tank.top).sign;
      const int sign_previous = fold_row(R - 1, height, tank.bottom, tank.top).sign;
#pragma unroll
      for (int c = 0; c < quad; ++c) {
        level[0][newest][c] = signed_value(sign_u, level[0][newest][c]);
        previous[c] = signed_value(sign_previous, previous[c]);
      }
    }
    if constexpr (has_medium) {
      const int slot = (R - 1) & (medium_slots - 1);
      Quad<Real> m = media[slot][lane];
#pragma unroll
      for (int c = 0; c < quad; ++c) m.v[c] = is_wall(m.v[c]) ? Real(-1) : wave_courant2(m.v[c], tank.courant2);
      media[slot][lane] = m;
      if constexpr (special) {
        if (any_rims) absorbing_cells[slot][lane] = absorbing_cell_of(pick(m.v, rim));
      }
    }

    [[maybe_unused]] unsigned long long held = 0;
    [[maybe_unused]] int source = 0;
    [[maybe_unused]] Real sponge_x[quad] = {Real(1), Real(1), Real(1), Real(1)}, sponge_row = 1;
    [[maybe_unused]] unsigned flip[quad] = {};
    if constexpr (special)
      if constexpr (!plain) {
        if (any_sponge) {
          sponge_row = params.sponge_y[row.index];
#pragma unroll
          for (int c = 0; c < quad; ++c) sponge_x[c] = params.sponge_x[columns.index[c]];
        }
        if (active_sources != 0) {
          source = __ffs(active_sources) - 1;
          const HardSourceSpan span = hard_source_spans[source];
          const HardSource<Real> hard_source = hard_sources[source][row_is_relevant ? of_level : 0];
          // Two columns at a time, one per half warp.
#pragma unroll 1
          for (int at = span.first_column; at < span.last_column; at += 2) {
            const int mine = at + lane / levels_of_half_a_warp;
            const FoldedColumns& of = folded_columns[mine / quad];
            const unsigned bits =
                __ballot_sync(whole_warp, row_is_relevant && of.keep[mine % quad] != 0 &&
                                              in_hard_source(hard_source, of.index[mine % quad], row.index));
            if (at / quad == lane) held |= static_cast<unsigned long long>(bits) << levels_of_half_a_warp * (at % quad);
          }
#pragma unroll
          for (int c = 0; c < quad; ++c) flip[c] = columns.flip[c];
        }
      }

#pragma unroll
    for (int k = 1; k <= levels(); ++k) {
      const auto& of = level[k - 1];
      const Real left = __shfl_up_sync(whole_warp, of[own][quad - 1], 1);
      const Real right = __shfl_down_sync(whole_warp, of[own][0], 1);
      [[maybe_unused]] Quad<Real> courant2;
      if constexpr (has_medium) courant2 = media[(R - k) & (medium_slots - 1)][lane];
      [[maybe_unused]] Real row_of_sponge = 1;
      if constexpr (special)
        if constexpr (!plain) row_of_sponge = __shfl_sync(whole_warp, sponge_row, k - 1);
      Real before[quad], next[quad];
#pragma unroll
      for (int c = 0; c < quad; ++c) {
        before[c] = k == 1 ? previous[c] : level[k < 2 ? 0 : k - 2][oldest][c];
        Real inertia = tank.inertia, weight = has_medium ? courant2.v[c] : tank.courant2;
        if constexpr (special && !plain) {
          const Real share = sponge_x[c] * row_of_sponge;
          weight *= share;
          inertia *= share;
        }
        next[c] = wave_update(of[own][c], before[c], c > 0 ? of[own][c - 1] : left,
                              c + 1 < quad ? of[own][c + 1] : right, of[oldest][c], of[newest][c], weight, inertia);
        if (has_medium && courant2.v[c] < Real(0)) next[c] = Real(0);
      }
      if constexpr (special)
        if constexpr (!plain) {
          if (unusual_levels && (unusual >> (k - 1) & 1u)) {
            LaneCells<Real> cells;
#pragma unroll
            for (int c = 0; c < quad; ++c) {
              cells.value[c] = next[c];
              cells.previous[c] = before[c];
              cells.courant2[c] = has_medium ? courant2.v[c] : tank.courant2;
            }
            finish_cells(params, hard_sources, sources, k - 1, R - k, columns, cells);
#pragma unroll
            for (int c = 0; c < quad; ++c) next[c] = cells.value[c];
          } else {
            if (sizeof(Real) == 4 || any_rims) {  // in FP64 the branch costs less than the division
              const AbsorbingCell<Real> cell =
                  has_medium ? absorbing_cells[(R - k) & (medium_slots - 1)][lane] : absorbing_cell;
              const Real absorbed = divided(multiply_add(cell.share, pick(before, rim), pick(next, rim)),
                                            Real(1) + cell.share, cell.reciprocal);
              const bool absorbs = rims != 0 && (!has_medium || cell.share >= Real(0));
#pragma unroll
              for (int c = 0; c < quad; ++c) next[c] = absorbs && rim == c ? absorbed : next[c];
            }
            const Real at = hard_sources[source][k - 1].height;
#pragma unroll
            for (int c = 0; c < quad; ++c)
              next[c] = held >> (levels_of_half_a_warp * c + k - 1) & 1u ? with_sign(at, ~0u, flip[c]) : next[c];
          }
        }
      // Fewer steps than levels: the levels beyond repeat the last two alternately.
      if (k > fewer + 1) {
#pragma unroll
        for (int c = 0; c < quad; ++c) next[c] = k <= tank.steps ? next[c] : before[c];
      }
      if (k < T) {
#pragma unroll
        for (int c = 0; c < quad; ++c) {
          Real(&rows)[slots][quad] = level[k < T ? k : 0];
          if constexpr (!plain) {
            rows[oldest][c] = rows[own][c];
            rows[own][c] = rows[newest][c];
          }
          rows[newest][c] = next[c];
        }
      } else if (stores && R - T >= row_begin && R - T < row_end) {
        Quad<Real> a, b;
#pragma unroll
        for (int c = 0; c < quad; ++c) {
          a.v[c] = next[c];
          b.v[c] = of[own][c];
        }
        *reinterpret_cast<Quad<Real>*>(tank.u_out.row(R - T) + column) = a;
        *reinterpret_cast<Quad<Real>*>(tank.u_previous_out.row(R - T) + column) = b;
      }
    }
  };
  // ---- the loop over rows: three sweeps per iteration, so that the slots are constants in each

  const auto phase0 = std::integral_constant<int, 0>{};
  const auto phase1 = std::integral_constant<int, 1>{};
  const auto phase2 = std::integral_constant<int, 2>{};
  const auto all_levels = std::integral_constant<int, T>{};
  const auto plain_rows = std::integral_constant<Sweep, Sweep::plain>{};

  int R = row_begin - T;
#pragma unroll 1
  for (int r = R; r < R + ahead; ++r) fetch(r);
  if constexpr (special) {
    // The second version handles a sponge, absorbing columns and one hard source inline; only finish_cells is slow.
    const auto three_are_plain = [&] {
      return !always_special && R - T >= plain_begin && R + 2 <= plain_end &&
             (sources == 0 || R - T >= hard_end || R + 2 <= hard_begin);
    };
    while (R < load_end) {
      if (three_are_plain()) {
        do {
          sweep(phase1, plain_rows, all_levels, R);
          sweep(phase2, plain_rows, all_levels, R + 1);
          sweep(phase0, plain_rows, all_levels, R + 2);
          R += slots;
        } while (R < load_end && three_are_plain());
      } else {
        // The slots are shifted only here, those of level 0 before its row arrives.
#pragma unroll
        for (int c = 0; c < quad; ++c) {
          level[0][1][c] = level[0][2][c];
          level[0][2][c] = level[0][0][c];
        }
        look_at_rows(R);
        if (unusual == 0)
          sweep(phase0, std::integral_constant<Sweep, Sweep::special>{}, all_levels, R);
        else
          sweep(phase0, std::integral_constant<Sweep, Sweep::unusual>{}, all_levels, R);
        ++R;
      }
    }
  } else {
    // Up to sweep T - 1, only levels up to T/2 can have valid inputs (level k from sweep 2k on). The others are skipped
    // in the first T / 3 iterations of three sweeps.
    const auto half_the_levels = std::integral_constant<int, T / 2>{};
#pragma unroll 1
    for (int n = 0; n < T / slots; ++n) {
      sweep(phase0, plain_rows, half_the_levels, R);
      sweep(phase1, plain_rows, half_the_levels, R + 1);
      sweep(phase2, plain_rows, half_the_levels, R + 2);
      R += slots;
    }
    for (;;) {
      sweep(phase0, plain_rows, all_levels, R);
      if (++R == load_end) break;
      sweep(phase1, plain_rows, all_levels, R);
      if (++R == load_end) break;
      sweep(phase2, plain_rows, all_levels, R);
      if (++R == load_end) break;
    }
  }
}

}  // namespace perturb::wave
