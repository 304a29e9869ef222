// Rendering of the flow: the shown quantity of a cell, and its colour, one pixel at a time, directly from the
// populations.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/paint/sampling.h"
#include "cuda/lbm/model/edit.h"
#include "cuda/lbm/model/velocity_rows.h"

namespace perturb::lbm {

enum class Shown { speed, vorticity, density, dye, velocity_x, velocity_y };

// The value that the sampler reads in a cell.
template <class T>
struct ShownCell {
  Velocity<T> velocity;
  View2D<const float> dye;  // may be empty
  Shown shown;
  bool wrap_x, wrap_y;

  PERTURB_HD Moments near(int i, int j) const {
    i = wrap_x ? wrap(i, velocity.g.width) : clamp_index(i, velocity.g.width);
    j = wrap_y ? wrap(j, velocity.g.height) : clamp_index(j, velocity.g.height);
    return velocity(i, j);
  }
  // dv/dx - du/dy by central differences; the fluid at walls is at rest.
  PERTURB_HD float spin(int i, int j) const {
    return 0.5f * ((near(i + 1, j).uy - near(i - 1, j).uy) - (near(i, j + 1).ux - near(i, j - 1).ux));
  }
  PERTURB_HD float operator()(int i, int j) const {
    if (shown == Shown::dye) return dye.empty() ? 0.f : dye(i, j);
    if (shown == Shown::vorticity) return velocity.is_wall(i, j) ? 0.f : spin(i, j);
    const Moments m = velocity(i, j);
    switch (shown) {
      case Shown::density:
        return 1.f + m.drho;
      case Shown::velocity_x:
        return m.ux;
      case Shown::velocity_y:
        return m.uy;
      default:
        return sqrtf(m.ux * m.ux + m.uy * m.uy);
    }
  }
};

// ---- rows of cells on the CPU, each computed once for all pixels that sample it

// Callable with (i, j) like ShownCell, for the columns [begin, end); bit-identical to it. For callers
// that process the rows in order: the last few are kept. For one thread.
template <class T>
class ShownRows {
 public:
  ShownRows(const ShownCell<T>& cell, int begin, int end)
      : cell_(cell),
        velocities_(cell.velocity, {cell.wrap_x, cell.wrap_y}, begin, end),
        begin_(begin),
        count_(end - begin) {}

  float operator()(int i, int j) const {
    Row& row = rows_[static_cast<std::size_t>(j % rows_kept)];
    if (row.of != j) {
      row.of = j;
      row.value.resize(static_cast<std::size_t>(count_));
      compute(j, row.value.data());
    }
    return row.value[static_cast<std::size_t>(i - begin_)];
  }

 private:
  static constexpr int rows_kept = 4, none = -1;
  struct Row {
    int of = none;
    std::vector<float> value;
  };

  void compute(int j, float* out) const {
    if (cell_.shown == Shown::dye) {
      const float* dye = cell_.dye.empty() ? nullptr : cell_.dye.row(j) + begin_;
      for (int k = 0; k < count_; ++k) out[k] = dye ? dye[k] : 0.f;
      return;
    }
    const auto here = velocities_.row(j);
    switch (cell_.shown) {
      case Shown::vorticity: {
        const float *below = velocities_.row(j - 1).ux, *above = velocities_.row(j + 1).ux;
        const float *left = here.uy - 1, *right = here.uy + 1;
        for (int k = 0; k < count_; ++k) out[k] = 0.5f * ((right[k] - left[k]) - (above[k] - below[k]));
        const Walls& walls = cell_.velocity.walls;
        for (int k = 0; !walls.empty() && k < count_; ++k)
          if (walls.at(begin_ + k, j)) out[k] = 0.f;
        return;
      }
      case Shown::density:
        for (int k = 0; k < count_; ++k) out[k] = 1.f + here.drho[k];
        return;
      case Shown::velocity_x:
        for (int k = 0; k < count_; ++k) out[k] = here.ux[k];
        return;
      case Shown::velocity_y:
        for (int k = 0; k < count_; ++k) out[k] = here.uy[k];
        return;
      default:
        for (int k = 0; k < count_; ++k) out[k] = std::sqrt(here.ux[k] * here.ux[k] + here.uy[k] * here.uy[k]);
    }
  }

