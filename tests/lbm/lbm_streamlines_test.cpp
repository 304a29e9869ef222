// The stream function, whose contours are drawn.
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/lbm/model/scheme.h"
#include "cuda/lbm/view/streamlines.h"
#include "tests/support/backends.h"

namespace perturb::lbm {
namespace {

class LbmStreamFunction : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(LbmStreamFunction);

TEST_P(LbmStreamFunction, IsThatOfVortices) {
  constexpr int width = 96, height = 64;
  constexpr double speed = 0.05, kx = 2 * std::numbers::pi / width, ky = 2 * std::numbers::pi / height;
  const StepParams flow = step_params_of({}, width, height);
  Lattice lattice(backend(), width, height, Storage::fp32);
  Flow vortices;
  vortices.kind = Flow::Kind::vortices;
  vortices.speed = static_cast<float>(speed);
  vortices.kx = static_cast<float>(kx);
  vortices.ky = static_cast<float>(ky);
  lattice.set_flow(flow, vortices, {0, 0, {width, height}});
  Streamlines lines(backend(), width, height);
  const View2D<const float> function = lines.of(flow, lattice);
  // The velocity to the right, u = -U ky/k cos(kx x) sin(ky y), is the y derivative of U/k cos(kx x) cos(ky y).
  const double peak = speed / std::hypot(kx, ky);
  std::vector<float> row(width + 1);
  for (int j = 0; j <= height; ++j) {
    backend().copy_to_host(row.data(), function.row(j), row.size() * sizeof(float));
    for (int i = 0; i <= width; ++i) {
      const double expected = peak * (std::cos(kx * i) * std::cos(ky * j) - 1);
      // At the ends a column has only one neighbour.
      const double tolerance = i == 0 || i == width ? 0.01 : 0.005;
      ASSERT_NEAR(static_cast<double>(row[static_cast<std::size_t>(i)]) / peak, expected / peak, tolerance)
          << i << ", " << j;
    }
  }
}

}  // namespace
}  // namespace perturb::lbm
