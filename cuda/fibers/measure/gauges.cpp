#include "cuda/fibers/measure/gauges.h"

#include <cmath>

#include "cuda/fibers/measure/orbits.h"
#include "cuda/fibers/model/cell.h"

namespace perturb::fibers {

std::vector<Gauge> fiber_gauges(const FiberParameters& p, const FiberMeasured* latest, double shortest) {
  Gauge terms;
  terms.id = "terms", terms.label = "λ_N / d";
  terms.help =
      "The system of the forces is regular only while λ_N = 2 (1 + 1/2 + ... + 1/N) stays below d = -ln(ε² e), ε that "
      "of the shortest fiber.";
  // The shortest fiber is the thickest for its length.
  terms.value = fiber_lambda(p.terms) / fiber_d(p.slenderness / shortest);
  terms.limit = 1;
  terms.warn_at = 0.9;  // the smallest eigenvalue is a tenth of what it is for long fibers
  terms.remedy = "Lower the number of terms (terms) or the slenderness (slenderness).";
  Gauge overlaps;
  overlaps.id = "overlaps", overlaps.label = "Overlapping pairs";
  overlaps.help =
      "Pairs whose axes are closer than one thickness. Without contact fibers may pass through each other, and "
      "near-parallel ones that do make the system indefinite, so that GMRES takes over.";
  overlaps.value = latest ? static_cast<double>(latest->overlaps.pairs) : 0, overlaps.limit = 0.5;
  overlaps.advisory = true;
  overlaps.measured = latest != nullptr;
  overlaps.remedy = p.contact ? "The run goes on. To begin without any, raise the least distance (min_distance)."
                              : "The run goes on. Switch on contact (contact) to push them apart.";
  Gauge orbits;
  orbits.id = "orbits", orbits.label = "False growth of orbits a turn";
  orbits.help =
      "Within a cloud fibers circulate. By this share the time scheme makes such an orbit wider or narrower each turn, "
      "for one that turns as fast as the fibers do (the root of their mean square). At a half the cloud opens, loses "
      "fibers and slows down for no reason of physics.";
  const double turn =
      latest && latest->sums.not_finite == 0 ? std::sqrt(latest->sums.spin2 / latest->fibers) * p.time_step : 0;
  orbits.measured = latest != nullptr;
  orbits.value = std::abs(fiber_orbit_growth(p.scheme, turn)), orbits.limit = 0.5, orbits.warn_at = 0.06;
  orbits.remedy = "Lower the time step (time_step), or take the time scheme Runge-Kutta (scheme).";
  return {terms, orbits, overlaps};
}

}  // namespace perturb::fibers
