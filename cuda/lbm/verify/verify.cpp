// The theory checks of `perturb verify lbm`: they drive the simulation through its public interface and compare it with
// theory.
#include "cuda/lbm/verify/verify.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuda/lbm/measure/theory.h"

namespace perturb::lbm {

namespace {

constexpr double pi = std::numbers::pi;

Action taylor_green(double speed) { return {"taylor-green", {{"speed", speed}, {"m", 1}, {"n", 1}}, "", nullptr}; }

// Taylor-Green on side² cells up to nu k² t = 1/2; the root mean square of the velocity's error over its initial peak.
// Speed is proportional to 1/side, so that the Mach number's error falls with the grid's (diffusive scaling).
double decay_error(Backend& backend, int side) {
  const double viscosity = 0.05, speed = 0.04 * 32 / side, k = 2 * pi / side;
  const auto flow =
      make(backend, side, side, {{"viscosity", viscosity}, {"collision", choice::bgk}}, {taylor_green(speed)});
  const auto steps = static_cast<std::int64_t>(std::lround(0.5 / (2 * viscosity * k * k)));
  flow->step(steps);
  const Velocities got = velocities(*flow);
  const double fall = std::exp(-2 * viscosity * k * k * static_cast<double>(steps)) * speed / std::numbers::sqrt2;
  double sum = 0;
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      const double x = k * (i + 0.5), y = k * (j + 0.5);
      sum += std::pow(got.u(i, j) + fall * std::cos(x) * std::sin(y), 2) +
             std::pow(got.v(i, j) - fall * std::sin(x) * std::cos(y), 2);
    }
  return std::sqrt(sum / (side * side)) / speed;
}

// Interpolates a profile given at cell centres and at both walls, at a position in [0, 1].
double interpolate(const std::vector<double>& cells, double low, double high, double place) {
  const auto count = static_cast<int>(cells.size());
  const double x = place * count - 0.5;
  const int k = static_cast<int>(std::floor(x));
  if (k < 0) return low + (cells.front() - low) * (place * count) / 0.5;
  if (k >= count - 1) return cells.back() + (high - cells.back()) * (x - (count - 1)) / 0.5;
  return cells[k] + (cells[k + 1] - cells[k]) * (x - k);
}

}  // namespace

TheoryCheck check_mass(Backend& backend) {
  const auto flow = make(backend, 64, 48,
                         {{"boundary_left", choice::wall},
                          {"boundary_right", choice::wall},
                          {"boundary_bottom", choice::wall},
                          {"boundary_top", choice::moving},
                          {"viscosity", 0.02}},
                         {{"wall-disc", {{"x", 0.4}, {"y", 0.5}, {"radius", 0.2}}, "", nullptr}});
  flow->step(2000);
  return check("mass in a closed box", "", 1, flow->diagnostics({}, true).number("mass"), 2e-6,
               "Bounce-back returns everything that hits a wall, so 2000 steps next to a moving lid change the mean "
               "density only by rounding.");
}

TheoryCheck check_momentum(Backend& backend) {
  const auto flow =
      make(backend, 64, 64, {{"viscosity", 0.01}},
           {{"stream", {{"vx", 0.08}, {"vy", -0.03}}, "", nullptr},
            {"push",
             {{"x0", 0.3}, {"y0", 0.5}, {"x1", 0.6}, {"y1", 0.5}, {"vx", 0.05}, {"vy", 0.1}, {"radius", 6}},
             "",
             nullptr}});
  const double before = flow->diagnostics({}, true).number("momentum_x") / 4096;
  flow->step(2000);
  return check("momentum in a periodic box", "cell/step", before,
               flow->diagnostics({}, true).number("momentum_x") / 4096, 2e-6,
               "Collisions conserve momentum, and no force acts on the fluid.");
}

