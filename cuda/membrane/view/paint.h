// Colours of the membrane: every pixel from the field itself, at any zoom.
#pragma once

#include "cuda/core/math/random.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/membrane/model/discretisation.h"

namespace perturb::membrane {

// In the order of the menu.
enum class Shown { displacement, amplitude, sand, load, error, patch_error, over, degree, sparsity };

struct Paint {
  Pixels pixels;
  PixelToDomain map;
  SolutionField field;
  const double* quadrature;  // coefficients of an amplitude's quadrature component; null: none
  const CellError* errors;   // by patch
  ColorScale scale;
  Shown shown;
  Source source;
  FormulaProgram formula;
  Known known;
  float factor;   // time factor of the amplitude
  float largest;  // the largest |u|, the scale of sand and nodal lines; 0: no motion
  bool patches, cells, nodal_lines, mark, slit;
  std::uint32_t seed;

  PERTURB_HD void operator()(int px, int py) const {
    const double x = at_x(px), y = at_y(py);
    if (!inside(x, y)) {
      pixels(px, py) = outside_color();
      return;
    }
    float u = 0.f, right = 0.f, above = 0.f;
    if (needs_field()) {
      const double here = field.value(x, y);
      u = static_cast<float>(quadrature ? hypot(here, SolutionField{field.view, quadrature}.value(x, y)) : here);
      if (nodal_lines) {
        right = inside(x + map.dx, y) ? static_cast<float>(field.value(x + map.dx, y)) : u;
        above = y + map.dy < 1 ? static_cast<float>(field.value(x, y + map.dy)) : u;
      }
    }
    pixels(px, py) = color(x, y, u, right, above);
  }

  // On the CPU: a run of pixels at once.
  void row(int begin, int end, int py) const {
    std::uint32_t* out = pixels.row(py);
    const double y = at_y(py);
    const auto is_inside = [&](int px) { return inside(at_x(px), y); };
    int first = begin, last = end;
    while (first < last && !is_inside(first)) out[first++] = outside_color();
    while (last > first && !is_inside(last - 1)) out[--last] = outside_color();
    constexpr int run = 256;
    double here[run + 1], above[run + 1];
    float u[run + 1], values[run];
    for (int from = first; from < last; from += run) {
      const int to = last < from + run ? last : from + run, points = to - from;
      // One more to the right, for the slope of the last.
      const int count = points + (is_inside(to) ? 1 : 0);
      if (needs_field()) {
        field.row(y, at_x(from), map.dx, count, here);
        if (quadrature) {
          SolutionField{field.view, quadrature}.row(y, at_x(from), map.dx, count, above);
          for (int k = 0; k < count; ++k) here[k] = hypot(here[k], above[k]);
        }
      }
      for (int k = 0; k < count; ++k) u[k] = needs_field() ? static_cast<float>(here[k]) : 0.f;
      if (count == points) u[points] = u[points - 1];
      if (nodal_lines) field.row(y + map.dy < 1 ? y + map.dy : y, at_x(from), map.dx, count, above);
      const auto above_of = [&](int k) { return nodal_lines ? static_cast<float>(above[k]) : u[k]; };
      for (int k = 0; k < points; ++k)
        values[k] = shown == Shown::displacement ? factor * u[k] : value(at_x(from + k), y, u[k]);
      scale.color(values, points, out + from);
      if (shown == Shown::sparsity) continue;
      if (has_nodal_lines()) {
        for (int k = 0; k < points; ++k) values[k] = line_share(u[k], u[k + 1], above_of(k));
        for (int k = 0; k < points; ++k)
          if (values[k] > 0.f) out[from + k] = mix_colors(out[from + k], line_color(), values[k]);
      }
      draw_over(from, to, y, out);
    }
  }

 private:
  PERTURB_HD double at_x(int px) const { return map.x0 + (px + 0.5) * map.dx; }
  PERTURB_HD double at_y(int py) const { return map.y0 + (py + 0.5) * map.dy; }
  PERTURB_HD bool inside(double x, double y) const {
    return x >= 0 && x < 1 && y >= 0 && y < 1 && (shown == Shown::sparsity || field.view.domain.contains(x, y));
  }
  // Whether a point is on the slit, which is drawn two pixels wide in the colour of what is outside.
  PERTURB_HD bool on_slit(double x, double y) const {
    return slit && x >= Domain::tip && fabs(y - Domain::tip) < map.dy;
  }
  PERTURB_HD bool needs_field() const {
    return nodal_lines || shown == Shown::displacement || shown == Shown::amplitude || shown == Shown::sand ||
           shown == Shown::error;
  }

  PERTURB_HD std::uint32_t color(double x, double y, float u, float right, float above) const {
    std::uint32_t c = scale(value(x, y, u));
    if (shown == Shown::sparsity) return c;
    if (has_nodal_lines()) {
      const float share = line_share(u, right, above);
      if (share > 0.f) c = mix_colors(c, line_color(), share);
    }
    if (patches || cells) c = grid(c, x, y);
    if (on_slit(x, y)) c = outside_color();
    return mark ? ring(c, x, y) : c;
  }

