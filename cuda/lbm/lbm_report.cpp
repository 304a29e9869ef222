#include "cuda/lbm/lbm_report.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "cuda/core/words.h"

namespace perturb {

namespace {

void add_forces(const LbmReport& r, double expected, Diagnostics& d) {
  d.scalars.push_back({"drag", "Drag", "", r.sums.drag});
  d.scalars.push_back({"lift", "Lift", "", r.sums.lift});
  if (!(r.speed > 0) || r.body.length == 0) return;
  const double pressure = 0.5 * r.speed * r.speed * r.body.length;
  d.scalars.push_back({"drag_coefficient", "Drag coefficient", "", r.sums.drag / pressure});
  d.scalars.push_back({"lift_coefficient", "Lift coefficient", "", r.sums.lift / pressure});
  d.scalars.push_back({"strouhal", "Strouhal number (lift)", "", r.forces->frequency() * r.body.length / r.speed});
  if (expected > 0) d.scalars.push_back({"strouhal_expected", "expected of a cylinder (Re 50 to 1000)", "", expected});
  Curve drag{"drag", "Drag coefficient", "time", "step", "drag", "", {}, {}};
  Curve lift{"lift", "Lift coefficient", "time", "step", "lift", "", {}, {}};
  for (const LbmHistory::Entry& m : r.forces->entries())
    drag.points.push_back({m.time, m.along / pressure}), lift.points.push_back({m.time, m.across / pressure});
  d.curves.push_back(std::move(drag)), d.curves.push_back(std::move(lift));
}

void add_probe(const LbmReport& r, Diagnostics& d) {
  d.scalars.push_back({"probe_velocity_x", "Probe: to the right", "cell/step", r.sums.probe_ux});
  d.scalars.push_back({"probe_velocity_y", "Probe: upwards", "cell/step", r.sums.probe_uy});
  const double frequency = r.probe->frequency();
  d.scalars.push_back({"probe_frequency", "Probe: frequency", "1/step", frequency});
  if (r.body.length > 0 && r.speed > 0)
    d.scalars.push_back({"probe_strouhal", "Strouhal number (probe)", "", frequency * r.body.length / r.speed});
  Curve along{"probe_x", "Probe, to the right", "time", "step", "velocity", "cell/step", {}, {}};
  Curve across{"probe_y", "Probe, upwards", "time", "step", "velocity", "cell/step", {}, {}};
  for (const LbmHistory::Entry& m : r.probe->entries())
    along.points.push_back({m.time, m.along}), across.points.push_back({m.time, m.across});
  d.curves.push_back(std::move(along)), d.curves.push_back(std::move(across));
}

}  // namespace

LbmBody lbm_body_of(const LbmWallSums& walls, int width, int height) {
  LbmBody body;
  if (walls.high < 0) return body;
  const int rows = walls.high - walls.low + 1, columns = walls.right - walls.left + 1;
  const bool free = walls.low > 0 && walls.high + 1 < height && walls.left > 0 && walls.right + 1 < width;
  body.length = free && columns > 3 * rows ? columns : rows;
  // As wide as high, and as full as a disc: a staircase of a few cells across misses that by some per cent.
  constexpr int least = 8;
  constexpr double most_wider = 0.1, most_fuller = 0.06;
  const double area = std::numbers::pi / 4 * rows * columns;
  body.disc = free && rows >= least && std::abs(columns - rows) <= most_wider * rows &&
              std::abs(static_cast<double>(walls.solid) - area) <= most_fuller * area;
  return body;
}

double lbm_expected_strouhal(double reynolds) {
  return reynolds >= 50 && reynolds <= 1000 ? 0.2698 - 1.0271 / std::sqrt(reynolds) : 0;
}

Diagnostics lbm_describe(const LbmReport& r) {
  const LbmSums& s = r.sums;
  Diagnostics d;
  d.step = r.step, d.time = static_cast<double>(r.step);
  const double cells = static_cast<double>(std::max<std::int64_t>(s.fluid, 1)),
               peak = std::sqrt(static_cast<double>(s.fastest2));
  const bool body = r.body.length > 0 && r.streams;
  const double reynolds = r.speed * (body ? r.body.length : r.height) / r.parameters.viscosity;
  d.scalars = {
      {"max_speed", "Peak speed", "cell/step", peak},
      {"reynolds", "Reynolds number", "", reynolds},
      {"energy", "Kinetic energy", "", s.energy / cells},
      {"mass", "Mass per cell", "", 1 + s.mass / cells},
      {"momentum_x", "Momentum to the right", "", s.momentum_x},
      {"momentum_y", "Momentum upwards", "", s.momentum_y},
  };
  if (r.forces != nullptr) add_forces(r, r.streams && r.body.disc ? lbm_expected_strouhal(reynolds) : 0, d);
  if (r.probe != nullptr) add_probe(r, d);
  const bool none = s.density_low > s.density_high;
  switch (r.shown) {
    case LbmShown::speed:
      d.minimum = 0, d.maximum = peak;
      break;
    case LbmShown::vorticity:
      d.maximum = peak / 8, d.minimum = -d.maximum;
      break;
    case LbmShown::density:
      d.minimum = none ? 1 : s.density_low, d.maximum = none ? 1 : s.density_high;
      break;
    case LbmShown::dye:
      d.minimum = 0, d.maximum = 1;
      break;
    default:
      d.minimum = -peak, d.maximum = peak;
      break;
  }
  if (s.first_bad != INT64_MAX) {
    d.finite = false;
    d.trouble = "The flow in column " + std::to_string(s.first_bad % r.width) + ", row " +
                std::to_string(s.first_bad / r.width) + " is no longer a finite number at step " +
                std::to_string(r.step) +
                ": it became faster than the scheme can carry, or the viscosity is too low for this grid. Raise "
                "viscosity (now " +
                number_in_words(r.parameters.viscosity, 3) +
                "), lower inlet_speed, wall_speed or the force, or choose the collision les.";
  }
  return d;
}

}  // namespace perturb
