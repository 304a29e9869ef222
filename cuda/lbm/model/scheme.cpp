#include "cuda/lbm/model/scheme.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace perturb::lbm {

namespace {

// Fraction of its density's deviation from 1 that an outlet removes per step, times the number of cells between the
// sides. The mean pressure recovers within a few sound crossings; much shorter waves are not affected.
constexpr double default_outlet_relaxation = 0.58;

Rates rates_of(const Parameters& p) {
  Rates r;
  const double tau = 3 * p.viscosity + 0.5;
  const auto plus = static_cast<float>(1 / tau);
  const float minus =
      p.collision == Collision::trt ? static_cast<float>(1 / (p.magic / (tau - 0.5) + 0.5)) : plus;  // equal: BGK
  r.relaxation = lbm_relaxation(plus, minus);
  r.force_x = static_cast<float>(p.force_x);
  r.force_y = static_cast<float>(p.force_y);
  r.tau = static_cast<float>(tau);
  r.forcing = lbm_forcing(r.tau, minus, r.force_x, r.force_y);
  r.eddy = static_cast<float>(18 * std::numbers::sqrt2 * p.smagorinsky * p.smagorinsky);
  return r;
}

// (inward_x, inward_y): the unit vector from the side into the domain; `across`: cells to the opposite side.
Side side_of(const Parameters& p, Boundary kind, float inward_x, float inward_y, int across) {
  Side s;
  s.kind = kind;
  if (kind == Boundary::inlet) {
    const auto u = static_cast<float>(p.inlet_speed);
    s.ux = inward_x * u;
    s.uy = inward_y * u;
    s.parabolic = p.inlet_profile == Profile::parabolic;
  } else if (kind == Boundary::outlet) {
    s.outlet_relaxation = p.outlet_pressure == OutletPressure::held
                              ? 1.f
                              : static_cast<float>(std::min(1.0, default_outlet_relaxation / across));
  } else if (kind == Boundary::moving) {
    (inward_x != 0 ? s.uy : s.ux) = static_cast<float>(p.wall_speed);
  }
  return s;
}

}  // namespace

int features_of(const Parameters& p) {
  return (p.force_x != 0 || p.force_y != 0 ? lbm_forced : 0) | (p.collision == Collision::les ? lbm_eddies : 0);
}

bool has_side(const Parameters& p, Boundary kind) {
  return p.boundary_left == kind || p.boundary_right == kind || p.boundary_bottom == kind || p.boundary_top == kind;
}

double given_speed(const Parameters& p) {
  if (has_side(p, Boundary::inlet) && p.inlet_speed > 0) return p.inlet_speed;
  return has_side(p, Boundary::moving) ? std::abs(p.wall_speed) : 0;
}

StepParams step_params_of(const Parameters& p, int width, int height) {
  StepParams params;
  params.width = width;
  params.height = height;
  params.rates = rates_of(p);
  params.left = side_of(p, p.boundary_left, 1, 0, width);
  params.right = side_of(p, p.boundary_right, -1, 0, width);
  params.bottom = side_of(p, p.boundary_bottom, 0, 1, height);
  params.top = side_of(p, p.boundary_top, 0, -1, height);
  return params;
}

}  // namespace perturb::lbm
