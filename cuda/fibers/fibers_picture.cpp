// What is seen of the fibers.
#include <algorithm>
#include <cmath>

#include "cuda/core/check.h"
#include "cuda/core/parallel_for.h"
#include "cuda/core/shown.h"
#include "cuda/core/words.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/fibers_run.h"

namespace perturb {

namespace {
constexpr int few_fibers = 8;
constexpr double tail_share = 0.08;  // of half the picture: a tracer's tail in a fluid at rest
constexpr int most_pieces = 40000;   // of trails in a view: more would cost more than the fibers
}  // namespace

void FiberTrail::resize(int steps, int fibers) {
  if (steps == steps_ && fibers == fibers_) {
    clear();
    return;
  }
  Array<double> positions;
  if (steps > 0)
    positions =
        Array<double>(backend_, 3 * static_cast<std::size_t>(fibers) * static_cast<std::size_t>(steps), "trails");
  backend_.synchronize();  // a frame in flight may still read the old ones
  positions_ = std::move(positions);
  steps_ = steps, fibers_ = fibers, newest_ = -1;
  clear();
}

void FiberTrail::record(const double* position, Vector3<double> followed) {
  newest_ = (newest_ + 1) % steps_;
  const std::size_t size = 3 * static_cast<std::size_t>(fibers_);
  backend_.copy_within(positions_.data() + static_cast<std::size_t>(newest_) * size, position, size * sizeof(double));
  centres_.push_front(followed);
  if (held() > steps_) centres_.pop_back();
}

const double* FiberTrail::position(int age) const {
  const std::size_t slot = static_cast<std::size_t>((newest_ - age + steps_) % steps_);
  return positions_.data() + slot * 3 * static_cast<std::size_t>(fibers_);
}

FiberShown fiber_shown_quantity(const std::string& id) {
  return static_cast<FiberShown>(quantity_index(fibers_simulation(), id));
}

void FiberRun::paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) {
  evaluate();
  camera_yaw_ = camera.yaw, camera_pitch_ = camera.pitch;
  const FiberSums sums = frame_sums();
  center_ = parameters_.follow ? followed_center() : Vector3<double>{0, 0, 0};
  FiberProject body;
  body.position = arrays_->x.data(), body.tangent = arrays_->t.data(), body.velocity = arrays_->v.data();
  body.half_length = arrays_->lengths.device(), body.fibers = count_;
  body.views = views();
  body.map = camera.pixel_to_domain(pixels.width, pixels.height, domain_width(), domain_height());
  body.center = center_, body.mean_fall = sums.fall / count_;
  body.radius = 2 * parameters_.slenderness * parameters_.drawn_radius, body.box = parameters_.box;
  depth_ = body.depth = body.views.half * std::max(1.0, 1 / camera.zoom);
  body.shown = fiber_shown_quantity(view.quantity);
  Quantity quantity = info().quantities[static_cast<std::size_t>(body.shown)];
  if (body.shown == FiberShown::index) quantity.maximum = std::max(1, count_ - 1);
  const auto [low, high] = shown_range(view, quantity);
  body.scale = table.scale(low, high);
  body.chosen = chosen_;
  const std::vector<FiberLine> lines = lines_of_picture();
  if (!lines.empty()) lines_.upload(lines);
  body.lines = lines_.data(), body.line_count = static_cast<int>(lines.size());
  std::vector<FiberTrailPoint> trail;
  for (int age = 0; age < shown_trail(); ++age)
    trail.push_back({trail_.position(age), parameters_.follow ? trail_.followed(age) : Vector3<double>{0, 0, 0}});
  body.trail_count = static_cast<int>(trail.size());
  const int pieces = std::max(0, body.trail_count - 1), per_view = count_ * (1 + pieces) + body.line_count;
  const std::size_t needed =
      2 * (static_cast<std::size_t>(count_) * static_cast<std::size_t>(1 + pieces) + most_fiber_lines) +
      static_cast<std::size_t>(tracers_.count());
  if (capsules_.size() < needed || trail_points_.size() < trail.size()) {
    backend().synchronize();
    capsules_ = Array<Capsule>(backend(), needed, "capsules");
    if (!trail.empty()) trail_points_ = Array<FiberTrailPoint>(backend(), trail.size(), "trails");
  }
  if (!trail.empty()) trail_points_.upload(trail);
  body.trail = trail_points_.data();
  body.capsules = capsules_.data();
  parallel_for(backend(), "fibers.project", Range2D{per_view, body.views.views}, body);
  const int of_views = per_view * body.views.views;
  if (tracers_.count() > 0) project_tracers(body, capsules_.data() + of_views, sums.fall / count_);
  FiberBackground background{-1e30f, pixels.height};
  if (body.views.views == 2) background.divider = (0.5f - body.map.x0) / body.map.dx;
  raster_.paint(pixels, capsules_.data(), of_views + tracers_.count(), background);
}

