#include "cuda/fibers/view/picture.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/model/core.h"

namespace perturb::fibers {

void Trail::resize(int steps, int fibers) {
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
  steps_ = steps;
  fibers_ = fibers;
  newest_ = -1;
  clear();
}

void Trail::record(const double* position, Vector3<double> followed) {
  newest_ = (newest_ + 1) % steps_;
  const std::size_t size = 3 * static_cast<std::size_t>(fibers_);
  backend_.copy_within(positions_.data() + static_cast<std::size_t>(newest_) * size, position, size * sizeof(double));
  centres_.push_front(followed);
  if (held() > steps_) centres_.pop_back();
}

const double* Trail::position(int age) const {
  const std::size_t slot = static_cast<std::size_t>((newest_ - age + steps_) % steps_);
  return positions_.data() + slot * 3 * static_cast<std::size_t>(fibers_);
}

namespace {

constexpr int max_fiber_lines = 32;  // a box's edges, and the arrow of a pull
constexpr double tail_share = 0.08;  // of half the image: a tracer's tail in a fluid at rest
constexpr int max_pieces = 40000;    // of trails in a view: more would cost more than the fibers

// How many steps back trails are drawn.
int shown_trail(const PaintInput& input) {
  const int shown = std::min(input.trail.held(), 1 + max_pieces / input.state.fibers);
  return shown > 1 ? shown : 0;
}

std::vector<TrailPoint> trail_of(const PaintInput& input) {
  std::vector<TrailPoint> points;
  const int shown = shown_trail(input);
  for (int age = 0; age < shown; ++age)
    points.push_back(
        {input.trail.position(age), input.parameters.follow ? input.trail.followed(age) : Vector3<double>{0, 0, 0}});
  return points;
}

std::vector<Line> lines_of(const PaintInput& input) {
  std::vector<Line> lines;
  if (input.parameters.box > 0) {
    const double h = 0.5 * input.parameters.box;
    for (int axis = 0; axis < 3; ++axis)
      for (int corner = 0; corner < 4; ++corner) {
        const double a = corner % 2 == 0 ? -h : h, b = corner / 2 == 0 ? -h : h;
        Line line{{0, 0, 0}, {0, 0, 0}, 0.01, rgba(92, 100, 116)};
        double* const from = &line.from.x;
        double* const to = &line.to.x;
        from[axis] = -h;
        to[axis] = h;
        from[(axis + 1) % 3] = to[(axis + 1) % 3] = a;
        from[(axis + 2) % 3] = to[(axis + 2) % 3] = b;
        lines.push_back(line);
      }
  }
  if (input.pull.any()) {
    const Vector3<double> force = input.pull.force, from = input.pull.at - input.view_state.center();
    const double half = input.view_state.start_half(), size = std::sqrt(dot(force, force)),
                 length = 0.4 * half * size / (size + 50);
    lines.push_back({from, add_scaled(from, length / size, force), 0.012 * half, rgba(255, 214, 102)});
  }
  return lines;
}

}  // namespace

Shown shown_quantity(const std::string& id) { return static_cast<Shown>(quantity_index(fibers_simulation(), id)); }

FiberPicture::FiberPicture(Backend& backend)
    : backend_(backend), sums_(backend), raster_(backend), lines_(backend, max_fiber_lines, "lines in view") {}

std::size_t FiberPicture::bytes(int fibers, const Parameters& p) {
  return static_cast<std::size_t>(p.tracers) * sizeof(Capsule) +
         2 * (static_cast<std::size_t>(fibers) + max_fiber_lines) * sizeof(Capsule);
}

double FiberPicture::mean_fall(const PaintInput& input) {
  sums_.start("fibers.sums", Sum::range(input.state.fibers), fiber_sum_of(input.state, input.parameters));
  sums_.wait();
  return sums_.result().fall / input.state.fibers;
}

void FiberPicture::paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table,
                         const PaintInput& input) {
  const Parameters& p = input.parameters;
  const FiberState& s = input.state;
  Project body;
  body.position = s.x.data();
  body.tangent = s.t.data();
  body.velocity = s.v.data();
  body.half_length = s.lengths.device();
  body.fibers = s.fibers;
  body.views = input.view_state.views(p);
  body.map = camera.pixel_to_domain(pixels.width, pixels.height, body.views.domain_width(), body.views.domain_height());
  body.center = input.view_state.center();
  body.depth = input.view_state.depth();
  body.mean_fall = mean_fall(input);
  body.radius = 2 * p.slenderness * p.drawn_radius;
  body.box = p.box;
  body.shown = shown_quantity(view.quantity);
  Quantity quantity = fibers_simulation().quantities[static_cast<std::size_t>(body.shown)];
  if (body.shown == Shown::index) quantity.maximum = std::max(1, s.fibers - 1);
  const auto [low, high] = shown_range(view, quantity);
  body.scale = table.scale(low, high);
  body.chosen = input.chosen;
  const std::vector<Line> lines = lines_of(input);
  if (!lines.empty()) lines_.upload(lines);
  body.lines = lines_.data();
  body.line_count = static_cast<int>(lines.size());
  const std::vector<TrailPoint> trail = trail_of(input);
  body.trail_count = static_cast<int>(trail.size());
  const int pieces = std::max(0, body.trail_count - 1), per_view = s.fibers * (1 + pieces) + body.line_count;
  const std::size_t needed =
      2 * (static_cast<std::size_t>(s.fibers) * static_cast<std::size_t>(1 + pieces) + max_fiber_lines) +
      static_cast<std::size_t>(input.tracers.count());
  if (capsules_.size() < needed || trail_points_.size() < trail.size()) {
    backend_.synchronize();
    capsules_ = Array<Capsule>(backend_, needed, "capsules");
    if (!trail.empty()) trail_points_ = Array<TrailPoint>(backend_, trail.size(), "trails");
  }
  if (!trail.empty()) trail_points_.upload(trail);
  body.trail = trail_points_.data();
  body.capsules = capsules_.data();
  parallel_for(backend_, "fibers.project", Range2D{per_view, body.views.views}, body);
  const int of_views = per_view * body.views.views;
  if (input.tracers.count() > 0) project_tracers(body, input, capsules_.data() + of_views);
  Background background{-1e30f, pixels.height};
  if (body.views.views == 2) background.divider = (0.5f - body.map.x0) / body.map.dx;
  raster_.paint(pixels, capsules_.data(), of_views + input.tracers.count(), background);
}

