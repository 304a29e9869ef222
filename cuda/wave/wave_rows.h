// The wave on CPU threads: whole rows at a time, in place, one step or several per pass over memory.
//
// Two fields are enough: the new level of a cell needs, of the level before the last, only the cell's own value, so level
// t+1 is written over level t-1. Away from the left and right rim the loops carry no tests, so that the compiler turns
// them into vector instructions; the cells of the rim go through wave_cell. The bits are those of wave_cell everywhere.
#pragma once

#include <algorithm>

#include "cuda/core/parallel_for.h"
#include "cuda/wave/wave_pass.h"

namespace perturb {

template <class Real>
struct WaveRows {
  WavePass<Real> pass;
  View2D<Real> even, odd;  // the levels t (t+2, ...) and t-1 (t+1, ...)
  const Real* zeros;       // a row of zeros: what lies outside a fixed side

  // Level t + level + 1 of row j, written over level t + level - 1.
  void step_row(int j, int level) const {
    const View2D<const Real> u = level % 2 == 0 ? even : odd;
    const View2D<Real> out = level % 2 == 0 ? odd : even;
    Real* target = out.row(j);
    const int last_i = pass.width - 1;
    target[0] = wave_cell(pass, u, target[0], 0, j, level);
    if (last_i == 0) return;

    const int sides = (j == 0 && pass.bottom == WaveBoundary::absorbing) +
                      (j == pass.height - 1 && pass.top == WaveBoundary::absorbing);
    const int variant = (pass.medium.empty() ? 0 : 1) + (pass.sponge_x.empty() ? 0 : 2) + (sides > 0 ? 4 : 0);
    switch (variant) {
      case 0: inner_row<false, false, false>(u, target, j, sides); break;
      case 1: inner_row<true, false, false>(u, target, j, sides); break;
      case 2: inner_row<false, true, false>(u, target, j, sides); break;
      case 3: inner_row<true, true, false>(u, target, j, sides); break;
      case 4: inner_row<false, false, true>(u, target, j, sides); break;
      case 5: inner_row<true, false, true>(u, target, j, sides); break;
      case 6: inner_row<false, true, true>(u, target, j, sides); break;
      default: inner_row<true, true, true>(u, target, j, sides); break;
    }
    target[last_i] = wave_cell(pass, u, target[last_i], last_i, j, level);
    hold_row(target, j, level);
  }

  // parallel_for's way in: one step of everything.
  PERTURB_HD void operator()(int i, int j) const { odd(i, j) = wave_cell(pass, View2D<const Real>(even), odd(i, j), i, j, 0); }
  void row(int, int, int j) const { step_row(j, 0); }

 private:
  // Columns 1 .. width-2, without the sources.
  template <bool HasMedium, bool HasSponge, bool Absorbs>
  void inner_row(View2D<const Real> u, Real* target, int j, int sides) const {
    const int count = pass.width - 1;
    const Real* __restrict__ here = u.row(j);
    const Real* __restrict__ down = j > 0 ? u.row(j - 1) : beyond(pass.bottom, u, 0, 1, pass.height - 1);
    const Real* __restrict__ up =
        j < pass.height - 1 ? u.row(j + 1) : beyond(pass.top, u, pass.height - 1, pass.height - 2, 0);
    const Real* __restrict__ medium = HasMedium ? pass.medium.row(j) : nullptr;
    const Real* __restrict__ sponge = HasSponge ? pass.sponge_x.data : nullptr;
    Real* __restrict__ out = target;
    const Real sponge_here = HasSponge ? pass.sponge_y[static_cast<std::size_t>(j)] : Real(0);
    const Real courant2 = pass.courant2, damping = pass.damping;
#pragma GCC ivdep
    for (int i = 1; i < count; ++i) {
      const Real c2 = HasMedium ? wave_courant2(medium[i], courant2) : courant2;
      const Real k = HasSponge ? damping + (sponge[i] + sponge_here) : damping;
      const Real previous = out[i];
      Real value = wave_update(here[i], previous, here[i - 1], here[i + 1], down[i], up[i], c2, k);
      if (Absorbs) value = wave_absorb(value, previous, c2, sides);
      // A wall's sign as a number: the loop stays without branches (signbit itself would not vectorise).
      if (HasMedium) value = std::copysign(Real(1), medium[i]) < Real(0) ? Real(0) : value;
      out[i] = value;
    }
  }

  // The row that stands for the one outside a horizontal side (wave_outside, for a whole row).
  const Real* beyond(WaveBoundary boundary, View2D<const Real> u, int own, int inner, int opposite) const {
    switch (boundary) {
      case WaveBoundary::fixed: return zeros;
      case WaveBoundary::free: return u.row(own);
      case WaveBoundary::absorbing: return pass.height > 1 ? u.row(inner) : zeros;
      case WaveBoundary::periodic: return u.row(opposite);
    }
    return zeros;
  }

