#include "app/run/automatic_range.h"

#include <algorithm>
#include <cmath>

namespace perturb {

void AutomaticRange::follow(const Diagnostics& diagnostics, bool centred) {
  double low = diagnostics.minimum, high = diagnostics.maximum;
  if (!diagnostics.finite || !std::isfinite(low) || !std::isfinite(high)) return;
  if (centred) {
    high = std::max(std::abs(low), std::abs(high));
    low = -high;
  }
  if (!(high > low)) return;
  const double rate = known_ ? 0.05 : 1;
  minimum_ = known_ && low > minimum_ ? minimum_ + rate * (low - minimum_) : low;
  maximum_ = known_ && high < maximum_ ? maximum_ + rate * (high - maximum_) : high;
  known_ = true;
}

}  // namespace perturb
