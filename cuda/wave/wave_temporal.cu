// Several steps of the wave in one pass over memory, on CUDA: 16/T bytes a cell and step in FP32, so that arithmetic
// becomes the bound. The kernel `temporal`.
//
// Strips and chunks. A warp owns a strip of 128 columns, four to a lane (16 bytes in FP32, one access). It streams
// upwards through a chunk of rows, row by row, and never waits for another warp: there is no barrier anywhere. The
// price is redundant work. A value at level k depends on its neighbours at level k-1, so at the ends of what a warp
// has loaded one more column and one more row are wrong at each level. Strips therefore overlap by T columns, rounded
// up to whole lanes, at both ends, and chunks by T rows; each warp writes only the cells that are right at level T:
//
//       strip s      ::::::########################::::::
//       strip s+1                            ::::::########################::::::        columns ->
//                                            |-----|------- useful -------|-----|
//                                            overlap                      overlap
//
//       #  right at level T, written        :  loaded; from its end on one more column is wrong at each level
//
//   of a chunk:   rows row_begin - T .. row_end + T - 1 are loaded, rows row_begin .. row_end - 1 are written
//
// The sweep. What happens between two loads is a sweep. The sweep that loads row R of level 0 (and, for the level
// before it, row R-1) computes row R-1 of level 1, from that row R-2 of level 2, and so on to row R-T of level T. It is
// a stair that climbs one row a sweep. For T = 3, with `o` what is in registers, `L` what the sweep loads and `*` what
// it computes:
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
// Level k at row R-k takes its neighbours from level k-1: up, from row R-k+1, which this sweep has just computed; left,
// own and right from row R-k; down from row R-k-1; and the value two levels before, level k-2, from row R-k. So three
// rows of each level are alive, all in registers: 3 · 4 · T numbers a lane (144 of FP32 at T = 12). The newest row
// takes the slot of the oldest. The loop over rows is unrolled by three, so that a slot is a register and not an index.
// Left and right neighbours beyond a lane's own columns come by shuffle.
//
// Loads. Rows arrive some ahead by asynchronous copies into shared memory, each lane copying its own columns, so
// that nothing but the lane itself has to be waited for. That hides the latency of memory without holding registers:
// with one row ahead in registers, warps waited for memory more than half the time. What is left is 30 instructions for
// 4 cells and level; the schedulers issue at some 80 % of their rate.
//
// The first sweeps of a chunk compute rows from rows that were never loaded. From sweep 2k on (counted from 0) level k
// has all it needs, and level T is written from sweep 2T on: nothing wrong is ever written.
//
// Sides cost the stream nothing: it sees an endless field, the tank's continuation (wave_fold.h). Beyond a periodic
// side the tank repeats; a free side is a mirror on the face of the outermost cell; an absorbing side a mirror through
// the centre of that cell; a fixed side one through the centre of the line of zeros one cell outside, which also turns
// the sign. The scheme sums its neighbours in pairs, so these symmetries hold to the bit at every later level, and only
// loads look at the sides.
//
// Special rows. What the continuation cannot express needs longer code: a sponge, the one-way condition at an absorbing
// side, cells that a source holds. A warp takes it only in sweeps that meet such cells (enum Sweep): `special` does a
// sponge, columns on an absorbing side and one source without branches; `unusual` also calls a function
// (finish_cells), for rows on absorbing sides and where sources overlap. These sweeps take about three times as long:
// for such tanks `temporal` is the fastest kernel only where most warps are away from the sides, which `auto` measures.
//
// Fewer steps than levels. Kernels exist for a few T only; for fewer steps the levels beyond repeat the last two in
// turns, so that the last level holds either the newest or the one before it, and the caller swaps the outputs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <type_traits>
#include <utility>

#include <cuda_pipeline_primitives.h>

#include "cuda/core/cuda_check.h"
#include "cuda/core/cuda_launch.h"
#include "cuda/core/cuda_shape.h"
#include "cuda/core/cuda_warp.h"
#include "cuda/wave/wave_fold.h"
#include "cuda/wave/wave_quad.h"
#include "cuda/wave/wave_temporal.h"

