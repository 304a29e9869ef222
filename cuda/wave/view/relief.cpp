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
// Shares of the tank's shorter side: the height of the end of the colour range, the highest crest that is drawn (an
// unstable run must not fill the image), and the depth of the tank's floor.
constexpr double relief_of_range = 0.035, relief_at_most = 0.14, relief_floor = 0.05;
// The lighting uses smaller slopes than are drawn, so that steep ones do not become black.
constexpr double relief_light = 0.45;
constexpr int narrow = 64;  // with fewer columns, CPU threads have too little work
}  // namespace

template <class Real>
void paint_relief(const PaintInput<Real>& input, Pixels pixels, const Camera& camera, double low, double high,
                  const ColorTable& table) {
  const Grid& grid = input.grid;
  const double width = grid.width, height = grid.height, shorter = std::min(width, height);
  const GroundView eye(camera, width, height);
  const PixelToDomain map = camera.pixel_to_domain(pixels.width, pixels.height, width, height);
  const auto real = [](double value) { return static_cast<float>(value); };
  Relief<Real> body{};
  body.pixels = pixels;
  body.u = input.surface.u(), body.medium = input.medium.view();
  body.scale = table.scale(low, high);
  const double ahead_x = -eye.right_y(), ahead_y = eye.right_x();
  // In cells along the image's width: the size of a pixel, and the distance of the left edge from the middle.
  const double pixel = map.dx * width / eye.scale(), left = (map.x0 - 0.5) * width / eye.scale();
  body.line = {real(0.5 * width + left * eye.right_x()), real(0.5 * height + left * eye.right_y())};
  body.beside = {real(pixel * eye.right_x()), real(pixel * eye.right_y())};
  body.ahead = {real(ahead_x), real(ahead_y)};
  const double rows_of_cell = eye.scale() / (height * map.dy);
  body.row = real((0.5 - map.y0) / map.dy);
  body.row_along = real(rows_of_cell * eye.sine()), body.row_up = real(rows_of_cell * eye.cosine());
  // One sample per row, but not farther apart than a wave's shape allows, and not so close that a low view through the
  // highest waves takes too long.
  body.stride = real(std::clamp(pixel / eye.sine(), 0.25, std::max(1.25, pixel))), body.pixel = real(pixel);
  const double end = std::max({std::abs(low), std::abs(high), 1e-30}), rise = relief_of_range * shorter / end;
  body.rise = real(rise), body.light_rise = real(relief_light * rise);
  body.highest = real(relief_at_most * shorter);
  body.wall_top = real(1.5 * relief_of_range * shorter), body.bottom = real(-relief_floor * shorter);
  // The sun has the same position as in the 2-D view, and rotates with the tank.
  const Vector3<double> sun{-0.502, 0.602, 0.621};
  const Vector3<double> to_eye{-ahead_x * eye.cosine(), -ahead_y * eye.cosine(), eye.sine()}, sum = sun + to_eye;
  const double length = std::max(std::sqrt(dot(sum, sum)), 1e-9);
  body.sun_x = real(sun.x), body.sun_y = real(sun.y), body.sun_z = real(sun.z);
  body.per_sun_z = real(0.55 / sun.z);
  body.half_x = real(sum.x / length), body.half_y = real(sum.y / length), body.half_z = real(sum.z / length);
  body.still_glint = Relief<Real>::glint_of(body.half_z);
  body.mark_count = marks_of(input, body.marks);
  // The index of a cell must fit into an int.
  const bool numbered = body.u.stride <= std::numeric_limits<int>::max() / body.u.height;
  if (!input.backend.is_cuda() && pixels.width >= narrow && numbered) {
    relief_columns(input.backend, body);
    return;
  }
  // A line is at most as long as the tank's diagonal, and as the part that fits into the image's height.
  const double longest =
      std::min(std::hypot(width, height), (pixels.height + 2.0 * static_cast<double>(body.highest * body.row_up)) /
                                              static_cast<double>(body.row_along));
  const int chunks = 1 + static_cast<int>((longest / static_cast<double>(body.stride) + 4) / relief_chunk);
  Field<float>& crests = input.crests;
  if (crests.width() != pixels.width || crests.height() < chunks) {
    input.backend.synchronize();  // a pending frame may still read the old ones
    crests = Field<float>(input.backend, pixels.width, chunks, "crests of the surface in space");
  }
  const Range2D range{pixels.width, chunks};
  parallel_for(input.backend, "wave.relief_crests", range, ReliefCrests<Real>{body, crests.view()});
  parallel_for(input.backend, "wave.relief", range, ReliefChunks<Real>{body, std::as_const(crests).view()});
}

template void paint_relief(const PaintInput<float>&, Pixels, const Camera&, double, double, const ColorTable&);
template void paint_relief(const PaintInput<double>&, Pixels, const Camera&, double, double, const ColorTable&);

}  // namespace perturb::wave
