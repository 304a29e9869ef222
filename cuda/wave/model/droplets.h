// Droplets, and the rain that lets them fall.
#pragma once

#include <cstdint>

#include "cuda/wave/parameters.h"

namespace perturb::wave {

// Presses the surface down by -a exp(-(r/s)²); a negative amplitude lifts it.
struct Droplet {
  double x, y;       // fractions of the domain
  double radius;     // s, length
  double amplitude;  // a, height
};

// Rain is a function of (seed, step) alone: a run that is taken up again, or cut into other groups of steps, meets the
// same drops.

// How many drops fall between step `step` and the next one.
int drops_at(const Parameters& parameters, std::uint32_t seed, std::int64_t step);
// The drop with this number, from 0, of that step.
Droplet rain_drop(const Parameters& parameters, std::uint32_t seed, std::int64_t step, int number);

}  // namespace perturb::wave
