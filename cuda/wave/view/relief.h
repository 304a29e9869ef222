// Rendering of the surface in 3-D: one column of the image at a time, from front to back.
//
// A column of pixels shows one straight line over the ground, with evenly spaced samples. Going away from the eye, a
// sample is visible if it is higher in the image than all samples before it. So each sample is read once and each pixel
// is written once.
//
//        row                                  A thread draws one column (Relief). If there are too few columns for
//         ^          ,-.        _ visible     the machine, it draws a chunk of a column's samples: a first pass
//         |   ,-.   /   \     ,'              finds the highest row of each chunk (ReliefCrests), and the second
//         |  /   \_/     \___/  hidden        starts each chunk above all chunks before it (ReliefChunks). The
//         +--|---|---|---|---|--> samples     image is the same. It is also the same on CPU threads, which process
//                                             the samples of a column in vectors (relief_columns.cpp).
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/paint/sampling.h"
#include "cuda/wave/view/paint.h"

namespace perturb::wave {

// Lighting of a point on the water: the light relative to that of still water, and the sun's highlight, as a share of
// white.
struct Shine {
  float light, glint;
};

// Lengths in cells.
template <class Real>
struct Relief {
  Pixels pixels;
  View2D<const Real> u;
  View2D<const Real> medium;  // may be empty
  ColorScale scale;
  // Lines of the pixel columns over the ground: that of column px goes through `line` plus px + 1/2 times the second
  // vector, in the direction `ahead` (of length 1).
  GridPoint line, beside, ahead;
  // The row, from the image's lower edge, of a point at distance `t` along the line and height `z`: row + t row_along +
  // z row_up.
  float row, row_along, row_up;
  float stride;                                       // from sample to sample along the line
  float pixel;                                        // a pixel's width
  float rise;                                         // z per unit of u
  float highest;                                      // maximum of |z|
  float wall_top;                                     // z
  float bottom;                                       // z of the tank's floor, below zero
  float light_rise;                                   // as `rise`, for the light
  float sun_x, sun_y, sun_z, half_x, half_y, half_z;  // towards the sun, and between it and the eye; of length 1
  float per_sun_z;                                    // the sun's share of the light on still water, over sun_z
  float still_glint;                                  // of still water; subtracted, so that it has its plain colour
  int mark_count;
  Mark marks[max_wave_sources + 1];

  // The sixteen cells around a point. Four of them give the height by bilinear interpolation, twelve the slope, from
  // central differences interpolated in the same way.
  struct Patch {
    int i[4], j[4];
    float a, b;
    PERTURB_HD Patch(GridPoint p, int width, int height) {
      const float x = p.x - 0.5f, y = p.y - 0.5f, fx = floorf(x), fy = floorf(y);
      a = x - fx;
      b = y - fy;
      const int left = static_cast<int>(fx) - 1, low = static_cast<int>(fy) - 1;
      const bool inside = left >= 0 && low >= 0 && left + 3 < width && low + 3 < height;
      for (int k = 0; k < 4; ++k) {
        i[k] = inside ? left + k : clamp_index(left + k, width);
        j[k] = inside ? low + k : clamp_index(low + k, height);
      }
    }
    PERTURB_HD static float mix(float from, float to, float share) { return from + share * (to - from); }
    PERTURB_HD float height(View2D<const Real> u) const {
      const Real *low = u.row(j[1]), *high = u.row(j[2]);
      return mix(mix(static_cast<float>(low[i[1]]), static_cast<float>(low[i[2]]), a),
                 mix(static_cast<float>(high[i[1]]), static_cast<float>(high[i[2]]), a), b);
    }
    PERTURB_HD GridPoint slope(View2D<const Real> u) const {
      const Real *r0 = u.row(j[0]), *r1 = u.row(j[1]), *r2 = u.row(j[2]), *r3 = u.row(j[3]);
      return {0.5f * mix(across(r1, r1, 0, 2), across(r2, r2, 0, 2), b),
              0.5f * mix(across(r0, r2, 1, 1), across(r1, r3, 1, 1), b)};
    }
    // The difference between cell `to` of the row `high` and cell `from` of the row `low`, interpolated with that of
    // their right neighbours.
    PERTURB_HD float across(const Real* low, const Real* high, int from, int to) const {
      return mix(static_cast<float>(high[i[to]] - low[i[from]]), static_cast<float>(high[i[to + 1]] - low[i[from + 1]]),
                 a);
    }
  };
  struct Place {
    float row = 0, value = 0, light = 1, glint = 0, mark = 0;
    bool wall = false;
  };