TheoryCheck check_decay(Backend& backend) {
  const int side = 64;
  const double viscosity = 0.03, k = 2 * pi / side;
  const auto flow =
      make(backend, side, side, {{"viscosity", viscosity}, {"collision", choice::trt}}, {taylor_green(0.03)});
  flow->step(200);
  const double first = flow->diagnostics({}, true).number("energy");
  flow->step(1000);
  const double rate = std::log(first / flow->diagnostics({}, true).number("energy")) / 1000;
  return check("decay rate of Taylor-Green vortices", "1/step", 4 * viscosity * k * k, rate, 0.004,
               "Energy falls as exp(-2 nu (kx² + ky²) t); relative, on 64² cells, where the error of the grid is at "
               "most (k/2)²/3.",
               true);
}

TheoryCheck check_order(Backend& backend) {
  const double coarse = decay_error(backend, 32), fine = decay_error(backend, 64);
  return check("order of the velocity's error", "", 2, std::log2(coarse / fine), 0.25,
               "Taylor-Green on 32² and 64² cells with speeds as 1/n: second order in the grid spacing.");
}

TheoryCheck check_poiseuille(Backend& backend, int height) {
  const double viscosity = 0.15, peak = 0.02, force = 8 * viscosity * peak / (height * height);
  const auto flow = make(backend, 4, height,
                         {{"viscosity", viscosity},
                          {"collision", choice::trt},
                          {"magic", 3.0 / 16},
                          {"force_x", force},
                          {"boundary_bottom", choice::wall},
                          {"boundary_top", choice::wall}});
  flow->step(static_cast<std::int64_t>(2.5 * height * height / viscosity) + 200);
  const Velocities got = velocities(*flow);
  double worst = 0;
  for (int j = 0; j < height; ++j) {
    const double y = j + 0.5, expected = force / (2 * viscosity) * y * (height - y);
    worst = std::max(worst, std::abs(got.u(1, j) - expected) / peak);
  }
  return check("Poiseuille profile, " + std::to_string(height) + " cells", "", 0, worst, 5e-5,
               "Largest error divided by the peak speed. TRT with 3/16 is exact at the nodes, so the error is the FP32 "
               "rounding accumulated over the diffusion time.");
}

TheoryCheck check_cavity(Backend& backend, int reynolds) {
  const int side = reynolds == 100 ? 64 : reynolds == 400 ? 96 : 192;
  const double speed = 0.1, turns = reynolds == 100 ? 30 : reynolds == 400 ? 50 : 100;
  const auto flow = make(backend, side, side,
                         {{"boundary_left", choice::wall},
                          {"boundary_right", choice::wall},
                          {"boundary_bottom", choice::wall},
                          {"boundary_top", choice::moving},
                          {"wall_speed", speed},
                          {"viscosity", speed * side / reynolds},
                          {"collision", choice::trt}});
  flow->step(static_cast<std::int64_t>(turns * side / speed));
  const Velocities got = velocities(*flow);
  std::vector<double> u(side), v(side);
  for (int k = 0; k < side; ++k) {
    u[k] = 0.5 * (got.u(side / 2 - 1, k) + got.u(side / 2, k)) / speed;
    v[k] = 0.5 * (got.v(k, side / 2 - 1) + got.v(k, side / 2)) / speed;
  }
  double worst = 0;
  for (const GhiaRow& row : ghia_u)
    worst = std::max(worst, std::abs(interpolate(u, 0, 1, row.place) - row.value(reynolds)));
  for (const GhiaRow& row : ghia_v)
    if (row.value(reynolds) != ghia_misprint)
      worst = std::max(worst, std::abs(interpolate(v, 0, 0, row.place) - row.value(reynolds)));
  if (!std::isfinite(worst)) worst = 1e30;
  return check("cavity, Re " + std::to_string(reynolds), "lid speed", 0, worst, 0.015,
               "Largest difference of the centre-line velocities from Ghia, Ghia & Shin (1982), " +
                   std::to_string(side) + "² cells, Mach 0.17.");
}

