#include "cuda/lbm/model/outline.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace perturb::lbm {

void move_outline(std::vector<std::int16_t>& outline, int width, int height, const std::vector<Cell>& body, int by_i,
                  int by_j) {
  const auto at = [&](int i, int j) -> std::int16_t& { return outline[static_cast<std::size_t>(j) * width + i]; };
  const auto inside = [&](int i, int j) { return i >= 0 && i < width && j >= 0 && j < height; };
  // The body at its previous position, and the cells next to it.
  std::map<Cell, std::int16_t> taken;
  for (const auto& [i, j] : body)
    for (int b = j - by_j - 1; b <= j - by_j + 1; ++b)
      for (int a = i - by_i - 1; a <= i - by_i + 1; ++a)
        if (inside(a, b)) taken.emplace(Cell{a, b}, at(a, b));
  for (const auto& [cell, distance] : taken) at(cell.first, cell.second) = outline_far;
  for (const auto& [cell, distance] : taken) {
    const int i = cell.first + by_i, j = cell.second + by_j;
    if (inside(i, j)) at(i, j) = std::min(at(i, j), distance);
  }
}

}  // namespace perturb::lbm
