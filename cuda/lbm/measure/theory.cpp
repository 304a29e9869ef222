#include "cuda/lbm/measure/theory.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/lbm/measure/theory.h"
#include "cuda/lbm/model/scheme.h"
#include "cuda/lbm/setup.h"

namespace perturb::lbm {

double viscosity_of(const Parameters& p, int length) {
  const double speed = given_speed(p);
  if (!(speed > 0))
    throw InputError(
        "Cannot set a Reynolds number: no inlet or moving wall gives a speed. Make a side an inlet or a moving wall, "
        "or set the viscosity.");
  const double viscosity = speed * length / p.reynolds;
  const auto table = parameter_table();
  const Parameter& record =
      *std::find_if(table.begin(), table.end(), [](const Parameter& parameter) { return parameter.id == "viscosity"; });
  if (viscosity < record.minimum || viscosity > record.maximum)
    throw InputError(
        "With a speed of {} and a length of {}, the Reynolds number {} needs a viscosity of {}. Choose a "
        "Reynolds number from {} to {}, or another speed.",
        with_unit(format_number(speed, 3), "cell/step"), with_unit(std::to_string(length), "cell"),
        format_number(p.reynolds, 4), with_unit(format_number(viscosity, 3), record.unit),
        format_number(speed * length / record.maximum, 3),
        format_number(std::min(speed * length / record.minimum, 10000.), 3));
  return viscosity;
}

namespace {

constexpr double min_reynolds = 50, max_reynolds = 1000;
// A stream not much wider than the cylinder is faster next to it: at 4.1 diameters Schäfer & Turek (1996) have 0.30 at
// a Reynolds number of 100, where a wide stream has 0.167.
constexpr double min_width = 5;

}  // namespace

double expected_strouhal(double reynolds) {
  return reynolds >= min_reynolds && reynolds <= max_reynolds ? 0.2698 - 1.0271 / std::sqrt(reynolds) : 0;
}

Expected expected_of(const Parameters& p, const Bodies& bodies, std::size_t body, Stream stream, int width,
                     double reynolds) {
  const Body& cylinder = bodies.reported[body];
  if (!cylinder.disc || !has_side(p, Boundary::inlet)) return {};
  if (bodies.all > 1 || bodies.sides)
    return {0, "No expected Strouhal number for this cylinder: other walls disturb its flow."};
  if (p.inlet_profile != Profile::uniform)
    return {0, "No expected Strouhal number for this cylinder: the reference values are for a uniform inflow."};
  if (width < min_width * cylinder.across(stream))
    return {0, Message("No expected Strouhal number for this cylinder: the reference values are for a wide channel, "
                       "and this one is {} diameters wide.",
                       format_number(static_cast<double>(width) / cylinder.across(stream), 2))};
  const double strouhal = expected_strouhal(reynolds);
  if (!(strouhal > 0))
    return {0, Message("No expected Strouhal number for this cylinder: Henderson's fit (1997) holds for Reynolds "
                       "numbers from {} to {}.",
                       format_number(min_reynolds, 2), format_number(max_reynolds, 4))};
  // Where the cylinder narrows the stream, the same fluid passes beside it at a higher speed.
  const double blocked = cylinder.across(stream) / static_cast<double>(width);
  return {strouhal, Message("Henderson's Strouhal number is for a wide stream. This one is {} diameters wide and up to "
                            "{} % faster beside the cylinder, which raises its Strouhal number.",
                            format_number(1 / blocked, 2), format_number(100 * blocked / (1 - blocked), 2))};
}

namespace {

double annulus_b(const Annulus& a) {
  return a.speed * a.inner * a.outer * a.outer / (a.outer * a.outer - a.inner * a.inner);
}

}  // namespace

double annulus_velocity(const Annulus& a, double radius) {
  return annulus_b(a) * (1 / radius - radius / (a.outer * a.outer));
}

double annulus_torque(const Annulus& a, double viscosity) { return -4 * std::numbers::pi * viscosity * annulus_b(a); }

double steps_to_steady(double distance, double viscosity) {
  constexpr double decay_times = 5;
  return decay_times * distance * distance / (std::numbers::pi * std::numbers::pi * viscosity);
}

std::optional<Permeability> permeability_of(const Parameters& p, const Bodies& bodies, double momentum,
                                            std::int64_t fluid, std::int64_t cells) {
  const Stream stream = stream_of(p);
  const double force = stream.along_y ? p.force_y : p.force_x;
  const bool goes_round = is_periodic(stream.along_y ? p.boundary_bottom : p.boundary_left);
  if (force == 0 || !goes_round || bodies.all < min_grains || cells <= 0 || fluid <= 0) return std::nullopt;
  Permeability k;
  const auto all = static_cast<double>(cells);
  k.porosity = static_cast<double>(fluid) / all;
  const double flux = momentum / all;
  k.got = p.viscosity * flux / force;
  k.reynolds = std::abs(flux) * std::sqrt(std::abs(k.got)) / p.viscosity;
  // k = porosity³/(K S²), S the wetted length per area. K would be 5 in a bed of spheres (Carman 1937); here it is the
  // value for flow across cylinders, each in a cell of its own (Happel 1959). Outlines of whole cells are longer than
  // round ones by a factor 4/pi, averaged over all directions.
  const double wetted = std::numbers::pi / 4 * static_cast<double>(bodies.faces) / all, solid = 1 - k.porosity,
               cube = k.porosity * k.porosity * k.porosity;
  const double constant = 2 * cube / (solid * (-std::log(solid) - (1 - solid * solid) / (1 + solid * solid)));
  k.kozeny_carman = cube / (constant * wetted * wetted);
  return k;
}

}  // namespace perturb::lbm
