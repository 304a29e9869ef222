// The checks of walls and bodies in a stream: separate numbers for each body, permeability, vortices of a cylinder, the
// slip of a viscous flow at walls.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/simulation/format.h"
#include "cuda/lbm/measure/theory.h"
#include "cuda/lbm/verify/verify.h"

namespace perturb::lbm {

namespace {

// Slow flow across a square array of cylinders that take the fraction c of the area: F/(mu U) of each, with U averaged
// over the whole area, F the force on a square of it (Sangani & Acrivos 1982).
double array_drag(double c) {
  return 4 * std::numbers::pi / (-0.5 * std::log(c) - 0.738 + c * (1 + c * (-0.887 + 2.038 * c)));
}

// Cylinders of the array: `columns` x `rows` squares of `side` cells, driven to the right until the flow is steady.
struct CylinderArray {
  int side, columns, rows;
  double radius, viscosity = 0.2, force = 2e-6;
  double share() const { return std::numbers::pi * radius * radius / (side * side); }

  std::unique_ptr<Simulation> steady(Backend& backend) const {
    const int width = columns * side, height = rows * side;
    std::vector<Action> discs;
    // Not at the middle of a cell: symmetry would hide the effect of the outlines.
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < columns; ++i)
        discs.push_back(
            {"wall-disc",
             {{"x", (i + 0.507) * side / width}, {"y", (j + 0.49) * side / height}, {"radius", radius / height}},
             "",
             nullptr});
    auto flow =
        make(backend, width, height,
             {{"viscosity", viscosity}, {"collision", choice::trt}, {"outlines", choice::curved}, {"force_x", force}},
             std::move(discs));
    flow->step(static_cast<std::int64_t>(1.5 * side * side / viscosity));
    return flow;
  }
};

}  // namespace

TheoryCheck check_wing_reynolds(Backend& backend) {
  // The scene `airfoil` at half its size.
  constexpr int width = 512, height = 192;
  constexpr double speed = 0.1, chord = 0.7, viscosity = 0.002;
  const auto flow = make(backend, width, height,
                         {{"viscosity", viscosity},
                          {"boundary_left", choice::inlet},
                          {"boundary_right", choice::outlet},
                          {"inlet_speed", speed}},
                         {{"wall-airfoil", {{"x", 0.25}, {"y", 0.54}, {"chord", chord}, {"angle", 10}}, "", nullptr}});
  return relative_check("Reynolds number of a wing", "", speed * chord * height / viscosity,
                        flow->diagnostics({}, true).number("reynolds"), 0.03,
                        "U c/nu with the chord c at 10 degrees to the stream; relative.");
}

std::vector<TheoryCheck> check_second_body(Backend& backend) {
  const CylinderArray array{48, 2, 1, 8.56};
  const auto flow = array.steady(backend);
  const double area = array.side * array.side, speed = flow->diagnostics({}, true).number("momentum_x") / (2 * area);
  flow->set_parameter("body", 2);
  const double drag = flow->diagnostics({}, true).number("drag"), lift = flow->diagnostics({}, true).number("lift");
  // The force acts on the fluid alone: the part on the cylinder's own area is in F, but in no link.
  const double expected = array_drag(array.share()), links = expected * (1 - array.share());
  const std::string where =
      "Sangani & Acrivos (1982), of which the fluid's share 1 - c comes through the links; two "
      "cylinders of a row of the square array, the second one alone; ";
  return {relative_check("drag of the second of two cylinders", "viscosity x speed", links,
                         drag / (array.viscosity * speed), 0.01, where + "relative."),
          check("lift of the second of two cylinders, of its drag", "", 0, lift / drag, 0.01,
                where + "no lift, because the array is symmetric.")};
}

