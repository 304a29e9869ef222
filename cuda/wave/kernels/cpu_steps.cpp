#include <algorithm>
#include <cstdint>
#include <vector>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/loops/skewed_rows.h"
#include "cuda/core/math/arithmetic.h"
#include "cuda/core/math/simd.h"
#include "cuda/wave/kernels/kernels.h"
#include "cuda/wave/kernels/launches.h"
#include "cuda/wave/kernels/row_cell.h"

namespace perturb::wave {

namespace {

// The row of zeros outside a fixed side. No tank is wider (its outermost rows would be updated cell by cell).
constexpr int widest_row = 65536;
template <class Real>
const Real* row_of_zeros() {
  static const std::vector<Real> zeros(widest_row);
  return zeros.data();
}

// Updates columns 1 .. last-1 of a row, without the sources. `row` holds the level before last and receives the new
// one. `cell` is passed by value: through a reference, the compiler must assume that a store to the row may change it,
// and the code that nvcc generates from this file is five times slower.
template <class Cell, class Real>
void update_inner(const Cell cell, Real* row, int last) {
  // Rows start on a cache line, so whole vectors from a multiple of `lanes` on never straddle two lines: this saves up
  // to half of the time. The remaining cells at both ends are computed first, as one vector each that overlaps the
  // others. Their results are stored last, since a cell's old value must not be overwritten before both have read it.
  constexpr int lanes = row_lanes<Real>;
  Real* __restrict out = row;
  const RowVectors whole = row_vectors(last, lanes, min_row_vectors);
  if (whole.empty()) {
    for (int i = 1; i < last; ++i) out[i] = cell(i, out[i]);
    return;
  }
  Real first_cells[lanes], last_cells[lanes];
  for (int l = 0; l < lanes; ++l) first_cells[l] = cell(1 + l, out[1 + l]);
  for (int l = 0; l < lanes; ++l) last_cells[l] = cell(last - lanes + l, out[last - lanes + l]);
  PERTURB_INDEPENDENT_ITERATIONS
  for (int i = whole.begin; i < whole.end; ++i) out[i] = cell(i, out[i]);
  for (int l = 0; l < lanes; ++l) out[last - lanes + l] = last_cells[l];
  for (int l = 0; l < lanes; ++l) out[1 + l] = first_cells[l];
}

// The row used in place of the one outside a horizontal side (wave_outside, for a whole row).
template <class Real>
const Real* row_outside(Boundary boundary, View2D<const Real> u, int own, int inner, int opposite) {
  switch (boundary) {
    case Boundary::fixed:
      return row_of_zeros<Real>();
    case Boundary::free:
      return u.row(own);
    case Boundary::absorbing:
      return u.height > 1 ? u.row(inner) : row_of_zeros<Real>();
    case Boundary::periodic:
      return u.row(opposite);
  }
  return row_of_zeros<Real>();
}

template <class Real, bool HasMedium, RowDamping damps, bool Absorbs, bool nine>
void update_whole_row(const StepParams<Real>& params, View2D<const Real> from, Real* out, int j, int sides) {
  const int last_j = params.height - 1;
  const RowCell<Real, HasMedium, damps, Absorbs, nine> cell{
      from.row(j),
      j > 0 ? from.row(j - 1) : row_outside(params.bottom, from, 0, 1, last_j),
      j < last_j ? from.row(j + 1) : row_outside(params.top, from, last_j, last_j - 1, 0),
      HasMedium ? params.medium.row(j) : nullptr,
      damps == RowDamping::sponge ? params.sponge_x.data : nullptr,
      damps == RowDamping::sponge ? params.sponge_y[static_cast<std::size_t>(j)] : Real(1),
      params.courant2,
      params.inertia,
      sides};
  const int last = params.width - 1;
  const auto ends = cell.ends(last, params.left, params.right, {out[0], out[last]});
  out[0] = ends.left;
  update_inner(cell, out, last);
  out[last] = ends.right;
}

// Updates one row from one level to the next, bit-identical to wave_cell.
template <class Real>
void update_row(const StepParams<Real>& params, View2D<const Real> from, View2D<Real> to, int j, int level) {
  const int width = params.width;
  Real* out = to.row(j);
  const bool rim = j == 0 || j == params.height - 1;
  if (width < 3 || (rim && width > widest_row)) {
    for (int i = 0; i < width; ++i) out[i] = flush_subnormal(wave_cell(params, from, out[i], i, j, level));
    return;
  }
  const int sides =
      (j == 0 && params.bottom == Boundary::absorbing) + (j == params.height - 1 && params.top == Boundary::absorbing);
  const auto with_damping = [&]<bool has_medium, bool absorbs, bool nine>() {
    if (!params.sponge_x.empty())
      update_whole_row<Real, has_medium, RowDamping::sponge, absorbs, nine>(params, from, out, j, sides);
    else if (params.inertia != Real(2))
      update_whole_row<Real, has_medium, RowDamping::even, absorbs, nine>(params, from, out, j, sides);
    else
      update_whole_row<Real, has_medium, RowDamping::none, absorbs, nine>(params, from, out, j, sides);
  };
  const auto with_stencil = [&]<bool has_medium, bool absorbs>() {
    params.stencil == Stencil::nine ? with_damping.template operator()<has_medium, absorbs, true>()
                                    : with_damping.template operator()<has_medium, absorbs, false>();
  };
  if (sides > 0)
    params.medium.empty() ? with_stencil.template operator()<false, true>()
                          : with_stencil.template operator()<true, true>();
  else
    params.medium.empty() ? with_stencil.template operator()<false, false>()
                          : with_stencil.template operator()<true, false>();

  // Cells in hard sources are overwritten. The first source that holds a cell decides, as in wave_cell.
  for (int s = params.sources.count - 1; s >= 0; --s) {
    const HardSource<Real>& hard_source = params.sources.hard_sources[s][level];
    const float y = static_cast<float>(j) + 0.5f;
    if (y < std::min(hard_source.y0, hard_source.y1) - hard_source.radius - 1 ||
        y > std::max(hard_source.y0, hard_source.y1) + hard_source.radius + 1)
      continue;
    const float left = std::min(hard_source.x0, hard_source.x1) - hard_source.radius - 1,
                right = std::max(hard_source.x0, hard_source.x1) + hard_source.radius + 1;
    const int begin = left > 0 ? static_cast<int>(std::min(left, static_cast<float>(width))) : 0;
    const int end = right < static_cast<float>(width) ? static_cast<int>(std::max(right, 0.f)) : width;
    for (int i = begin; i < end; ++i)
      if (in_hard_source(hard_source, i, j)) out[i] = hard_source.height;
  }
}

}  // namespace

int cpu_max_steps(int width, int bytes_per_real) {
  // A pass of T steps uses T + 2 rows of both fields. It is fastest if they fit into the first-level cache (measured at
  // 512²: 6 steps from there are a tenth faster than 12); otherwise the second-level cache must hold them.
  constexpr int first_level = 32 << 10, second_level = 1 << 20;  // bytes available to a thread
  const std::int64_t row = 2LL * bytes_per_real * width;
  const auto fit = [&](std::int64_t cache) {
    return static_cast<int>(std::clamp<std::int64_t>(cache / row - 2, 1, max_wave_steps_per_pass));
  };
  return fit(first_level) >= 4 ? fit(first_level) : fit(second_level);
}

template <class Real>
void cpu_steps(Backend& backend, const StepParams<Real>& params, View2D<Real> u, View2D<Real> u_previous, int steps) {
  PERTURB_ASSERT(steps >= 1 && steps <= max_wave_steps_per_pass);
  CpuThreads& pool = static_cast<CpuBackend&>(backend).pool();
  const KernelTimer timer(backend, steps == 1 ? "wave.fused" : "wave.temporal");
  const auto update = [&](int j, int level) {
    if (level % 2 == 0)
      update_row<Real>(params, u, u_previous, j, level);
    else
      update_row<Real>(params, u_previous, u, j, level);
  };
  for_skewed_rows(pool, cpu_rows(pool.count(), params, steps), update);
}

template void cpu_steps<float>(Backend&, const StepParams<float>&, View2D<float>, View2D<float>, int);
template void cpu_steps<double>(Backend&, const StepParams<double>&, View2D<double>, View2D<double>, int);

}  // namespace perturb::wave
