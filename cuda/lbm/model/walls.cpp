#include "cuda/lbm/model/walls.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include "cuda/core/paint/image_cells.h"
#include "cuda/lbm/model/cell.h"

namespace perturb::lbm {

void walls_from_image(const GreyImage& image, double threshold, bool invert, int width, int height,
                      std::vector<std::uint8_t>& wall) {
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const double value = image_in_pixels(image, {width, height}, i, j);
      if (invert ? value > threshold : value < threshold) wall[static_cast<std::size_t>(j) * width + i] = 1;
    }
}

std::vector<float> shades_from_image(const GreyImage& image, double most, bool invert, int width, int height) {
  std::vector<float> shades;
  shades.reserve(static_cast<std::size_t>(width) * height);
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const double bright = image_in_pixels(image, {width, height}, i, j);
      shades.push_back(static_cast<float>(most * (invert ? bright : 1 - bright)));
    }
  return shades;
}

namespace {

// Removes the connected wall at cell (i, j) from `solid`.
std::vector<Cell> take_body(std::vector<std::uint8_t>& solid, int width, int height, int i, int j) {
  const auto inside = [&](int a, int b) { return a >= 0 && a < width && b >= 0 && b < height; };
  const auto at = [&](int a, int b) -> std::uint8_t& { return solid[static_cast<std::size_t>(b) * width + a]; };
  if (!inside(i, j) || at(i, j) == 0) return {};
  std::vector<Cell> body{{i, j}};
  at(i, j) = 0;
  for (std::size_t k = 0; k < body.size(); ++k)
    for (int q = 1; q < lbm_links; ++q) {
      const int a = body[k].first + lbm_ex(q), b = body[k].second + lbm_ey(q);
      if (!inside(a, b) || at(a, b) == 0) continue;
      at(a, b) = 0;
      body.emplace_back(a, b);
    }
  return body;
}

}  // namespace

std::vector<Cell> body_at(const std::vector<std::uint8_t>& wall, int width, int height, int i, int j) {
  std::vector<std::uint8_t> copy = wall;
  return take_body(copy, width, height, i, j);
}

std::vector<Cell> lbm_move_body(std::vector<std::uint8_t>& wall, int width, int height, int i, int j, int by_i,
                                int by_j) {
  if (by_i == 0 && by_j == 0) return {};
  std::vector<Cell> body = take_body(wall, width, height, i, j);
  for (auto& [a, b] : body) {
    a += by_i, b += by_j;
    if (a < 0 || a >= width || b < 0 || b >= height) return {};
  }
  for (const auto& [a, b] : body) wall[static_cast<std::size_t>(b) * width + a] = 1;
  return body;
}

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
