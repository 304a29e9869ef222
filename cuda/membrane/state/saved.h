// A membrane's saved state, written, and read and checked: all that must hold of it is stated here, before anything of
// the running membrane changes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "cuda/core/simulation/state.h"
#include "cuda/membrane/model/cover.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

// What the datasets hold, patches in the file's order. Each part of the membrane fills in its own.
struct Saved {
  Cover cover;                        // follows from the patches; not filled in for writing
  std::vector<double> samples;        // u at the state's [height, width] points; for other programs: it is not read
  std::vector<double> centers;        // [patches, 2]
  std::vector<double> halves;         // [patches]: half-widths
  std::vector<std::int64_t> degrees;  // [patches]
  std::vector<double> coefficients;   // [patches, functions of the highest degree]
  std::vector<double> velocities;     // the same of a membrane that moves in time; else empty
  std::vector<double> quadrature;     // the same of a steady swing that lags; else empty
  std::vector<double> modes;          // [vectors * patches, ...] of one that looks for its modes; else empty
  std::vector<double> mode_values, mode_residuals;  // [vectors]
  std::vector<double> resonators;  // how its ear's resonators swing [resonators, 2]; empty: it has heard nothing
  double sampled_time = 0;         // for how long
  Parameters solved_for;           // what the solution belongs to; it may not be today's
  double phase = 0;                // of the swing
  double resonant_since = -1;      // a time; -1: the response does not grow
  double response = 0, energy = 0;
  std::map<double, double> responses, phases;  // by frequency
  std::vector<double> convergence;             // [points, 4]: the way, unknowns, estimate, error
};

// Adds the datasets to a state that has its size.
void write_membrane_state(State& state, const Saved& saved);

// Throws InputError unless the state is a membrane whose patches are a cover of the square with this overlap, every
// number is finite, the clock no later than the state itself, and the solution one for parameters that can be.
Saved read_membrane_state(const State& state, const Parameters& p);

}  // namespace perturb::membrane
