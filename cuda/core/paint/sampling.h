// Sampling of a field of cells for a pixel: shared by every simulation that paints a grid.
//
//   const PixelSampler sampler(camera.pixel_to_domain(...), width, height, view.smooth);   // on the host, once per
//   frame
//   float value = sampler.value(px, py, field);                                          // in the paint functor
//
// A field is anything that can be called with (i, j): a View2D, or a functor that computes the shown quantity of a
// cell.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/paint/camera.h"

namespace perturb {

// A point of the grid in cells: cell (i, j) covers [i, i+1) x [j, j+1) with its centre at (i + 1/2, j + 1/2).
struct GridPoint {
  float x = 0, y = 0;
};

PERTURB_HD inline int clamp_index(int i, int count) { return i < 0 ? 0 : i >= count ? count - 1 : i; }

// The value of the cell that contains the point. Points outside use the nearest cell.
PERTURB_HD_AS_GIVEN
template <class Cells>
PERTURB_HD inline float sample_nearest(const Cells& cells, int width, int height, GridPoint p) {
  return static_cast<float>(
      cells(clamp_index(static_cast<int>(floorf(p.x)), width), clamp_index(static_cast<int>(floorf(p.y)), height)));
}

// Linear between the centres of the four cells around the point; constant beyond the outermost centres.
template <class Cells>
PERTURB_HD inline float sample_linear(const Cells& cells, int width, int height, GridPoint p) {
  const float x = p.x - 0.5f, y = p.y - 0.5f;
  const float fx = floorf(x), fy = floorf(y);
  const int i = static_cast<int>(fx), j = static_cast<int>(fy);
  const int i0 = clamp_index(i, width), i1 = clamp_index(i + 1, width);
  const int j0 = clamp_index(j, height), j1 = clamp_index(j + 1, height);
  const float a = x - fx, b = y - fy;
  const float v00 = static_cast<float>(cells(i0, j0)), v10 = static_cast<float>(cells(i1, j0));
  const float v01 = static_cast<float>(cells(i0, j1)), v11 = static_cast<float>(cells(i1, j1));
  const float left = multiply_add(b, v01 - v00, v00), right = multiply_add(b, v11 - v10, v10);
  return multiply_add(a, right - left, left);
}

// The cells that a pixel covers along an axis: first .. last. The pixel covers the two at its ends in part.
struct CellCover {
  int first, last;
  float of_first, of_last;  // the part of these cells; of_last is 0 if they are the same

  // `middle` and `length` of the pixel, in cells, on an axis of `size` cells. A pixel smaller than a cell (not
  // `several`) shows the cell of its middle.
  PERTURB_HD static CellCover of(float middle, float length, int size, bool several) {
    const auto end = static_cast<float>(size);
    middle = middle < 0.f ? 0.f : middle > end ? end : middle;
    const int nearest = clamp_index(static_cast<int>(middle), size);
    if (!several) return {nearest, nearest, 1.f, 0.f};
    float low = middle - 0.5f * length, high = middle + 0.5f * length;
    low = low < 0.f ? 0.f : low;
    high = high > end ? end : high;
    const int first = clamp_index(static_cast<int>(low), size), last = static_cast<int>(ceilf(high)) - 1;
    if (last <= first) return {nearest, nearest, 1.f, 0.f};
    return {first, last, static_cast<float>(first + 1) - low, high - static_cast<float>(last)};
  }
  PERTURB_HD float share(int i) const { return i == first ? of_first : i == last ? of_last : 1.f; }
  // The sum of a row's cells, each times its share; and the sum of the shares, by the same operations, so that the mean
  // of equal ones is exactly one.
  PERTURB_HD_AS_GIVEN
  template <class Cells>
  PERTURB_HD float sum(const Cells& cells, int j) const {
    float inner = 0.f;
    for (int i = first + 1; i < last; ++i) inner += static_cast<float>(cells(i, j));
    inner = multiply_add(of_first, static_cast<float>(cells(first, j)), inner);
    return last > first ? multiply_add(of_last, static_cast<float>(cells(last, j)), inner) : inner;
  }
  PERTURB_HD float total() const {
    const int inner = last - first - 1;
    return static_cast<float>(inner > 0 ? inner : 0) + of_first + of_last;
  }
};

// Maps pixels of an image to a grid, and samples the grid according to the zoom: if a pixel covers less than a cell,
// linear (smooth) or nearest; if it covers several, their mean over its area. A frame so reads each visible cell about
// once: with fewer samples, waves of a few cells would appear as waves of other lengths.
class PixelSampler {
 public:
  PixelSampler() = default;
  // `width` and `height` of the grid.
  PixelSampler(const PixelToDomain& map, int width, int height, bool smooth)
      : width_(width), height_(height), smooth_(smooth) {
    x0_ = map.x0 * static_cast<float>(width);
    y0_ = map.y0 * static_cast<float>(height);
    dx_ = map.dx * static_cast<float>(width);
    dy_ = map.dy * static_cast<float>(height);
    constexpr float one = 1.01f;
    several_x_ = dx_ > one;
    several_y_ = dy_ > one;
  }

