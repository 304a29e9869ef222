#include "cuda/fibers/model/core.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include "cuda/core/simulation/format.h"

namespace perturb::fibers {

namespace {

// Distance, relative to the ball that the core's fibers span, within which the next ones are taken. A thin ring of
// radius a spans a ball of sqrt(5/3) a = 1.29 a, so that its own fibers are all well within.
constexpr double core_reach = 1.3;
constexpr int max_passes = 60;

Vector3<double> row_of(std::span<const double> rows, std::size_t m) {
  return {rows[3 * m], rows[3 * m + 1], rows[3 * m + 2]};
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool row_is_finite(std::span<const double> rows, std::size_t m) {
  return std::isfinite(rows[3 * m] + rows[3 * m + 1] + rows[3 * m + 2]);
}

double longer_below_shorter(std::span<const double> position, std::span<const double> half_lengths) {
  double mean = 0, height[2] = {0, 0}, count[2] = {0, 0};
  for (const double half : half_lengths) mean += half / static_cast<double>(half_lengths.size());
  for (std::size_t m = 0; m < half_lengths.size(); ++m) {
    const int longer = half_lengths[m] > mean ? 1 : 0;
    height[longer] += position[3 * m + 2];
    count[longer] += 1;
  }
  return count[0] > 0 && count[1] > 0 ? height[0] / count[0] - height[1] / count[1] : 0;
}

// Ball that the members span: its middle and its radius.
struct Ball {
  Vector3<double> middle;
  double radius;
};

Ball first_ball(std::span<const double> position, std::size_t fibers) {
  std::vector<double> values(fibers);
  Ball ball{{0, 0, 0}, 0};
  double* const axes = &ball.middle.x;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t m = 0; m < fibers; ++m) values[m] = position[3 * m + axis];
    axes[axis] = median_of(values);
  }
  for (std::size_t m = 0; m < fibers; ++m) {
    const Vector3<double> r = row_of(position, m) - ball.middle;
    values[m] = dot(r, r);
  }
  ball.radius = std::cbrt(2.0) * std::sqrt(median_of(values));  // half of a ball lies within 2^(-1/3) of its radius
  return ball;
}

}  // namespace

Core find_fiber_core(std::span<const double> position, std::span<const double> tangent,
                     std::span<const double> velocity, double d, std::span<const double> half_lengths) {
  Core core;
  const std::size_t fibers = position.size() / 3;
  for (std::size_t m = 0; m < fibers; ++m)  // the diagnostics name the fiber; medians need an order
    if (!row_is_finite(position, m)) return core;
  if (fibers == 0) return core;
  core.long_below = longer_below_shorter(position, half_lengths);
  Ball ball = first_ball(position, fibers);
  std::vector<char> member(fibers, 0);
  int members = 0;
  for (int pass = 0; pass < max_passes; ++pass) {
    const double reach = core_reach * ball.radius;
    Vector3<double> sum{0, 0, 0};
    bool changed = false;
    members = 0;
    for (std::size_t m = 0; m < fibers; ++m) {
      const Vector3<double> x = row_of(position, m), r = x - ball.middle;
      const char inside = dot(r, r) <= reach * reach ? 1 : 0;
      changed = changed || inside != member[m];
      member[m] = inside;
      if (inside != 0) {
        sum = sum + x;
        ++members;
      }
    }
    if (!changed || members == 0) break;
    ball.middle = {sum.x / members, sum.y / members, sum.z / members};
    double spread2 = 0;
    for (std::size_t m = 0; m < fibers; ++m) {
      if (member[m] == 0) continue;
      const Vector3<double> r = row_of(position, m) - ball.middle;
      spread2 += dot(r, r);
    }
    ball.radius = std::sqrt(5.0 / 3.0 * spread2 / members);
  }
  core.fibers = members;
  core.middle = ball.middle;
  core.radius = ball.radius;
  if (members == 0) return core;

  constexpr int lowest_mode = 2, highest_mode = 6;
  std::complex<double> modes[highest_mode + 1] = {};
  double across = 0, across2 = 0, along2 = 0, behind = 0;
  for (std::size_t m = 0; m < fibers; ++m) {
    const double half = half_lengths.empty() ? 1 : half_lengths[m];
    if (member[m] == 0) {
      behind += half;
      continue;
    }
    const Vector3<double> r = row_of(position, m) - ball.middle;
    const double rho = std::hypot(r.x, r.y), tz = tangent[3 * m + 2];
    across += rho;
    across2 += rho * rho;
    along2 += r.z * r.z;
    const double own = d + 2 * std::log(half);
    core.fall -= velocity[3 * m + 2];
    core.lone_fall += (own + 2 + (own - 2) * tz * tz) / (2 * d);
    core.weight += half;
    if (!(rho > 0)) continue;
    const std::complex<double> turn(r.x / rho, r.y / rho);
    std::complex<double> power = turn;
    for (int k = lowest_mode; k <= highest_mode; ++k) {
      power *= turn;
      modes[k] += power;
    }
  }
  across /= members;
  across2 /= members;
  along2 /= members;
  core.fall /= members;
  core.lone_fall /= members;
  core.mean_length = core.weight / members;
  if (static_cast<std::size_t>(members) < fibers)
    core.mean_length_behind = behind / static_cast<double>(fibers - static_cast<std::size_t>(members));
  core.aspect = across2 > 0 ? std::sqrt(2 * along2 / across2) : 0;
  core.half_height = std::sqrt(5 * along2);
  core.ring_radius = across;
  const double width2 = std::max(0.0, across2 - across * across);
  core.ring_section = std::sqrt(2 * (width2 + along2));
  core.section_aspect = width2 > 0 ? std::sqrt(along2 / width2) : 0;
  for (int k = lowest_mode; k <= highest_mode; ++k)
    core.parting = std::max(core.parting, 2 * std::abs(modes[k]) / members);
  return core;
}