  ShownCell<T> cell_;
  mutable VelocityRows<T> velocities_;
  int begin_, count_;
  mutable std::array<Row, rows_kept> rows_;
};

// ---- pixels

struct WallOf {
  Walls walls;
  PERTURB_HD float operator()(int i, int j) const { return walls.at(i, j) ? 1.f : 0.f; }
};

// FieldImage::Cover::medium
struct MediumOf {
  Walls walls;
  PERTURB_HD float operator()(int i, int j) const { return walls.at(i, j) ? -1.f : 1.f; }
};

// The distance from the outline, in cells.
struct Distance {
  View2D<const std::int16_t> outline;
  PERTURB_HD float operator()(int i, int j) const { return static_cast<float>(outline(i, j)) * outline_unit; }
};

// Whether the drawn outline is shown: only where pixels are no larger than cells.
PERTURB_HD inline bool is_drawn(View2D<const std::int16_t> outline, const PixelSampler& sampler) {
  return !outline.empty() && !sampler.minified();
}
// Side of an arrow's square in pixels: gives the same number of arrows on small and large images.
PERTURB_HD inline int arrow_square(int image_height) {
  const int share = image_height / 28;
  return share < 26 ? 26 : share;
}

// The arrow in the middle of a square of the image, at pixel (cx, cy): its direction, and half its length in pixels; 0:
// none.
struct Arrow {
  float dx = 0, dy = 0, length = 0;
};
// `full`: the speed at which an arrow fills its square.
template <class T>
PERTURB_HD Arrow arrow_of(const Velocity<T>& velocity, const PixelSampler& sampler, float full, int side, int cx,
                          int cy) {
  const GridPoint at = sampler.point(cx, cy);
  if (!sampler.inside(at)) return {};
  const int i = clamp_index(static_cast<int>(at.x), velocity.g.width),
            j = clamp_index(static_cast<int>(at.y), velocity.g.height);
  if (velocity.is_wall(i, j)) return {};
  const Moments m = velocity(i, j);
  const float speed = sqrtf(m.ux * m.ux + m.uy * m.uy), share = speed / full;
  if (!(share > 0.03f)) return {};
  return {m.ux / speed, m.uy / speed, (share < 1.f ? 0.25f + 0.75f * share : 1.f) * 0.45f * static_cast<float>(side)};
}

template <class T>
struct Paint {
  Pixels pixels;
  PixelSampler sampler;
  ShownCell<T> cell;
  View2D<const std::int16_t> outline;  // empty: walls are drawn as whole cells
  ColorScale scale;
  bool arrows;
  float arrow_speed;           // the speed at which an arrow fills its square
  View2D<const float> stream;  // the stream function at corners of cells; empty: no lines
  float stream_step;           // difference between lines
  bool probed;
  GridPoint probe;  // in cells

  PERTURB_HD void operator()(int px, int py) const {
    const GridPoint p = sampler.point(px, py);
    if (!sampler.inside(p)) {
      pixels(px, py) = outside_color();
      return;
    }
    const float solid = share_of_walls(p);
    pixels(px, py) = shade(px, py, p, solid, solid < 1.f ? scale(sampler.at(p, cell)) : 0u);
  }

  // CPU version: whole rows, whose pixels share the cells that they sample.
  void rows(int begin, int end, int width) const {
    const PixelSampler::Span columns = sampler.columns(width);
    const ShownRows<T> shown(cell, columns.begin, columns.end);
    // Whole rows at once: where a pixel covers several cells, each row of cells is then computed once.
    std::vector<float> value(static_cast<std::size_t>(width)), solid(value.size());
    const bool covering = arrows || !stream.empty();
    for (int py = begin; py < end; ++py) {
      std::uint32_t* out = pixels.row(py);
      const PixelSampler::Span span = sampler.inside(width, py);
      for (int px = 0; px < span.begin; ++px) out[px] = outside_color();
      for (int px = span.end; px < width; ++px) out[px] = outside_color();
      if (span.end <= span.begin) continue;
      sampler.values(span.begin, span.end, py, shown, value.data());
      scale.color(value.data(), span.end - span.begin, out + span.begin);
      const PixelSampler::Span ring = ring_in_row(py, width);
      const bool walls = read_walls(span.begin, span.end, py, solid.data());
      if (!walls && !covering && (ring.end <= span.begin || ring.begin >= span.end)) continue;
      // Most pixels have no overlay.
      for (int px = span.begin; px < span.end; ++px) {
        const float share = solid[static_cast<std::size_t>(px - span.begin)];
        if (covering || share > 0.f || (px >= ring.begin && px < ring.end))
          out[px] = shade(px, py, sampler.point(px, py), share, out[px]);
      }
    }
  }