TheoryCheck check_array(Backend& backend) {
  // Sangani & Acrivos (1982): slow flow across a square array of cylinders that take the fraction c of the area has
  //   F/(mu U) = 4 pi/(ln(1/sqrt c) - 0.738 + c - 0.887 c² + 2.038 c³),
  // U averaged over the whole area, F the force density on the whole area.
  const int side = 48;
  const double radius = 8.56, viscosity = 0.2, force = 2e-6, share = pi * radius * radius / (side * side);
  const auto flow =
      make(backend, side, side,
           {{"viscosity", viscosity}, {"collision", choice::trt}, {"outlines", choice::curved}, {"force_x", force}},
           {{"wall-disc", {{"x", 0.507}, {"y", 0.49}, {"radius", radius / side}}, "", nullptr}});
  flow->step(static_cast<std::int64_t>(1.5 * side * side / viscosity));
  const double speed = flow->diagnostics({}, true).number("momentum_x") / (side * side);
  const double expected = 4 * pi / (-0.5 * std::log(share) - 0.738 + share * (1 + share * (-0.887 + 2.038 * share)));
  return check("drag in a square array of cylinders", "viscosity x speed", expected,
               force * side * side / (viscosity * speed), 0.01,
               "Sangani & Acrivos (1982), slow flow, a tenth of the area taken; curved outlines of cylinders 17 cells "
               "across, relative.",
               true);
}

CylinderChannel channel_with_cylinder(Backend& backend, int diameter, double reynolds) {
  constexpr double peak = CylinderChannel::peak, mean = CylinderChannel::mean;
  const int width = static_cast<int>(std::lround(22.0 * diameter)),
            height = static_cast<int>(std::lround(4.1 * diameter));
  return {width, height,
          make(backend, width, height,
               {{"boundary_left", choice::inlet},
                {"boundary_right", choice::outlet},
                {"boundary_bottom", choice::wall},
                {"boundary_top", choice::wall},
                {"inlet_speed", peak},
                {"inlet_profile", choice::parabolic},
                {"outlet_pressure", choice::held},
                {"outlines", choice::curved},
                {"viscosity", mean * diameter / reynolds},
                {"collision", choice::bgk}},
               {{"wall-disc", {{"x", 0.2 / 2.2}, {"y", 0.2 / 0.41}, {"radius", 0.05 / 0.41}}, "", nullptr},
                {"stream", {{"vx", mean}}, "", nullptr}})};
}

std::vector<TheoryCheck> check_cylinder(Backend& backend, int diameter) {
  const auto [width, height, flow] = channel_with_cylinder(backend, diameter, 100);
  constexpr double mean = CylinderChannel::mean;
  const auto unit = static_cast<std::int64_t>(diameter / mean);  // D/U, a third of a period
  flow->step(150 * unit);
  const double pressure = 0.5 * mean * mean * diameter;
  double drag = 0, lift = 0, before = 0, first = 0, last = 0;
  int crossings = 0;
  const std::int64_t stride = std::max<std::int64_t>(1, unit / 40);
  for (std::int64_t n = 0; n < 25 * unit; n += stride) {
    flow->step(stride);
    const Diagnostics d = flow->diagnostics({}, true);
    drag = std::max(drag, d.number("drag") / pressure);
    const double now = d.number("lift") / pressure;
    lift = std::max(lift, now);
    if (n > 0 && before < 0 && now >= 0) {
      last = d.time - static_cast<double>(stride) * now / (now - before);
      if (crossings++ == 0) first = last;
    }
    before = now;
  }
  const double strouhal = crossings < 2 ? 0 : (crossings - 1) / (last - first) * diameter / mean;
  const std::string where =
      "Schäfer & Turek (1996), 2D-2, with " + std::to_string(diameter) + " cells across the cylinder; ";
  return {check("cylinder: Strouhal number", "", 0.300, strouhal, 0.005, where + "published 0.295 to 0.305."),
          check("cylinder: peak drag", "", 3.23, drag, 0.01, where + "published 3.22 to 3.24."),
          check("cylinder: peak lift", "", 1.00, lift, 0.01, where + "published 0.99 to 1.01.")};
}

