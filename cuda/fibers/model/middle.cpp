#include "cuda/fibers/model/middle.h"

#include <algorithm>
#include <cstddef>

namespace perturb::fibers {

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
    sum = sum + Vector3<double>{rows[k], rows[k + 1], rows[k + 2]}, near += 1;
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

bool is_small_sample(const std::vector<double>& x) { return x.size() <= 3 * few_fibers; }

}  // namespace

Vector3<double> fiber_middle(const std::vector<double>& x, double reach) {
  if (is_small_sample(x)) return mean_of_all(x);
  const Vector3<double> median = median_of(x);
  return mean_near(median, x, x, reach, median);
}

Vector3<double> fiber_middle_velocity(const std::vector<double>& x, const std::vector<double>& velocity, double reach) {
  return is_small_sample(x) ? mean_of_all(velocity) : mean_near(median_of(x), x, velocity, reach, {0, 0, 0});
}

}  // namespace perturb::fibers