namespace perturb {

namespace {

// `fold` as a call: for rows, which seldom lie outside.
__device__ __noinline__ Folded fold_row(int row, int height, WaveBoundary bottom, WaveBoundary top) {
  return fold(row, height, bottom, top);
}

// Four columns a lane. Of the 128, 104 are useful at T = 12: with fewer columns the overlap would take more of them;
// with more, three rows of twelve levels would not fit into a lane's 255 registers.
constexpr int strip_columns = warp_size * quad;
// Rows of a level that are alive: the scheme reads one row to either side. The loop over rows is unrolled by as many.
constexpr int slots = 3;

// Columns at each end of a strip that other strips compute: at least T, and whole quads.
constexpr int strip_overlap(int levels) { return (levels + quad - 1) / quad * quad; }
constexpr int useful_columns(int levels) { return strip_columns - 2 * strip_overlap(levels); }

constexpr int power_of_two_from(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

// Rows under way at any time; they and the row in use have a power of two of slots in shared memory: 8 slots of 1 KiB
// in FP32, 4 of 2 KiB in FP64. With fewer rows ahead warps wait for memory; with more, shared memory would allow fewer
// warps. 3 where the medium takes shared memory too: its rows stay from their load until level T has used them, T + 3
// rows (16 slots at T = 12 in FP32, 8 KiB).
constexpr int rows_ahead(int bytes_per_real, bool has_medium) { return has_medium || bytes_per_real == 8 ? 3 : 6; }

// The part of the tank that one warp brings to the last level is a chunk of rows of a strip. A strip whose sweeps take
// longer (it reaches over a side, or a source holds cells all along it) is cut into more chunks, which start first, so
// that all warps end at about the same time.
struct SlowStrip {
  int strip, chunks;
};
// The list travels in the kernel's arguments. A slow strip that it has no room for is cut like the others: its warps
// end later, and nothing else changes.
constexpr int max_slow_strips = 24;

template <class Real>
struct TemporalArguments {
  View2D<const Real> u, u_previous;
  View2D<Real> u_out, u_previous_out;
  int width, height;
  Real courant2, inertia;
  WaveBoundary left, right, bottom, top;
  int steps;                    // 1 .. T
  int strips, chunks;           // chunks of a strip that is not slow
  int extra_bottom, extra_top;  // rows that the lowest and the highest chunk of a strip get less than the others
  int slow_strips;              // sorted by strip
  SlowStrip slow[max_slow_strips];
};

struct Nothing {};

// How a lane's four columns are found in the tank: the columns they fold to, and what their values must be combined
// with so that they have the right sign: value & keep ^ flip.
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

// x / divisor for divisors >= 1, rounded like the division, from the reciprocal in FP64. An FP32 quotient is
// never nearer to the middle between two FP32 numbers than 2^-49 of itself, and the product errs by less than
// 2^-52: it rounds the right way.
__device__ inline float divided(float x, float, double reciprocal) {
  return static_cast<float>(static_cast<double>(x) * reciprocal);
}
__device__ __noinline__ double divided_anyhow(double x, double divisor) { return x / divisor; }
// In FP64 the quotient is corrected by its exact remainder: within an ulp it so becomes the rounded one
// (Markstein 1990); the first correction makes it that good, the second one right. Where the remainder might
// not be exact, by division.
__device__ inline double divided(double x, double divisor, double reciprocal) {
  const double size = fabs(x);
  if (x == 0) return x;
  if (!(size > 1e-200 && size < 1e200)) return divided_anyhow(x, divisor);
  double q = x * reciprocal;
  q = fma(fma(-q, divisor, x), reciprocal, q);
  return fma(fma(-q, divisor, x), reciprocal, q);
}

// Where in a strip a source may hold cells during a pass: columns first .. last of the strip, rows
// first .. last of the tank.
struct HeldSpan {
  int first_column, last_column, first_row, last_row;
};
// The share of wave_absorb for one side, negative in a wall, and 1/(1 + share).
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

// The cells of one lane at one level and row, as values, for what is too rare to be done in line.
template <class Real>
struct LaneCells {
  Real value[quad], previous[quad], courant2[quad];  // courant2 negative: a wall
};
// Holds and absorbs as wave_cell does. In: what the scheme gives, zero in walls. `holds` and
// `sources` as in the kernel.
template <class Real>
__device__ __noinline__ void finish_cells(const WavePass<Real>& pass,
                                          const WaveHold<Real> (*holds)[max_wave_steps_per_pass], unsigned sources,
                                          int level, int row, const FoldedColumns& columns, LaneCells<Real>& cells) {
  const Folded folded = fold(row, pass.height, pass.bottom, pass.top);
  if (folded.sign == 0) return;
  const int row_sides = (folded.index == 0 && pass.bottom == WaveBoundary::absorbing) +
                        (folded.index == pass.height - 1 && pass.top == WaveBoundary::absorbing);
#pragma unroll 1
  for (int c = 0; c < quad; ++c) {
    if (columns.keep[c] == 0) continue;
    const int i = columns.index[c];
    bool held = false;
    for (unsigned left = sources; left != 0 && !held; left &= left - 1) {
      const WaveHold<Real>& hold = holds[__ffs(left) - 1][level];
      held = wave_is_held(hold, i, folded.index);
      if (held) cells.value[c] = signed_value(columns.flip[c] != 0 ? -folded.sign : folded.sign, hold.height);
    }
    if (held || cells.courant2[c] < Real(0)) continue;
    const int sides = row_sides + (i == 0 && pass.left == WaveBoundary::absorbing) +
                      (i == pass.width - 1 && pass.right == WaveBoundary::absorbing);
    if (sides > 0) cells.value[c] = wave_absorb(cells.value[c], cells.previous[c], cells.courant2[c], sides);
  }
}
constexpr int levels_of_half_a_warp = 16;
static_assert(max_wave_steps_per_pass <= levels_of_half_a_warp);

template <class Real>
__device__ inline Real pick(const Real (&values)[quad], int c) {
  const Real low = c & 1 ? values[1] : values[0], high = c & 1 ? values[3] : values[2];
  return c & 2 ? high : low;
}

// The versions of a row's code: for plain rows; with sponge, absorbing columns and one held source; and where rows of
// cells need finish_cells.
enum class Sweep { plain, special, unusual };

// Warps that a multiprocessor shall hold: the compiler keeps registers low enough for that. Each of its four schedulers
// has warps of its own, hence multiples of four. A multiprocessor has 65536 registers, so 16 warps leave 128 to a
// lane, 12 leave 170 and 8 the most there can be, 255. `depth` counts levels in FP32 registers: a lane holds 12 · depth
// numbers of 4 bytes, 96 at depth 8 and 144 at depth 12, beside which a sweep needs some for itself, and the versions
// for special rows more. With four warps more the plain ones of FP32 would no longer fit, and spill to memory in every
// sweep; with fewer warps less latency is hidden.
constexpr int warps_wanted(int levels, int bytes_per_real, bool special) {
  const int depth = levels * bytes_per_real / 4;
  if (depth > 8) return special ? 8 : 12;
  if (depth > 4) return special || bytes_per_real == 8 ? 12 : 16;
  return 16;  // blocks that the smallest multiprocessors can hold
}

// A block is one warp. `T`: levels; it is used for more than `fewer` steps, so only the levels beyond fewer + 1 ask
// whether they repeat. `special`: the tank may have absorbing sides, a sponge or sources. `has_medium`: walls or a
// speed map.
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
  // By source: what it does at the pass's levels, and where.
  __shared__ WaveHold<Real> holds[special ? max_wave_sources : 1][max_wave_steps_per_pass];
  __shared__ HeldSpan spans[special ? max_wave_sources : 1];
  // By row, as `media`: what wave_absorb needs of the cell of the lane that lies on an absorbing side.
  __shared__ AbsorbingCell<Real> absorbing_cells[special && has_medium ? medium_slots : 1][warp_size];

  // ---- which strip and which rows: slow strips have the first blocks, for they are to start first

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
  const int height = tank.height;
  // Even chunks of a tank that is some rows higher: the lowest and the highest chunk get those rows less.
  const auto first_row_of = [&](int c) {
    const long long rows = height + tank.extra_bottom + tank.extra_top;
    return c == 0 ? 0 : c == chunks ? height : static_cast<int>(rows * c / chunks) - tank.extra_bottom;
  };
  const int row_begin = first_row_of(chunk), row_end = first_row_of(chunk + 1);
  const int load_end = row_end + T;
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

  // ---- what a lane holds, and how rows arrive

  // The last three rows of each level. In the sweep that loads row R, slot `newest` of level k receives row R-k, `own`
  // has row R-k-1 and `oldest` row R-k-2.
  Real level[T][slots][quad];
#pragma unroll
  for (int k = 0; k < T; ++k)
#pragma unroll
    for (int s = 0; s < slots; ++s)
#pragma unroll
      for (int c = 0; c < quad; ++c) level[k][s][c] = Real(0);

  // Starts the copies of u's row r, and of the row below it of u_previous and of the medium: what
  // the sweep of row r needs.
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

  // ---- what only the sweeps that are not plain look at: where the sponge, the rims and the sources of this strip lie

  int rims = 0;  // bits: the lane's columns on an absorbing side, four more where on two
  int rim = 0;   // the first of these columns
  bool any_rims = false,
       many_rims = false;  // some lane has such a column; some lane has more than one, or on two sides
  AbsorbingCell<Real> absorbing_cell{};
  bool always_special = false, any_sponge = false;
  int plain_begin = 1, plain_end = height - 1;  // rows without sponge or rim
  int held_begin = 0, held_end = 0;             // rows that sources may hold in this strip, and those sources, as bits
  unsigned sources = 0;
  if constexpr (special) {
    bool special_column = false;
#pragma unroll 1
    for (int c = 0; c < quad; ++c) {
      const int i = columns.index[c];
      const bool on_left = i == 0 && tank.left == WaveBoundary::absorbing;
      const bool on_right = i == tank.width - 1 && tank.right == WaveBoundary::absorbing;
      if (columns.keep[c] != 0) rims |= (on_left || on_right) << c | (on_left && on_right) << (quad + c);
      if (!pass.sponge_x.empty()) special_column |= !(pass.sponge_x[i] == Real(1));
    }
    rim = rims != 0 ? __ffs(rims) - 1 : 0;
    any_rims = warp_or(rims) != 0, many_rims = warp_or(__popc(rims) > 1) != 0;
    absorbing_cell = absorbing_cell_of(tank.courant2);
    always_special = warp_or(special_column || rims != 0) != 0;
    any_sponge = !pass.sponge_x.empty();
    if (any_sponge) {
      // The chunk's plain rows lie between those with a sponge in its lower and in its upper half.
      const int low = max(row_begin - T, 0), high = min(row_end + T, height), middle = (low + high) / 2;
      int last_low = 0, first_high = height - 1;
      for (int r = low + lane; r < high; r += warp_size) {
        if (pass.sponge_y[r] == Real(1)) continue;
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
      if (lane < tank.steps) {
        const WaveHold<Real> hold = pass.sources.holds[s][lane];
        holds[s][lane] = hold;
        const float reach = hold.radius + 1.f;
        const auto cell = [](float x) { return static_cast<int>(fminf(fmaxf(x, -far), far)); };
        span.first_column = cell(fminf(hold.x0, hold.x1) - reach),
        span.last_column = cell(fmaxf(hold.x0, hold.x1) + reach);
        span.first_row = cell(fminf(hold.y0, hold.y1) - reach), span.last_row = cell(fmaxf(hold.y0, hold.y1) + reach);
      }
      span = {warp_min(span.first_column), warp_max(span.last_column), warp_min(span.first_row),
              warp_max(span.last_row)};
      bool near = false;
      for (int c = 0; c < quad; ++c)
        near |= columns.index[c] >= span.first_column && columns.index[c] <= span.last_column;
      const unsigned lanes = __ballot_sync(whole_warp, near);
      if (lanes == 0) continue;
      sources |= 1u << s;
      span.first_column = (__ffs(lanes) - 1) * quad, span.last_column = (warp_size - __clz(lanes)) * quad - 1;
      if (lane == 0) spans[s] = span;
      held_begin = min(held_begin, span.first_row), held_end = max(held_end, span.last_row + 1);
    }
    __syncwarp();
    sources = warp_or(sources), held_begin = warp_min(held_begin), held_end = warp_max(held_end);
  }

  // What a sweep that is not plain finds at its rows: lanes k-1 and k+15 look at row R-k, for level k.
  [[maybe_unused]] const int of_level = lane % levels_of_half_a_warp;
  [[maybe_unused]] Folded row{};
  [[maybe_unused]] bool row_is_relevant = false;
  [[maybe_unused]] unsigned unusual = 0;  // levels, as bits k-1, at which all cells go to finish_cells
  [[maybe_unused]] unsigned at_work = 0;  // the sources that may hold cells; the first one is done in line
  [[maybe_unused]] const auto look_at_rows = [&](int R) {
    if constexpr (special) {
      row = {R - 1 - of_level, 1};
      unusual = many_rims ? whole_warp : 0u, at_work = 0;
      if (R - levels_of_half_a_warp < 0 || R >= height) {
        row = fold(row.index, height, tank.bottom, tank.top);
        const bool rim_row = (row.index == 0 && tank.bottom == WaveBoundary::absorbing) ||
                             (row.index == height - 1 && tank.top == WaveBoundary::absorbing);
        unusual |= __ballot_sync(whole_warp, (row.sign != 0 && rim_row) || (row.sign < 0 && sources != 0));
      }
      row_is_relevant = of_level < tank.steps && row.sign != 0;
      for (unsigned left = sources; left != 0; left &= left - 1) {
        const HeldSpan span = spans[__ffs(left) - 1];
        const unsigned rows =
            __ballot_sync(whole_warp, row_is_relevant && row.index >= span.first_row && row.index <= span.last_row);
        if (rows == 0) continue;
        if (at_work != 0) unusual |= rows;
        at_work |= left & -left;
      }
      unusual = warp_or(unusual) & ((1u << T) - 1u), at_work = warp_or(at_work);
    }
  };

  // The sweep that loads row R: one row of levels 1 to `levels`. The first sweeps of a chunk compute rows from rows
  // that are not there, and are never used: from sweep 2k on level k has all it needs. There are two versions: for
  // plain rows, three copies that take turns with the slots; and for rows with special cells, one copy that shifts the
  // slots instead (a warp that runs through more code than its cache holds waits for it).
  const auto sweep = [&](auto phase, auto kind, auto levels, int R) {
    constexpr bool plain = kind() == Sweep::plain, unusual_levels = kind() == Sweep::unusual;
    constexpr int newest = phase(), own = (newest + 2) % slots, oldest = (newest + 1) % slots;
    fetch(R + ahead);  // to the slot that the last sweep has emptied
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
      for (int c = 0; c < quad; ++c) m.v[c] = wave_is_wall(m.v[c]) ? Real(-1) : wave_courant2(m.v[c], tank.courant2);
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
          sponge_row = pass.sponge_y[row.index];
#pragma unroll
          for (int c = 0; c < quad; ++c) sponge_x[c] = pass.sponge_x[columns.index[c]];
        }
        if (at_work != 0) {
          source = __ffs(at_work) - 1;
          const HeldSpan span = spans[source];
          const WaveHold<Real> hold = holds[source][row_is_relevant ? of_level : 0];
          // Two columns at a time, one for each half of the warp.
#pragma unroll 1
          for (int at = span.first_column; at < span.last_column; at += 2) {
            const int mine = at + lane / levels_of_half_a_warp;
            const FoldedColumns& of = folded_columns[mine / quad];
            const unsigned bits = __ballot_sync(whole_warp, row_is_relevant && of.keep[mine % quad] != 0 &&
                                                                wave_is_held(hold, of.index[mine % quad], row.index));
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
          weight *= share, inertia *= share;
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
            for (int c = 0; c < quad; ++c)
              cells.value[c] = next[c], cells.previous[c] = before[c],
              cells.courant2[c] = has_medium ? courant2.v[c] : tank.courant2;
            finish_cells(pass, holds, sources, k - 1, R - k, columns, cells);
#pragma unroll
            for (int c = 0; c < quad; ++c) next[c] = cells.value[c];
          } else {
            if (sizeof(Real) == 4 || any_rims) {  // an FP64 division is worth the branch
              const AbsorbingCell<Real> cell =
                  has_medium ? absorbing_cells[(R - k) & (medium_slots - 1)][lane] : absorbing_cell;
              const Real absorbed = divided(multiply_add(cell.share, pick(before, rim), pick(next, rim)),
                                            Real(1) + cell.share, cell.reciprocal);
              const bool absorbs = rims != 0 && (!has_medium || cell.share >= Real(0));
#pragma unroll
              for (int c = 0; c < quad; ++c) next[c] = absorbs && rim == c ? absorbed : next[c];
            }
            const Real at = holds[source][k - 1].height;
#pragma unroll
            for (int c = 0; c < quad; ++c)
              next[c] = held >> (levels_of_half_a_warp * c + k - 1) & 1u ? with_sign(at, ~0u, flip[c]) : next[c];
          }
        }
      // Fewer steps than levels: the levels beyond repeat the last two, in turns.
      if (k > fewer + 1) {
#pragma unroll
        for (int c = 0; c < quad; ++c) next[c] = k <= tank.steps ? next[c] : before[c];
      }
      if (k < T) {
#pragma unroll
        for (int c = 0; c < quad; ++c) {
          Real(&rows)[slots][quad] = level[k < T ? k : 0];
          if constexpr (!plain) rows[oldest][c] = rows[own][c], rows[own][c] = rows[newest][c];
          rows[newest][c] = next[c];
        }
      } else if (stores && R - T >= row_begin && R - T < row_end) {
        Quad<Real> a, b;
#pragma unroll
        for (int c = 0; c < quad; ++c) a.v[c] = next[c], b.v[c] = of[own][c];
        *reinterpret_cast<Quad<Real>*>(tank.u_out.row(R - T) + column) = a;
        *reinterpret_cast<Quad<Real>*>(tank.u_previous_out.row(R - T) + column) = b;
      }
    }
  };
  // ---- the loop over rows: three sweeps a turn, so that each has its slots as constants

