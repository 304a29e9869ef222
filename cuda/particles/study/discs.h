// Equal discs of a saved state in a backend's memory, for studies of single loops. For files under cuda/ only, like
// reduce.h.
#pragma once

#include "cuda/core/backend/field.h"
#include "cuda/core/bench/study.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/state.h"
#include "cuda/particles/model/grid.h"

namespace perturb::particles {

// The discs of an FP64 state. Box and radius are the defaults where `setup` does not give them.
class StateDiscs {
 public:
  StateDiscs(Backend& backend, const Setup& setup, const State& state);
  const DiscGrid<double>& grid() const { return grid_; }

 private:
  Array<Disc<double>> there_;
  DiscGrid<double> grid_;
};

}  // namespace perturb::particles
