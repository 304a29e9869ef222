#include "cuda/lbm/measure/gauges.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cuda/lbm/measure/stability.h"
#include "cuda/lbm/model/curved.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

namespace {

constexpr double fastest = 0.3;           // cell/step: above this the low-Mach model is not valid (Mach 0.5)
constexpr double max_cell_reynolds = 60;  // above this, walls and shear layers were seen to become unstable

double peak_speed(const Sums& sums) { return std::sqrt(static_cast<double>(sums.fastest2)); }

// The mean density, or that of fluid at rest if it is not a number.
double mean_density(const Sums& sums) {
  const double density = 1 + sums.mass / static_cast<double>(std::max<std::int64_t>(sums.fluid, 1));
  return density > 0 && std::isfinite(density) ? density : 1;
}

// LES has no limit of its own: whatever grows in a uniform stream raises the eddy viscosity, which damps it.
double stable_speed(const Parameters& p) {
  if (p.collision == Collision::les) return fastest;
  const double magic = p.collision == Collision::trt ? p.magic : 0;
  return StableSpeeds(StableSpeeds::Where::stream, magic, fastest).at(p.viscosity);
}

double cell_reynolds(const Parameters& p, const Sums& sums) {
  const double shear = std::sqrt(static_cast<double>(sums.shear2));
  const double eddies = p.collision == Collision::les ? p.smagorinsky * p.smagorinsky * shear : 0;
  return shear / (p.viscosity + eddies);
}

Gauge relaxation_gauge(const Parameters& p) {
  Gauge tau;
  tau.id = "relaxation";
  tau.label = "1/τ";
  tau.help =
      "Relaxation rate 1/τ, with τ = 3ν + 1/2. At 2 (τ = 1/2, no viscosity) nothing damps structures that are too "
      "small for the grid.";
  tau.value = 1 / (3 * p.viscosity + 0.5);
  tau.limit = 2;
  // Within half a percent of zero viscosity. The next gauge shows which speeds a viscosity allows.
  tau.warn_at = 1.99;
  tau.remedy = "Raise the viscosity, or choose the collision LES.";
  return tau;
}

Gauge speed_gauge(const Parameters& p, const Sums* latest) {
  Gauge speed;
  speed.id = "speed";
  speed.label = "peak speed";
  speed.help =
      "Highest speed in cells per step. The scheme holds for low Mach numbers: above 0.3 (Mach 0.5) it is wrong. At "
      "low viscosity, ripples a few cells long already grow in slower flow (von Neumann analysis of this collision), "
      "with TRT much earlier than with BGK.";
  speed.value = latest ? peak_speed(*latest) : 0;
  speed.limit = stable_speed(p);
  // Mach 0.4, where the density varies by Ma²/2, eight percent; or just below the speed at which ripples grow.
  speed.warn_at = speed.limit < fastest ? 0.9 * speed.limit : 0.4 / std::sqrt(3.0);
  // Changing the collision does not help beyond the limit of the model itself.
  speed.remedy = speed.limit < fastest && speed.value < fastest
                     ? "Raise the viscosity, choose the collision BGK or LES, or lower the inlet speed, the wall "
                       "speed or the force."
                     : "Lower the inlet speed, the wall speed or the force.";
  return speed;
}

Gauge shear_gauge(const Parameters& p, const Sums* latest) {
  Gauge shear;
  shear.id = "cell_reynolds";
  shear.label = "cell Reynolds";
  shear.help =
      "Reynolds number of one cell: largest strain rate divided by the viscosity (including the eddy viscosity of "
      "LES). Near 1 the grid resolves every shear layer. Far above 1, layers are thinner than a cell.";
  shear.value = latest ? cell_reynolds(p, *latest) : 0;
  shear.limit = max_cell_reynolds;
  shear.warn_at = 0.75 * max_cell_reynolds;
  shear.remedy =
      "Raise the viscosity, choose the collision LES or raise the Smagorinsky constant, or lower the inlet speed, the "
      "wall speed or the force.";
  return shear;
}

// How close the speed at a TRT inlet is to the speed at which ripples grow there. `density`: the mean density.
Gauge inlet_gauge(const Parameters& parameters, double density) {
  Gauge inlet;
  inlet.id = "inlet";
  inlet.label = "inlet speed";
  inlet.help =
      "Speed of the fluid that enters, in cells per step. With TRT at low viscosity, ripples stay at an inlet and grow "
      "there, even if the flow is stable elsewhere (von Neumann analysis of the cells next to an inlet).";
  // The inlet sets the mass flow: where the density has fallen the speed is higher.
  inlet.value = std::abs(parameters.inlet_speed) / density;
  // The analysis resolves speeds to 1/512 of the highest one. If none is found stable, this is the limit.
  inlet.limit = std::max(StableSpeeds(StableSpeeds::Where::inlet, parameters.magic, fastest).at(parameters.viscosity),
                         fastest / 512);
  inlet.warn_at = 0.9 * inlet.limit;
  inlet.remedy = "Raise the viscosity, choose the collision BGK or LES, or lower the inlet speed.";
  return inlet;
}

Gauge slip_gauge(const Parameters& p, int length) {
  Gauge slip;
  slip.id = "slip";
  slip.label = "slip at walls";
  slip.help =
      "Slip of a parabolic flow along its walls, as a fraction of its peak speed, for a width equal to that of the "
      "body (without one, of the domain). It depends on Λ = (τ+ - 1/2)(τ- - 1/2), which is 9ν² with one relaxation "
      "time: the higher the viscosity, the more the walls are displaced.";
  slip.value = wall_slip(p, length);
  slip.limit = 0.05;
  slip.warn_at = 0.01;
  slip.remedy = "Lower the viscosity, choose the collision TRT or a larger size.";
  return slip;
}

// How close TRT is to the viscosity below which ripples grow at curved outlines.
Gauge curve_gauge(const Parameters& p) {
  Gauge curve;
  curve.id = "curved";
  curve.label = "curved outlines";
  curve.help =
      "Lowest stable viscosity for curved outlines with TRT, divided by the current viscosity. Above 1, ripples grow "
      "next to the outlines, even in fluid at rest, because the odd moments hardly relax.";
  curve.value = curve_viscosity(p) / p.viscosity;
  curve.limit = 1;
  curve.warn_at = 0.75;
  curve.remedy = "Raise the viscosity, choose the collision BGK or LES, or set the outlines to whole cells.";
  return curve;
}

// The run continues where the limiter acts, but there it shows the flow of a different fluid.
Gauge limited_gauge(const Sums* latest) {
  Gauge limited;
  limited.id = "limited";
  limited.label = "limited cells";
  limited.help =
      "Number of cells in which the limiter acts now. Where the fluid is faster than about 0.35 cells per step, or its "
      "density is far from 1, the scheme would become unstable. There the limiter raises the viscosity to 1/6 and "
      "slows fluid faster than 0.45. These cells and the flow downstream of them are not accurate; the rest is.";
  limited.value = latest ? static_cast<double>(latest->limited) : 0;
  limited.limit = 0;
  limited.advisory = true;
  limited.remedy =
      "Lower the inlet speed, the wall speed or the force, raise the viscosity, or widen the gaps between the walls.";
  return limited;
}

}  // namespace

std::vector<Gauge> lbm_gauges(const Parameters& p, const Sums* latest, int length, bool walls) {
  std::vector<Gauge> all = {relaxation_gauge(p), speed_gauge(p, latest), shear_gauge(p, latest)};
  all[1].measured = all[2].measured = latest != nullptr;
  // With a single relaxation time the limit at an inlet is that of the stream.
  if (has_side(p, Boundary::inlet) && p.collision == Collision::trt)
    all.push_back(inlet_gauge(p, latest ? mean_density(*latest) : 1));
  if (walls || has_side(p, Boundary::wall) || has_side(p, Boundary::moving)) all.push_back(slip_gauge(p, length));
  if (walls && p.outlines == Outlines::curved && p.collision == Collision::trt) all.push_back(curve_gauge(p));
  all.push_back(limited_gauge(latest));
  return all;
}

}  // namespace perturb::lbm
