// A flow's saved state, read and checked: all that must hold of it is stated here, before anything of the running flow
// changes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/core/simulation/start.h"
#include "cuda/core/simulation/state.h"
#include "cuda/lbm/model/dye_limit.h"
#include "cuda/lbm/model/motion.h"

namespace perturb::lbm {

// A place where dye keeps flowing out: fractions of the domain, the radius one of its height.
struct DyeSource {
  double x, y, radius;
};

struct ProbePlace {
  double x, y;  // fractions of the domain
};

// The datasets as the parts' save_to name them, with what follows from them.
struct Saved {
  std::vector<float> shifted;      // [links, height, width]: populations less their weights
  std::vector<std::uint8_t> wall;  // [height, width], 1 or 0; empty: none
  // Distances from the outline as model/outline.h keeps them, [height, width]; empty: not known.
  std::vector<std::int16_t> outline;
  std::vector<float> dye;  // [height, width]; empty: none
  std::vector<DyeSource> dye_sources;
  std::vector<double> tracers;  // [count, 4]: x, y and velocity; empty: none
  std::optional<ProbePlace> probe;
  std::optional<Motion> moving_body;

  // Fluid at rest, as it is stored, in all cells of these walls ([height, width], 1 or 0).
  void empty_walls(const std::vector<std::uint8_t>& walls);
};

// Throws InputError unless the state is a flow of this size: populations and dye finite, sources and probe where
// actions may put them, and no source without dye. (That walls leave some fluid is seen when holes in them have been
// filled.)
Saved read_lbm_state(const State& state, GridSize size);

// A population of link q from its shifted value, which is how it is stored and saved.
float unshift(int q, float shifted);

}  // namespace perturb::lbm
