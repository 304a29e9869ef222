#include "cuda/core/simulation/cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perturb {

float exact_cells(double cells, int count) {
  int exponent = 0;
  std::frexp(2.0 * count, &exponent);  // two domains are at most 2^exponent cells
  const double unit = std::ldexp(1.0, exponent - std::numeric_limits<float>::digits);
  return static_cast<float>(std::round(cells / unit) * unit);
}

int cell_at(double cells) {
  constexpr double rounding = 1e-9;
  return static_cast<int>(std::floor(cells + rounding));
}

Copies RepeatingGrid::copies_of(float left, float right, float low, float high) const {
  // More copies of something wider than the grid than these would only cover it again.
  constexpr float max_copies = 32;
  const auto first = [&](float upper, int count) {
    return static_cast<int>(-std::min(std::floor(upper / static_cast<float>(count)), max_copies));
  };
  const auto last = [&](float lower, int count) {
    return static_cast<int>(std::min(std::ceil(-lower / static_cast<float>(count)), max_copies));
  };
  Copies copies{width, height};
  if (along_x) {
    copies.left = first(right, width);
    copies.right = last(left, width);
  }
  if (along_y) {
    copies.low = first(high, height);
    copies.high = last(low, height);
  }
  return copies;
}

}  // namespace perturb
