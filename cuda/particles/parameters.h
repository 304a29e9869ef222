// Parameters of the colliding discs.
#pragma once

#include <span>
#include <string_view>

#include "cuda/core/simulation/parameters.h"

namespace perturb::particles {

enum class Precision { fp32, fp64 };
enum class Arrangement {
  uniform,  // anywhere without overlap; if too dense for that, on a perturbed triangular lattice
  halves,   // the same, the left half hot and the right half cold
  rack,     // a triangle at rest, and one disc moving towards it
  given,    // on a square lattice, at rest, until a file gives the positions
};
enum class Velocities {
  uniform,  // each component evenly between -v and v (the paper)
  maxwell,  // normal with the same mean square
};

enum class Collisions {
  one,    // one per disc and step (the paper)
  exact,  // all, in the order of time
};

// Defaults are those of the paper (Loo & Lee 2019), except for velocity_max, which it does not state: a guess.
struct Parameters {
  int count = 1000;            // N
  double box = 20000;          // L, length
  double aspect = 1;           // height over width
  double radius = 1;           // r, length
  double velocity_max = 5000;  // v, length/time: L/4
  int slow_factor = 1;
  Arrangement arrangement = Arrangement::uniform;
  Velocities velocities = Velocities::uniform;
  double cold = 0.5;  // speeds of the right half over those of the left (arrangement halves)
  double heavy_radius = 0, heavy_mass = 100;
  double second_share = 0, second_radius = 1, second_mass = 1;  // of a second kind of discs; relative to the first
  double piston_speed = 0, piston_end = 0.4;
  double wall_speed = 0.5;  // of the wall that is dragged
  double temperature_left = 0, temperature_right = 0, temperature_floor = 0, temperature_ceiling = 0;
  double gravity = 0, restitution = 1;
  Collisions collisions = Collisions::one;
  Precision precision = Precision::fp64;
  bool contraction = false;
  int trail = 0, trail_every = 1;
};

// Parameter table of panels, files and the command line.
std::span<const Parameter> parameter_table();
// Collisions slower than this (length/time) lose no energy: otherwise infinitely many could follow in a finite time.
double elastic_speed(const Parameters& parameters);
// Throws InputError if something is on that the rule `one` does not have.
void require_rule_for(const Parameters& parameters);
// The same for an object that the rule `one` does not have.
void require_exact_for(const Message& name, const Parameters& parameters);
// The name of a parameter, for messages.
Message parameter_name(std::string_view id);

constexpr int max_discs = 1 << 24;

}  // namespace perturb::particles
