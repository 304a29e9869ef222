// Helpers of the theory checks: a flow to measure in, its numbers, and a row of the table.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/lbm/lbm.h"

namespace perturb::lbm {

// Values of the parameters that are a choice, in the order of their names (parameters.cpp, model/sides.h).
namespace choice {
constexpr double bgk = 0, trt = 1;                             // collision
constexpr double wall = 1, moving = 2, inlet = 3, outlet = 4;  // boundary_*
constexpr double parabolic = 1, held = 1, curved = 1;          // inlet_profile, outlet_pressure, outlines
}  // namespace choice

inline std::unique_ptr<Simulation> make(Backend& backend, int width, int height,
                                        std::map<std::string, double> parameters, std::vector<Action> actions = {},
                                        std::uint64_t seed = 1) {
  Setup setup;
  setup.simulation = "lbm";
  setup.width = width;
  setup.height = height;
  setup.seed = seed;
  setup.parameters = std::move(parameters);
  setup.parameters.try_emplace("disturbance", 0);  // theory has none
  setup.actions = std::move(actions);
  return lbm_simulation().create(backend, setup);
}

struct Velocities {
  int width;
  std::vector<float> values;
  double u(int i, int j) const { return static_cast<double>(values[2 * (static_cast<std::size_t>(j) * width + i)]); }
  double v(int i, int j) const {
    return static_cast<double>(values[2 * (static_cast<std::size_t>(j) * width + i) + 1]);
  }
};
inline Velocities velocities(const Simulation& simulation) {
  const State s = simulation.save();
  const std::size_t w = s.width, h = s.height;
  return {s.width, s.get<float>("velocity", {h, w, 2})};
}

inline TheoryCheck check(std::string name, std::string unit, double expected, double got, double tolerance,
                         std::string note, bool relative = false) {
  double error = std::abs(got - expected) / (relative ? std::abs(expected) : 1);
  if (!std::isfinite(error)) error = 1e30;
  return {std::move(name), std::move(unit), expected, got, error, tolerance, std::move(note)};
}
inline TheoryCheck relative_check(std::string name, std::string unit, double expected, double got, double tolerance,
                                  std::string note) {
  return check(std::move(name), std::move(unit), expected, got, tolerance, std::move(note), true);
}

// The benchmark's channel of 2.2 x 0.41 with a cylinder of 0.1 at (0.2, 0.2), `diameter` cells across, and a parabolic
// inflow (Schäfer and Turek 1996, 2D-1 and 2D-2). Re by mean speed and diameter. The benchmark has no sound. The stream
// is therefore slow, so that the vortex frequency is far from the channel's acoustic modes, and the outlet has a fixed
// pressure.
struct CylinderChannel {
  static constexpr double peak = 0.04, mean = 2.0 / 3 * peak;  // cell/step
  int width, height;
  std::unique_ptr<Simulation> flow;
};
CylinderChannel channel_with_cylinder(Backend& backend, int diameter, double reynolds);

}  // namespace perturb::lbm