  // Sources are laid over the row afterwards, the first one last, for it is the one that wave_cell finds.
  void hold_row(Real* target, int j, int level) const {
    for (int s = pass.sources.count - 1; s >= 0; --s) {
      const WaveHold<Real>& hold = pass.sources.holds[s][level];
      const float y = static_cast<float>(j) + 0.5f;
      if (y < std::min(hold.y0, hold.y1) - hold.radius - 1 || y > std::max(hold.y0, hold.y1) + hold.radius + 1) continue;
      const float left = std::min(hold.x0, hold.x1) - hold.radius - 2, right = std::max(hold.x0, hold.x1) + hold.radius + 2;
      const int begin = left > 0 ? static_cast<int>(left) : 0;
      const int end = right < static_cast<float>(pass.width) ? static_cast<int>(right) : pass.width;
      for (int i = begin; i < end; ++i)
        if (wave_is_held(hold, i, j)) target[i] = hold.height;
    }
  }
};

// Several steps in one pass over memory. Each thread owns a block of rows and moves up through it as a wave front: level
// t+1 of row s, then t+2 of row s-1, and so on, so that a row is fetched from memory once for all its steps:
//
//     level                                                    Where blocks meet, levels need rows of both. The blocks
//      t+3   .  .  2  2  1  1  1  1  2  2  .  .                leave out what they cannot know (1), and the triangles
//      t+2   .  2  1  1  1  1  1  1  1  1  2  .                between them (2) are filled in afterwards. Neighbouring
//      t+1   1  1  1  1  1  1  1  1  1  1  1  1                rows never differ by more than a level, so the two
//            ----- block -----|----- block ----                fields always hold the level that is needed.
//
// (In the drawing the blocks meet at the left and right edge.) Overlap is not needed and nothing is computed twice.
template <class Real>
class WaveSweep {
 public:
  WaveSweep(const WaveRows<Real>& rows, int steps, int blocks)
      : rows_(rows), steps_(steps), blocks_(blocks), closed_(rows.pass.bottom == WaveBoundary::periodic) {}

  // Most steps a pass may take here: what a thread touches must stay in its cache, and blocks must not be shorter than
  // their triangles. 1: sweeping is not worth while.
  static int most_steps(int width, int height, int threads) {
    constexpr std::size_t cache = std::size_t{1} << 20;  // bytes; half of a common second-level cache
    const std::size_t row = 2 * sizeof(Real) * static_cast<std::size_t>(width);
    int steps = max_wave_steps_per_pass;
    while (steps > 1 && (static_cast<std::size_t>(steps) + 2) * row > cache) --steps;
    while (steps > 1 && 2 * steps * threads > height) --steps;
    return steps;
  }

  // Block `b` of the first phase.
  void block(int b) const {
    const int begin = edge(b), end = edge(b + 1);
    const bool open_below = b > 0 || closed_, open_above = b < blocks_ - 1 || closed_;
    for (int front = begin; front < end + steps_ - 1; ++front)
      for (int level = 0; level < steps_; ++level) {
        const int j = front - level;
        if (j >= (open_below ? begin + level : begin) && j < (open_above ? end - level : end)) rows_.step_row(j, level);
      }
  }
  // The triangle at the lower edge of block `b`, second phase; all blocks must be done.
  void triangle(int b) const {
    if (b == 0 && !closed_) return;
    const int height = rows_.pass.height, at = edge(b);
    for (int level = 1; level < steps_; ++level)
      for (int j = at - level; j < at + level; ++j) rows_.step_row(j < 0 ? j + height : j, level);
  }

 private:
  int edge(int b) const { return static_cast<int>(static_cast<long long>(rows_.pass.height) * b / blocks_); }

  WaveRows<Real> rows_;
  int steps_, blocks_;
  bool closed_;  // bottom and top meet
};

// Takes `steps` steps (at most WaveSweep::most_steps) on the CPU. The newest level is in `even` if `steps` is even.
template <class Real>
void wave_sweep(Backend& backend, const WaveRows<Real>& rows, int steps) {
  CpuThreads& threads = static_cast<CpuBackend&>(backend).pool();
  const KernelTimer timer(backend, "wave.temporal");
  const WaveSweep<Real> sweep(rows, steps, threads.count());
  const auto blocks = [&](int begin, int end) {
    for (int b = begin; b < end; ++b) sweep.block(b);
  };
  const auto triangles = [&](int begin, int end) {
    for (int b = begin; b < end; ++b) sweep.triangle(b);
  };
  threads.for_row_blocks(threads.count(), 1, RowBlock(blocks));
  threads.for_row_blocks(threads.count(), 1, RowBlock(triangles));
}

}  // namespace perturb
