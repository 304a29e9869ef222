// Disturbances of the surface: droplets, rain, and standing modes.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/wave/parameters.h"

namespace perturb::wave {

// Lowers the surface by a exp(-(r/s)²); a negative amplitude raises it.
struct Droplet {
  double x, y;       // fractions of the domain
  double radius;     // s, length
  double amplitude;  // a, height
};

// Rain is a function of (seed, step) alone: a resumed run, or one with differently grouped steps, gets the same drops.

// Number of drops between step `step` and the next one.
int drops_at(const Parameters& parameters, std::uint32_t seed, std::int64_t step);
// The drop with this number, from 0, of that step.
Droplet rain_drop(const Parameters& parameters, std::uint32_t seed, std::int64_t step, int number);

// A standing mode of a uniform tank, which oscillates at a single frequency. u(i, j) = x[i]·y[j] at the level t, and
// `previous` times that at the level t-1.
struct Mode {
  std::vector<double> x, y;  // by column, times the amplitude; by row
  double previous;
  double wavenumber;  // 1/cell
};

// The mode with `m` half waves across and `n` up (whole waves between periodic sides), at rest at the level t. Throws
// InputError where a side is absorbing.
Mode standing_mode(const Parameters& parameters, int width, int height, int m, int n, double amplitude);

}  // namespace perturb::wave
