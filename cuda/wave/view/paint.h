// Rendering of the tank: one pixel at a time, directly from the fields. The colours suit a dark window.
#pragma once

#include <algorithm>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/math/geometry.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/paint/sampling.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

enum class Shown { height, velocity, water, speed, intensity, surface };

// Value of a cell for the sampler: its velocity.
template <class Real>
struct VelocityOf {
  View2D<const Real> u, u_previous;
  float per_step;
  PERTURB_HD float operator()(int i, int j) const { return static_cast<float>(u(i, j) - u_previous(i, j)) * per_step; }
};
template <class Real>
struct WallOf {
  View2D<const Real> medium;
  PERTURB_HD float operator()(int i, int j) const { return is_wall(medium(i, j)) ? 1.f : 0.f; }
};
template <class Real>
struct FactorOf {
  View2D<const Real> medium;
  PERTURB_HD float operator()(int i, int j) const { return fabsf(static_cast<float>(medium(i, j))); }
};
// The slope along x (or y) by central differences, one-sided at the edge.
template <class Real>
struct SlopeOf {
  View2D<const Real> u;
  float per_cell;
  bool along_y;
  PERTURB_HD float operator()(int i, int j) const {
    const int i0 = along_y ? i : clamp_index(i - 1, u.width), i1 = along_y ? i : clamp_index(i + 1, u.width);
    const int j0 = along_y ? clamp_index(j - 1, u.height) : j, j1 = along_y ? clamp_index(j + 1, u.height) : j;
    return static_cast<float>(u(i1, j1) - u(i0, j0)) * (0.5f * per_cell);
  }
};

// Mark of a hard source: a ring around its cells. In cells.
struct Mark {
  float x0, y0, x1, y1, radius;

  // Area in which pixels of side `width` cells may have the mark's colour.
  struct Box {
    float x0, y0, x1, y1;
  };
  PERTURB_HD Box box(float width) const {
    const float reach = radius + 4.f * width;
    return {(x0 < x1 ? x0 : x1) - reach, (y0 < y1 ? y0 : y1) - reach, (x0 > x1 ? x0 : x1) + reach,
            (y0 > y1 ? y0 : y1) + reach};
  }

  // Opacity of the ring at a pixel of side `width` cells; the ring is two pixels away from the disc.
  PERTURB_HD float share(GridPoint p, float width) const {
    // Most pixels are far away, so testing the box suffices.
    const Box near = box(width);
    if (p.x < near.x0 || p.x > near.x1 || p.y < near.y0 || p.y > near.y1) return 0.f;
    const float distance2 = CellSegment{x0, y0, x1, y1}.distance2_of(p.x, p.y);
    const float away = fabsf(sqrtf(distance2) - radius - 2.f * width) / width;
    return away > 1.6f ? 0.f : away < 0.6f ? 0.75f : 0.75f * (1.6f - away);
  }
};

// The surface in the light of a low sun at the upper left: a diffuse colour that depends on the slope towards it, and a
// specular highlight for an eye that looks straight down (Blinn-Phong half vector). The colormap "water" has these
// colours for slopes along the sun's azimuth. Without branches, so that it vectorises over pixels.
struct Light {
  float exaggeration;  // of slopes

  // `steepest`: the slope at which the shading saturates.
  PERTURB_HD static Light of_range(float steepest) { return {0.75f / steepest}; }

  // Downhill slope along (-0.640, 0.768), the sun's azimuth.
  PERTURB_HD static float facing(float slope_x, float slope_y) { return 0.640f * slope_x - 0.768f * slope_y; }

  PERTURB_HD Color operator()(float slope_x, float slope_y) const {
    const float nx = -exaggeration * slope_x, ny = -exaggeration * slope_y;
    const float inverse = 1.f / sqrtf(nx * nx + ny * ny + 1.f);
    const float diffuse = (-0.502f * nx + 0.602f * ny + 0.621f) * inverse;
    const float half = (-0.279f * nx + 0.334f * ny + 0.900f) * inverse;
    float glint = half > 0.f ? half * half : 0.f;  // to the power of 64
    glint *= glint;
    glint *= glint;
    glint *= glint;
    glint *= glint;
    glint *= glint;
    float t = 0.5f + 0.9f * (diffuse - 0.621f);
    t = t < 0.f ? 0.f : t > 1.f ? 1.f : t;
    const Color deep{8.f, 38.f, 66.f}, body{26.f, 98.f, 138.f}, bright{126.f, 200.f, 216.f};
    const Color low = mix_colors(deep, body, 2.f * t), high = mix_colors(body, bright, 2.f * t - 1.f);
    const bool dark = t < 0.5f;
    const Color c = mix_colors({dark ? low.r : high.r, dark ? low.g : high.g, dark ? low.b : high.b},
                               {250.f, 252.f, 255.f}, 0.85f * glint);
    const bool number = slope_x - slope_x == 0.f && slope_y - slope_y == 0.f;
    return {number ? c.r : 255.f, number ? c.g : 0.f, number ? c.b : 255.f};
  }