double ball_fall(double fibers, double weight, double radius, double d) {
  return (weight - weight / fibers) * 8 / (5 * radius * d);
}

double ring_fall(double fibers, double weight, double radius, double section, double d) {
  return (weight - weight / fibers) * (std::log(8 * radius / section) + 0.75) / (M_PI * radius * d);
}

FallEstimate estimate_ring_fall(const Core& core, double d) {
  FallEstimate estimate;
  estimate.known = core.fibers >= fewest_core_fibers && core.ring_section > 0 &&
                   core.ring_section <= thickest_ring * core.ring_radius && core.parting <= max_ball_parting &&
                   core.section_aspect >= lowest_section && core.section_aspect <= highest_section;
  if (estimate.known)
    estimate.fall = core.lone_fall + ring_fall(core.fibers, core.weight, core.ring_radius, core.ring_section, d);
  else
    estimate.why_not = Message(
        "No estimate of the fall for a ring: the core's cross-section must be at most {} of its radius and half to "
        "twice as high as wide, and its parting at most {}.",
        format_number(thickest_ring, 2), format_number(max_ball_parting, 2));
  return estimate;
}

FallEstimate estimate_fiber_fall(const Core& core, double d) {
  FallEstimate estimate;
  if (core.fibers < fewest_core_fibers) {
    estimate.why_not = Message(
        "No estimate of the fall: it holds for a ball of many fibers, and the core has {} of the {} fibers needed.",
        core.fibers, fewest_core_fibers);
    return estimate;
  }
  if (!(core.aspect >= lowest_ball_aspect && core.aspect <= highest_ball_aspect)) {
    estimate.why_not = Message(
        "No estimate of the fall: it holds for a ball, and the core is {} times as high as wide, not 2/3 to 3/2.",
        format_number(core.aspect, 2));
    return estimate;
  }
  if (!(core.parting <= max_ball_parting)) {
    estimate.why_not = Message(
        "No estimate of the fall: it holds for a ball, and the core is uneven about its axis (parting {}; at most {} "
        "is allowed).",
        format_number(core.parting, 2), format_number(max_ball_parting, 2));
    return estimate;
  }
  estimate.known = true;
  estimate.fall = core.lone_fall + ball_fall(core.fibers, core.weight, core.radius, d);
  return estimate;
}

bool ring_has_parted(const Core& core) {
  return core.fibers >= fewest_core_fibers && core.parting >= 1 &&
         core.ring_section <= thickest_ring * core.ring_radius;
}

void RingBreak::update(const Core& core, double time) {
  if (state_ != unobserved && state_ != whole) return;
  if (!ring_has_parted(core))
    state_ = whole;
  else
    state_ = state_ == whole ? std::max(0.0, time) : unknown;
}

namespace {

constexpr std::size_t few_fibers = 8;

Vector3<double> median_of(const std::vector<double>& x) {
  Vector3<double> middle{0, 0, 0};
  double* const axes = &middle.x;
  std::vector<double> sorted(x.size() / 3);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t m = 0; m < sorted.size(); ++m) sorted[m] = x[3 * m + axis];
    const auto half = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), half, sorted.end());
    axes[axis] = *half;
  }
  return middle;
}

// Mean of `rows` over the fibers nearer than `reach` to `middle`; `otherwise` if there are none.
Vector3<double> mean_near(Vector3<double> middle, const std::vector<double>& x, const std::vector<double>& rows,
                          double reach, Vector3<double> otherwise) {
  Vector3<double> sum{0, 0, 0};
  double near = 0;
  for (std::size_t k = 0; k < x.size(); k += 3) {
    const Vector3<double> own{x[k], x[k + 1], x[k + 2]}, d = own - middle;
    if (!(dot(d, d) < reach * reach)) continue;
    sum = sum + Vector3<double>{rows[k], rows[k + 1], rows[k + 2]};
    near += 1;
  }
  return near > 0 ? Vector3<double>{sum.x / near, sum.y / near, sum.z / near} : otherwise;
}

Vector3<double> mean_of_all(const std::vector<double>& rows) {
  Vector3<double> mean{0, 0, 0};
  double* const axes = &mean.x;
  const auto fibers = static_cast<double>(rows.size() / 3);
  for (std::size_t k = 0; k < rows.size(); ++k) axes[k % 3] += rows[k] / fibers;
  return mean;
}

}  // namespace

bool are_few_fibers(const std::vector<double>& x) { return x.size() <= 3 * few_fibers; }

Vector3<double> fiber_middle(const std::vector<double>& x, double reach) {
  if (are_few_fibers(x)) return mean_of_all(x);
  const Vector3<double> median = median_of(x);
  return mean_near(median, x, x, reach, median);
}

Vector3<double> middle_velocity(const std::vector<double>& x, const std::vector<double>& velocity, double reach) {
  return are_few_fibers(x) ? mean_of_all(velocity) : mean_near(median_of(x), x, velocity, reach, {0, 0, 0});
}

}  // namespace perturb::fibers
