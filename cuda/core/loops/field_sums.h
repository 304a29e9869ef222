// Sums and extremes of a field from one pass. Files that start such a Reduction are launches.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"

namespace perturb {

struct FieldSums {
  double total = 0;  // of the finite cells, like low and high
  float low = FLT_MAX, high = -FLT_MAX;
  std::int64_t first_bad = INT64_MAX;  // row-major index of the first cell that is not finite
  PERTURB_HD void merge(const FieldSums& other) {
    total += other.total;
    low = other.low < low ? other.low : low;
    high = other.high > high ? other.high : high;
    first_bad = other.first_bad < first_bad ? other.first_bad : first_bad;
  }
  bool finite() const { return first_bad == INT64_MAX; }
};

// The contribution of a cell, for Reduction<FieldSums>.
struct FieldSum {
  View2D<const float> field;
  PERTURB_HD void operator()(int i, int j, FieldSums& into) const {
    const float value = field(i, j);
    if (!std::isfinite(value)) {
      const std::int64_t index = static_cast<std::int64_t>(j) * field.width + i;
      into.first_bad = index < into.first_bad ? index : into.first_bad;
      return;
    }
    into.total += static_cast<double>(value);
    into.low = value < into.low ? value : into.low;
    into.high = value > into.high ? value : into.high;
  }
};

}  // namespace perturb