  // Colours of `count` pixels, on the CPU.
  void color(const float* slope_x, const float* slope_y, int count, std::uint32_t* out) const {
    const Light light = *this;  // a copy: the compiler must assume that storing a colour could change *this
    PERTURB_INDEPENDENT_ITERATIONS
    for (int k = 0; k < count; ++k) out[k] = pack_color(light(slope_x[k], slope_y[k]));
  }
};

template <class Real>
struct Paint {
  Pixels pixels;
  PixelSampler sampler;
  View2D<const Real> u, u_previous;
  View2D<const Real> medium;  // may be empty
  View2D<const Real> mean;    // <u²>; empty without a screen
  ColorScale scale;
  Shown shown;
  bool own_colors;      // the colours of Light instead of the table's
  float per_step;       // 1/dt
  float per_cell;       // 1/dx
  float steepest;       // water: the slope at which the shading saturates
  bool counts;          // the table's colours encode numbers: no shading
  bool medium_is_even;  // the speed is c everywhere: only walls to draw
  int mark_count;
  Mark marks[max_wave_sources + 1];  // the last one may be the screen

  PERTURB_HD void operator()(int px, int py) const {
    const GridPoint p = sampler.point(px, py);
    pixels(px, py) = sampler.inside(p) ? shade(p, look(p)) : outside_color();
  }

  // CPU version: a run of pixels at once, because neighbours share their cells.
  void row(int begin, int end, int py) const {
    std::uint32_t* out = pixels.row(py);
    const PixelSampler::Span span = sampler.inside(end, py);
    for (int px = begin; px < span.begin; ++px) out[px] = outside_color();
    for (int px = span.end; px < end; ++px) out[px] = outside_color();
    const Reach marked = marks_of_row(sampler.point(span.begin, py).y);
    Run run;
    for (int first = span.begin; first < span.end; first += Run::max_pixels) {
      run.first = first;
      run.count = (span.end < first + Run::max_pixels ? span.end : first + Run::max_pixels) - first;
      read_values(run, py);
      const bool even = read_medium(run, py);
      // Most pixels have no overlay, and the loop that colours them has no checks.
      color_run(run, out + first);
      if (even && !marked.any) continue;
      for (int k = 0; k < run.count; ++k) {
        const GridPoint p = sampler.point(first + k, py);
        if (run.wall[k] > 0.f || run.factor[k] != 1.f || (marked.any && p.x >= marked.x0 && p.x <= marked.x1))
          out[first + k] = shade(p, {run.value[k], run.slope[k], run.wall[k], run.factor[k]});
      }
    }
  }

 private:
  // Values that determine a pixel's colour: the shown value (for water, the slopes along x and y), the share covered by
  // walls, and the factor of the speed map.
  struct Look {
    float value, slope_y, wall, factor;
  };
  // The same for pixels first .. first+count-1 of a row, on the CPU.
  struct Run {
    static constexpr int max_pixels = 128;
    int first, count;
    float value[max_pixels], slope[max_pixels], wall[max_pixels], factor[max_pixels];
  };

  void read_values(Run& run, int py) const {
    const int last = run.first + run.count;
    const auto read = [&](const auto& cells, float* to) { sampler.values(run.first, last, py, cells, to); };
    if (shown == Shown::height) read(u, run.value);
    if (shown == Shown::velocity) read(VelocityOf<Real>{u, u_previous, per_step}, run.value);
    if (shown == Shown::intensity && !mean.empty()) read(mean, run.value);
    if (shown == Shown::intensity && mean.empty()) std::fill_n(run.value, run.count, 0.f);
    if (shown == Shown::water) {
      read(SlopeOf<Real>{u, per_cell, false}, run.value);
      read(SlopeOf<Real>{u, per_cell, true}, run.slope);
    } else {
      std::fill_n(run.slope, run.count, 0.f);
    }
  }

  // Reads walls and factors; returns whether there are no walls and every factor is 1.
  bool read_medium(Run& run, int py) const {
    if (medium.empty()) {
      std::fill_n(run.wall, run.count, 0.f);
      std::fill_n(run.factor, run.count, 1.f);
      return true;
    }
    const int last = run.first + run.count;
    if (sampler.minified()) {
      sampler.shares(run.first, last, py, WallOf<Real>{medium}, run.wall);
      std::fill_n(run.factor, run.count, 1.f);
      if (!medium_is_even) sampler.shares(run.first, last, py, FactorOf<Real>{medium}, run.factor);
    } else {  // the cell of the pixel, read once
      sampler.shares(run.first, last, py, medium, run.factor);
      for (int k = 0; k < run.count; ++k) {
        run.wall[k] = is_wall(run.factor[k]) ? 1.f : 0.f;
        run.factor[k] = fabsf(run.factor[k]);
      }
    }
    bool even = true;
    for (int k = 0; k < run.count; ++k) even = even && run.wall[k] <= 0.f && run.factor[k] == 1.f;
    return even;
  }

