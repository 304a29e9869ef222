// The parameters of the colliding discs.
#pragma once

#include <span>

#include "cuda/core/simulation/parameters.h"

namespace perturb::particles {

enum class DiscPrecision { fp32, fp64 };
enum class DiscArrangement {
  uniform,  // anywhere without overlap; where that is too tight, on a shaken triangular lattice
  halves,   // the same, the left half hot and the right half cold
  rack,     // a triangle at rest, and one disc on its way to it
  given,    // on a square lattice, at rest, until a file has told where they are
};
enum class DiscVelocities {
  uniform,  // each component evenly between -v and v (the source)
  maxwell,  // normal with the same mean square
};

enum class DiscCollisions {
  one,    // one a disc and step (the source)
  exact,  // all, in the order of time
};

// Defaults are those of the source (Loo & Lee 2019), but for velocity_max, which it does not tell: a guess.
struct ParticlesParameters {
  int count = 1000;            // N
  double box = 20000;          // L, length
  double aspect = 1;           // height over width
  double radius = 1;           // r, length
  double velocity_max = 5000;  // v, length/time: L/4
  int slow_factor = 1;
  DiscArrangement arrangement = DiscArrangement::uniform;
  DiscVelocities velocities = DiscVelocities::uniform;
  double cold = 0.5;  // speeds of the right half over those of the left (arrangement halves)
  double heavy_radius = 0, heavy_mass = 100;
  double piston_speed = 0, piston_end = 0.4;
  DiscCollisions collisions = DiscCollisions::one;
  DiscPrecision precision = DiscPrecision::fp64;
  bool contraction = false;
  int trail = 0, trail_every = 1;
};

// The table that panels, files and the command line read.
std::span<const Parameter> parameter_table();

constexpr int max_discs = 1 << 24;

}  // namespace perturb::particles
