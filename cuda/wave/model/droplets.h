// Droplets and rain.
#pragma once

#include <cstdint>

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

}  // namespace perturb::wave
