// Checks of the fluid between the fibers.
#include "cuda/fibers/model/fluid.h"

#include <cmath>

#include "cuda/fibers/fibers.h"
#include "cuda/fibers/kernels/evaluate.h"

namespace perturb::fibers {

namespace {

// Velocities of the fluid at `places` around fibers whose only forces are their weights.
std::vector<double> fluid_of_weights(Backend& backend, const Placement& fibers, const std::vector<double>& poses) {
  const FiberParameters p;
  const std::size_t size = fibers.position.size();
  Array<double> x(backend, size, "x"), t(backend, size, "t"), a(backend, size * static_cast<std::size_t>(p.terms), "a");
  Array<double> at(backend, poses.size(), "places"), u(backend, poses.size(), "u");
  x.upload(fibers.position), t.upload(fibers.tangent), at.upload(poses);
  FiberFluid fluid(backend);
  fluid.velocity(p, {fibers.count(), x.data(), t.data(), a.data()}, {}, at.data(), static_cast<int>(poses.size() / 3),
                 u.data());
  return u.download();
}

}  // namespace

TheoryCheck check_surface_flow(Backend& backend) {
  Placement fibers;
  fibers.add({0, 0, 0}, {1, 0, 0});
  const double d = fiber_d(0.01), radius = 0.02, expected = (d + 2) / (2 * d);
  std::vector<double> poses;
  for (int k = 0; k < 8; ++k) {
    const double phi = 2 * M_PI * (k + 0.25) / 8;
    poses.insert(poses.end(), {0, radius * std::cos(phi), radius * std::sin(phi)});
  }
  const std::vector<double> u = fluid_of_weights(backend, fibers, poses);
  double error = 0;
  for (std::size_t k = 0; k < 8; ++k) error = std::max(error, std::abs(-u[3 * k + 2] - expected));
  return {"fluid at the surface of a lone level fiber, at its middle",
          "",
          expected,
          -u[2],
          error,
          3e-4,  // (2 eps)², the square of the radius over half the length
          "it sticks: the fiber's own fall, (d + 2)/(2 d)"};
}

TheoryCheck check_drop(Backend& backend) {
  constexpr int count = 4000, points = 400;
  constexpr double radius = 40, part = 0.5;
  Placement fibers, inside;
  add_fiber_ball(fibers, count, {0, 0, 0}, radius, 0, 3, 1);
  add_fiber_ball(inside, points, {0, 0, 0}, part * radius, 0, 4, 2);
  const std::vector<double> u = fluid_of_weights(backend, fibers, inside.position);
  double fall = 0;
  for (std::size_t k = 0; k < points; ++k) fall -= u[3 * k + 2] / points;
  // Hill's vortex in the drop: u_z = U [1 + (1 - r² (1 + sin² theta)/R²)/4]; its mean over the inner ball.
  const double expected = count * 8 / (5 * radius * fiber_d(0.01)) * (1 + 0.25 * (1 - part * part));
  return {"fluid in the inner half of a ball of 4000 fibers",
          "",
          expected,
          fall,
          std::abs(fall / expected - 1),
          0.03,
          "a drop as viscous as the fluid (Hadamard 1911, Rybczynski 1911): 19/16 of its fall; relative"};
}

}  // namespace perturb::fibers
