// The index ranges of parallel loops.
#pragma once

namespace perturb {

struct Range1D {
  int size = 0;
  int least = 256;  // so many are worth a thread of the CPU's
};
// Columns [0, width) of rows [0, height).
struct Range2D {
  int width = 0, height = 0;
};

}  // namespace perturb