void FiberRun::project_tracers(const FiberProject& body, Capsule* capsules, double fall) {
  ProjectTracers tracers;
  tracers.position = tracers_.position(), tracers.velocity = tracers_.velocity();
  tracers.views = body.views, tracers.map = body.map, tracers.center = center_;
  tracers.center_velocity = parameters_.follow ? followed(arrays_->v.download()) : Vector3<double>{0, 0, 0};
  tracers.time = tail_share * body.views.half / std::max(0.1, std::abs(fall));
  tracers.capsules = capsules;
  parallel_for(backend(), "fibers.project-tracers", Range1D{tracers_.count()}, tracers);
}

int FiberRun::shown_trail() const {
  const int shown = std::min(trail_.held(), 1 + most_pieces / count_);
  return shown > 1 ? shown : 0;
}

std::string FiberRun::value_inside(double x, double y, const ViewSettings& view) {
  const int m = fiber_at(x, y);
  if (m < 0) return "";
  evaluate();
  double v[3], t[3];
  backend().copy_to_host(v, arrays_->v.data() + 3 * m, sizeof v);
  backend().copy_to_host(t, arrays_->t.data() + 3 * m, sizeof t);
  std::string value;
  switch (fiber_shown_quantity(view.quantity)) {
    case FiberShown::speed:
      value = "speed " + number_in_words(std::hypot(v[0], v[1], v[2]), 4);
      break;
    case FiberShown::fall:
      value = "falls at " + number_in_words(-v[2], 4);
      break;
    case FiberShown::orientation:
    case FiberShown::index:
    case FiberShown::length:
      value = "falls at " + number_in_words(-v[2], 4);
      break;
  }
  if (arrays_->lengths.unequal()) value += ", length " + number_in_words(arrays_->lengths.of(m), 3);
  return "fiber " + std::to_string(m) + ": " + value + ", " +
         number_in_words(std::acos(std::min(1.0, std::abs(t[2]))) * 180 / M_PI, 3) + "° from the vertical";
}

std::optional<double> FiberRun::number_inside(double x, double y, const ViewSettings& view) {
  const int m = fiber_at(x, y);
  if (m < 0) return std::nullopt;
  evaluate();
  double v[3], t[3];
  backend().copy_to_host(v, arrays_->v.data() + 3 * m, sizeof v);
  backend().copy_to_host(t, arrays_->t.data() + 3 * m, sizeof t);
  switch (fiber_shown_quantity(view.quantity)) {
    case FiberShown::speed:
      return std::hypot(v[0], v[1], v[2]);
    case FiberShown::fall:
      return -v[2] - frame_sums().fall / count_;
    case FiberShown::orientation:
      return std::abs(t[2]);
    case FiberShown::index:
      return m;
    case FiberShown::length:
      return arrays_->lengths.of(m);
  }
  return std::nullopt;
}

FiberViewsOfPicture FiberRun::views() const {
  FiberViewsOfPicture views;
  views.views = parameters_.views == FiberViews::side_and_top ? 2 : 1;
  views.half = parameters_.view_size > 0 ? parameters_.view_size : view_half_;
  const double yaw = camera_yaw_ + parameters_.yaw * M_PI / 180;
  // Not beyond the pole, whichever of the two turns it there: farther on, up would be down.
  const double pitch = std::clamp(camera_pitch_ + parameters_.pitch * M_PI / 180, -highest_pitch, highest_pitch);
  views.axes[0] = orbit_axes(yaw, pitch);
  views.axes[1] = orbit_axes(yaw, highest_pitch);
  return views;
}

