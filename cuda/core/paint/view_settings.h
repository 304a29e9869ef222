// What of a simulation's state is painted, and how.
#pragma once

#include <string>

namespace perturb {

// A second quantity over the first (core/layer.h), for quantities that say that they can lie so.
struct LayerSettings {
  static constexpr int max_lines = 99;

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

}  // namespace perturb