 private:
  // Fraction of a pixel that is wall.
  PERTURB_HD float share_of_walls(GridPoint p) const {
    const Walls& walls = cell.velocity.walls;
    return walls.empty() ? 0.f : drawn() ? covered(p, 0.f) : sampler.average(p, WallOf{walls});
  }
  // The same for the pixels first .. last-1 of a row, to share[0], share[1], ...; returns whether any is not zero.
  bool read_walls(int first, int last, int py, float* share) const {
    const Walls& walls = cell.velocity.walls;
    if (walls.empty()) {
      std::fill_n(share, last - first, 0.f);
      return false;
    }
    bool any = false;
    if (drawn()) {
      sampler.linear().values(first, last, py, Distance{outline}, share);
      for (int k = 0; k < last - first; ++k) {
        share[k] = covered(share[k], 0.f);
        any = any || share[k] > 0.f;
      }
    } else {
      sampler.shares(first, last, py, WallOf{walls}, share);
      for (int k = 0; k < last - first; ++k) any = any || share[k] > 0.f;
    }
    return any;
  }
  // Draws the overlays on the flow's own colour, `packed`.
  PERTURB_HD std::uint32_t shade(int px, int py, GridPoint p, float solid, std::uint32_t packed) const {
    if (!(solid > 0.f) && !arrows && stream.empty() && !probed) return packed;
    Color c = solid < 1.f ? color_of(packed) : Color{0.f, 0.f, 0.f};
    if (solid > 0.f) c = mix_colors(c, wall_color(p), solid);
    if ((arrows || !stream.empty()) && solid < 1.f) {
      const float line = stream.empty() ? 0.f : 0.8f * (1.f - solid) * streamline(p),
                  head = arrows ? arrow(px, py) : 0.f;
      const float ink = line > head ? line : head;
      const float bright = 0.299f * c.r + 0.587f * c.g + 0.114f * c.b;
      if (ink > 0.f)
        c = mix_colors(c, bright > 110.f ? Color{20.f, 22.f, 26.f} : Color{240.f, 242.f, 246.f}, 0.8f * ink);
    }
    if (probed) {
      const float ink = ring(p);
      if (ink > 0.f) c = mix_colors(c, Color{255.f, 196.f, 64.f}, ink);
      if (ink < 0.f) c = mix_colors(c, Color{16.f, 18.f, 22.f}, -ink);
    }
    return pack_color(c);
  }

  // The probe's mark, of the same size at any zoom: a bright ring within a dark one, visible on every colormap.
  PERTURB_HD float ring(GridPoint p) const {
    const float size = static_cast<float>(square()) / 26.f;
    const float dx = (p.x - probe.x) / sampler.scale_x(), dy = (p.y - probe.y) / sampler.scale_y();
    const float r = sqrtf(dx * dx + dy * dy) / size;
    const float bright = 1.6f - fabsf(r - 6.f), dark = 2.8f - fabsf(r - 6.f);
    return bright > 0.f ? (bright < 1.f ? bright : 1.f) : dark > 0.f ? -0.7f * (dark < 1.f ? dark : 1.f) : 0.f;
  }
  // The first `width` pixels of a row that its mark may touch.
  PixelSampler::Span ring_in_row(int py, int width) const {
    if (!probed) return {0, 0};
    const float reach = 9.f * static_cast<float>(square()) / 26.f + 1.f;
    const GridPoint first = sampler.point(0, py);
    if (fabsf(first.y - probe.y) > reach * sampler.scale_y()) return {0, 0};
    const float at = (probe.x - first.x) / sampler.scale_x();
    if (!(at > -reach && at < static_cast<float>(width) + reach)) return {0, 0};
    return {static_cast<int>(floorf(at - reach)), static_cast<int>(floorf(at + reach)) + 2};
  }
  PERTURB_HD int square() const { return arrow_square(pixels.height); }
  PERTURB_HD bool drawn() const { return is_drawn(outline, sampler); }
  // Fraction of a pixel that is farther inside a wall than this, in pixels.
  PERTURB_HD float covered(GridPoint p, float inside) const {
    return covered(sample_linear(Distance{outline}, outline.width, outline.height, p), inside);
  }
  PERTURB_HD float covered(float distance, float inside) const {
    const float share = 0.5f - inside - distance / sampler.scale_x();
    return share < 0.f ? 0.f : share > 1.f ? 1.f : share;
  }