TheoryCheck check_dragged_mass(Backend& backend, bool curved_outlines) {
  // Round a square of 15 cells, past another wall, by one cell every 20 steps.
  const int width = 80, height = 60, pace = 20, moves = 500, side = 15;
  const auto flow = make(backend, width, height,
                         {{"boundary_left", choice::wall},
                          {"boundary_right", choice::wall},
                          {"boundary_bottom", choice::wall},
                          {"boundary_top", choice::wall},
                          {"outlines", curved_outlines ? choice::curved : 0},
                          {"viscosity", 0.03}},
                         {{"wall-disc", {{"x", 0.5}, {"y", 0.5}, {"radius", 0.13}}, "", nullptr},
                          {"wall-rectangle", {{"x0", 0.8}, {"y0", 0.2}, {"x1", 0.9}, {"y1", 0.5}}, "", nullptr}});
  const double before = flow->diagnostics({}, true).number("mass");
  constexpr int to_right[] = {1, 0, -1, 0}, upwards[] = {0, 1, 0, -1};
  int i = width / 2, j = height / 2;
  for (int n = 0; n < moves; ++n) {
    const int edge = n / side % 4, to_i = i + to_right[edge], to_j = j + upwards[edge];
    flow->apply({"move-body",
                 {{"x0", (i + 0.5) / width},
                  {"y0", (j + 0.5) / height},
                  {"x1", (to_i + 0.5) / width},
                  {"y1", (to_j + 0.5) / height}},
                 "",
                 nullptr});
    i = to_i;
    j = to_j;
    flow->step(pace);
  }
  return check(std::string("mass while a body is dragged") + (curved_outlines ? ", curved outlines" : ""),
               "of that before", 1, flow->diagnostics({}, true).number("mass") / before, 1e-6,
               "A body takes along the mass that it covers and uncovers: 10000 steps, only rounding.");
}

TheoryCheck check_dragged(Backend& backend, bool curved_outlines, int pace, int diameter, int moves_per_reading) {
  // The same channel in two frames of reference: in one the cylinder is at rest in a stream, in the other it is dragged
  // at the stream's speed through fluid at rest, by whole cells. Both start at the same time, so that the wakes have
  // the same age. Re 10. Drag is read before each step, so the mean covers whole moves and all momentum that the fluid
  // loses, including the impulse of each move.
  const int width = 10 * diameter, height = 4 * diameter;
  const double speed = 1.0 / pace, viscosity = speed * diameter / 10;
  const auto channel = [&](double enters, int column, std::vector<Action> actions) {
    actions.insert(actions.begin(),
                   {"wall-disc",
                    {{"x", (column + 0.5) / width}, {"y", 0.5}, {"radius", (0.5 * diameter + 0.2) / height}},
                    "",
                    nullptr});
    return make(backend, width, height,
                {{"viscosity", viscosity},
                 {"boundary_left", choice::inlet},
                 {"boundary_right", choice::outlet},
                 {"outlines", curved_outlines ? choice::curved : 0},
                 {"inlet_speed", enters}},
                std::move(actions));
  };
  const auto rests = channel(speed, 4 * diameter, {{"stream", {{"vx", speed}}, "", nullptr}});
  const auto dragged = channel(0, 8 * diameter, {});
  double stands = 0, moves = 0;
  for (int n = 0; n < 5 * diameter; ++n) {
    const double from = (8.0 * diameter - n + 0.5) / width, y = (height / 2 + 0.5) / height;
    dragged->apply({"move-body", {{"x0", from}, {"y0", y}, {"x1", from - 1.0 / width}, {"y1", y}}, "", nullptr});
    if (3 * n < 10 * diameter || n % moves_per_reading != 0) {
      dragged->step(pace);
      rests->step(pace);
      continue;
    }
    for (int k = 0; k < pace; ++k) {
      stands += rests->diagnostics({}, true).number("drag");
      moves += dragged->diagnostics({}, true).number("drag");
      dragged->step(1);
      rests->step(1);
    }
  }
  return check("drag of a dragged cylinder, a cell in " + std::to_string(pace) + " steps" +
                   (curved_outlines ? ", curved outlines" : ""),
               "of one in the stream", 1, moves / stands, 0.03,
               "Galilean invariance: the same flow seen from two frames; a cylinder of " + std::to_string(diameter) +
                   " cells, covered cell by cell; the mean over whole moves.");
}