  // Draws grid and ring over a run of pixels.
  void draw_over(int from, int to, double y, std::uint32_t* out) const {
    if (patches || cells) {
      const bool all = near_a_line(y);
      for (int px = from; px < to; ++px)
        if (all || near_a_line(at_x(px))) out[px] = grid(out[px], at_x(px), y);
    }
    for (int px = from; slit && px < to; ++px)
      if (on_slit(at_x(px), y)) out[px] = outside_color();
    if (mark)
      for (int px = from; px < to; ++px) out[px] = ring(out[px], at_x(px), y);
  }

  PERTURB_HD bool has_nodal_lines() const { return nodal_lines && largest > 0.f; }
  // Coverage of a nodal line, from the distance in pixels to the zero of the plane through three pixels; no line where
  // the amplitude is nearly zero.
  PERTURB_HD float line_share(float u, float right, float above) const {
    const float dx = right - u, dy = above - u, slope = sqrtf(dx * dx + dy * dy);
    const float away = slope > 1e-9f * largest ? fabsf(u) / slope : 1e9f;
    return away < 0.6f ? 0.85f : away < 1.6f ? 0.85f * (1.6f - away) : 0.f;
  }
  // Outline of the load.
  PERTURB_HD std::uint32_t ring(std::uint32_t c, double x, double y) const {
    const double ex = x - source.x, ey = y - source.y, radius = 1 / source.per_width;
    const float from_ring = static_cast<float>(fabs(sqrt(ex * ex + ey * ey) - radius) / map.dx);
    if (!(from_ring < 1.6f)) return c;
    return mix_colors(c, {60.f, 62.f, 70.f}, from_ring < 0.6f ? 0.7f : 0.7f * (1.6f - from_ring));
  }
  PERTURB_HD Color line_color() const {
    return shown == Shown::sand ? Color{230.f, 170.f, 70.f} : Color{30.f, 32.f, 38.f};
  }

  PERTURB_HD float value(double x, double y, float u) const {
    switch (shown) {
      case Shown::displacement:
        return factor * u;
      case Shown::amplitude:
        return fabsf(u);
      case Shown::sand:
        return sand(x, y, u);
      case Shown::load:
        return static_cast<float>(source.of_formula != 0 ? source.of_formula * formula(x, y) : source(x, y));
      case Shown::error:
        return known.is_known ? fabsf(u - static_cast<float>(known.value(x, y))) : 0.f;
      case Shown::patch_error: {
        const int leaf = field.view.leaf(x, y);
        const double side = 1.0 / static_cast<double>(1 << field.view.patches[leaf].level);
        return known.is_known ? static_cast<float>(sqrt(errors[leaf].value2) / side) : 0.f;
      }
      case Shown::over: {
        int list[max_patches_over_point];
        return static_cast<float>(field.view.patches_over(x, y, list));
      }
      case Shown::degree:
        return static_cast<float>(field.view.patches[field.view.leaf(x, y)].degree);
      case Shown::sparsity:
        return pattern(x, y);
    }
    return 0.f;
  }

  // Sand settles where the amplitude is small. The grains have fixed positions on a fine grid, so that they stay in
  // place when the view moves.
  PERTURB_HD float sand(double x, double y, float u) const {
    if (!(largest > 0.f)) return 0.f;
    const float t = u / (0.06f * largest), share = 1.f / (1.f + t * t * t * t);
    constexpr double grains = 640;
    const auto gx = static_cast<std::uint64_t>(x * grains), gy = static_cast<std::uint64_t>(y * grains);
    const Random4 r = philox(seed, 0, gy * 640 + gx);
    const float sample = uniform_float(r.v[0]);
    return sample < share ? 0.55f + 0.45f * uniform_float(r.v[1]) : 0.05f + 0.06f * share;
  }

  // Sparsity pattern, rows from the top, columns from the left: whether the patches of this pixel overlap.
  PERTURB_HD float pattern(double x, double y) const {
    const double count = field.view.count;
    const int row = static_cast<int>((1 - y) * count), last = field.view.count - 1;
    const int i = row < 0 ? 0 : row > last ? last : row;
    const int from = static_cast<int>((x - 0.5 * map.dx) * count), to = static_cast<int>((x + 0.5 * map.dx) * count);
    for (std::int64_t k = field.view.row[i]; k < field.view.row[i + 1]; ++k)
      if (field.view.column[k] >= from && field.view.column[k] <= to) return field.view.column[k] == i ? 1.f : 0.75f;
    return 0.f;
  }