std::vector<TheoryCheck> check_permeability(Backend& backend) {
  const CylinderArray array{24, 4, 3, 4.28};
  const auto flow = array.steady(backend);
  const double c = array.share(), area = array.side * array.side,
               got = flow->diagnostics({}, true).number("permeability");
  // Carman's form with Happel's constant is Happel's own result for cylinders of radius R.
  const double happel = array.radius * array.radius / (8 * c) * (-std::log(c) - (1 - c * c) / (1 + c * c));
  return {relative_check("permeability of an array of cylinders", "cell²", area / array_drag(c), got, 0.02,
                         "nu U/F by Sangani & Acrivos (1982), a tenth of the area taken; cylinders 8.6 cells across, "
                         "curved; relative."),
          relative_check("permeability of that array, Kozeny-Carman", "cell²", happel,
                         flow->diagnostics({}, true).number("permeability_expected"), 0.05,
                         "Happel (1959), flow across cylinders, with their radius; from counted cells and faces; "
                         "relative.")};
}

TheoryCheck check_porous(Backend& backend) {
  // The scene `porous`.
  const auto flow =
      make(backend, 768, 384,
           {{"viscosity", 0.05}, {"force_x", 2e-5}, {"boundary_bottom", choice::wall}, {"boundary_top", choice::wall}},
           {{"wall-grains", {{"x0", 0}, {"y0", 0}, {"x1", 1}, {"y1", 1}, {"rows", 12}}, "", nullptr}}, 3);
  flow->step(12000);
  return relative_check(
      "permeability of the scene porous", "cell²", flow->diagnostics({}, true).number("permeability_expected"),
      flow->diagnostics({}, true).number("permeability"), 0.5,
      "Kozeny-Carman with Happel's constant, a model of one cylinder in its own cell: accurate to a factor of two.");
}

TheoryCheck check_wide_stream(Backend& backend) {
  constexpr int diameter = 12, width = 40 * diameter, height = 24 * diameter;
  constexpr double speed = 0.08, reynolds = 100, viscosity = speed * diameter / reynolds;
  const auto flow = make(
      backend, width, height,
      {{"boundary_left", choice::inlet},
       {"boundary_right", choice::outlet},
       {"inlet_speed", speed},
       {"outlines", choice::curved},
       {"viscosity", viscosity}},
      {{"stream", {{"vx", speed}}, "", nullptr},
       {"wall-disc", {{"x", 0.3}, {"y", 0.5}, {"radius", 0.5 * diameter / height}}, "", nullptr},
       // Without a perturbation both sides of the wake would stay symmetric for a long time.
       {"push", {{"x0", 0.35}, {"y0", 0.45}, {"x1", 0.35}, {"y1", 0.55}, {"vy", 0.05}, {"radius", 6}}, "", nullptr}});
  const auto unit = static_cast<std::int64_t>(diameter / speed);  // D/U, a sixth of a period
  flow->step(120 * unit);
  double before = 0, first = 0, last = 0, time = 0;
  int crossings = 0;
  const std::int64_t stride = unit / 10;
  for (std::int64_t n = 0; n < 60 * unit; n += stride) {
    flow->step(stride);
    time += static_cast<double>(stride);
    const double now = flow->diagnostics({}, true).number("lift");
    if (n > 0 && before < 0 && now >= 0) {
      last = time - static_cast<double>(stride) * now / (now - before);
      if (crossings++ == 0) first = last;
    }
    before = now;
  }
  const double strouhal = crossings < 2 ? 0 : (crossings - 1) / (last - first) * diameter / speed;
  return relative_check(
      "Strouhal number in a wide stream, Re 100", "", expected_strouhal(reynolds), strouhal, 0.05,
      "Henderson (1997) as fitted by Williamson & Brown (1998), infinite stream; here 24 diameters wide "
      "and periodic, cylinder 12 cells across; relative.");
}

// ---- the slip of a viscous flow at walls, and the gauge that shows it

