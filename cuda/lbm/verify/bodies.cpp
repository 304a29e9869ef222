// The checks of bodies in a stream: separate numbers for each body, permeability, vortices of a cylinder.
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "cuda/lbm/lbm.h"
#include "cuda/lbm/measure/strouhal.h"

namespace perturb::lbm {

namespace {

constexpr double side_inlet = 3, side_outlet = 4, side_wall = 1, rule_trt = 1, outlines_curved = 1;

std::unique_ptr<Simulation> flow_with_bodies(Backend& backend, int width, int height,
                                             std::map<std::string, double> parameters, std::vector<Action> actions,
                                             std::uint64_t seed = 1) {
  Setup setup;
  setup.simulation = "lbm";
  setup.width = width, setup.height = height, setup.seed = seed;
  setup.parameters = std::move(parameters);
  setup.actions = std::move(actions);
  return lbm_simulation().create(backend, setup);
}

double scalar_of(Simulation& flow, const std::string& id) {
  for (const Scalar& s : flow.diagnostics({}, true).scalars)
    if (s.id == id) return s.value;
  return std::nan("");
}

TheoryCheck body_check(std::string name, std::string unit, double expected, double got, double tolerance,
                       std::string note, bool relative = true) {
  double error = std::abs(got - expected) / (relative ? std::abs(expected) : 1);
  if (!std::isfinite(error)) error = 1e30;
  return {std::move(name), std::move(unit), expected, got, error, tolerance, std::move(note)};
}

// Slow flow across a square array of cylinders that take the fraction c of the area: F/(mu U) of each, with U averaged
// over
// the whole area, F the force on a square of it (Sangani & Acrivos 1982).
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
    auto flow = flow_with_bodies(
        backend, width, height,
        {{"viscosity", viscosity}, {"collision", rule_trt}, {"outlines", outlines_curved}, {"force_x", force}},
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
  const auto flow =
      flow_with_bodies(backend, width, height,
                       {{"viscosity", viscosity},
                        {"boundary_left", side_inlet},
                        {"boundary_right", side_outlet},
                        {"inlet_speed", speed}},
                       {{"wall-airfoil", {{"x", 0.25}, {"y", 0.54}, {"chord", chord}, {"angle", 10}}, "", nullptr}});
  return body_check("Reynolds number of a wing", "", speed * chord * height / viscosity, scalar_of(*flow, "reynolds"),
                    0.03, "U c/nu with the chord c, which lies at 10 degrees to the stream; relative.");
}

std::vector<TheoryCheck> check_second_body(Backend& backend) {
  const CylinderArray array{48, 2, 1, 8.56};
  const auto flow = array.steady(backend);
  const double area = array.side * array.side, speed = scalar_of(*flow, "momentum_x") / (2 * area);
  flow->set_parameter("body", 2);
  const double drag = scalar_of(*flow, "drag"), lift = scalar_of(*flow, "lift");
  // The force acts on the fluid alone: the part on the cylinder's own area is in F, but in no link.
  const double expected = array_drag(array.share()), links = expected * (1 - array.share());
  const std::string where =
      "Sangani & Acrivos (1982), of which the fluid's share 1 - c comes through the links; two "
      "cylinders of a row of the square array, the second one alone; ";
  return {body_check("drag of the second of two cylinders", "viscosity x speed", links,
                     drag / (array.viscosity * speed), 0.01, where + "relative."),
          body_check("lift of the second of two cylinders, of its drag", "", 0, lift / drag, 0.01,
                     where + "no lift, for the array is even.", false)};
}

std::vector<TheoryCheck> check_permeability(Backend& backend) {
  const CylinderArray array{24, 4, 3, 4.28};
  const auto flow = array.steady(backend);
  const double c = array.share(), area = array.side * array.side, got = scalar_of(*flow, "permeability");
  // Carman's form with Happel's constant is Happel's own result for cylinders of radius R.
  const double happel = array.radius * array.radius / (8 * c) * (-std::log(c) - (1 - c * c) / (1 + c * c));
  return {body_check("permeability of an array of cylinders", "cell²", area / array_drag(c), got, 0.02,
                     "nu U/F by Sangani & Acrivos (1982), a tenth of the area taken; cylinders 8.6 cells across, "
                     "curved; relative."),
          body_check("permeability of that array by Kozeny and Carman", "cell²", happel,
                     scalar_of(*flow, "permeability_expected"), 0.05,
                     "Happel (1959), flow across cylinders, with their radius; from counted cells and faces; "
                     "relative.")};
}

TheoryCheck check_porous(Backend& backend) {
  // The scene `porous`.
  const auto flow = flow_with_bodies(
      backend, 768, 384,
      {{"viscosity", 0.05}, {"force_x", 2e-5}, {"boundary_bottom", side_wall}, {"boundary_top", side_wall}},
      {{"wall-grains", {{"x0", 0}, {"y0", 0}, {"x1", 1}, {"y1", 1}, {"rows", 12}}, "", nullptr}}, 3);
  flow->step(12000);
  return body_check("permeability of the scene porous", "cell²", scalar_of(*flow, "permeability_expected"),
                    scalar_of(*flow, "permeability"), 0.5,
                    "Kozeny and Carman's with Happel's constant, a model of one cylinder in a cell of its own: to a "
                    "factor of two.");
}

TheoryCheck check_wide_stream(Backend& backend) {
  constexpr int diameter = 12, width = 40 * diameter, height = 24 * diameter;
  constexpr double speed = 0.08, reynolds = 100, viscosity = speed * diameter / reynolds;
  const auto flow = flow_with_bodies(
      backend, width, height,
      {{"boundary_left", side_inlet},
       {"boundary_right", side_outlet},
       {"inlet_speed", speed},
       {"outlines", outlines_curved},
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
    const double now = scalar_of(*flow, "lift");
    if (n > 0 && before < 0 && now >= 0) {
      last = time - static_cast<double>(stride) * now / (now - before);
      if (crossings++ == 0) first = last;
    }
    before = now;
  }
  const double strouhal = crossings < 2 ? 0 : (crossings - 1) / (last - first) * diameter / speed;
  return body_check("Strouhal number in a wide stream, Re 100", "", expected_strouhal(reynolds), strouhal, 0.05,
                    "Henderson (1997) as fitted by Williamson & Brown (1998), endless stream; here 24 diameters of it "
                    "that repeat, 12 cells across; relative.");
}

}  // namespace perturb::lbm
