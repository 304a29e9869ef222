// Code of the kernel `temporal` for cells that the plain scheme does not express: the tank's continuation, cells in
// hard sources and absorbing sides (kernels/temporal.cu). Only for files that nvcc compiles.
#pragma once

#include "cuda/wave/model/fold.h"
#include "cuda/wave/model/quad.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

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

}  // namespace perturb::wave
