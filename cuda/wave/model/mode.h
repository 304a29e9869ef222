// Standing modes of a uniform tank, which oscillate at a single frequency.
#pragma once

#include <vector>

#include "cuda/wave/parameters.h"

namespace perturb::wave {

// u(i, j) = x[i]·y[j] at the level t, and `previous` times that at the level t-1.
struct Mode {
  std::vector<double> x, y;  // by column, times the amplitude; by row
  double previous;
};

// The mode with `m` half waves across and `n` up (whole waves between periodic sides), at rest at the level t. Throws
// InputError where a side is absorbing.
Mode standing_mode(const Parameters& parameters, int width, int height, int m, int n, double amplitude);

}  // namespace perturb::wave
