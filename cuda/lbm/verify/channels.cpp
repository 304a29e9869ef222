// The checks of channels and of a turning cylinder: values of the literature, and exact solutions.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/simulation/format.h"
#include "cuda/lbm/measure/reattachment.h"
#include "cuda/lbm/verify/verify.h"

namespace perturb::lbm {

namespace {

Action action(const char* kind, std::map<std::string, double> numbers) {
  return {kind, std::move(numbers), "", nullptr};
}

// Largest error of Couette's flow on its way from rest, of the speed of the wall.
double start_error(Backend& backend, int height) {
  constexpr double speed = 0.02, viscosity = 0.1, time = 0.1;  // of the diffusion time
  const auto flow = make(backend, 4, height,
                         {{"viscosity", viscosity},
                          {"collision", choice::trt},
                          {"boundary_bottom", choice::wall},
                          {"boundary_top", choice::moving},
                          {"wall_speed", speed}});
  const auto steps = static_cast<std::int64_t>(std::lround(time * height * height / viscosity));
  flow->step(steps);
  const Velocities got = velocities(*flow);
  double worst = 0;
  for (int j = 0; j < height; ++j) {
    const double y = (j + 0.5) / height, t = viscosity * static_cast<double>(steps);
    double expected = y;
    for (int n = 1; n < 60; ++n) {
      const double k = n * std::numbers::pi;
      expected += (n % 2 == 0 ? 2 : -2) / k * std::sin(k * y) * std::exp(-k * k * t / (height * height));
    }
    worst = std::max(worst, std::abs(got.u(1, j) / speed - expected));
  }
  return worst;
}

// The scene `couette` on a square of this many cells, steady.
struct Turned {
  double profile = 0, torque = 0;  // largest error of the velocity, of that of the surface; error of the torque
};
Turned turned(Backend& backend, int side, bool curved_outlines) {
  constexpr double viscosity = 0.1, inner = 0.2, outer = 0.45;
  const double speed = 0.02 * 96 / side, gap = (outer - inner) * side;
  const auto flow = make(backend, side, side,
                         {{"viscosity", viscosity},
                          {"collision", choice::trt},
                          {"outlines", curved_outlines ? choice::curved : 0},
                          {"boundary_left", choice::wall},
                          {"boundary_right", choice::wall},
                          {"boundary_bottom", choice::wall},
                          {"boundary_top", choice::wall}},
                         {action("wall-rectangle", {{"x0", -0.1}, {"y0", -0.1}, {"x1", 1.1}, {"y1", 0.96}}),
                          action("wall-disc", {{"x", 0.5}, {"y", 0.5}, {"radius", outer}, {"erase", 1}}),
                          action("wall-rectangle", {{"x0", -0.1}, {"y0", 0.955}, {"x1", 1.1}, {"y1", 1.1}}),
                          action("wall-disc", {{"x", 0.5}, {"y", 0.5}, {"radius", inner}, {"surface_speed", speed}})});
  flow->step(static_cast<std::int64_t>(gap * gap / viscosity));  // exp(-π²) of the start is left
  const double a = inner * side, b = outer * side, coefficient = speed * a * b * b / (b * b - a * a);
  const Diagnostics d = flow->diagnostics({}, true);
  Turned error;
  for (const Curve& curve : d.curves)
    if (curve.id == "profile_round")
      for (const CurvePoint& p : curve.points)
        error.profile = std::max(error.profile, std::abs(p.y - coefficient * (1 / p.x - p.x / (b * b))) / speed);
  const double expected = -4 * std::numbers::pi * viscosity * coefficient;
  error.torque = error.profile > 0 ? d.number("torque") / expected - 1 : std::nan("");
  return error;
}

}  // namespace

std::vector<TheoryCheck> check_couette(Backend& backend) {
  const double coarse = start_error(backend, 16), fine = start_error(backend, 32);
  return {
      check("Couette flow from rest, 32 cells", "wall speed", 0, fine, 3e-4,
            "The series of the diffusion from the wall (Batchelor, An Introduction to Fluid Dynamics, 4.3), after a "
            "tenth of the diffusion time."),
      check("order of that error", "", 2, std::log2(coarse / fine), 0.25, "On 16 and 32 cells.")};
}

std::vector<TheoryCheck> check_turning(Backend& backend, bool curved_outlines) {
  constexpr int side = 112, coarser = 64;
  const Turned fine = turned(backend, side, curved_outlines);
  const std::string kind = curved_outlines ? ", curved outlines" : "",
                    where = "A r + B/r round a cylinder of radius 22.4 cells that turns in one of 50.4.";
  // The velocity beside a staircase is off by up to half a cell's change of it.
  const double profile = curved_outlines ? 0.002 : 0.05, torque = curved_outlines ? 0.003 : 0.03;
  std::vector<TheoryCheck> checks = {
      check("turning cylinder: velocity" + kind, "surface speed", 0, fine.profile, profile, where),
      check("turning cylinder: torque" + kind, "of theory", 1, 1 + fine.torque, torque, "-4 π ν B; " + where)};
  // Whole cells are of first order, and irregular.
  if (curved_outlines) {
    const double order = std::log(turned(backend, coarser, true).torque / fine.torque) / std::log(1. * side / coarser);
    checks.push_back(check("turning cylinder: order of the torque's error", "", 2, order, 0.75,
                           "On 64² and 112² cells; the cells that the outline cuts make it irregular."));
  }
  return checks;
}

std::vector<TheoryCheck> check_step(Backend& backend) {
  constexpr int step = 24, before = 6 * step, width = 20 * step;
  constexpr double speed = 0.05;
  std::vector<TheoryCheck> checks;
  for (const double reynolds : {50., 100.}) {
    const double viscosity = speed * step / reynolds;
    const auto flow =
        make(backend, width, 2 * step,
             {{"viscosity", viscosity},
              {"collision", choice::trt},
              {"inlet_speed", speed},
              {"outlet_pressure", choice::held},
              {"boundary_left", choice::inlet},
              {"boundary_right", choice::outlet},
              {"boundary_bottom", choice::wall},
              {"boundary_top", choice::wall}},
             {action("wall-rectangle", {{"x0", -0.1}, {"y0", -0.1}, {"x1", 1. * before / width}, {"y1", 0.5}}),
              action("stream", {{"vx", 0.5 * speed}})});
    flow->step(static_cast<std::int64_t>(reynolds * 800));
    checks.push_back(check("reattachment behind a step, Re " + format_number(2 * reynolds, 3), "step heights",
                           expected_reattachment(reynolds), flow->diagnostics({}, true).number("reattachment"), 0.03,
                           "Erturk (2008), expansion 1:2, Re of twice the step's height; a step of 24 cells; relative.",
                           true));
  }
  return checks;
}

std::vector<TheoryCheck> check_steady_cylinder(Backend& backend, int diameter) {
  const auto [width, height, flow] = channel_with_cylinder(backend, diameter, 20);
  constexpr double mean = CylinderChannel::mean;
  flow->step(static_cast<std::int64_t>(80 * diameter / mean));
  const Diagnostics d = flow->diagnostics({}, true);
  const auto h = static_cast<std::size_t>(height), w = static_cast<std::size_t>(width);
  const auto density = flow->save().get<float>("density", {h, w});
  // The pressure at the foremost and the rearmost point of the cylinder, by the parabola through the three cells next
  // to it in this direction: a straight line would be 2 % too high, because the pressure bends towards the point.
  const auto pressure = [&](int cell, int away) {
    const auto at = [&](int i) {
      const auto j = static_cast<std::size_t>(2 * diameter);
      return 0.5 * static_cast<double>(density[(j - 1) * w + static_cast<std::size_t>(i)] +
                                       density[j * w + static_cast<std::size_t>(i)]);
    };
    return (15 * at(cell) - 10 * at(cell + away) + 3 * at(cell + 2 * away)) / 8 / 3;
  };
  const int front = 3 * diameter / 2, back = 5 * diameter / 2;
  // In the benchmark's units the mean speed is 0.2.
  const double difference = (pressure(front - 1, -1) - pressure(back, 1)) * 0.04 / (mean * mean);
  const bool fine = diameter >= 40;
  const std::string cells = ", " + std::to_string(diameter) + " cells across",
                    where = "Schäfer & Turek (1996), 2D-1, Re 20; published ";
  return {check("steady cylinder: drag" + cells, "", 5.58, d.number("drag_coefficient_mean"), fine ? 0.02 : 0.06,
                where + "5.57 to 5.59."),
          check("steady cylinder: lift" + cells, "", 0.0107, d.number("lift_coefficient_mean"), fine ? 0.0006 : 0.002,
                where + "0.0104 to 0.0110."),
          check("steady cylinder: pressure difference" + cells, "", 0.1174, difference, fine ? 0.001 : 0.004,
                where + "0.1172 to 0.1176. The error is of second order in the cell size.")};
}

}  // namespace perturb::lbm
