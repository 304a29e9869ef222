// A membrane's saved state, read and checked: all that must hold of it is stated here, before anything of the running
// membrane changes.
#pragma once

#include <map>
#include <vector>

#include "cuda/core/state.h"
#include "cuda/membrane/membrane_cover.h"
#include "cuda/membrane/membrane_params.h"

namespace perturb {

// The datasets as save() names them, with what follows from them.
struct MembraneSaved {
  MembraneCover cover;
  std::vector<double> centers;       // [patches, 2], in the file's order
  std::vector<double> coefficients;  // [patches, functions of the highest degree]
  MembraneParameters solved_for;     // what the solution belongs to; it may not be today's
  double phase = 0;                  // of the swing
  double resonant_since = -1;        // a time; -1: the response does not grow
  double response = 0, energy = 0;
  std::map<double, double> responses;  // by frequency
};

// Throws InputError unless the state is a membrane whose patches are a cover of the square with this overlap, every
// number is finite, the clock no later than the state itself, and the solution one for parameters that can be.
MembraneSaved read_membrane_state(const State& state, double overlap);

}  // namespace perturb
