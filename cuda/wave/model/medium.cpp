#include "cuda/wave/model/medium.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/paint/image_cells.h"
#include "cuda/core/paint/sampling.h"
#include "cuda/core/simulation/edited_pass.h"
#include "cuda/wave/model/limit.h"

namespace perturb::wave {

namespace {

struct Box {
  int i, j;  // lower left cell
  Range2D size;
};

struct Extent {
  float left, right, low, high;
};

// Area of a shape, without its copies.
Extent extent_of(const Shape& s) {
  if (s.kind == Shape::Kind::ellipse)
    return {s.line.x0 - s.line.x1, s.line.x0 + s.line.x1, s.line.y0 - s.line.y1, s.line.y0 + s.line.y1};
  return {std::min(s.line.x0, s.line.x1) - s.radius, std::max(s.line.x0, s.line.x1) + s.radius,
          std::min(s.line.y0, s.line.y1) - s.radius, std::max(s.line.y0, s.line.y1) + s.radius};
}

// A box that contains all cells of a shape.
Box box_of(const Shape& s, int width, int height) {
  if (s.outside || s.kind == Shape::Kind::everywhere) return {0, 0, {width, height}};
  const auto [left, right, low, high] = extent_of(s);
  const auto index = [](float at, int count) {
    return static_cast<int>(std::clamp(std::floor(at), 0.f, static_cast<float>(count)));
  };
  int i0 = index(left - 1, width), i1 = index(right + 2, width);
  int j0 = index(low - 1, height), j1 = index(high + 2, height);
  if (s.copies.along_x()) {
    i0 = 0;
    i1 = width;
  }
  if (s.copies.along_y()) {
    j0 = 0;
    j1 = height;
  }
  return {i0, j0, {i1 - i0, j1 - j0}};
}

constexpr const char* no_water_left =
    "Cannot draw this wall: it would fill the whole tank and leave no water. Draw a smaller wall. For an image, change "
    "its threshold or invert it.";

}  // namespace

Shape repeated(Shape shape, const Grid& grid) {
  if (shape.kind == Shape::Kind::everywhere) return shape;
  Extent extent = extent_of(shape);
  const Openings& openings = shape.openings;
  if (openings.count > 0) {
    const float half = 0.5f * static_cast<float>(openings.count - 1) * openings.distance + openings.half_width;
    extent.low = std::min(extent.low, openings.middle - half);
    extent.high = std::max(extent.high, openings.middle + half);
  }
  shape.copies = grid.repeating().copies_of(extent.left, extent.right, extent.low, extent.high);
  return shape;
}

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
void Medium<Real>::need(Field<Real>& field) {
  if (!field.empty()) return;
  Field<Real> even = new_field();
  parallel_for(backend_, "wave.set_medium", whole(), SetMedium<Real>{even.view(), false, false});
  field = std::move(even);
}

template <class Real>
std::vector<Real> Medium<Real>::values_of(const Field<Real>& field) const {
  return field.empty() ? std::vector<Real>(static_cast<std::size_t>(width_) * height_, Real(1)) : field.download();
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
  if (Field<Real>* below = painted(); below && !(erase && below->empty())) need(*below);
  const Levels<Real> levels = surface.levels();
  for (Field<Real>* field : {&field_, painted()})
    if (field && !field->empty())
      parallel_for(backend_, "wave.paint_wall", box.size,
                   PaintWall<Real>{field->view(), levels.u, levels.u_previous, shape, erase, box.i, box.j});
  measure();
}

template <class Real>
void Medium<Real>::paint_speed(const Shape& shape, const SpeedRamp& ramp) {
  const Box box = box_of(shape, width_, height_);
  const bool resets = ramp.from == 1.f && ramp.to == 1.f;
  if (field_.empty() && painted_.empty() && resets) return;
  need_field();
  if (Field<Real>* below = painted(); below && !(resets && below->empty())) need(*below);
  for (Field<Real>* field : {&field_, painted()})
    if (field && !field->empty())
      parallel_for(backend_, "wave.paint_speed", box.size, PaintSpeed<Real>{field->view(), shape, ramp, box.i, box.j});
  measure();
}

template <class Real>
void Medium<Real>::compose(std::span<const Overlay> overlays, std::span<const Shape> regions, Surface<Real>& surface) {
  Field<Real> field = field_.empty() ? Field<Real>() : Field<Real>(backend_, field_, "walls and speed map");
  need(field);
  // The first object: so far everything was painted.
  Field<Real> below = is_layered_ || field_.empty() ? Field<Real>() : Field<Real>(backend_, field_, "walls below");
  const Field<Real>& bottom = is_layered_ ? painted_ : below;
  for (const Shape& region : regions) {
    const Box box = box_of(region, width_, height_);
    ComposeMedium<Real> compose{field.view(), bottom.view(), {},   static_cast<int>(overlays.size()),
                                region,       box.i,         box.j};
    std::copy(overlays.begin(), overlays.end(), compose.overlays);
    parallel_for(backend_, "wave.compose_medium", box.size, compose);
  }
  const MediumSums sums = sums_of(std::as_const(field).view());
  if (sums.walls == static_cast<std::int64_t>(width_) * height_) throw InputError(no_water_left);
  field_ = std::move(field);
  if (!is_layered_) painted_ = std::move(below);
  is_layered_ = !overlays.empty();
  if (!is_layered_) painted_ = {};
  surface.zero_in_walls(view());
  set_sums(sums);
}

// Calls change(medium, cell) for every cell, in row-major order. Throws InputError if no water is left.
template <class Real>
template <class Change>
void Medium<Real>::change_cells(const Change& change) {
  std::vector<Real> medium = values_of(field_), below = is_layered_ ? values_of(painted_) : std::vector<Real>();
  for (std::size_t cell = 0; cell < medium.size(); ++cell) {
    change(medium[cell], cell);
    if (is_layered_) change(below[cell], cell);
  }
  const bool had_water = walls_ < static_cast<std::int64_t>(width_) * height_;
  if (had_water && std::all_of(medium.begin(), medium.end(), [](Real m) { return is_wall(m); }))
    throw InputError(no_water_left);
  need_field();
  if (is_layered_) need(painted_);
  field_.upload(medium);
  if (is_layered_) painted_.upload(below);
}

template <class Real>
void Medium<Real>::paint_walls(std::vector<std::uint8_t> cells, const Grid& grid, Surface<Real>& surface) {
  const std::vector<Real> before = values_of(field_);
  std::vector<std::uint8_t> wall = cells;
  for (std::size_t cell = 0; cell < wall.size(); ++cell) wall[cell] |= std::signbit(before[cell]) ? 1 : 0;
  close_corners(wall, {width_, height_}, grid.periodic_x, grid.periodic_y);
  for (std::size_t cell = 0; cell < wall.size(); ++cell)
    cells[cell] |= wall[cell] && !std::signbit(before[cell]) ? 1 : 0;
  change_cells([&](Real& medium, std::size_t cell) {
    if (cells[cell] != 0) medium = -std::abs(medium);
  });
  surface.zero_in_walls(view());
  measure();
}

template <class Real>
void Medium<Real>::paint_speed(const GreyImage& image, double from, double to, const Grid& grid) {
  std::vector<Real> speed;
  speed.reserve(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
  for (int j = 0; j < height_; ++j)
    for (int i = 0; i < width_; ++i)
      speed.push_back(static_cast<Real>(
          from + (to - from) * image_smoothed(image, {width_, height_}, i, j, grid.periodic_x, grid.periodic_y)));
  change_cells([&](Real& medium, std::size_t cell) { medium = std::copysign(speed[cell], medium); });
  measure();
}

template <class Real>
void Medium<Real>::clear(bool keep_walls, bool keep_speed) {
  if (field_.empty() && painted_.empty()) return;
  for (Field<Real>* field : {&field_, &painted_})
    if (!field->empty())
      parallel_for(backend_, "wave.set_medium", whole(), SetMedium<Real>{field->view(), keep_walls, keep_speed});
  measure();
}

template <class Real>
MediumSums Medium<Real>::sums_of(View2D<const Real> medium) {
  if (!sums_) sums_.emplace(backend_);
  sums_->start("wave.medium_sums", whole(), MediumSum<Real>{medium});
  sums_->wait();
  return sums_->result();
}

template <class Real>
void Medium<Real>::measure() {
  if (is_measured_later_) return;
  MediumSums even;
  even.slowest = even.fastest = 1;
  set_sums(field_.empty() ? even : sums_of(view()));
}

template <class Real>
void Medium<Real>::set_sums(const MediumSums& sums) {
  spectrum_ = 0;
  ++changes_;
  slowest_ = sums.slowest;
  fastest_ = sums.fastest;
  walls_ = sums.walls;
  has_walls_ = sums.walls > 0;
  has_speed_map_ = sums.altered > 0;
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
  const std::vector<std::size_t> grid = {static_cast<std::size_t>(height_), static_cast<std::size_t>(width_)};
  const auto put = [&](const Field<Real>& field, const std::string& prefix) {
    if (field.empty()) return;
    std::vector<Real> speed = field.download();
    std::vector<std::uint8_t> wall(speed.size());
    bool has_walls = false, has_speed_map = false;
    for (std::size_t k = 0; k < speed.size(); ++k) {
      wall[k] = std::signbit(speed[k]) ? 1 : 0;
      speed[k] = std::abs(speed[k]);
      has_walls = has_walls || wall[k] != 0;
      has_speed_map = has_speed_map || speed[k] != Real(1);
    }
    if (has_walls) state.put<std::uint8_t>(prefix + "wall", grid, "", wall);
    if (has_speed_map) state.put<Real>(prefix + "speed", grid, "c", speed);
  };
  put(field_, "");
  put(painted_, "painted_");
}

template <class Real>
std::vector<ComparedField> Medium<Real>::compared_fields() const {
  std::vector<ComparedField> fields;
  if (has_speed_map_) fields.push_back({"speed", field_.view(), false});
  if (!painted_.empty()) fields.push_back({"painted_speed", painted_.view(), false});
  return fields;
}

template <class Real>
void Medium<Real>::load(const std::vector<Real>& values, const std::vector<Real>& painted, bool is_layered) {
  const auto put = [&](Field<Real>& field, const std::vector<Real>& loaded) {
    if (loaded.empty()) {
      field = {};
    } else {
      if (field.empty()) field = new_field();
      field.upload(loaded);
    }
  };
  put(field_, values);
  put(painted_, painted);
  is_layered_ = is_layered;
  measure();
}

template <class Real>
void Medium<Real>::share(const EditedKernel& kernel) {
  share_fields(backend_, kernel, field_);
}
template <class Real>
void Medium<Real>::unshare() {
  unshare_fields(backend_, field_);
}

template <class Real>
void Medium<Real>::visit_members(MemberCopier& copy) {
  copy(field_, slowest_, fastest_, has_walls_, has_speed_map_, walls_, painted_, is_layered_);
  if (copy.is_restoring()) {
    spectrum_ = 0;
    ++changes_;
  }
}

template class Medium<float>;
template class Medium<double>;

}  // namespace perturb::wave
