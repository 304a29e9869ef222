// When a tank is searched for fading waves (cpu_fades), where the processor does not flush subnormal numbers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

// The checks are at fixed steps of the run, so that all kernels flush the same numbers and stay bit-identical. Checked
// by passes, a kernel with twelve steps per pass flushed some numbers later than one with a single step. Such a
// difference grows: it changes the rounding of slightly larger numbers, and so on, up to the largest ones.
class FadeChecks {
 public:
  // Few, because a run that continues from a saved state is checked where it continues, and its numbers are those of
  // the run that never stopped only if that was checked there too.
  static constexpr int steps_apart = 12;
  static_assert(steps_apart % max_wave_steps_per_pass == 0, "a check would divide whole passes");

  // Whether to check before a pass that begins at `step`: every steps_apart steps, and after a restart or undo.
  bool is_due(std::int64_t step) const { return step != next_step_ || step % steps_apart == 0; }
  // The number of `steps` from `step` on that one pass may take: it must not cross the next check.
  static int limit(std::int64_t step, int steps) {
    return static_cast<int>(std::min<std::int64_t>(steps, steps_apart - step % steps_apart));
  }
  void note_pass(std::int64_t step, int steps) { next_step_ = step + steps; }

 private:
  std::int64_t next_step_ = -1;  // after the last pass
};

}  // namespace perturb::wave
