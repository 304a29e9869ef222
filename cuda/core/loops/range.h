// The index ranges of parallel loops.
#pragma once

namespace perturb {

struct Range1D {
  int size = 0;
  int least = 256;  // minimum number of elements per CPU thread
};
// Columns [0, width) of rows [0, height).
struct Range2D {
  int width = 0, height = 0;
};

}  // namespace perturb
