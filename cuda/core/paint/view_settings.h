// Settings of a view: the painted quantity and how it is painted.
#pragma once

#include <string>

namespace perturb {

// A second quantity drawn over the first (core/paint/layer.h), for quantities with `can_overlay`.
struct LayerSettings {
  static constexpr int max_lines = 99;

  std::string quantity;             // empty: none
  bool as_lines = true;             // contour lines; otherwise colours, more opaque farther from zero
  int lines = 7;                    // evenly spaced between the ends, without the ends
  double minimum = 0, maximum = 0;  // its range; equal: the quantity's own
  bool operator==(const LayerSettings&) const = default;
};

// The shown quantity and how it is shown. A preset's [view] table uses the same names.
struct ViewSettings {
  std::string quantity;             // empty: the simulation's first
  std::string colormap;             // empty: the quantity's own
  double minimum = 0, maximum = 0;  // the ends of the colour bar; equal: the quantity's own
  bool automatic = false;           // the range follows the data
  bool smooth = true;               // linear magnification, otherwise nearest
  LayerSettings layer;
};

}  // namespace perturb
