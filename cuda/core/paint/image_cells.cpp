#include "cuda/core/paint/image_cells.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "cuda/core/paint/sampling.h"

namespace perturb {

namespace {

// The first and last pixel that cell `at` of `cells` touches.
std::pair<int, int> span(int at, int cells, int pixels) {
  const double low = static_cast<double>(at) * pixels / cells, high = static_cast<double>(at + 1) * pixels / cells;
  const int first = static_cast<int>(low), last = std::max(first, static_cast<int>(std::ceil(high)) - 1);
  return {first, std::min(last, pixels - 1)};
}

// Sets of numbers that grow together.
class JoinedSets {
 public:
  explicit JoinedSets(std::size_t count) : parent_(count) {
    for (std::size_t k = 0; k < count; ++k) parent_[k] = static_cast<int>(k);
  }
  // A number that represents the whole set of `k`.
  int find(int k) {
    while (at(k) != k) k = at(k) = at(at(k));
    return k;
  }
  void join(int a, int b) { at(find(a)) = find(b); }

 private:
  int& at(int k) { return parent_[static_cast<std::size_t>(k)]; }
  std::vector<int> parent_;
};

// The connected areas of a mask: marked elements connect also over corners, the others only over sides, so that a
// slanted line of marked ones parts the others.
JoinedSets areas_of(const std::vector<std::uint8_t>& mask, int width, int height) {
  JoinedSets areas(mask.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int here = y * width + x;
      const auto connect = [&](int dx, int dy) {
        if (x + dx < 0 || x + dx >= width || y + dy >= height) return;
        const int there = here + dy * width + dx;
        const bool marked = mask[static_cast<std::size_t>(here)] != 0;
        if (marked == (mask[static_cast<std::size_t>(there)] != 0) && (dx * dy == 0 || marked)) areas.join(here, there);
      };
      connect(1, 0);
      connect(0, 1);
      connect(1, 1);
      connect(-1, 1);
    }
  return areas;
}

// An image with more pixels than cells, read at the same number of places in each cell. They are at most a pixel apart,
// so that none is skipped.
class FineImage {
 public:
  FineImage(const GreyImage& image, double threshold, bool bright, GridSize grid)
      : image_(image),
        threshold_(threshold),
        bright_(bright),
        grid_(grid),
        nx_((image.width + grid.width - 1) / grid.width),
        ny_((image.height + grid.height - 1) / grid.height) {}

  bool is_finer() const { return nx_ > 1 || ny_ > 1; }
  bool is_wall(double value) const { return bright_ ? value > threshold_ : value < threshold_; }
  // The larger, the more of the cell is wall.
  double darkness(int i, int j) const { return bright_ ? mean(i, j) : -mean(i, j); }
  double mean(int i, int j) const {
    double sum = 0;
    for (int b = 0; b < ny_; ++b)
      for (int a = 0; a < nx_; ++a) sum += static_cast<double>(image_.values[pixel(i, j, a, b)]);
    return sum / (nx_ * ny_);
  }
  // The place in the largest connected open part of a cell from which it is reached first; -1: no place is open.
  int main_part(int i, int j) const {
    const Cells cell{i, j, i, j, false};
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(nx_ * ny_));
    int largest = -1, max_size = 0;
    for (int place = 0; place < nx_ * ny_; ++place) {
      if (seen[static_cast<std::size_t>(place)] != 0 || is_wall_at(cell, place)) continue;
      const int size = flood(cell, place, seen);
      if (size > max_size) {
        max_size = size;
        largest = place;
      }
    }
    return largest;
  }
  // Whether open pixels of these two cells connect their main parts. The second is on the right of the first, or above.
  bool are_linked(int i, int j, int part, int i2, int j2, int part2, bool above) const {
    const Cells both{i, j, i2, j2, true, above};
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(2 * nx_ * ny_));
    flood(both, both.index_of(part, false, nx_, ny_), seen);
    return seen[static_cast<std::size_t>(both.index_of(part2, true, nx_, ny_))] != 0;
  }
  std::size_t pixel(int i, int j, int place) const { return pixel(i, j, place % nx_, place / nx_); }

