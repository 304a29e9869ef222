// Wavelengths ahead of and behind a moving source, measured in the tank's middle row.
#pragma once

#include <optional>
#include <span>

#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/source.h"

namespace perturb::wave {

// Lengths in units of length; 0 while there are fewer than two crests.
struct Doppler {
  double ahead = 0, behind = 0;
  double ahead_expected = 0, behind_expected = 0;  // (c - v)/f and (c + v)/f
};

// `row`: the heights of the middle row at `time`; `speed`: of waves, length/time; `margin`: cells to ignore at both
// ends, for a sponge. Empty unless there is exactly one source, which moves along the middle row, slower than its
// waves, between sides that are not periodic.
std::optional<Doppler> doppler_of(std::span<const double> row, const Sources& sources, const Grid& tank, double speed,
                                  double margin, double time);

}  // namespace perturb::wave