  // A muted grey with a dark edge, recognisable as a wall in every colormap.
  PERTURB_HD Color wall_color(GridPoint p) const {
    constexpr Color inside{92.f, 96.f, 104.f}, edge{52.f, 55.f, 62.f};
    if (drawn()) return mix_colors(edge, inside, covered(p, 1.6f));
    const float reach_x = 1.6f * sampler.scale_x(), reach_y = 1.6f * sampler.scale_y();
    const WallOf wall{cell.velocity.walls};
    const int width = cell.velocity.g.width, height = cell.velocity.g.height;
    const bool inner = sample_nearest(wall, width, height, {p.x - reach_x, p.y}) > 0.f &&
                       sample_nearest(wall, width, height, {p.x + reach_x, p.y}) > 0.f &&
                       sample_nearest(wall, width, height, {p.x, p.y - reach_y}) > 0.f &&
                       sample_nearest(wall, width, height, {p.x, p.y + reach_y}) > 0.f;
    return inner ? inside : edge;
  }

  // Fraction of a pixel that a streamline covers: where the stream function is a whole number of steps, within half the
  // line's width, from the function's gradient.
  PERTURB_HD float streamline(GridPoint p) const {
    const GridPoint corner{p.x + 0.5f, p.y + 0.5f};
    const float pixel = sampler.scale_x();
    const auto at = [&](float dx, float dy) {
      return sample_linear(stream, stream.width, stream.height, {corner.x + dx, corner.y + dy});
    };
    const float here = at(0.f, 0.f) / stream_step;
    const float sx = at(0.5f * pixel, 0.f) - at(-0.5f * pixel, 0.f),
                sy = at(0.f, 0.5f * pixel) - at(0.f, -0.5f * pixel);
    const float slope = sqrtf(sx * sx + sy * sy) / stream_step;  // steps per pixel
    // Fluid at rest has no lines; lines closer than pixels would merge into grey.
    if (!(slope > 1e-5f && slope < 0.4f)) return 0.f;
    const float line_width = static_cast<float>(square()) / 26.f;
    const float distance = fabsf(here - floorf(here + 0.5f)) / slope, ink = 0.5f * line_width + 0.5f - distance;
    return ink < 0.f ? 0.f : ink > 1.f ? 1.f : ink;
  }

  // One arrow per square of the image at any zoom: shaft and head from the distances to two short lines.
  PERTURB_HD float arrow(int px, int py) const {
    const int side = square(), cx = px / side * side + side / 2, cy = py / side * side + side / 2;
    const float stroke = static_cast<float>(side) / 26.f;
    const auto [dx, dy, length] = arrow_of(cell.velocity, sampler, arrow_speed, side, cx, cy);
    if (!(length > 0.f)) return 0.f;
    const float x = static_cast<float>(px - cx), y = static_cast<float>(py - cy);
    const float along = x * dx + y * dy, across = fabsf(y * dx - x * dy);
    float t = along < -length ? -length : along > length ? length : along;
    const float shaft = sqrtf((along - t) * (along - t) + across * across);
    // The head: a line at 30 degrees back from the tip, mirrored.
    const float back = length - along, u = 0.866f * back + 0.5f * across, head = 0.45f * length;
    t = u < 0.f ? 0.f : u > head ? head : u;
    const float hx = back - 0.866f * t, hy = across - 0.5f * t, barb = sqrtf(hx * hx + hy * hy);
    const float distance = (shaft < barb ? shaft : barb) / stroke;
    return distance < 0.6f ? 1.f : distance < 1.4f ? (1.4f - distance) / 0.8f : 0.f;
  }
};

}  // namespace perturb::lbm