  // A copy with smooth sampling.
  PixelSampler linear() const {
    PixelSampler changed = *this;
    changed.smooth_ = true;
    return changed;
  }

  // Cells per pixel.
  PERTURB_HD float scale_x() const { return dx_; }
  PERTURB_HD float scale_y() const { return dy_; }
  PERTURB_HD bool minified() const { return several_x_ || several_y_; }
  // The cells that `average` reads along x and y.
  PERTURB_HD CellCover cells_x(GridPoint p) const { return CellCover::of(p.x, dx_, width_, several_x_); }
  PERTURB_HD CellCover cells_y(GridPoint p) const { return CellCover::of(p.y, dy_, height_, several_y_); }
  // The centre of the pixel.
  PERTURB_HD GridPoint point(int px, int py) const {
    return {multiply_add(static_cast<float>(px) + 0.5f, dx_, x0_),
            multiply_add(static_cast<float>(py) + 0.5f, dy_, y0_)};
  }
  PERTURB_HD bool inside(GridPoint p) const {
    return p.x >= 0.f && p.y >= 0.f && p.x < static_cast<float>(width_) && p.y < static_cast<float>(height_);
  }

  // The value of `cells` at the pixel. Only for pixels inside the grid.
  template <class Cells>
  PERTURB_HD float value(int px, int py, const Cells& cells) const {
    return at(point(px, py), cells);
  }
  template <class Cells>
  PERTURB_HD float at(GridPoint p, const Cells& cells) const {
    if (!minified())
      return smooth_ ? sample_linear(cells, width_, height_, p) : sample_nearest(cells, width_, height_, p);
    return average(p, cells);
  }
  // On the CPU: values of the pixels [begin, end) of a row, all inside the grid, to out[0], out[1], ... Bit-identical
  // to `value`, and faster if a cell is larger than a pixel: values shared by neighbouring pixels are computed once.
  template <class Cells>
  void values(int begin, int end, int py, const Cells& cells, float* out) const {
    if (minified()) {
      averages(begin, end, py, cells, out);
      return;
    }
    constexpr int run = 128;  // pixels; they are in at most that many cells plus two
    float column[run + 4];
    for (int first = begin; first < end; first += run) {
      const int last = end < first + run ? end : first + run;
      const float shift = smooth_ ? 0.5f : 0.f;  // linear sampling interpolates between centres
      const float y = point(0, py).y - shift, fy = floorf(y), b = y - fy;
      const int j0 = clamp_index(static_cast<int>(fy), height_), j1 = clamp_index(static_cast<int>(fy) + 1, height_);
      const int i0 = static_cast<int>(floorf(point(first, py).x - shift));
      const int i1 = static_cast<int>(floorf(point(last - 1, py).x - shift)) + 1;
      for (int i = i0; i <= i1; ++i) {
        const int at_i = clamp_index(i, width_);
        const float low = static_cast<float>(cells(at_i, j0));
        column[i - i0] = smooth_ ? multiply_add(b, static_cast<float>(cells(at_i, j1)) - low, low) : low;
      }
      for (int px = first; px < last; ++px) {
        const float x = point(px, py).x - shift, fx = floorf(x);
        const int i = static_cast<int>(fx) - i0;
        *out++ = smooth_ ? multiply_add(x - fx, column[i + 1] - column[i], column[i]) : column[i];
      }
    }
  }
  // The same for `average`: for a functor that is 0 or 1, the fraction of each pixel.
  template <class Cells>
  void shares(int begin, int end, int py, const Cells& cells, float* out) const {
    if (minified()) {
      averages(begin, end, py, cells, out);
      return;
    }
    const int j = clamp_index(static_cast<int>(floorf(point(0, py).y)), height_);
    for (int px = begin; px < end; ++px)
      *out++ = static_cast<float>(cells(clamp_index(static_cast<int>(floorf(point(px, py).x)), width_), j));
  }
  // The pixels [begin, end) of row `py` that are inside the grid, among the first `count` pixels of the row.
  struct Span {
    int begin, end;
  };
  Span inside(int count, int py) const {
    const float y = point(0, py).y;
    if (!(y >= 0.f && y < static_cast<float>(height_))) return {0, 0};
    // The rounding of `point` decides at the ends, so the search starts near their expected position.
    const auto near = [&](float x) {
      const float px = (x - x0_) / dx_ - 0.5f;
      return px < 0.f ? 0 : px > static_cast<float>(count) ? count : static_cast<int>(px);
    };
    int begin = near(0.f), end = near(static_cast<float>(width_));
    while (begin > 0 && inside(point(begin - 1, py))) --begin;
    while (begin < count && point(begin, py).x < 0.f) ++begin;
    while (end < count && inside(point(end, py))) ++end;
    while (end > begin && !inside(point(end - 1, py))) --end;
    return {begin, end};
  }

