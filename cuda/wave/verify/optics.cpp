// Checks of interference and refraction. Behind two slits, the mean intensity on a screen is compared with the
// Rayleigh-Sommerfeld integral, and its fringes with a closed form; directions and foci of waves that pass from one
// speed to another with Snell's law.
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/wave/measure/theory.h"
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
  if (const Scalar* scalar = diagnostics.scalar(id)) return scalar->value;
  throw Error("internal: the screen has no {}", id);
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
  return {
      {"spacing of the fringes behind two slits", "cells", theory, spacing, std::abs(spacing / theory - 1), 0.03,
       "Rayleigh-Sommerfeld integral over the slits; relative"},
      {"intensity of the inner five fringes, error", "", 0, fringes, fringes, 0.1,
       "Rayleigh-Sommerfeld integral over the slits; relative to each fringe"},
      {"spacing of the fringes, compared with Fraunhofer", "cells", diagnostic_value(diagnostics, "fringe_spacing_far"),
       spacing, std::abs(spacing / diagnostic_value(diagnostics, "fringe_spacing_far") - 1), 0.03,
       "Fraunhofer integral of each slit; relative"},
      {"intensity of the inner five, compared with Fraunhofer", "", 0,
       diagnostic_value(diagnostics, "fringe_error_far"), diagnostic_value(diagnostics, "fringe_error_far"), 0.1,
       "Fraunhofer integral of each slit; relative to each fringe"},
      {"spacing of the fringes, compared with two points", "cells", points, spacing, std::abs(spacing / points - 1),
       0.07,
       "path differences of whole wavelengths; the slits are one wavelength wide, which moves the fringes inwards"}};
}

// ---- refraction

namespace {

using std::numbers::pi;

// The lens of the scene `lens`: an ellipse in a tank of 1024 x 512 cells.
constexpr int lens_width = 1024, lens_height = 512;
constexpr double lens_x = 0.25, lens_radius_x = 0.074, lens_radius_y = 0.4, lens_factor = 0.7, wave_length = 20;

std::map<std::string, double> open_tank() {
  std::map<std::string, double> parameters{
      {"damping", 0}, {"time_step", 0.5}, {"sponge_width", 96}, {"sponge_strength", 0.25}};
  for (const char* side : {"boundary_left", "boundary_right", "boundary_bottom", "boundary_top"})
    parameters[side] = as_parameter(Boundary::absorbing);
  return parameters;
}

Action line_source(double x0, double y0, double x1, double y1) {
  return {"line-source",
          {{"x0", x0}, {"y0", y0}, {"x1", x1}, {"y1", y1}, {"frequency", 1 / wave_length}, {"amplitude", 0.1}},
          "",
          nullptr};
}

double scalar_of(const Simulation& tank, const Diagnostics& diagnostics, const std::string& id) {
  if (const Scalar* scalar = diagnostics.scalar(id)) return scalar->value;
  throw Error("internal: {} has no {}", tank.info().id, id);
}

// A ray along x at the height h above the middle of an elliptical lens centred at (0, 0), by Snell's law at both faces.
RayPoint through_ellipse(double h, double a, double b, double n) {
  RayPoint ray{-a * std::sqrt(1 - h * h / (b * b)), h, 1, 0};
  // From an index `of` to one `to`: n times the component of the direction along the face is conserved.
  const auto refract = [&](double of, double to) {
    double nx = ray.x / (a * a), ny = ray.y / (b * b);
    const double size = std::hypot(nx, ny), side = nx * ray.px + ny * ray.py > 0 ? 1 : -1;
    // Forwards.
    nx *= side / size;
    ny *= side / size;
    const double across = nx * ray.px + ny * ray.py, ratio = of / to;
    const double then = std::sqrt(1 - ratio * ratio * (1 - across * across));
    ray.px = ratio * (ray.px - across * nx) + then * nx;
    ray.py = ratio * (ray.py - across * ny) + then * ny;
  };
  refract(1, n);
  const double way = -2 * (ray.x * ray.px / (a * a) + ray.y * ray.py / (b * b)) /
                     (ray.px * ray.px / (a * a) + ray.py * ray.py / (b * b));
  ray.x += way * ray.px;
  ray.y += way * ray.py;
  refract(n, 1);
  return ray;
}

double lens_of(double x, double y) {
  const double u = (x - lens_x * lens_width) / (lens_radius_x * lens_width),
               v = (y - 0.5 * lens_height) / (lens_radius_y * lens_height);
  return u * u + v * v <= 1 ? lens_factor : 1;
}

}  // namespace