TheoryCheck check_kernel(Backend& backend, const std::string& kernel) {
  const auto run = [&](const std::string& id) {
    // Large enough that a device does not run all of it at once: in-place kernels must not depend on the order.
    const int width = backend.is_cuda() ? 1600 : 160, height = backend.is_cuda() ? 960 : 96;
    const auto flow = make(backend, width, height,
                           {{"boundary_left", choice::inlet},
                            {"boundary_right", choice::outlet},
                            {"boundary_bottom", choice::wall},
                            {"boundary_top", choice::moving},
                            {"inlet_speed", 0.05},
                            {"viscosity", 0.02},
                            {"force_x", 1e-6}},
                           {{"wall-disc", {{"x", 0.3}, {"y", 0.4}, {"radius", 0.15}}, "", nullptr},
                            {"stream", {{"vx", 0.05}}, "", nullptr}});
    flow->select_kernel(id);
    flow->step(101);
    return flow->save();
  };
  const bool half = kernel == "half";
  return check(
      "kernel " + kernel, "", 0, largest_difference(run(kernel), run("fused")), half ? 2e-3 : 0,
      half ? "Compared with fused after 101 steps: 16-bit storage rounds each population to eleven binary digits."
           : "Compared with fused after 101 steps, bit for bit.");
}

std::vector<TheoryCheck> verify(Backend& backend, bool with_long) {
  std::vector<TheoryCheck> checks = {
      check_mass(backend),           check_momentum(backend),    check_decay(backend),
      check_order(backend),          check_array(backend),       check_poiseuille(backend, 8),
      check_poiseuille(backend, 21), check_cavity(backend, 100), check_cavity(backend, 400)};
  for (const KernelVariant& kernel : lbm_simulation().kernels)
    if (kernel.id != "fused" && (backend.is_cuda() ? kernel.on_cuda : kernel.on_cpu))
      checks.push_back(check_kernel(backend, kernel.id));
  for (const bool curved_outlines : {false, true}) checks.push_back(check_dragged_mass(backend, curved_outlines));
  checks.push_back(check_wing_reynolds(backend));
  for (TheoryCheck& c : check_second_body(backend)) checks.push_back(std::move(c));
  for (TheoryCheck& c : check_permeability(backend)) checks.push_back(std::move(c));
  for (TheoryCheck& c : check_slip(backend)) checks.push_back(std::move(c));
  for (TheoryCheck& c : check_couette(backend)) checks.push_back(std::move(c));
  for (const bool curved_outlines : {false, true})
    for (TheoryCheck& c : check_turning(backend, curved_outlines)) checks.push_back(std::move(c));
  for (TheoryCheck& c : check_step(backend)) checks.push_back(std::move(c));
  for (TheoryCheck& c : check_steady_cylinder(backend, 20)) checks.push_back(std::move(c));
  if (with_long) {
    checks.push_back(check_porous(backend));
    checks.push_back(check_wide_stream(backend));
    checks.push_back(check_cavity(backend, 1000));
    for (const bool curved_outlines : {false, true})
      for (const int pace : {25, 16}) checks.push_back(check_dragged(backend, curved_outlines, pace));
    for (TheoryCheck& c : check_cylinder(backend, 40)) checks.push_back(std::move(c));
    for (TheoryCheck& c : check_steady_cylinder(backend, 40)) checks.push_back(std::move(c));
  }
  return checks;
}

}  // namespace perturb::lbm