  // The columns of cells that the first `count` pixels of a row use, possibly with one or two more.
  Span columns(int count) const {
    const float reach = dx_ > 1.f ? dx_ : 1.f;
    return {clamp_index(static_cast<int>(floorf(point(0, 0).x - reach)), width_),
            clamp_index(static_cast<int>(floorf(point(count - 1, 0).x + reach)), width_) + 1};
  }

  // On the CPU: `average` of the pixels [begin, end) of a row, if a pixel covers several cells. Bit-identical. It reads
  // row by row, so that `cells` can keep what it computes of a row.
  template <class Cells>
  void averages(int begin, int end, int py, const Cells& cells, float* out) const {
    const auto count = static_cast<std::size_t>(end > begin ? end - begin : 0);
    std::vector<CellCover> across(count);
    std::vector<float> total(count, 0.f);
    for (std::size_t k = 0; k < count; ++k) {
      across[k] = cells_x(point(begin + static_cast<int>(k), py));
      out[k] = 0.f;
    }
    const CellCover rows = cells_y(point(begin, py));
    for (int j = rows.first; j <= rows.last; ++j) {
      const float share = rows.share(j);
      for (std::size_t k = 0; k < count; ++k) {
        out[k] = multiply_add(share, across[k].sum(cells, j), out[k]);
        total[k] = multiply_add(share, across[k].total(), total[k]);
      }
    }
    for (std::size_t k = 0; k < count; ++k) out[k] = out[k] / total[k];
  }

  // The mean over the pixel's area, at any zoom: for a functor that is 0 or 1 (in a wall?), the fraction of the pixel.
  PERTURB_HD_AS_GIVEN
  template <class Cells>
  PERTURB_HD float average(GridPoint p, const Cells& cells) const {
    if (!minified()) return sample_nearest(cells, width_, height_, p);
    const CellCover columns = cells_x(p), rows = cells_y(p);
    float sum = 0.f, total = 0.f;
    for (int j = rows.first; j <= rows.last; ++j) {
      const float share = rows.share(j);
      sum = multiply_add(share, columns.sum(cells, j), sum);
      total = multiply_add(share, columns.total(), total);
    }
    return sum / total;
  }

 private:
  int width_ = 1, height_ = 1;
  bool several_x_ = false, several_y_ = false;  // cells in a pixel
  float x0_ = 0, y0_ = 0, dx_ = 1, dy_ = 1;
  bool smooth_ = true;
};

}  // namespace perturb