namespace {

constexpr int slip_width = 30;

// Slip: mean excess of a parabola's speed as a fraction of its peak, measured and shown by the gauge.
struct Slip {
  double measured = 0, gauge = 0;
};

// A channel `slip_width` cells wide. With curved outlines its walls are two rectangles that end at a fifth of a cell;
// with whole cells they are the domain's sides.
Slip slip_of_channel(Backend& backend, bool curved_outlines, std::map<std::string, double> parameters) {
  const double low = curved_outlines ? 3.8 : 0, high = low + slip_width, viscosity = parameters.at("viscosity");
  const int height = curved_outlines ? slip_width + 7 : slip_width;
  const double peak = 0.02, force = 8 * viscosity * peak / (slip_width * slip_width);
  parameters.insert({{"force_x", force},
                     {"boundary_bottom", choice::wall},
                     {"boundary_top", choice::wall},
                     {"outlines", curved_outlines ? 1.0 : 0.0}});
  std::vector<Action> walls;
  if (curved_outlines)
    walls = {{"wall-rectangle", {{"x0", 0}, {"y0", 0}, {"x1", 1}, {"y1", low / height}}, "", nullptr},
             {"wall-rectangle", {{"x0", 0}, {"y0", high / height}, {"x1", 1}, {"y1", 1}}, "", nullptr}};
  const auto flow = make(backend, 4, height, std::move(parameters), std::move(walls));
  flow->step(static_cast<std::int64_t>(2.5 * slip_width * slip_width / viscosity) + 200);
  const State state = flow->save();
  const auto u = state.get<float>("velocity", {static_cast<std::size_t>(height), 4, 2});
  Slip slip;
  int cells = 0;
  for (int j = 0; j < height; ++j) {
    const double y = j + 0.5;
    if (y < low || y > high) continue;
    slip.measured += static_cast<double>(u[2 * (static_cast<std::size_t>(j) * 4 + 1)]) -
                     force / (2 * viscosity) * (y - low) * (high - y);
    ++cells;
  }
  slip.measured /= cells * peak;
  flow->diagnostics({}, true);
  for (const Gauge& gauge : flow->gauges())
    if (gauge.id == "slip") slip.gauge = gauge.value;
  return slip;
}

TheoryCheck slip_row(std::string name, double expected, double got, double tolerance, std::string note) {
  return check(std::move(name), "of the peak", expected, got, tolerance, std::move(note));
}

}  // namespace

std::vector<TheoryCheck> check_slip(Backend& backend) {
  // He, Zou, Luo & Dembo (1997); Ginzburg & d'Humières (2003): a parabola between two walls W cells apart is too fast
  // by (16 Λ - 3)/(3 W²) of its peak, with Λ = 9 ν² of a single relaxation time.
  const auto of_magic = [](double magic, double held) { return 16 * (magic - held) / (3.0 * slip_width * slip_width); };
  std::vector<TheoryCheck> checks;
  for (const double viscosity : {0.4, 2.0}) {
    const double expected = of_magic(9 * viscosity * viscosity, 3.0 / 16);
    const Slip slip = slip_of_channel(backend, false, {{"collision", choice::bgk}, {"viscosity", viscosity}});
    const std::string where = ", BGK, ν = " + format_number(viscosity, 2);
    checks.push_back(slip_row("slip at walls" + where, expected, slip.measured, 0.01 * expected + 1e-4,
                              "(16 Λ - 3)/(3 W²), He et al. (1997), Λ = 9ν², walls W = 30 cells apart."));
    checks.push_back(slip_row("slip at walls, by the gauge" + where, slip.measured, slip.gauge, 0.01 * expected + 1e-4,
                              "The gauge compared with the measured slip in the channel of 30 cells."));
  }
  // Of Λ, which is the parameter with TRT, a curved outline is corrected by at most 1/4 or 0.075/ν.
  const double viscosity = 1, expected = of_magic(9 * viscosity * viscosity, 0.075 / viscosity);
  checks.push_back(slip_row(
      "slip at curved walls, BGK, ν = 1", expected,
      slip_of_channel(backend, true, {{"collision", choice::bgk}, {"viscosity", viscosity}}).measured,
      0.01 * expected + 1e-3, "16 (Λ - Λ')/(3 W²), Λ = 9ν², of which Λ' = 0.075/ν is corrected; walls inside cells."));
  const Slip held =
      slip_of_channel(backend, false, {{"collision", choice::trt}, {"magic", 3.0 / 16}, {"viscosity", 2}});
  checks.push_back(slip_row("slip at walls, TRT, ν = 2", 0, held.measured, 1e-4,
                            "TRT with Λ = 3/16 reproduces a parabola with zero speed at the walls, at any viscosity."));
  return checks;
}

}  // namespace perturb::lbm