Vector3<double> FiberRun::followed(const std::vector<double>& rows) const {
  const std::vector<double> x = arrays_->x.download();
  const std::vector<double>& of = rows.empty() ? x : rows;
  Vector3<double> middle{0, 0, 0};
  double* const axes = &middle.x;
  if (count_ <= few_fibers) {  // none of them is a straggler
    for (std::size_t k = 0; k < x.size(); ++k) axes[k % 3] += of[k] / count_;
    return middle;
  }
  std::vector<double> sorted(static_cast<std::size_t>(count_));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t m = 0; m < sorted.size(); ++m) sorted[m] = x[3 * m + axis];
    const auto half = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), half, sorted.end());
    axes[axis] = *half;
  }
  Vector3<double> sum{0, 0, 0};
  double near = 0;
  for (std::size_t m = 0; m < sorted.size(); ++m) {
    const Vector3<double> own{x[3 * m], x[3 * m + 1], x[3 * m + 2]}, d = own - middle;
    if (!(dot(d, d) < view_half_ * view_half_)) continue;
    sum = sum + Vector3<double>{of[3 * m], of[3 * m + 1], of[3 * m + 2]}, near += 1;
  }
  if (near > 0) return {sum.x / near, sum.y / near, sum.z / near};
  return rows.empty() ? middle : Vector3<double>{0, 0, 0};
}

// What the side view shows, wherever it is seen from, or the periodic box.
TracerSquare FiberRun::tracer_square() const {
  const bool periodic = parameters_.box > 0;
  return {parameters_.follow ? followed_center() : Vector3<double>{0, 0, 0},
          periodic ? 0.5 * parameters_.box : views().half, periodic};
}

void FiberRun::spread_tracers(int count, int fibers) {
  if (count > 0 || tracers_.count() > 0) tracers_.spread(count, tracer_square(), fibers);
}

std::vector<FiberLine> FiberRun::lines_of_picture() const {
  std::vector<FiberLine> lines;
  if (parameters_.box > 0) {
    const double h = 0.5 * parameters_.box;
    for (int axis = 0; axis < 3; ++axis)
      for (int corner = 0; corner < 4; ++corner) {
        const double a = corner % 2 == 0 ? -h : h, b = corner / 2 == 0 ? -h : h;
        FiberLine line{{0, 0, 0}, {0, 0, 0}, 0.01, rgba(92, 100, 116)};
        double* const from = &line.from.x;
        double* const to = &line.to.x;
        from[axis] = -h, to[axis] = h;
        from[(axis + 1) % 3] = to[(axis + 1) % 3] = a, from[(axis + 2) % 3] = to[(axis + 2) % 3] = b;
        lines.push_back(line);
      }
  }
  if (pull_.any()) {
    const double size = std::sqrt(dot(pull_.force, pull_.force)), length = 0.4 * view_half_ * size / (size + 50);
    const Vector3<double> from = pull_.at - center_;
    lines.push_back({from, add_scaled(from, length / size, pull_.force), 0.012 * view_half_, rgba(255, 214, 102)});
  }
  return lines;
}

int FiberRun::fiber_at(double x, double y) const {
  const FiberViewsOfPicture seen = views();
  const int view = seen.view_at(x);
  const OrbitAxes& e = seen.axes[view];
  const double a = x * seen.domain_width() - (2 * view + 1) * seen.half, b = (y - 0.5) * seen.domain_height();
  const FiberPlacement now = placement();
  int nearest = -1;
  double least = 0.03 * seen.half + 2 * parameters_.slenderness * parameters_.drawn_radius;
  for (int m = 0; m < count_; ++m) {
    const double *at = &now.position[static_cast<std::size_t>(3 * m)],
                 *t = &now.tangent[static_cast<std::size_t>(3 * m)];
    const Vector3<double> own{at[0] - center_.x, at[1] - center_.y, at[2] - center_.z},
        axis = scaled(now.half_of(m), {t[0], t[1], t[2]});
    if (std::abs(dot(own, e.away)) > depth_) continue;  // not seen
    const double px = a - dot(own, e.right), py = b - dot(own, e.up), tx = dot(axis, e.right), ty = dot(axis, e.up);
    const double length2 = tx * tx + ty * ty;
    const double s = length2 > 0 ? std::clamp((px * tx + py * ty) / length2, -1.0, 1.0) : 0;
    const double distance = std::hypot(px - s * tx, py - s * ty);
    if (distance < least) least = distance, nearest = m;
  }
  return nearest;
}

}  // namespace perturb
