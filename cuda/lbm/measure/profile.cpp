#include "cuda/lbm/measure/profile.h"

#include <cmath>
#include <memory>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/uncompared.h"
#include "cuda/lbm/measure/theory.h"
#include "cuda/lbm/setup.h"

namespace perturb::lbm {

namespace {

template <class T>
struct ReadLines {
  Velocity<T> velocity;
  int width, height;
  View1D<float> values;
  // At a wall half a cell beyond row `near`, by the parabola through the rows and rest at the wall.
  PERTURB_HD float shear(int i, int near, int next) const {
    return (9.f * velocity(i, near).ux - velocity(i, next).ux) * (1.f / 3.f);
  }
  PERTURB_HD void operator()(int k) const {
    const int i = width / 2, j = height / 2;
    float value;
    if (k < height)
      value = 0.5f * (velocity(i, k).ux + velocity(i - 1 + width % 2, k).ux);
    else if (k < height + width)
      value = 0.5f * (velocity(k - height, j).uy + velocity(k - height, j - 1 + height % 2).uy);
    else if (k < height + 2 * width)
      value = shear(k - height - width, 0, height > 1 ? 1 : 0);
    else
      value = shear(k - height - 2 * width, height - 1, height > 1 ? height - 2 : 0);
    values[static_cast<std::size_t>(k)] = value;
  }
};

bool is_wall(Boundary side) { return side == Boundary::wall || side == Boundary::moving; }
double speed_of(const Parameters& p, Boundary side) { return side == Boundary::moving ? p.wall_speed : 0; }

std::vector<CurvePoint> points_of(const std::vector<float>& values) {
  std::vector<CurvePoint> points;
  for (std::size_t k = 0; k < values.size(); ++k)
    points.push_back({static_cast<double>(k) + 0.5, static_cast<double>(values[k])});
  return points;
}

// Steady flow along x between walls at the bottom and the top.
std::vector<CurvePoint> between_walls(const Parameters& p, int height) {
  std::vector<CurvePoint> theory;
  const double low = speed_of(p, p.boundary_bottom), high = speed_of(p, p.boundary_top), h = height;
  constexpr int parts = 64;
  for (int k = 0; k <= parts; ++k) {
    const double y = h * k / parts;
    theory.push_back({y, low + (high - low) * y / h + p.force_x / (2 * p.viscosity) * y * (h - y)});
  }
  return theory;
}

// The Reynolds number of Ghia's tables that this cavity has to within a hundredth; 0: none.
int ghia_reynolds(const Parameters& p, int side) {
  const double reynolds = p.wall_speed * side / p.viscosity;
  for (const int known : {100, 400, 1000})
    if (std::abs(reynolds - known) < 0.01 * known) return known;
  return 0;
}

// Times that the lid takes to cross the cavity until its flow is within 1 % of the steady one, started from rest.
double lid_turns(int reynolds) { return reynolds <= 100 ? 20 : reynolds <= 400 ? 40 : 80; }
constexpr const char* not_steady = "the flow is not steady yet";

template <std::size_t N>
std::vector<CurvePoint> ghia_points(const GhiaRow (&rows)[N], int reynolds, int side, double speed) {
  std::vector<CurvePoint> theory;
  for (const GhiaRow& row : rows)
    if (row.value(reynolds) != ghia_misprint) theory.push_back({row.place * side, row.value(reynolds) * speed});
  return theory;
}

}  // namespace

void MiddleLines::start(const StepParams& flow, const Lattice& lattice) {
  const int count = 3 * width_ + height_;
  if (!readback_) {
    try {
      values_ = Array<float>(backend_, static_cast<std::size_t>(count), "velocities on lines");
      readback_ = std::make_unique<AsyncReadback>(backend_, static_cast<std::size_t>(count) * sizeof(float));
    } catch (const Error&) {
      values_ = {};
      return;
    }
  }
  lattice.with_populations([&]<class T>(const Populations<T>& g) {
    parallel_for(backend_, "lbm.profile", Range1D{count},
                 ReadLines<T>{lbm_velocity(flow, g), width_, height_, values_.view()});
  });
  readback_->start(values_.data());
}

Profiles MiddleLines::result() const {
  if (!readback_) return {};
  const auto* values = static_cast<const float*>(readback_->data());
  const float* const level = values + height_;
  return {{values, level},
          {level, level + width_},
          {level + width_, level + 2 * width_},
          {level + 2 * width_, level + 3 * width_}};
}

std::vector<Curve> profile_curves(const Parameters& p, const Profiles& profiles, bool walls, std::int64_t steps) {
  const auto width = static_cast<int>(profiles.level.size()), height = static_cast<int>(profiles.upright.size());
  if (width == 0) return {};
  Curve upright{"profile_upright",
                "Velocity to the right, on the vertical centre line",
                "height",
                "cell",
                "velocity",
                "cell/step",
                points_of(profiles.upright),
                {}};
  Curve level{"profile_level",
              "Velocity upwards, on the horizontal centre line",
              "from the left",
              "cell",
              "velocity",
              "cell/step",
              points_of(profiles.level),
              {}};
  const bool along_walls = is_wall(p.boundary_bottom) && is_wall(p.boundary_top),
             closed = along_walls && is_wall(p.boundary_left) && is_wall(p.boundary_right);
  if (walls) return {std::move(upright)};
  if (along_walls && is_periodic(p.boundary_left) && p.collision != Collision::les) {
    upright.theory = between_walls(p, height);
    upright.label = "Velocity to the right, on the vertical centre line; theory: the steady flow";
    if (static_cast<double>(steps) < steps_to_steady(height, p.viscosity)) leave_uncompared(upright, not_steady);
  }
  if (!closed) return {std::move(upright)};
  const bool lid = p.boundary_top == Boundary::moving && p.boundary_left == Boundary::wall &&
                   p.boundary_right == Boundary::wall && p.boundary_bottom == Boundary::wall && p.force_x == 0 &&
                   p.force_y == 0 && width == height;
  if (const int reynolds = lid ? ghia_reynolds(p, width) : 0; reynolds > 0) {
    upright.theory = ghia_points(ghia_u, reynolds, width, p.wall_speed);
    level.theory = ghia_points(ghia_v, reynolds, width, p.wall_speed);
    upright.label = "Velocity to the right, on the vertical centre line; theory: the steady flow";
    level.label = "Velocity upwards, on the horizontal centre line; theory: the steady flow";
    if (static_cast<double>(steps) < lid_turns(reynolds) * width / p.wall_speed) {
      leave_uncompared(upright, not_steady);
      leave_uncompared(level, not_steady);
    }
  }
  return {std::move(upright), std::move(level)};
}

std::vector<Curve> annulus_curves(const Annulus& a, const Parameters& p, const Profiles& profiles, std::int64_t steps) {
  constexpr double near = 0.01;  // cell
  const auto width = static_cast<int>(profiles.level.size()), height = static_cast<int>(profiles.upright.size());
  if (width != height || std::abs(a.x - 0.5 * width) > near || std::abs(a.y - 0.5 * height) > near) return {};
  Curve curve{"profile_round",
              "Velocity round the axis; theory: the steady flow A r + B/r",
              "distance from the axis",
              "cell",
              "velocity",
              "cell/step",
              {},
              {}};
  // Between two cells a line has their mean, each half a cell from it.
  const double beside = width % 2 == 0 ? 0.5 : 0;
  for (int k = (width + 1) / 2; k < width; ++k) {
    const double along = k + 0.5 - 0.5 * width, radius = std::hypot(along, beside);
    if (radius <= a.inner || radius >= a.outer) continue;
    const auto here = static_cast<std::size_t>(k), there = static_cast<std::size_t>(width - 1 - k);
    const float sum =
        (profiles.level[here] - profiles.level[there]) - (profiles.upright[here] - profiles.upright[there]);
    curve.points.push_back({radius, 0.25 * static_cast<double>(sum) * radius / along});
  }
  constexpr int parts = 64;
  for (int k = 0; k <= parts; ++k) {
    const double radius = a.inner + (a.outer - a.inner) * k / parts;
    curve.theory.push_back({radius, annulus_velocity(a, radius)});
  }
  if (static_cast<double>(steps) < steps_to_steady(a.outer - a.inner, p.viscosity)) leave_uncompared(curve, not_steady);
  return {std::move(curve)};
}

}  // namespace perturb::lbm