void FiberPicture::project_tracers(const Project& body, const PaintInput& input, Capsule* capsules) {
  ProjectTracers tracers;
  tracers.position = input.tracers.position();
  tracers.velocity = input.tracers.velocity();
  tracers.views = body.views;
  tracers.map = body.map;
  tracers.center = body.center;
  tracers.center_velocity =
      input.parameters.follow
          ? middle_velocity(input.state.x.download(), input.state.v.download(), input.view_state.start_half())
          : Vector3<double>{0, 0, 0};
  tracers.time = tail_share * body.views.half / std::max(0.1, std::abs(body.mean_fall));
  tracers.capsules = capsules;
  parallel_for(backend_, "fibers.project-tracers", Range1D{input.tracers.count()}, tracers);
}

Message fiber_text(int m, Shown shown, const FiberState& state) {
  const Vector3<double> v = state.velocity_of(m), t = state.direction_of(m);
  const bool speed = shown == Shown::speed;
  const std::string value = format_number(speed ? std::hypot(v.x, v.y, v.z) : -v.z, 4),
                    angle = format_number(std::acos(std::min(1.0, std::abs(t.z))) * 180 / M_PI, 3);
  if (state.lengths.unequal()) {
    const std::string length = format_number(state.lengths.of(m), 3);
    return speed ? Message("fiber {}: speed {}, length {}, {}° from the vertical", m, value, length, angle)
                 : Message("fiber {}: falls at {}, length {}, {}° from the vertical", m, value, length, angle);
  }
  return speed ? Message("fiber {}: speed {}, {}° from the vertical", m, value, angle)
               : Message("fiber {}: falls at {}, {}° from the vertical", m, value, angle);
}

double FiberPicture::number_of(int m, Shown shown, const PaintInput& input) {
  const Vector3<double> v = input.state.velocity_of(m);
  switch (shown) {
    case Shown::speed:
      return std::hypot(v.x, v.y, v.z);
    case Shown::fall:
      return -v.z - mean_fall(input);
    case Shown::orientation:
      return std::abs(input.state.direction_of(m).z);
    case Shown::index:
      return m;
    case Shown::length:
      break;
  }
  return input.state.lengths.of(m);
}

}  // namespace perturb::fibers
