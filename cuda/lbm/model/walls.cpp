#include "cuda/lbm/model/walls.h"

#include <algorithm>
#include <map>
#include <optional>

#include "cuda/core/paint/image_cells.h"
#include "cuda/lbm/model/cell.h"

namespace perturb::lbm {

std::vector<float> shades_from_image(const GreyImage& image, double max_shade, bool invert, int width, int height) {
  std::vector<float> shades;
  shades.reserve(static_cast<std::size_t>(width) * height);
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const double bright = image_in_pixels(image, {width, height}, i, j);
      shades.push_back(static_cast<float>(max_shade * (invert ? bright : 1 - bright)));
    }
  return shades;
}

namespace {

// The cell that cell (i, j) is round a side that repeats; none if it is outside the grid.
std::optional<Cell> cell_of(const RepeatingGrid& grid, int i, int j) {
  const Cell cell{grid.column(i), grid.row(j)};
  const bool inside = cell.first >= 0 && cell.first < grid.width && cell.second >= 0 && cell.second < grid.height;
  return inside ? std::optional(cell) : std::nullopt;
}
std::size_t index_of(const RepeatingGrid& grid, const Cell& cell) {
  return static_cast<std::size_t>(cell.second) * static_cast<std::size_t>(grid.width) +
         static_cast<std::size_t>(cell.first);
}

// Removes the connected wall at cell (i, j) from `solid`.
std::vector<Cell> take_body(std::vector<std::uint8_t>& solid, const RepeatingGrid& grid, int i, int j) {
  std::vector<Cell> body;
  const auto take = [&](int a, int b) {
    const std::optional<Cell> cell = cell_of(grid, a, b);
    if (!cell || solid[index_of(grid, *cell)] == 0) return;
    solid[index_of(grid, *cell)] = 0;
    body.push_back(*cell);
  };
  take(i, j);
  for (std::size_t k = 0; k < body.size(); ++k) {
    const auto [from_i, from_j] = body[k];
    for (int q = 1; q < lbm_links; ++q) take(from_i + lbm_ex(q), from_j + lbm_ey(q));
  }
  return body;
}

}  // namespace

std::vector<Cell> body_at(const std::vector<std::uint8_t>& wall, const RepeatingGrid& grid, int i, int j) {
  std::vector<std::uint8_t> copy = wall;
  return take_body(copy, grid, i, j);
}

std::vector<Cell> lbm_move_body(std::vector<std::uint8_t>& wall, const RepeatingGrid& grid, int i, int j, int by_i,
                                int by_j) {
  if (by_i == 0 && by_j == 0) return {};
  std::vector<Cell> body = take_body(wall, grid, i, j);
  for (Cell& cell : body) {
    const std::optional<Cell> to = cell_of(grid, cell.first + by_i, cell.second + by_j);
    if (!to) return {};
    cell = *to;
  }
  for (const Cell& cell : body) wall[index_of(grid, cell)] = 1;
  return body;
}

void move_outline(std::vector<std::int16_t>& outline, const RepeatingGrid& grid, const std::vector<Cell>& body,
                  int by_i, int by_j) {
  // The body at its previous position, and the cells next to it.
  std::map<Cell, std::int16_t> taken;
  for (const auto& [i, j] : body)
    for (int b = j - by_j - 1; b <= j - by_j + 1; ++b)
      for (int a = i - by_i - 1; a <= i - by_i + 1; ++a)
        if (const std::optional<Cell> cell = cell_of(grid, a, b)) taken.emplace(*cell, outline[index_of(grid, *cell)]);
  for (const auto& [cell, distance] : taken) outline[index_of(grid, cell)] = outline_far;
  for (const auto& [cell, distance] : taken)
    if (const std::optional<Cell> to = cell_of(grid, cell.first + by_i, cell.second + by_j)) {
      std::int16_t& there = outline[index_of(grid, *to)];
      there = std::min(there, distance);
    }
}

}  // namespace perturb::lbm
