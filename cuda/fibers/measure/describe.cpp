#include "cuda/fibers/measure/describe.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <initializer_list>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/uncompared.h"
#include "cuda/fibers/model/cell.h"

namespace perturb::fibers {

namespace {

std::vector<Curve> curves_of(const Shape& shape, const ShapeFrame& frame, double fibers, int core) {
  Curve radial{
      "radial", "Density around the centre of the core", "distance", "length", "fibers per volume", "1/length³", {},
      {}};
  const double width = frame.radius / Shape::radial_bins, ball = 4.0 / 3.0 * M_PI;
  for (int k = 0; k < Shape::radial_bins; ++k) {
    const double inner = k * width, outer = inner + width;
    radial.points.push_back(
        {0.5 * (inner + outer), shape.radial[k] / (ball * (outer * outer * outer - inner * inner * inner))});
  }
  // A uniform ball as wide as the core: its radius is half of what the shells cover.
  const double edge = 0.5 * frame.radius, uniform = core / (ball * edge * edge * edge);
  radial.theory = {{0, uniform}, {edge, uniform}, {edge, 0}, {frame.radius, 0}};
  // A shape to compare with by eye: clouds leave it as they fall.
  leave_uncompared(radial, "theory is a uniform ball of the same width");
  Curve fall{"fall_speeds", "Fall", "fall", "length/time", "share of the fibers", "", {}, {}};
  for (int k = 0; k < Shape::fall_bins; ++k)
    fall.points.push_back(
        {frame.min_fall + (k + 0.5) * (frame.max_fall - frame.min_fall) / Shape::fall_bins, shape.fall[k] / fibers});
  Curve upright{"upright", "Orientation", "|t_z|", "", "density", "", {}, {{0, 1}, {1, 1}}};
  leave_uncompared(upright, "theory is directions at random");
  for (int k = 0; k < Shape::upright_bins; ++k)
    upright.points.push_back({(k + 0.5) / Shape::upright_bins, shape.upright[k] * Shape::upright_bins / fibers});
  return {radial, fall, upright};
}

// Fall of a cloud's core, and its estimate.
void add_core_fall(const Core& core, const Parameters& p, Diagnostics& result) {
  const double d = fiber_d(p.slenderness);
  result.scalars.push_back({"core_fall", "Core's fall", "length/time", core.fall, Meaning::motion});
  const bool free = !(p.box > 0);
  const FallEstimate ball = free ? estimate_fiber_fall(core, d) : FallEstimate{},
                     ring = free ? estimate_ring_fall(core, d) : FallEstimate{};
  if (ball.known)
    result.scalars.push_back(
        {"fall_theory", "Core's fall, estimate for a ball", "length/time", ball.fall, Meaning::motion});
  if (ring.known)
    result.scalars.push_back(
        {"fall_ring", "Core's fall, estimate for a ring", "length/time", ring.fall, Meaning::motion});
  else if (!ball.known && !ball.why_not.empty())
    result.remarks.push_back(ball.why_not);
  if (p.box > 0) result.remarks.push_back("No estimate of the fall: in a periodic box the fall depends on the box.");
}

// Range of the shown quantity.
void set_range(const Measured& m, Shown shown, Diagnostics& result) {
  const Sums& s = m.sums;
  const double n = m.fibers;
  switch (shown) {
    case Shown::speed:
      result.minimum = s.slowest;
      result.maximum = s.fastest;
      break;
    case Shown::fall:
      result.minimum = s.min_fall - s.fall / n;
      result.maximum = s.max_fall - s.fall / n;
      break;
    case Shown::orientation:
      result.minimum = 0;
      result.maximum = 1;
      break;
    case Shown::index:
      result.minimum = 0;
      result.maximum = std::max(1.0, n - 1);
      break;
    case Shown::length:
      result.minimum = m.shortest;
      result.maximum = m.longest;
      break;
  }
}

// Reports numbers that are not finite as 0, and the error as a message.
void report_error(const Measured& m, Diagnostics& result) {
  const Sums& s = m.sums;
  if (s.not_finite > 0) {
    result.finite = false;
    const Message where =
        s.not_finite > 1
            ? Message("The position, direction or velocity of fiber {} and {} more is not finite at step {}.",
                      s.first_bad, s.not_finite - 1, m.step)
            : Message("The position, direction or velocity of fiber {} is not finite at step {}.", s.first_bad, m.step);
    result.error = where + "Two fibers may coincide. Lower the time step, or restart with a larger minimum distance.";
    for (Scalar& scalar : result.scalars)
      if (!std::isfinite(scalar.value)) scalar.value = 0;
    result.minimum = 0;
    result.maximum = 1;
  } else if (!m.failure.empty()) {
    result.finite = false;
    result.error = m.failure;
  }
}

}  // namespace

Diagnostics describe_fibers(const Measured& m, const ReportContext& context) {
  const Sums& s = m.sums;
  const double n = m.fibers;
  const double x = s.x / n, y = s.y / n, z = s.z / n;
  const double radius = std::sqrt(5.0 / 3.0 * std::max(0.0, (s.xx + s.yy + s.zz) / n - x * x - y * y - z * z));
  Diagnostics result;
  result.step = m.step;
  result.time = m.time;
  const Core& core = m.core;
  const bool cloud = n > 1 && !context.parameters.alone;
  result.scalars = {{"fall", "Mean fall", "length/time", s.fall / n, Meaning::motion}};
  if (cloud) {
    add_core_fall(core, context.parameters, result);
  } else {
    result.scalars.push_back(
        {"fall_theory", "Mean fall of single fibers, exact", "length/time", s.lone_fall / n, Meaning::motion});
  }
  // Four of a unit share a plot: related ones come first.
  if (m.unequal)
    result.scalars.push_back(
        {"long_below", "Longer fibers below shorter ones", "length", core.long_below, Meaning::shape});
  for (const Scalar& scalar : std::initializer_list<Scalar>{
           {"core_radius", "Core radius", "length", core.radius, Meaning::shape},
           {"ring_radius", "Ring radius", "length", core.ring_radius, Meaning::shape},
           {"ring_section", "Ring cross-section, radius", "length", core.ring_section, Meaning::shape},
           {"core_half_height", "Core's half height", "length", core.half_height, Meaning::shape},
           {"radius", "Radius of all fibers", "length", radius, Meaning::shape},
           {"drift", "Mean height", "length", z, Meaning::motion},
           {"aspect", "Core's height over width", "", core.aspect, Meaning::shape},
           {"parting", "Ring parting", "", core.parting, Meaning::shape},
           {"left_behind", "Left behind, fraction", "", 1 - core.fibers / n, Meaning::shape},
           {"order", "Orientational order", "", 1.5 * s.upright / n - 0.5, Meaning::shape},
           value_if(m.time > 0, {"leak_rate", "Mean leak rate", "1/time", m.time > 0 ? (n - core.fibers) / m.time : 0,
                                 Meaning::motion}),
           {"fibers", "Fibers", "", n, Meaning::matter},
           {"overlaps", "Overlapping pairs", "", static_cast<double>(m.overlaps.pairs), Meaning::accuracy},
           {"iterations", "Iterations", "", static_cast<double>(m.solve.iterations), Meaning::computing},
           {"residual", "Residual", "", std::isfinite(m.solve.residual) ? m.solve.residual : 1, Meaning::computing},
           {"matrix", "Matrix stored", "MB", 1e-6 * static_cast<double>(context.matrix_bytes), Meaning::computing},
           {"closed_pairs", "Pairs in closed form", "", context.closed_pairs, Meaning::computing}})
    result.scalars.push_back(scalar);
  if (cloud && m.ring_break.broke())
    result.scalars.push_back({"ring_broke", "Ring broke at", "time", m.ring_break.time(), Meaning::shape});
  if (m.unequal && cloud) {
    result.scalars.push_back(
        {"core_length", "Core's fibers, mean length", "mean length", core.mean_length, Meaning::matter});
    result.scalars.push_back(value_if(core.fibers < n, {"behind_length", "Fibers left behind, mean length",
                                                        "mean length", core.mean_length_behind, Meaning::matter}));
  }
  // Shares of a few fibers are no distribution.
  if (n >= fewest_core_fibers && s.not_finite == 0) result.curves = curves_of(m.shape, m.frame, n, core.fibers);
  set_range(m, context.shown, result);
  report_error(m, result);
  return result;
}

namespace {

using Complex = std::complex<double>;

// Of a z² + b z + c.
double larger_root(double a, Complex b, Complex c) {
  const Complex root = std::sqrt(b * b - 4 * a * c);
  return std::max(std::abs(-b + root), std::abs(-b - root)) / (2 * a);
}

double orbit_factor(Scheme scheme, double theta) {
  const Complex i(0, theta);
  switch (scheme) {
    case Scheme::two_step:
      return larger_root(3, -(4.0 + 4.0 * i), 1.0 + 2.0 * i);
    case Scheme::adams_bashforth:
      return larger_root(1, -(1.0 + 1.5 * i), 0.5 * i);
    case Scheme::runge_kutta:
      return std::abs(1.0 + i * (1.0 + i / 2.0 * (1.0 + i / 3.0 * (1.0 + i / 4.0))));
  }
  return 1;
}

}  // namespace

double orbit_growth(Scheme scheme, double radians) {
  if (!(radians > 1e-4)) return 0;  // lost in rounding there: of the third order or less
  return std::pow(orbit_factor(scheme, radians), 2 * M_PI / radians) - 1;
}

std::vector<Gauge> fiber_gauges(const Parameters& p, const Measured* latest, double shortest) {
  Gauge terms;
  terms.id = "terms";
  terms.label = "λ_N / d";
  terms.help =
      "The linear system for the forces is regular only while λ_N = 2 (1 + 1/2 + ... + 1/N) is below d = -ln(ε² e), "
      "where ε is the slenderness of the shortest fiber.";
  // The shortest fiber is the thickest for its length.
  terms.value = fiber_lambda(p.terms) / fiber_d(p.slenderness / shortest);
  terms.limit = 1;
  terms.warn_at = 0.9;  // the smallest eigenvalue is a tenth of what it is for long fibers
  terms.remedy = "Lower the number of terms or the slenderness.";
  Gauge overlaps;
  overlaps.id = "overlaps";
  overlaps.label = "Overlapping pairs";
  overlaps.help =
      "Pairs whose axes are closer than one thickness. Without contact, fibers can pass through each other. If they "
      "are nearly parallel, the system becomes indefinite and is solved with GMRES.";
  overlaps.value = latest ? static_cast<double>(latest->overlaps.pairs) : 0;
  overlaps.limit = 0.5;
  overlaps.advisory = true;
  overlaps.measured = latest != nullptr;
  overlaps.remedy = p.contact ? "The run continues. To start without overlaps, raise the minimum distance."
                              : "The run continues. Switch on contact to push them apart.";
  Gauge orbits;
  orbits.id = "orbits";
  orbits.label = "Orbit growth error per turn";
  orbits.help =
      "Fibers circulate inside a cloud. The time scheme widens or narrows such an orbit by this fraction per turn, for "
      "an orbit with the fibers' root-mean-square rotation rate. At 0.5 the cloud opens, loses fibers and slows down, "
      "which is a numerical error and not physics.";
  const double turn =
      latest && latest->sums.not_finite == 0 ? std::sqrt(latest->sums.spin2 / latest->fibers) * p.time_step : 0;
  orbits.measured = latest != nullptr;
  orbits.value = std::abs(orbit_growth(p.scheme, turn));
  orbits.limit = 0.5;
  orbits.warn_at = 0.06;
  orbits.remedy = "Lower the time step, or choose the time scheme Runge-Kutta.";
  return {terms, orbits, overlaps};
}

}  // namespace perturb::fibers