  // The line of a column of pixels. Samples 0 ... samples - 1 are at distances `first` to `last` along it.
  struct Line {
    GridPoint from;
    float first = 0, last = 0;
    bool has_front = false;  // the front of the tank is visible at the first sample
    int samples = 0;
  };
  PERTURB_HD Line line_of(int px) const {
    const float middle = static_cast<float>(px) + 0.5f;
    Line l;
    l.from = {line.x + middle * beside.x, line.y + middle * beside.y};
    l.first = -1e30f;
    l.last = 1e30f;
    cut(l.from.x, ahead.x, static_cast<float>(u.width), l.first, l.last);
    cut(l.from.y, ahead.y, static_cast<float>(u.height), l.first, l.last);
    if (!(l.first < l.last)) return l;
    // Samples below the lower and above the upper edge of the image are skipped.
    const float below = (-row - highest * row_up) / row_along - stride;
    const float above = (static_cast<float>(pixels.height) - row + highest * row_up) / row_along + stride;
    l.has_front = l.first > below;
    if (l.first < below) l.first = below;
    if (l.last > above) l.last = above;
    if (l.first < l.last) l.samples = 1 + static_cast<int>(ceilf((l.last - l.first) / stride));
    return l;
  }
  PERTURB_HD float distance_of(const Line& l, int k) const {
    return k == l.samples - 1 ? l.last : l.first + static_cast<float>(k) * stride;
  }

  PERTURB_HD void operator()(int px) const {
    const Line l = line_of(px);
    finish(px, l.samples > 0 ? draw(px, l, 0, l.samples, 0) : 0);
  }
  PERTURB_HD void finish(int px, int top) const {
    for (; top < pixels.height; ++top) pixels(px, top) = outside_color();
  }

  // Clips the line to [0, size] along one axis.
  PERTURB_HD static void cut(float from, float along, float size, float& first, float& last) {
    if (along < 1e-6f && along > -1e-6f) {
      if (!(from >= 0.f && from < size)) last = -1e30f;
      return;
    }
    const float a = -from / along, b = (size - from) / along;
    first = fmaxf(first, fminf(a, b));
    last = fminf(last, fmaxf(a, b));
  }

  // Draws the samples [begin, end) above the row `top`, and returns the first row above them.
  PERTURB_HD int draw(int px, const Line& l, int begin, int end, int top) const {
    Place before = look(l.from, distance_of(l, begin > 0 ? begin - 1 : 0));
    if (begin == 0) {
      if (l.has_front) {
        top = fill(px, top, floor_row(l), outside_color());
        top = fill(px, top, before.row, before.wall ? wall_side() : front_side());
      } else {
        top = fill(px, top, before.row, color(before, before, 0.f));
      }
      begin = 1;
    }
    for (int k = begin; k < end && top < pixels.height; ++k) {
      const Place here = look(l.from, distance_of(l, k), static_cast<float>(top));
      if (!(here.row <= static_cast<float>(top) + 0.5f)) {
        if (here.wall && !before.wall) {
          top = fill(px, top, here.row, wall_side());
        } else {
          const float span = here.row - before.row, per_row = span > 0.f ? 1.f / span : 0.f;
          for (; top < pixels.height && static_cast<float>(top) + 0.5f <= here.row; ++top) {
            const float back = (here.row - static_cast<float>(top) - 0.5f) * per_row;
            pixels(px, top) = color(here, before, before.wall == here.wall ? back : 0.f);
          }
        }
      }
      before = here;
    }
    return top;
  }
  // The highest row that the samples [begin, end) reach in the image.
  PERTURB_HD float crest(const Line& l, int begin, int end) const {
    constexpr float light_of_none = 1e30f;  // skips the lighting: only heights are needed
    float max_row = begin == 0 && l.has_front ? floor_row(l) : -1e30f;
    for (int k = begin; k < end; ++k) {
      const float high = look(l.from, distance_of(l, k), light_of_none).row;
      max_row = high > max_row ? high : max_row;
    }
    return max_row;
  }
  // The row of the tank's floor at its front.
  PERTURB_HD float floor_row(const Line& l) const { return row + l.first * row_along + bottom * row_up; }
  // The first row that is not covered by something which reaches up to `end`, as in fill().
  PERTURB_HD int first_above(float end) const {
    const float rows = floorf(end - 0.5f) + 1.f;
    return rows <= 0.f ? 0 : rows >= static_cast<float>(pixels.height) ? pixels.height : static_cast<int>(rows);
  }

  PERTURB_HD int fill(int px, int top, float end, std::uint32_t packed) const {
    for (; top < pixels.height && static_cast<float>(top) + 0.5f <= end; ++top) pixels(px, top) = packed;
    return top;
  }

