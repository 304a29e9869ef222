#include "cuda/lbm/measure/permeability.h"

#include <cmath>
#include <numbers>

#include "cuda/lbm/setup.h"

namespace perturb::lbm {

std::optional<Permeability> permeability_of(const Parameters& p, const Bodies& bodies, double momentum,
                                            std::int64_t fluid, std::int64_t cells) {
  const Stream stream = stream_of(p);
  const double force = stream.along_y ? p.force_y : p.force_x;
  const bool goes_round = is_periodic(stream.along_y ? p.boundary_bottom : p.boundary_left);
  if (force == 0 || !goes_round || bodies.all < least_grains || cells <= 0 || fluid <= 0) return std::nullopt;
  Permeability k;
  const auto all = static_cast<double>(cells);
  k.porosity = static_cast<double>(fluid) / all;
  const double flux = momentum / all;
  k.got = p.viscosity * flux / force;
  k.reynolds = std::abs(flux) * std::sqrt(std::abs(k.got)) / p.viscosity;
  // k = porosity³/(K S²), S the wetted length per area. K would be 5 in a bed of spheres (Carman 1937); here it is the
  // value for flow across cylinders, each in a cell of its own (Happel 1959). Outlines of whole cells are longer than
  // round
  // ones by a factor 4/pi, averaged over all directions.
  const double wetted = std::numbers::pi / 4 * static_cast<double>(bodies.faces) / all, solid = 1 - k.porosity,
               cube = k.porosity * k.porosity * k.porosity;
  const double constant = 2 * cube / (solid * (-std::log(solid) - (1 - solid * solid) / (1 + solid * solid)));
  k.kozeny_carman = cube / (constant * wetted * wetted);
  return k;
}

}  // namespace perturb::lbm