  // Computes the colours without overlays.
  void color_run(const Run& run, std::uint32_t* out) const {
    if (shown == Shown::water && own_colors) {
      Light::of_range(steepest).color(run.value, run.slope, run.count, out);
    } else if (shown == Shown::water) {
      for (int k = 0; k < run.count; ++k) out[k] = pack_color(lit(run.value[k], run.slope[k]));
    } else {
      scale.color(shown == Shown::speed ? run.factor : run.value, run.count, out);
    }
  }

  // Range along x that marks may cover in a row of pixels whose centres have this y.
  struct Reach {
    bool any = false;
    float x0 = 0, x1 = 0;
  };
  Reach marks_of_row(float y) const {
    Reach reach;
    for (int m = 0; m < mark_count; ++m) {
      const Mark::Box box = marks[m].box(sampler.scale_x());
      if (y < box.y0 || y > box.y1) continue;
      reach = {true, reach.any && reach.x0 < box.x0 ? reach.x0 : box.x0,
               reach.any && reach.x1 > box.x1 ? reach.x1 : box.x1};
    }
    return reach;
  }

  PERTURB_HD Look look(GridPoint p) const {
    Look l{0.f, 0.f, 0.f, 1.f};
    if (!medium.empty()) l.wall = sampler.average(p, WallOf<Real>{medium});
    if (!medium_is_even) l.factor = sampler.average(p, FactorOf<Real>{medium});
    if (l.wall >= 1.f) return l;
    if (shown == Shown::height) l.value = sampler.at(p, u);
    if (shown == Shown::intensity && !mean.empty()) l.value = sampler.at(p, mean);
    if (shown == Shown::velocity) l.value = sampler.at(p, VelocityOf<Real>{u, u_previous, per_step});
    if (shown == Shown::water) {
      l.value = sampler.at(p, SlopeOf<Real>{u, per_cell, false});
      l.slope_y = sampler.at(p, SlopeOf<Real>{u, per_cell, true});
    }
    return l;
  }

  PERTURB_HD std::uint32_t shade(GridPoint p, const Look& l) const {
    float mark = 0.f;
    for (int m = 0; m < mark_count; ++m) {
      const float share = marks[m].share(p, sampler.scale_x());
      mark = share > mark ? share : mark;
    }
    // Most pixels have just the table's colour, without overlays.
    const bool lit_by_slope = shown == Shown::water;
    if (!lit_by_slope && l.wall <= 0.f && mark <= 0.f && (counts || l.factor == 1.f || shown == Shown::speed))
      return scale(shown == Shown::speed ? l.factor : l.value);
    Color c = shown == Shown::speed ? color_of(scale(l.factor))
              : lit_by_slope        ? lit(l.value, l.slope_y)
                                    : color_of(scale(l.value));
    // Slower and faster water has a slight shade, so that a lens or a beach is visible without choosing the speed map.
    if (l.factor != 1.f && shown != Shown::speed && !counts) {
      float dimmed = 1.f - 0.3f * (1.f - l.factor);
      dimmed = dimmed < 0.7f ? 0.7f : dimmed > 1.2f ? 1.2f : dimmed;
      c = {c.r * dimmed, c.g * dimmed, c.b * dimmed};
    }
    if (l.wall > 0.f) c = mix_colors(c, wall_color(p), l.wall);
    if (mark > 0.f) c = mix_colors(c, {38.f, 40.f, 46.f}, mark);
    return pack_color(c);
  }

  PERTURB_HD Color lit(float slope_x, float slope_y) const {
    return own_colors ? Light::of_range(steepest)(slope_x, slope_y) : color_of(scale(Light::facing(slope_x, slope_y)));
  }

  // A muted grey with a dark edge, recognisable as a wall in every colormap.
  PERTURB_HD Color wall_color(GridPoint p) const {
    const float reach_x = 1.6f * sampler.scale_x(), reach_y = 1.6f * sampler.scale_y();
    const WallOf<Real> walls{medium};
    const bool inner = sample_nearest(walls, medium.width, medium.height, {p.x - reach_x, p.y}) > 0.f &&
                       sample_nearest(walls, medium.width, medium.height, {p.x + reach_x, p.y}) > 0.f &&
                       sample_nearest(walls, medium.width, medium.height, {p.x, p.y - reach_y}) > 0.f &&
                       sample_nearest(walls, medium.width, medium.height, {p.x, p.y + reach_y}) > 0.f;
    return inner ? Color{92.f, 96.f, 104.f} : Color{52.f, 55.f, 62.f};
  }
};

}  // namespace perturb::wave
