#include "cuda/wave/view/relief.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/paint/orbit.h"
#include "cuda/wave/view/picture.h"

namespace perturb::wave {

namespace {
// Shares of the tank's shorter side, or of half the longer one if that is more (a string): the height of the end of the
// colour range, the highest crest that is drawn (an unstable run must not fill the image), and the depth of the tank's
// floor.
constexpr double relief_of_range = 0.035, max_relief = 0.14, relief_floor = 0.05;
// The lighting uses smaller slopes than are drawn, so that steep ones do not become black.
constexpr double relief_light = 0.45;
constexpr int narrow = 64;          // with fewer columns, CPU threads have too little work
constexpr double many_cells = 1.5;  // in a pixel's width; then their means are drawn, not single ones

// Means over the cells of a finer tank. A cell with any wall is a wall, so that a thin one keeps closed.
template <class Real>
struct CoarseCells {
  PixelSampler sampler;  // its pixels are the coarse cells
  View2D<const Real> u, medium;
  View2D<float> coarse_u, coarse_medium;
  PERTURB_HD void operator()(int i, int j) const {
    const GridPoint p = sampler.point(i, j);
    coarse_u(i, j) = sampler.average(p, u);
    if (medium.empty()) return;
    const float factor = sampler.average(p, FactorOf<Real>{medium});
    coarse_medium(i, j) = sampler.average(p, WallOf<Real>{medium}) > 0.f ? -factor : factor;
  }
};

// Draws the cells of a tank, which may be coarser than those of the simulation: `cells_of_cell` of them side by side.
template <class Real>
void draw_relief(Backend& backend, Field<float>& crests, View2D<const Real> u, View2D<const Real> medium,
                 const Mark* marks, int mark_count, double cells_of_cell, Pixels pixels, const Camera& camera,
                 double low, double high, const ColorTable& table) {
  const double width = u.width, height = u.height;
  const double extent = std::max(std::min(width, height), 0.5 * std::max(width, height));
  const GroundView eye(camera, width, height);
  const PixelToDomain map = camera.pixel_to_domain(pixels.width, pixels.height, width, height);
  const auto real = [](double value) { return static_cast<float>(value); };
  Relief<Real> body{};
  body.pixels = pixels;
  body.u = u;
  body.medium = medium;
  body.scale = table.scale(low, high);
  const double ahead_x = -eye.right_y(), ahead_y = eye.right_x();
  // In cells along the image's width: the size of a pixel, and the distance of the left edge from the middle.
  const double pixel = map.dx * width / eye.scale(), left = (map.x0 - 0.5) * width / eye.scale();
  body.line = {real(0.5 * width + left * eye.right_x()), real(0.5 * height + left * eye.right_y())};
  body.beside = {real(pixel * eye.right_x()), real(pixel * eye.right_y())};
  body.ahead = {real(ahead_x), real(ahead_y)};
  const double rows_of_cell = eye.scale() / (height * map.dy);
  body.row = real((0.5 - map.y0) / map.dy);
  body.row_along = real(rows_of_cell * eye.sine());
  body.row_up = real(rows_of_cell * eye.cosine());
  // One sample per row, but not farther apart than a wave's shape allows, and not so close that a low view through the
  // highest waves takes too long.
  body.stride = real(std::clamp(pixel / eye.sine(), 0.25, std::max(1.25, pixel)));
  body.pixel = real(pixel);
  const double end = std::max({std::abs(low), std::abs(high), 1e-30}), rise = relief_of_range * extent / end;
  body.rise = real(rise);
  body.light_rise = real(relief_light * rise);
  body.highest = real(max_relief * extent);
  body.wall_top = real(1.5 * relief_of_range * extent);
  body.bottom = real(-relief_floor * extent);
  // The sun has the same position as in the 2-D view, and rotates with the tank.
  const Vector3<double> sun{-0.502, 0.602, 0.621};
  const Vector3<double> to_eye{-ahead_x * eye.cosine(), -ahead_y * eye.cosine(), eye.sine()}, sum = sun + to_eye;
  const double length = std::max(std::sqrt(dot(sum, sum)), 1e-9);
  body.sun_x = real(sun.x);
  body.sun_y = real(sun.y);
  body.sun_z = real(sun.z);
  body.per_sun_z = real(0.55 / sun.z);
  body.half_x = real(sum.x / length);
  body.half_y = real(sum.y / length);
  body.half_z = real(sum.z / length);
  body.still_glint = Relief<Real>::glint_of(body.half_z);
  body.mark_count = mark_count;
  const auto scaled = [&](float cells) { return real(static_cast<double>(cells) / cells_of_cell); };
  for (int m = 0; m < mark_count; ++m)
    body.marks[m] = {scaled(marks[m].x0), scaled(marks[m].y0), scaled(marks[m].x1), scaled(marks[m].y1),
                     scaled(marks[m].radius)};
  // The index of a cell must fit into an int.
  const bool numbered = body.u.stride <= std::numeric_limits<int>::max() / body.u.height;
  if (!backend.is_cuda() && pixels.width >= narrow && numbered) {
    relief_columns(backend, body);
    return;
  }
  // A line is at most as long as the tank's diagonal, and as the part that fits into the image's height.
  const double longest =
      std::min(std::hypot(width, height), (pixels.height + 2.0 * static_cast<double>(body.highest * body.row_up)) /
                                              static_cast<double>(body.row_along));
  const int chunks = 1 + static_cast<int>((longest / static_cast<double>(body.stride) + 4) / relief_chunk);
  if (crests.width() != pixels.width || crests.height() < chunks) {
    backend.synchronize();  // a pending frame may still read the old ones
    crests = Field<float>(backend, pixels.width, chunks, "crests of the surface in space");
  }
  const Range2D range{pixels.width, chunks};
  parallel_for(backend, "wave.relief_crests", range, ReliefCrests<Real>{body, crests.view()});
  parallel_for(backend, "wave.relief", range, ReliefChunks<Real>{body, std::as_const(crests).view()});
}

}  // namespace

template <class Real>
void paint_relief(const PaintInput<Real>& input, Pixels pixels, const Camera& camera, double low, double high,
                  const ColorTable& table) {
  const double width = input.grid.width, height = input.grid.height;
  const View2D<const Real> u = input.surface.u(), medium = input.medium.view();
  ReliefBuffers& buffers = input.relief;
  Mark marks[max_wave_sources + 1];
  const int mark_count = marks_of(input, marks);
  const double pixel = camera.pixel_to_domain(pixels.width, pixels.height, width, height).dx * width /
                       GroundView(camera, width, height).scale();
  if (pixel < many_cells) {
    draw_relief(input.backend, buffers.crests, u, medium, marks, mark_count, 1, pixels, camera, low, high, table);
    return;
  }
  const Range2D coarse{std::max(1, static_cast<int>(width / pixel)), std::max(1, static_cast<int>(height / pixel))};
  const auto prepare = [&](Field<float>& field, const char* what) {
    if (field.width() == coarse.width && field.height() == coarse.height) return;
    input.backend.synchronize();  // a pending frame may still read the old one
    field = Field<float>(input.backend, coarse.width, coarse.height, what);
  };
  prepare(buffers.u, "heights of the surface in space");
  if (!medium.empty()) prepare(buffers.medium, "speeds of the surface in space");
  const View2D<float> coarse_u = buffers.u.view();
  const View2D<float> coarse_medium = medium.empty() ? View2D<float>{} : buffers.medium.view();
  const PixelSampler sampler({0, 0, 1.f / static_cast<float>(coarse.width), 1.f / static_cast<float>(coarse.height)},
                             input.grid.width, input.grid.height, false);
  parallel_for(input.backend, "wave.relief_means", coarse,
               CoarseCells<Real>{sampler, u, medium, coarse_u, coarse_medium});
  draw_relief<float>(input.backend, buffers.crests, coarse_u, coarse_medium, marks, mark_count, width / coarse.width,
                     pixels, camera, low, high, table);
}

template void paint_relief(const PaintInput<float>&, Pixels, const Camera&, double, double, const ColorTable&);
template void paint_relief(const PaintInput<double>&, Pixels, const Camera&, double, double, const ColorTable&);

}  // namespace perturb::wave
