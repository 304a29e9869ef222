#include "cuda/fibers/model/points.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace perturb::fibers {

double mean_lone_fall(double d) { return (d + 2 + (d - 2) / 3) / (2 * d); }

std::vector<double> point_velocities(std::span<const double> position, double lone, double d) {
  std::vector<double> velocity(position.size(), 0.0);
  for (std::size_t m = 0; m < position.size(); m += 3) {
    velocity[m + 2] -= lone;
    for (std::size_t l = 0; l < m; l += 3) {  // G is even: both get the same
      const double x = position[m] - position[l], y = position[m + 1] - position[l + 1],
                   z = position[m + 2] - position[l + 2];
      const double inverse = 1 / std::sqrt(x * x + y * y + z * z), axial = z * inverse * inverse * inverse / d;
      const double u[3] = {x * axial, y * axial, inverse / d + z * axial};
      for (std::size_t c = 0; c < 3; ++c) velocity[m + c] -= u[c], velocity[l + c] -= u[c];
    }
  }
  return velocity;
}

FallingPoints::FallingPoints(std::vector<double> position, double d)
    : d_(d), position_(std::move(position)), velocity_(point_velocities(position_, mean_lone_fall(d), d)) {}

void FallingPoints::step(double dt) {
  const double older = before_.empty() ? 0 : 0.5;
  for (std::size_t k = 0; k < position_.size(); ++k)
    position_[k] += dt * ((1 + older) * velocity_[k] - (older > 0 ? older * before_[k] : 0));
  before_ = std::exchange(velocity_, point_velocities(position_, mean_lone_fall(d_), d_));
}

}  // namespace perturb::fibers
