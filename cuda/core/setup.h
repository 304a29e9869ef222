// How a run begins: what a preset file says, with the command line's changes applied.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cuda/core/action.h"
#include "cuda/core/camera.h"

namespace perturb {

// A second quantity over the first (core/layer.h), for quantities that say that they can lie so.
struct LayerSettings {
  static constexpr int most_lines = 99;

  std::string quantity;             // empty: none
  bool as_lines = true;             // lines of equal value, else its colours, the clearer the farther from nothing
  int lines = 7;                    // evenly between the ends, which have none
  double minimum = 0, maximum = 0;  // its range; equal: the quantity's own
  bool operator==(const LayerSettings&) const = default;
};

// What of the state is shown, and how. A preset's [view] table holds the same names.
struct ViewSettings {
  std::string quantity;             // empty: the simulation's first
  std::string colormap;             // empty: the quantity's own
  double minimum = 0, maximum = 0;  // the colour bar's ends; equal: the quantity's own
  bool automatic = false;           // the range follows the data
  bool smooth = true;               // linear magnification, else nearest
  LayerSettings layer;
};

struct Setup {
  std::string simulation, preset;  // "wave", "double-slit"
  std::string title, hint;         // the hint tells a first-time user what to try
  std::vector<std::string> tries;  // what to try with it, a sentence or two each, and what is to be seen then
  int width = 0, height = 0;       // cells (or the domain's shape, where there is no grid); 0: the simulation's default
  std::uint32_t seed = 1;
  int steps_per_frame = 0;                   // how fast the window begins to run it; 0: the program's default
  std::map<std::string, double> parameters;  // by id; what is not named has its default
  std::vector<Action> actions;               // applied in order before the first step
  std::string past_limit;                    // the id of a gauge that the scene shows past its limit, on purpose
  ViewSettings view;
  Camera camera;  // what the picture begins with, and comes home to
};

}  // namespace perturb