  const auto phase0 = std::integral_constant<int, 0>{};
  const auto phase1 = std::integral_constant<int, 1>{};
  const auto phase2 = std::integral_constant<int, 2>{};
  const auto all_levels = std::integral_constant<int, T>{};
  const auto plain_rows = std::integral_constant<Sweep, Sweep::plain>{};

  int R = row_begin - T;
#pragma unroll 1
  for (int r = R; r < R + ahead; ++r) fetch(r);
  if constexpr (special) {
    // Sponge, absorbing columns and one held source are in line in the second version; only what
    // finish_cells does is slow.
    const auto three_are_plain = [&] {
      return !always_special && R - T >= plain_begin && R + 2 <= plain_end &&
             (sources == 0 || R - T >= held_end || R + 2 <= held_begin);
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
        // Only here the slots are shifted, level 0's before its row arrives.
#pragma unroll
        for (int c = 0; c < quad; ++c) level[0][1][c] = level[0][2][c], level[0][2][c] = level[0][0][c];
        look_at_rows(R);
        if (unusual == 0)
          sweep(phase0, std::integral_constant<Sweep, Sweep::special>{}, all_levels, R);
        else
          sweep(phase0, std::integral_constant<Sweep, Sweep::unusual>{}, all_levels, R);
        ++R;
      }
    }
  } else {
    // Up to sweep T - 1 only levels up to T/2 can have all they need (level k from sweep 2k on): the others are left
    // out in as many whole turns of three sweeps as T has.
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

// The kernel of fewest levels for so many steps. More levels than steps would be work for nothing, and a kernel for
// each number would be code for nothing: passes are of the most steps but where a drop falls or a run ends. FP64 rows
// take twice the registers, so it goes half as deep.
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

// How the tank is cut into strips and chunks of rows, a warp each. `resident`: warps the device can hold at once. All
// warps shall start at once and end at about the same time: the pass ends with its last warp. A chunk's cost is its
// rows times what a sweep costs there, so slow strips get more chunks of fewer rows. The numbers here decide who does
// what and never a result: a wrong one makes some warps end late.
template <class Real>
void cut(const WavePass<Real>& pass, const TemporalKernel& kernel, bool special, int resident,
         TemporalArguments<Real>* tank) {
  const int useful = useful_columns(kernel.levels), overlap = strip_overlap(kernel.levels);
  const int strips = (pass.width + useful - 1) / useful;
  // What a sweep takes more than a plain one, as measured: over a side each number is copied by itself and may turn its
  // sign; with `special`, it also takes the longer code. A strip in which a source holds cells takes that code too.
  const double over_a_side = special ? 3 : 1.3, held_along = 3;
  // Rows that the chunks at an absorbing side get less.
  const int rows_of_sponge = pass.sponge_x.empty() ? 20 : 80;
  std::map<int, double> slow{{0, over_a_side}, {strips - 1, over_a_side}};
  for (int s = 0; s < pass.sources.count; ++s) {
    const WaveHold<Real>& hold = pass.sources.holds[s][0];
    // A strip is slow where a source holds cells in a good share of its rows: those of an oscillator or of a level line
    // are few.
    const double rows = std::min<double>(pass.height, std::abs(hold.y1 - hold.y0) + 2 * hold.radius);
    if (rows < 0.25 * pass.height) continue;
    const double low = std::min(hold.x0, hold.x1) - hold.radius - 1,
                 high = std::max(hold.x0, hold.x1) + hold.radius + 1;
    const int first = std::max(0, static_cast<int>(std::floor((low - overlap) / useful)));
    const int last = std::min(strips - 1, static_cast<int>(std::floor((high + overlap) / useful)));
    if (last - first > 2) continue;  // slanted: nowhere for long
    for (int strip = first; strip <= last; ++strip)
      if (slow.size() < max_slow_strips) slow.try_emplace(strip, 1).first->second += held_along - 1;
  }
  double weight = strips - static_cast<double>(slow.size());
  for (const auto& [strip, cost] : slow) weight += cost;

  // As many chunks as the device can hold warps. Chunks of fewer rows than half the levels would mostly compute what
  // their neighbours do: the 2T rows of overlap cost four times as much as the rows themselves.
  const int best = std::clamp(static_cast<int>(resident / weight), 1, std::max(1, 2 * pass.height / kernel.levels));
  const auto within = [&](double chunks) { return std::clamp(static_cast<int>(chunks + 0.5), 1, pass.height); };
  tank->strips = strips, tank->chunks = within(best);
  tank->slow_strips = 0;
  int most_chunks = tank->chunks;
  for (const auto& [strip, cost] : slow) {
    tank->slow[tank->slow_strips++] = {strip, within(best * cost)};
    most_chunks = std::max(most_chunks, within(best * cost));
  }
  // Rows with a sponge take longer too.
  const int extra = std::min(rows_of_sponge, pass.height / (2 * most_chunks));
  tank->extra_bottom = pass.bottom == WaveBoundary::absorbing ? extra : 0;
  tank->extra_top = pass.top == WaveBoundary::absorbing ? extra : 0;
}

}  // namespace

template <class Real>
void step_temporal(Backend& backend, const WavePass<Real>& pass, const WaveLevels<Real>& levels, int steps) {
  const bool special = is_special(pass);
  const TemporalKernel kernel = temporal_kernel<Real>(steps, special, !pass.medium.empty());
  TemporalArguments<Real> tank{};
  tank.u = levels.u, tank.u_previous = levels.u_previous;
  tank.u_out = levels.spare, tank.u_previous_out = levels.spare_previous;
  tank.width = pass.width, tank.height = pass.height;
  tank.courant2 = pass.courant2, tank.inertia = pass.inertia;
  tank.left = pass.left, tank.right = pass.right, tank.bottom = pass.bottom, tank.top = pass.top;
  tank.steps = steps;
  // Levels that only repeat (see the kernel): an odd number of them leaves t+steps-1 at the last one.
  if ((kernel.levels - steps) % 2 != 0) std::swap(tank.u_out, tank.u_previous_out);
  cut(pass, kernel, special, cuda_resident_blocks(kernel.function, warp_size), &tank);
  int blocks = (tank.strips - tank.slow_strips) * tank.chunks;
  for (int s = 0; s < tank.slow_strips; ++s) blocks += tank.slow[s].chunks;

  WavePass<Real> whole_pass = pass;
  Nothing nothing;
  View2D<const Real> medium = pass.medium;
  void* arguments[] = {&tank, special ? static_cast<void*>(&whole_pass) : static_cast<void*>(&nothing), &medium};
  const CudaLaunch launch(backend, "wave.temporal");
  PERTURB_CUDA_CHECK(cudaLaunchKernel(kernel.function, dim3(blocks), dim3(warp_size), arguments, 0, launch.stream()));
}

template <class Real>
LaunchShape temporal_shape() {
  return cuda_launch_shape(temporal_kernel<Real>(most_temporal_steps<Real>, false, false).function, dim3(warp_size));
}

template void step_temporal(Backend&, const WavePass<float>&, const WaveLevels<float>&, int);
template void step_temporal(Backend&, const WavePass<double>&, const WaveLevels<double>&, int);
template LaunchShape temporal_shape<float>();
template LaunchShape temporal_shape<double>();

}  // namespace perturb
