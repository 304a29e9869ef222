#include "cuda/wave/model/medium.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/paint/image_cells.h"
#include "cuda/core/paint/sampling.h"
#include "cuda/wave/measure/limit.h"

namespace perturb::wave {

namespace {

struct Box {
  int i, j;  // lower left cell
  Range2D size;
};

// A box that contains all cells of a shape.
Box box_of(const Shape& s, int width, int height) {
  if (s.outside || s.kind == Shape::Kind::everywhere) return {0, 0, {width, height}};
  float left = std::min(s.line.x0, s.line.x1) - s.radius, right = std::max(s.line.x0, s.line.x1) + s.radius;
  float low = std::min(s.line.y0, s.line.y1) - s.radius, high = std::max(s.line.y0, s.line.y1) + s.radius;
  if (s.kind == Shape::Kind::ellipse)
    left = s.line.x0 - s.line.x1, right = s.line.x0 + s.line.x1, low = s.line.y0 - s.line.y1,
    high = s.line.y0 + s.line.y1;
  const auto index = [](float at, int count) {
    return static_cast<int>(std::clamp(std::floor(at), 0.f, static_cast<float>(count)));
  };
  const int i0 = index(left - 1, width), i1 = index(right + 2, width);
  const int j0 = index(low - 1, height), j1 = index(high + 2, height);
  return {i0, j0, {i1 - i0, j1 - j0}};
}

constexpr const char* no_water_left =
    "Cannot draw this wall: it would fill the whole tank and leave no water. Draw a smaller wall. For an image, change "
    "its threshold or invert it.";

}  // namespace

template <class Real>
double Medium<Real>::spectrum(const StepParams<Real>& tank, const Surface<Real>& surface) const {
  if (field_.empty()) return wave_even_spectrum(tank);
  const std::array<Boundary, 4> sides{tank.left, tank.right, tank.bottom, tank.top};
  if (spectrum_ != 0 && sides == spectrum_sides_) return spectrum_;
  try {
    surface.with_scratch("stability of the speed map", [&](View2D<Real> a, View2D<Real> b) {
      spectrum_ = medium_spectrum(backend_, tank, a, b, fastest_);
    });
  } catch (const Error&) {  // not enough memory for a tighter bound
    spectrum_ = largest_spectrum(tank.stencil) * fastest_ * fastest_;
  }
  spectrum_sides_ = sides;
  return spectrum_;
}

template <class Real>
void Medium<Real>::need_field() {
  if (!field_.empty()) return;
  Field<Real> field = new_field();
  parallel_for(backend_, "wave.set_medium", whole(), SetMedium<Real>{field.view(), false, false});
  field_ = std::move(field);
}

// Throws InputError if a wall of this shape, whose cells are in the box, would fill all remaining water. Between
// measurements `walls_` is an upper bound, so that most strokes need no pass over the tank.
template <class Real>
void Medium<Real>::require_water(const Shape& shape, Range2D box) {
  const std::int64_t cells = static_cast<std::int64_t>(width_) * height_;
  const std::int64_t largest = static_cast<std::int64_t>(box.width) * box.height;
  if (largest < cells - walls_) {
    walls_ += largest;
    return;
  }
  if (!sums_) sums_.emplace(backend_);
  sums_->start("wave.water_left", whole(), WaterLeft<Real>{view(), shape});
  sums_->wait();
  const std::int64_t water = sums_->result().walls;
  if (water == 0) throw InputError(no_water_left);
  walls_ = cells - water;
}

template <class Real>
void Medium<Real>::paint_wall(const Shape& shape, bool erase, Surface<Real>& surface) {
  if (erase && field_.empty()) return;
  const Box box = box_of(shape, width_, height_);
  if (!erase) require_water(shape, box.size);
  need_field();
  const Levels<Real> levels = surface.levels();
  parallel_for(backend_, "wave.paint_wall", box.size,
               PaintWall<Real>{field_.view(), levels.u, levels.u_previous, shape, erase, box.i, box.j});
  measure();
}

template <class Real>
void Medium<Real>::paint_speed(const Shape& shape, const SpeedRamp& ramp) {
  const Box box = box_of(shape, width_, height_);
  if (field_.empty() && ramp.from == 1.f && ramp.to == 1.f) return;
  need_field();
  parallel_for(backend_, "wave.paint_speed", box.size, PaintSpeed<Real>{field_.view(), shape, ramp, box.i, box.j});
  measure();
}

// Calls change(medium, value) for every cell; `value` is the image's value there. Throws InputError if no water is
// left.
template <class Real>
template <class Change>
void Medium<Real>::change_by_picture(const GreyImage& image, const Change& change) {
  std::vector<Real> medium(static_cast<std::size_t>(width_) * height_, Real(1));
  if (!field_.empty()) medium = field_.download();
  for (int j = 0; j < height_; ++j)
    for (int i = 0; i < width_; ++i)
      change(medium[static_cast<std::size_t>(j) * width_ + i], image_smoothed(image, {width_, height_}, i, j));
  const bool had_water = walls_ < static_cast<std::int64_t>(width_) * height_;
  if (had_water && std::all_of(medium.begin(), medium.end(), [](Real m) { return is_wall(m); }))
    throw InputError(no_water_left);
  need_field();
  field_.upload(medium);
}

template <class Real>
void Medium<Real>::paint_walls(const GreyImage& image, double threshold, bool brighter, const Grid& grid,
                               Surface<Real>& surface) {
  change_by_picture(image, [&](Real& medium, double value) {
    if (brighter ? value > threshold : value < threshold) medium = -std::abs(medium);
  });
  std::vector<Real> medium = field_.download();
  std::vector<std::uint8_t> wall(medium.size());
  std::transform(medium.begin(), medium.end(), wall.begin(), [](Real m) { return std::signbit(m) ? 1 : 0; });
  if (close_corners(wall, {width_, height_}, grid.periodic_x, grid.periodic_y) > 0) {
    for (std::size_t k = 0; k < medium.size(); ++k)
      if (wall[k] != 0) medium[k] = -std::abs(medium[k]);
    field_.upload(medium);
  }
  surface.zero_in_walls(view());
  measure();
}

template <class Real>
void Medium<Real>::paint_speed(const GreyImage& image, double from, double to) {
  change_by_picture(image, [&](Real& medium, double value) {
    medium = std::copysign(static_cast<Real>(from + (to - from) * value), medium);
  });
  measure();
}

template <class Real>
void Medium<Real>::clear(bool keep_walls, bool keep_speed) {
  if (field_.empty()) return;
  parallel_for(backend_, "wave.set_medium", whole(), SetMedium<Real>{field_.view(), keep_walls, keep_speed});
  measure();
}

template <class Real>
void Medium<Real>::measure() {
  if (is_measured_later_) return;
  slowest_ = fastest_ = 1;
  spectrum_ = 0;
  ++changes_;
  has_walls_ = has_speed_map_ = false;
  walls_ = 0;
  if (field_.empty()) return;
  if (!sums_) sums_.emplace(backend_);
  sums_->start("wave.medium_sums", whole(), MediumSum<Real>{view()});
  sums_->wait();
  const MediumSums sums = sums_->result();
  slowest_ = sums.slowest, fastest_ = sums.fastest;
  walls_ = sums.walls;
  has_walls_ = sums.walls > 0, has_speed_map_ = sums.altered > 0;
  if (!has_walls_ && !has_speed_map_) field_ = {};
}

template <class Real>
std::vector<std::uint8_t> Medium<Real>::walls() const {
  if (!has_walls_) return {};
  std::vector<std::uint8_t> walls;
  for (const Real value : field_.download()) walls.push_back(std::signbit(value) ? 1 : 0);
  return walls;
}

template <class Real>
void Medium<Real>::save_to(State& state) const {
  if (field_.empty()) return;
  const std::vector<std::size_t> grid = {static_cast<std::size_t>(height_), static_cast<std::size_t>(width_)};
  std::vector<Real> speed = field_.download();
  std::vector<std::uint8_t> wall(speed.size());
  for (std::size_t k = 0; k < speed.size(); ++k) {
    wall[k] = std::signbit(speed[k]) ? 1 : 0;
    speed[k] = std::abs(speed[k]);
  }
  if (has_walls_) state.put<std::uint8_t>("wall", grid, "", wall);
  if (has_speed_map_) state.put<Real>("speed", grid, "c", speed);
}

template <class Real>
void Medium<Real>::load(const std::vector<Real>& values) {
  if (values.empty()) {
    field_ = {};
  } else {
    if (!sums_) sums_.emplace(backend_);
    if (field_.empty()) field_ = new_field();
    field_.upload(values);
  }
  measure();
}

template <class Real>
void Medium<Real>::visit_members(MemberCopier& copy) {
  copy(field_, slowest_, fastest_, has_walls_, has_speed_map_, walls_);
  if (copy.is_restoring()) spectrum_ = 0, ++changes_;
}

template class Medium<float>;
template class Medium<double>;

}  // namespace perturb::wave