TheoryCheck check_refraction(Backend& backend) {
  const int width = 768, height = 512;
  const double factor = 0.7, slant = 30 * pi / 180, half = 150;  // half the length of the line source, cells
  const auto tank = make_tank(backend, width, height, open_tank(), false);
  const double x = 142, y = 345, ax = half * std::sin(slant), ay = half * std::cos(slant);
  tank->apply(line_source((x - ax) / width, (y - ay) / height, (x + ax) / width, (y + ay) / height));
  tank->apply({"speed-rectangle", {{"x0", 0.45}, {"y0", 0}, {"x1", 1}, {"y1", 1}, {"factor", factor}}, "", nullptr});
  tank->step(1800);
  const double got = scalar_of(*tank, tank->diagnostics({}, true), "direction_after");
  const double expected = -std::asin(factor * std::sin(slant)) * 180 / pi;
  return {"direction behind an edge, waves at 30°",
          "°",
          expected,
          got,
          std::abs(got - expected),
          0.3,
          "Snell's law, sin = 0.7 sin(30°); 0.1 degrees come from the grid, on which shorter waves are slower, the "
          "rest from the beam width of 15 waves"};
}

TheoryCheck check_lens_rays() {
  std::vector<float> factors;
  for (int j = 0; j < lens_height; ++j)
    for (int i = 0; i < lens_width; ++i) factors.push_back(static_cast<float>(lens_of(i + 0.5, j + 0.5)));
  const Slowness slowness(factors, lens_width, lens_height, wave_length);
  const RayBounds bounds{96, lens_width - 96., 96, lens_height - 96.};
  std::vector<RayPoint> traced, exact;
  constexpr int count = 81;  // over 0.4 of the tank: averages the effect of the staircase edge on single rays
  for (int k = 0; k < count; ++k) {
    const double h = 0.4 * lens_height * ((k + 0.5) / count - 0.5);
    const auto ray = wave_ray(slowness, 32, 0.5 * lens_height + h, 1, 0, wave_length, bounds);
    if (!ray) throw Error("internal: a ray did not come through the lens");
    traced.push_back(ray->behind);
    exact.push_back(through_ellipse(h, lens_radius_x * lens_width, lens_radius_y * lens_height, 1 / lens_factor));
  }
  const auto expected = intersection_of(exact), got = intersection_of(traced);
  if (!expected || !got) throw Error("internal: the rays behind the lens do not meet");
  const double focus = got->x - lens_x * lens_width;
  return {"focus of the rays through a lens",
          "cells",
          expected->x,
          focus,
          std::abs(focus / expected->x - 1),
          0.02,
          "Snell's law at both faces of the ellipse, compared with rays through its cells; relative"};
}

TheoryCheck check_focus(Backend& backend) {
  const auto tank = make_tank(backend, lens_width, lens_height, open_tank(), false);
  tank->apply(line_source(0.03, 0, 0.03, 1));
  tank->apply(
      {"speed-ellipse",
       {{"x", lens_x}, {"y", 0.5}, {"radius_x", lens_radius_x}, {"radius_y", lens_radius_y}, {"factor", lens_factor}},
       "",
       nullptr});
  tank->step(2400);
  const Diagnostics d = tank->diagnostics({}, true);
  const double expected = scalar_of(*tank, d, "focus_theory"), got = scalar_of(*tank, d, "focus");
  return {"focus of the waves behind a lens",
          "cells",
          expected,
          got,
          std::abs(got / expected - 1),
          0.03,
          "focus of the rays, the limit of short waves; here the wavelength is 1/20 of the lens; relative"};
}

}  // namespace perturb::wave
