// Interference behind two slits: the mean intensity on a screen compared with the Rayleigh-Sommerfeld integral, and its
// fringes with a closed form.
#include <cmath>
#include <string>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/wave/verify/verify.h"

namespace perturb::wave {

namespace {

// The tank of the scene `double-slit`, in cells.
constexpr int slit_tank_width = 768, slit_tank_height = 512;
constexpr double slit_wave_length = 20, slit_wall = 230, slit_wall_end = 238, slit_screen = 422, slit_width = 20.5,
                 slit_distance = 64.5;

Action in_tank(const char* kind, double x0, double y0, double x1, double y1, std::map<std::string, double> more) {
  more.insert({{"x0", x0 / slit_tank_width},
               {"y0", y0 / slit_tank_height},
               {"x1", x1 / slit_tank_width},
               {"y1", y1 / slit_tank_height}});
  return {kind, std::move(more), "", nullptr};
}

double diagnostic_value(const Diagnostics& diagnostics, const std::string& id) {
  for (const Scalar& scalar : diagnostics.scalars)
    if (scalar.id == id) return scalar.value;
  throw Error("internal: the screen tells no " + id);
}

}  // namespace

std::vector<TheoryCheck> check_slits(Backend& backend) {
  std::map<std::string, double> parameters{
      {"damping", 0}, {"time_step", 0.5}, {"sponge_width", 96}, {"sponge_strength", 0.25}};
  for (const char* side : {"boundary_left", "boundary_right", "boundary_bottom", "boundary_top"})
    parameters[side] = as_parameter(Boundary::absorbing);
  const auto tank = make_tank(backend, slit_tank_width, slit_tank_height, parameters, false);
  tank->apply(
      in_tank("line-source", 31, 0, 31, slit_tank_height, {{"frequency", 1 / slit_wave_length}, {"amplitude", 0.1}}));
  tank->apply(in_tank("wall-rectangle", slit_wall, 0, slit_wall_end, slit_tank_height, {}));
  const double middle = 0.5 * slit_tank_height;
  for (const double y : {middle - 0.5 * slit_distance, middle + 0.5 * slit_distance})
    tank->apply(in_tank("wall-rectangle", slit_wall - 4, y - 0.5 * slit_width, slit_wall_end + 4, y + 0.5 * slit_width,
                        {{"erase", 1}}));
  tank->apply({"screen", {{"x", slit_screen / slit_tank_width}}, "", nullptr});
  tank->step(5000);
  const Diagnostics diagnostics = tank->diagnostics({}, true);
  const double spacing = diagnostic_value(diagnostics, "fringe_spacing"),
               theory = diagnostic_value(diagnostics, "fringe_spacing_theory"),
               fringes = diagnostic_value(diagnostics, "fringe_error");
  // Two point sources give bright fringes where their paths differ by whole wavelengths. The spacing is half the
  // distance to the second fringe.
  const double distance = slit_screen - slit_wall_end;
  const auto difference = [&](double y) {
    return std::hypot(distance, y + 0.5 * slit_distance) - std::hypot(distance, y - 0.5 * slit_distance);
  };
  double low = 0, high = middle;
  for (int k = 0; k < 60; ++k) {
    const double y = 0.5 * (low + high);
    (difference(y) < 2 * slit_wave_length ? low : high) = y;
  }
  const double points = 0.5 * low;
  return {{"spacing of the fringes behind two slits", "cells", theory, spacing, std::abs(spacing / theory - 1), 0.03,
           "Rayleigh and Sommerfeld's integral over the slits; relative"},
          {"intensity of the inner five fringes, error", "", 0, fringes, fringes, 0.1,
           "Rayleigh and Sommerfeld's integral over the slits; relative to each fringe"},
          {"spacing of the fringes, beside the far field's closed form", "cells",
           diagnostic_value(diagnostics, "fringe_spacing_far"), spacing,
           std::abs(spacing / diagnostic_value(diagnostics, "fringe_spacing_far") - 1), 0.03,
           "Fraunhofer's form of the integral for each slit by itself; relative"},
          {"intensity of the inner five, beside the closed form", "", 0,
           diagnostic_value(diagnostics, "fringe_error_far"), diagnostic_value(diagnostics, "fringe_error_far"), 0.1,
           "Fraunhofer's form for each slit; relative to each fringe"},
          {"spacing of the fringes, beside that of two points", "cells", points, spacing,
           std::abs(spacing / points - 1), 0.07,
           "ways that differ by whole wavelengths; the slits are a wavelength wide, which draws the fringes inwards"}};
}

}  // namespace perturb::wave
