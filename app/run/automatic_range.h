// The range of the colour bar when it follows the data.
#pragma once

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

class AutomaticRange {
 public:
  // Updates the range from the extremes of newer diagnostics. It grows at once and shrinks slowly, so that the colours
  // do not flicker with every passing crest. `centred`: symmetric about zero. Extremes that are not finite or equal to
  // each other change nothing.
  void follow(const Diagnostics& diagnostics, bool centred);
  void forget() { known_ = false; }

  bool known() const { return known_; }
  double minimum() const { return minimum_; }
  double maximum() const { return maximum_; }

 private:
  double minimum_ = 0, maximum_ = 0;
  bool known_ = false;
};

}  // namespace perturb