  // Returns the point at `t`; its lighting only if it is visible above the row `hidden_below`.
  PERTURB_HD Place look(GridPoint from, float t, float hidden_below = -1e30f) const {
    const GridPoint p{from.x + t * ahead.x, from.y + t * ahead.y};
    Place place;
    float factor = 1.f;
    if (!medium.empty()) {
      const Real m = medium(clamp_index(static_cast<int>(p.x), u.width), clamp_index(static_cast<int>(p.y), u.height));
      place.wall = is_wall(m);
      factor = fabsf(static_cast<float>(m));
    }
    const Patch patch(p, u.width, u.height);
    place.value = patch.height(u);
    float z = place.wall ? wall_top : rise * place.value;
    z = z > highest ? highest : !(z >= -highest) ? -highest : z;  // NaN is drawn at the bottom
    place.row = row + t * row_along + z * row_up;
    if (place.row <= hidden_below || place.wall) return place;
    const Shine shone = shine(patch.slope(u), factor);
    place.light = shone.light;
    place.glint = shone.glint;
    for (int m = 0; m < mark_count; ++m) {
      const float share = marks[m].share(p, pixel);
      place.mark = share > place.mark ? share : place.mark;
    }
    return place;
  }

  // Lighting of water with this slope, where the wave speed is `factor` times c.
  PERTURB_HD Shine shine(GridPoint slope, float factor) const {
    const float nx = -light_rise * slope.x, ny = -light_rise * slope.y;
    const float inverse = 1.f / sqrtf(nx * nx + ny * ny + 1.f);
    const float facing = (nx * sun_x + ny * sun_y + sun_z) * inverse;
    // Slower and faster water has a slight shade.
    float dimmed = 1.f - 0.3f * (1.f - factor);
    dimmed = dimmed < 0.7f ? 0.7f : dimmed > 1.2f ? 1.2f : dimmed;
    const float light = 0.45f + per_sun_z * facing;
    const float glint = glint_of((nx * half_x + ny * half_y + half_z) * inverse) - still_glint;
    return {dimmed * (light < 0.3f ? 0.3f : light > 1.35f ? 1.35f : light), glint > 0.f ? 0.7f * glint : 0.f};
  }

  // The specular highlight: the cosine between the surface normal and the half vector (Blinn-Phong), to the power of
  // 64.
  PERTURB_HD static float glint_of(float cosine) {
    float glint = cosine > 0.f ? cosine * cosine : 0.f;
    glint *= glint;
    glint *= glint;
    glint *= glint;
    glint *= glint;
    glint *= glint;
    return glint;
  }

  // Colour between two neighbours along the line, at the fraction `back` from `a` to `b`.
  PERTURB_HD std::uint32_t color(const Place& a, const Place& b, float back) const {
    if (a.wall) return wall_top_color();
    return water_color(scale(Patch::mix(a.value, b.value, back)), Patch::mix(a.light, b.light, back),
                       Patch::mix(a.glint, b.glint, back), Patch::mix(a.mark, b.mark, back));
  }
  // Colour of lit water whose height has the colour `packed`.
  PERTURB_HD static std::uint32_t water_color(std::uint32_t packed, float light, float glint, float mark) {
    const Color table = color_of(packed);
    Color c{light * table.r, light * table.g, light * table.b};
    c = mix_colors(c, {250.f, 252.f, 255.f}, glint);
    return pack_color(mark > 0.f ? mix_colors(c, {38.f, 40.f, 46.f}, mark) : c);
  }

  PERTURB_HD static std::uint32_t wall_side() { return rgba(72, 76, 84); }
  PERTURB_HD static std::uint32_t wall_top_color() { return rgba(122, 127, 136); }
  PERTURB_HD static std::uint32_t front_side() { return rgba(13, 44, 68); }
};

// Samples per thread where there are too few columns: enough threads for a GPU at a thousand columns, and few chunks
// whose crests each thread must read.
inline constexpr int relief_chunk = 32;

template <class Real>
struct ReliefCrests {
  Relief<Real> relief;
  View2D<float> crests;  // [chunks][columns]
  PERTURB_HD void operator()(int px, int chunk) const {
    const auto l = relief.line_of(px);
    const int begin = chunk * relief_chunk, end = begin + relief_chunk;
    crests(px, chunk) = begin < l.samples ? relief.crest(l, begin, end < l.samples ? end : l.samples) : -1e30f;
  }
};

template <class Real>
struct ReliefChunks {
  Relief<Real> relief;
  View2D<const float> crests;
  PERTURB_HD void operator()(int px, int chunk) const {
    const auto l = relief.line_of(px);
    const int begin = chunk * relief_chunk, end = begin + relief_chunk;
    if (l.samples == 0 && chunk == 0) relief.finish(px, 0);
    if (begin >= l.samples) return;
    float max_row = -1e30f;
    for (int before = 0; before < chunk; ++before) {
      const float high = crests(px, before);
      max_row = high > max_row ? high : max_row;
    }
    const int top = relief.draw(px, l, begin, end < l.samples ? end : l.samples, relief.first_above(max_row));
    if (end >= l.samples) relief.finish(px, top);
  }
};

// Draws all columns on CPU threads: bit-identical to Relief, with the samples of a column in vectors. Real: float,
// double.
template <class Real>
void relief_columns(Backend& backend, const Relief<Real>& relief);

}  // namespace perturb::wave
