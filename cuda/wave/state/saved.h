// A saved state of a tank, read and validated completely before the running tank changes.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/state.h"
#include "cuda/wave/measure/marks.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/objects.h"
#include "cuda/wave/model/source.h"

namespace perturb::wave {

// The datasets by the names that the parts' save_to() use, and values derived from them.
template <class Real>
struct Saved {
  std::vector<Real> u, u_previous;  // [height, width]
  std::vector<Real> medium;         // as in model/cell.h; empty: neither walls nor speed map
  std::vector<Real> painted;        // the same below the objects
  std::vector<Source> sources;
  std::vector<BuiltObject> built;
  std::vector<double> screen;     // [screen_columns]; empty: none
  std::vector<Real> intensity;    // [height, width]
  std::vector<double> apertures;  // [2, height]
  Clock clock;
  std::vector<AddedMode> modes;  // all that moves in the tank; empty: anything else
  double changed = 0;            // time of the last change that the waves must follow
  int created = 0;               // objects since the start
  std::string edited_kernel;     // text of an edited kernel that took steps; empty: none did
};

// The standing modes of a tank in which nothing else moves; without any, and with more than a state takes, none are
// saved.
constexpr std::size_t max_saved_modes = 1000;
void save_modes(const std::vector<AddedMode>& modes, State& state);

// Throws InputError unless the state is a tank of this size and precision: heights finite, walls 0 or 1, speeds and
// sources within the ranges of actions, the clock not later than the state itself.
template <class Real>
Saved<Real> read_wave_state(const State& state, GridSize size, double time_step);

extern template Saved<float> read_wave_state(const State&, GridSize, double);
extern template Saved<double> read_wave_state(const State&, GridSize, double);

}  // namespace perturb::wave