  // Thin lines along the cover's cells, or along the integration cells; they fade if their distance is less than a few
  // pixels.
  PERTURB_HD std::uint32_t grid(std::uint32_t c, double x, double y) const {
    const SpaceView& view = field.view;
    const int leaf = view.leaf(x, y);
    const Patch& p = view.patches[leaf];
    const double side = 1.0 / static_cast<double>(1 << p.level);
    const auto lay = [&](double x0, double x1, double y0, double y1, Color ink, float most) {
      double away = x - x0 < x1 - x ? x - x0 : x1 - x;
      const double vertical = y - y0 < y1 - y ? y - y0 : y1 - y;
      away = away < vertical ? away : vertical;
      const double narrow = (x1 - x0 < y1 - y0 ? x1 - x0 : y1 - y0) / map.dx;
      const float fade = narrow > 8 ? 1.f : narrow < 3 ? 0.f : static_cast<float>((narrow - 3) / 5);
      const float from_line = static_cast<float>(away / map.dx);
      if (from_line < 1.f) c = mix_colors(c, ink, most * fade * (1.f - from_line * from_line));
    };
    if (cells) {
      const Color ink{70.f, 150.f, 190.f};
      if (view.uniform) {
        const int px = piece(x), py = piece(y);
        lay(piece_begin(px, view.per_side, view.overlap), piece_end(px, view.per_side, view.overlap),
            piece_begin(py, view.per_side, view.overlap), piece_end(py, view.per_side, view.overlap), ink, 0.8f);
      } else {
        for (int k = view.patch_begin[leaf]; k < view.patch_begin[leaf + 1]; ++k) {
          const CutCell& cut = view.cells[view.patch_cells[k]];
          if (x >= cut.x0 && x < cut.x1 && y >= cut.y0 && y < cut.y1) lay(cut.x0, cut.x1, cut.y0, cut.y1, ink, 0.8f);
        }
      }
    }
    if (patches)
      lay(p.x - 0.5 * side, p.x + 0.5 * side, p.y - 0.5 * side, p.y + 0.5 * side, {96.f, 100.f, 110.f}, 0.9f);
    return c;
  }
  // Whether a line of the grid may be within a pixel of this position along x or y. (Sides of leaves are sides of the
  // finest cells; cut cells end anywhere.)
  bool near_a_line(double at) const {
    const SpaceView& view = field.view;
    if (cells && !view.uniform) return true;
    const double within = 1.001 * map.dx * view.per_side, in_cell = at * view.per_side - floor(at * view.per_side);
    if (in_cell < within || 1 - in_cell < within) return true;
    const double reach = 0.5 * (view.overlap - 1);
    return cells && (fabs(in_cell - reach) < within || fabs(1 - in_cell - reach) < within);
  }
  PERTURB_HD int piece(double at) const {
    const SpaceView& view = field.view;
    int k = 2 * view.along(at);
    if (k > 0 && at < piece_begin(k, view.per_side, view.overlap)) --k;
    if (k < 2 * view.per_side - 2 && at >= piece_end(k, view.per_side, view.overlap)) ++k;
    return k;
  }
};

// Computes the samples for files, and their extremes.
struct Sums {
  float low = 3e38f, high = -3e38f, error = 0;
  int not_finite = 0;
  PERTURB_HD void merge(const Sums& other) {
    low = other.low < low ? other.low : low;
    high = other.high > high ? other.high : high;
    error = other.error > error ? other.error : error;
    not_finite += other.not_finite;
  }
  PERTURB_HD void add(double u, double away) {
    const auto value = static_cast<float>(u), distance = static_cast<float>(away < 0 ? -away : away);
    if (!(value - value == 0.f)) ++not_finite;
    low = value < low ? value : low;
    high = value > high ? value : high;
    error = distance > error ? distance : error;
  }
};
struct Sample {
  SolutionField field;
  const double* quadrature;  // as for the image: the extremes are then the amplitude's
  Known known;
  View2D<double> to;

  PERTURB_HD double x(int i) const { return (i + 0.5) / to.width; }
  PERTURB_HD double y(int j) const { return (j + 0.5) / to.height; }
  PERTURB_HD void operator()(int i, int j, Sums& sums) const {
    const double u = field.value(x(i), y(j));
    take(i, j, u, quadrature ? amplitude(u, SolutionField{field.view, quadrature}.value(x(i), y(j))) : u, sums);
  }
  void row(int begin, int end, int j, Sums& sums) const {
    constexpr int run = 256;
    double values[run], beside[run];
    for (int from = begin; from < end; from += run) {
      const int count = end - from < run ? end - from : run;
      field.row(y(j), x(from), 1.0 / to.width, count, values);
      if (quadrature) SolutionField{field.view, quadrature}.row(y(j), x(from), 1.0 / to.width, count, beside);
      for (int k = 0; k < count; ++k)
        take(from + k, j, values[k], quadrature ? amplitude(values[k], beside[k]) : values[k], sums);
    }
  }

 private:
  // hypot() guards against overflow, for several times the cost.
  PERTURB_HD static double amplitude(double u, double q) { return sqrt(multiply_add(u, u, q * q)); }
  PERTURB_HD void take(int i, int j, double u, double most, Sums& sums) const {
    to(i, j) = u;
    if (!field.view.domain.contains(x(i), y(j))) return;
    sums.add(most, known.is_known ? u - known.value(x(i), y(j)) : 0);
  }
};

// The field at one point, for the status bar.
struct Probe {
  SolutionField field;
  double x, y;
  double* to;
  PERTURB_HD void operator()(int) const { *to = field.value(x, y); }
};

}  // namespace perturb::membrane