 private:
  // One cell, or two next to each other as one area of places.
  struct Cells {
    int i, j, i2, j2;
    bool two, above = false;
    int width(int nx) const { return two && !above ? 2 * nx : nx; }
    int height(int ny) const { return two && above ? 2 * ny : ny; }
    // Of a place in one of the cells.
    int index_of(int place, bool second, int nx, int ny) const {
      const int a = place % nx + (second && !above ? nx : 0), b = place / nx + (second && above ? ny : 0);
      return b * width(nx) + a;
    }
  };
  std::size_t pixel(int i, int j, int a, int b) const {
    const auto at = [](int cell, int cells, int place, int places, int pixels) {
      const std::int64_t twice = 2 * (static_cast<std::int64_t>(cell) * places + place) + 1;
      return static_cast<std::size_t>(twice * pixels / (2 * static_cast<std::int64_t>(cells) * places));
    };
    return at(j, grid_.height, b, ny_, image_.height) * static_cast<std::size_t>(image_.width) +
           at(i, grid_.width, a, nx_, image_.width);
  }
  bool is_wall_at(const Cells& cells, int place) const {
    const int a = place % cells.width(nx_), b = place / cells.width(nx_);
    const bool second = a >= nx_ || b >= ny_;
    const std::size_t at = second ? pixel(cells.i2, cells.j2, a % nx_, b % ny_) : pixel(cells.i, cells.j, a, b);
    return is_wall(static_cast<double>(image_.values[at]));
  }
  // Marks the open places that are connected with this one; returns their number.
  int flood(const Cells& cells, int from, std::vector<std::uint8_t>& seen) const {
    const int width = cells.width(nx_), height = cells.height(ny_);
    std::vector<int> list{from};
    seen[static_cast<std::size_t>(from)] = 1;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const int a = list[k] % width, b = list[k] / width;
      const auto reach = [&](int x, int y) {
        const int place = y * width + x;
        if (x < 0 || y < 0 || x >= width || y >= height || seen[static_cast<std::size_t>(place)] != 0 ||
            is_wall_at(cells, place))
          return;
        seen[static_cast<std::size_t>(place)] = 1;
        list.push_back(place);
      };
      reach(a - 1, b);
      reach(a + 1, b);
      reach(a, b - 1);
      reach(a, b + 1);
    }
    return static_cast<int>(list.size());
  }

  const GreyImage& image_;
  double threshold_;
  bool bright_;
  GridSize grid_;
  int nx_, ny_;  // places in a cell
};

// Whether the cells have other connected areas than the pixels: a wall without a cell, walls that have grown together,
// or an open area that is missing or in parts. `parts`: of the open cells, their main part.
bool has_other_areas(const GreyImage& image, const FineImage& fine, GridSize grid,
                     const std::vector<std::uint8_t>& wall, const std::vector<int>& parts) {
  std::vector<std::uint8_t> dark(image.values.size());
  for (std::size_t p = 0; p < dark.size(); ++p) dark[p] = fine.is_wall(static_cast<double>(image.values[p])) ? 1 : 0;
  JoinedSets of_pixels = areas_of(dark, image.width, image.height);
  JoinedSets of_cells = areas_of(wall, grid.width, grid.height);
  // By area of pixels that of the cells, and the other way round.
  std::vector<int> cells_of(dark.size(), -1), pixels_of(wall.size(), -1);
  const auto is_another = [](int& first, int found) {
    if (first < 0) first = found;
    return first != found;
  };
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const int i = static_cast<int>((2 * static_cast<std::int64_t>(x) + 1) * grid.width / (2 * image.width));
      const int j = static_cast<int>((2 * static_cast<std::int64_t>(y) + 1) * grid.height / (2 * image.height));
      const int p = y * image.width + x, c = j * grid.width + i;
      if (dark[static_cast<std::size_t>(p)] == 0 || wall[static_cast<std::size_t>(c)] == 0) continue;
      const int pixels = of_pixels.find(p), cells = of_cells.find(c);
      cells_of[static_cast<std::size_t>(pixels)] = cells;
      if (is_another(pixels_of[static_cast<std::size_t>(cells)], pixels)) return true;
    }
  for (int j = 0; j < grid.height; ++j)
    for (int i = 0; i < grid.width; ++i) {
      const auto c = static_cast<std::size_t>(j * grid.width + i);
      if (wall[c] != 0) continue;
      const int pixels = of_pixels.find(static_cast<int>(fine.pixel(i, j, parts[c])));
      if (is_another(cells_of[static_cast<std::size_t>(pixels)], of_cells.find(static_cast<int>(c)))) return true;
    }
  for (std::size_t p = 0; p < dark.size(); ++p)
    if (of_pixels.find(static_cast<int>(p)) == static_cast<int>(p) && cells_of[p] < 0) return true;
  return false;
}

}  // namespace

double image_smoothed(const GreyImage& image, GridSize grid, int i, int j, bool wraps_x, bool wraps_y) {
  const double across = static_cast<double>(image.width) / grid.width;
  const double along = static_cast<double>(image.height) / grid.height;
  const int nx = std::max(1, static_cast<int>(std::ceil(across))), ny = std::max(1, static_cast<int>(std::ceil(along)));
  const auto index = [](int at, int count, bool wraps) {
    return wraps ? (at % count + count) % count : clamp_index(at, count);
  };
  const auto pixel = [&](int x, int y) {
    return static_cast<double>(image.values[static_cast<std::size_t>(index(y, image.height, wraps_y)) * image.width +
                                            index(x, image.width, wraps_x)]);
  };
  double sum = 0;
  for (int b = 0; b < ny; ++b)
    for (int a = 0; a < nx; ++a) {
      const double x = (i + (a + 0.5) / nx) * across - 0.5, y = (j + (b + 0.5) / ny) * along - 0.5;
      const int x0 = static_cast<int>(std::floor(x)), y0 = static_cast<int>(std::floor(y));
      const double s = x - x0, t = y - y0;
      sum += (1 - t) * ((1 - s) * pixel(x0, y0) + s * pixel(x0 + 1, y0)) +
             t * ((1 - s) * pixel(x0, y0 + 1) + s * pixel(x0 + 1, y0 + 1));
    }
  return sum / (nx * ny);
}

