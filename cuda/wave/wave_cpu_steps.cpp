#include "cuda/wave/wave_cpu_steps.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/parallel_for.h"

namespace perturb {

namespace {

// Cells [begin, end) of a row that touch no side: the loops a compiler can turn into vector instructions. `out` holds the
// level before last and receives the new one.
template <class Real>
void interior_row(const Real* __restrict own, const Real* __restrict below, const Real* __restrict above,
                  Real* __restrict out, int begin, int end, Real courant2, Real damping) {
  for (int i = begin; i < end; ++i)
    out[i] = wave_update(own[i], out[i], own[i - 1], own[i + 1], below[i], above[i], courant2, damping);
}

template <class Real>
void interior_row_sponge(const Real* __restrict own, const Real* __restrict below, const Real* __restrict above,
                         Real* __restrict out, int begin, int end, Real courant2, Real damping,
                         const Real* __restrict sponge_x, Real sponge_y) {
  for (int i = begin; i < end; ++i)
    out[i] = wave_update(own[i], out[i], own[i - 1], own[i + 1], below[i], above[i], courant2,
                         damping + (sponge_x[i] + sponge_y));
}

template <class Real>
void interior_row_medium(const Real* __restrict own, const Real* __restrict below, const Real* __restrict above,
                         Real* __restrict out, int begin, int end, Real courant2, Real damping,
                         const Real* __restrict medium, const Real* __restrict sponge_x, Real sponge_y) {
  if (sponge_x) {
    for (int i = begin; i < end; ++i) {
      const Real value = wave_update(own[i], out[i], own[i - 1], own[i + 1], below[i], above[i],
                                     wave_courant2(medium[i], courant2), damping + (sponge_x[i] + sponge_y));
      out[i] = wave_is_wall(medium[i]) ? Real(0) : value;
    }
  } else {
    for (int i = begin; i < end; ++i) {
      const Real value = wave_update(own[i], out[i], own[i - 1], own[i + 1], below[i], above[i],
                                     wave_courant2(medium[i], courant2), damping);
      out[i] = wave_is_wall(medium[i]) ? Real(0) : value;
    }
  }
}

// One row from level-1 to level, as wave_cell has it.
template <class Real>
void update_row(const WavePass<Real>& pass, View2D<const Real> from, View2D<Real> to, int j, int level) {
  const int width = pass.width, last_i = width - 1;
  Real* out = to.row(j);
  if (j == 0 || j == pass.height - 1 || width < 3) {
    for (int i = 0; i < width; ++i) out[i] = wave_cell(pass, from, out[i], i, j, level);
    return;
  }
  out[0] = wave_cell(pass, from, out[0], 0, j, level);
  const Real *own = from.row(j), *below = from.row(j - 1), *above = from.row(j + 1);
  const bool sponge = !pass.sponge_x.empty();
  if (!pass.medium.empty())
    interior_row_medium(own, below, above, out, 1, last_i, pass.courant2, pass.damping, pass.medium.row(j),
                        sponge ? pass.sponge_x.data : nullptr, sponge ? pass.sponge_y[j] : Real(0));
  else if (sponge)
    interior_row_sponge(own, below, above, out, 1, last_i, pass.courant2, pass.damping, pass.sponge_x.data,
                        pass.sponge_y[j]);
  else
    interior_row(own, below, above, out, 1, last_i, pass.courant2, pass.damping);
  out[last_i] = wave_cell(pass, from, out[last_i], last_i, j, level);

  // What is held is written over; the first source that holds a cell decides, as in wave_cell.
  for (int s = pass.sources.count - 1; s >= 0; --s) {
    const WaveHold<Real>& hold = pass.sources.holds[s][level];
    const float y = static_cast<float>(j) + 0.5f;
    if (y < std::min(hold.y0, hold.y1) - hold.radius || y > std::max(hold.y0, hold.y1) + hold.radius) continue;
    const int first = std::max(0, static_cast<int>(std::floor(std::min(hold.x0, hold.x1) - hold.radius)) - 1);
    const int last = std::min(last_i, static_cast<int>(std::ceil(std::max(hold.x0, hold.x1) + hold.radius)) + 1);
    for (int i = first; i <= last; ++i)
      if (wave_is_held(hold, i, j)) out[i] = hold.height;
  }
}

}  // namespace

template <class Real>
void wave_cpu_steps(Backend& backend, const WavePass<Real>& pass, View2D<Real> u, View2D<Real> u_previous, int steps) {
  PERTURB_ASSERT(steps >= 1 && steps <= max_wave_steps_per_pass);
  CpuThreads& pool = static_cast<CpuBackend&>(backend).pool();
  const KernelTimer timer(backend, "wave.cpu_steps");
  const int height = pass.height;
  const auto update = [&](int j, int level) {
    if (level % 2 == 0)
      update_row<Real>(pass, u, u_previous, j, level);
    else
      update_row<Real>(pass, u_previous, u, j, level);
  };

  // Fewer bands than threads when they would be too thin to hold their triangles. (Waking a thread costs more than some
  // thousand cells.)
  const int least = std::max(2 * steps, 1 + 8191 / (pass.width * steps));
  const int bands = std::max(1, std::min(pool.count(), height / least));
  const auto border = [&](int b) { return static_cast<int>(static_cast<long long>(height) * b / bands); };
  const bool wraps = pass.bottom == WaveBoundary::periodic || pass.top == WaveBoundary::periodic;
  // Periodic rows need each other's ends: the seam is a border like the others, unless the tank is too low for one.
  if (wraps && height < 2 * steps) {
    for (int level = 0; level < steps; ++level)
      for (int j = 0; j < height; ++j) update(j, level);
    return;
  }

  const auto trapezoids = [&](int first_band, int last_band) {
    for (int b = first_band; b < last_band; ++b) {
      const int begin = border(b), end = border(b + 1);
      const int shrink_below = b > 0 || wraps ? 1 : 0, shrink_above = b + 1 < bands || wraps ? 1 : 0;
      // Level l has rows [begin + l·shrink_below, end - l·shrink_above); the front passes row `front - l`.
      for (int front = begin; front < end + steps; ++front)
        for (int level = 0; level < steps; ++level) {
          const int j = front - level;
          if (j >= begin + level * shrink_below && j < end - level * shrink_above) update(j, level);
        }
    }
  };
  pool.for_row_blocks(bands, 1, RowBlock(trapezoids));
  if (steps == 1) return;

  const int seams = bands - (wraps ? 0 : 1);
  const auto triangles = [&](int first_seam, int last_seam) {
    for (int s = first_seam; s < last_seam; ++s) {
      const int seam = border(s + 1);  // the last one is the top edge, which periodic tanks sew to the bottom
      for (int level = 1; level < steps; ++level)
        for (int j = seam - level; j < seam + level; ++j) update(j < height ? j : j - height, level);
    }
  };
  pool.for_row_blocks(seams, 1, RowBlock(triangles));
}

template void wave_cpu_steps<float>(Backend&, const WavePass<float>&, View2D<float>, View2D<float>, int);
template void wave_cpu_steps<double>(Backend&, const WavePass<double>&, View2D<double>, View2D<double>, int);

}  // namespace perturb