double image_in_pixels(const GreyImage& image, GridSize grid, int i, int j) {
  const auto [x0, x1] = span(i, grid.width, image.width);
  const auto [y0, y1] = span(j, grid.height, image.height);
  double sum = 0;
  for (int y = y0; y <= y1; ++y)
    for (int x = x0; x <= x1; ++x)
      sum += static_cast<double>(image.values[static_cast<std::size_t>(y) * image.width + x]);
  return sum / (static_cast<double>(x1 - x0 + 1) * (y1 - y0 + 1));
}

ImageWalls walls_of_image(const GreyImage& image, double threshold, bool bright, GridSize grid, bool wraps_x,
                          bool wraps_y) {
  const FineImage fine(image, threshold, bright, grid);
  ImageWalls walls;
  walls.wall.resize(static_cast<std::size_t>(grid.width) * static_cast<std::size_t>(grid.height));
  const auto index = [&](int i, int j) { return static_cast<std::size_t>(j) * grid.width + i; };
  for (int j = 0; j < grid.height; ++j)
    for (int i = 0; i < grid.width; ++i) walls.wall[index(i, j)] = fine.is_wall(fine.mean(i, j)) ? 1 : 0;
  if (!fine.is_finer()) return walls;
  std::vector<int> parts(walls.wall.size(), -1);
  for (int j = 0; j < grid.height; ++j)
    for (int i = 0; i < grid.width; ++i)
      if (walls.wall[index(i, j)] == 0) parts[index(i, j)] = fine.main_part(i, j);
  // All pairs are judged before any cell changes, so that the result does not depend on their order.
  std::vector<std::uint8_t> with_lines = walls.wall;
  const auto part = [&](int i, int j, bool above) {
    const int i2 = above ? i : (i + 1) % grid.width, j2 = above ? (j + 1) % grid.height : j;
    const std::size_t a = index(i, j), b = index(i2, j2);
    if (walls.wall[a] != 0 || walls.wall[b] != 0 || fine.are_linked(i, j, parts[a], i2, j2, parts[b], above)) return;
    const double here = fine.darkness(i, j), there = fine.darkness(i2, j2);
    if (here >= there) with_lines[a] = 1;
    if (there >= here) with_lines[b] = 1;
  };
  for (int j = 0; j < grid.height; ++j)
    for (int i = 0; i < grid.width; ++i) {
      if (i + 1 < grid.width || wraps_x) part(i, j, false);
      if (j + 1 < grid.height || wraps_y) part(i, j, true);
    }
  walls.wall = std::move(with_lines);
  close_corners(walls.wall, grid, wraps_x, wraps_y);
  walls.loses_details = has_other_areas(image, fine, grid, walls.wall, parts);
  return walls;
}

Message lost_details_text(const std::string& file, const GreyImage& image, GridSize grid) {
  return {
      "Details of the image \"{}\" were lost, because they are smaller than a cell: {} x {} pixels are {} x {} cells. "
      "Use a larger grid, or draw them larger.",
      file,
      image.width,
      image.height,
      grid.width,
      grid.height};
}

std::int64_t close_corners(std::vector<std::uint8_t>& wall, GridSize grid, bool wraps_x, bool wraps_y) {
  const auto cell = [&](int i, int j) -> std::uint8_t& {
    return wall[static_cast<std::size_t>(j % grid.height) * grid.width + i % grid.width];
  };
  std::int64_t closed = 0, before = -1;
  // One sweep from the top down closes everything: a newly closed cell can open a corner only in the row below. Only
  // corners across a periodic side need another sweep.
  while (closed != before) {
    before = closed;
    for (int j = grid.height - (wraps_y ? 1 : 2); j >= 0; --j)
      for (int i = 0; i < grid.width - (wraps_x ? 0 : 1); ++i) {
        std::uint8_t &a = cell(i, j), &b = cell(i + 1, j);
        const bool above_a = cell(i, j + 1) != 0, above_b = cell(i + 1, j + 1) != 0;
        if (above_a == above_b || (a != 0) == (b != 0) || (a != 0) == above_a) continue;
        (a != 0 ? b : a) = 1;
        closed += 1;
      }
  }
  return closed;
}

}  // namespace perturb
