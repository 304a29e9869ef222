// The intensity along the screen as a plot, with theory.
#include <algorithm>
#include <cmath>
#include <complex>
#include <span>
#include <vector>

#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/uncompared.h"
#include "cuda/wave/measure/screen.h"

namespace perturb::wave {

namespace {

// The average of a whole number of periods does not depend on its beginning; over this many the rest is below 2 %.
constexpr double fewest_periods = 5;
// Share of their height that waves may lose to damping on their way to the screen.
constexpr double max_lost = 0.1;

// Values of these rows, at most as many as a plot can show.
std::vector<CurvePoint> screen_points(std::span<const double> values, const ScreenRows& rows, double cell_size,
                                      double factor) {
  std::vector<CurvePoint> all;
  constexpr int max_points = 1024;
  const int stride = std::max(1, (rows.end - rows.first + max_points - 1) / max_points);
  for (int j = rows.first; j < rows.end; j += stride)
    all.push_back({(j + 0.5) * cell_size, factor * values[static_cast<std::size_t>(j)]});
  return all;
}

Curve screen_curve(const ScreenReading& reading, const ScreenRows& rows, double cell_size) {
  Curve curve;
  curve.id = "screen";
  curve.label = "Mean intensity on the screen";
  curve.x_label = "y";
  curve.x_unit = "length";
  curve.y_label = "<u²>";
  curve.y_unit = "height²";
  curve.points = screen_points(reading.intensity, rows, cell_size, 1);
  return curve;
}

bool has_theory(const ScreenReading& reading, const ScreenRows& rows) {
  return reading.samples > 0 && reading.plane >= 0 && reading.wavelength > 0 && rows.why_no_theory.empty();
}

// Adds the intensity of these amplitudes to the curve, which is then named `label`; returns false if there are none.
bool add_theory(Curve& curve, const ScreenReading& reading, const ScreenRows& rows,
                std::span<const std::complex<double>> amplitudes, double cell_size, const char* label,
                std::optional<Comparison>& comparison) {
  std::vector<double> theory;
  for (const std::complex<double>& amplitude : amplitudes) theory.push_back(0.5 * std::norm(amplitude));
  const auto part = [&](const std::vector<double>& values) {
    return std::span(values).subspan(static_cast<std::size_t>(rows.first),
                                     static_cast<std::size_t>(rows.end - rows.first));
  };
  comparison = compare(part(reading.intensity), part(theory));
  for (std::vector<Fringe>* fringes : {&comparison->found, &comparison->theory})
    for (Fringe& fringe : *fringes) fringe.place += rows.first;
  if (!(comparison->factor > 0)) return false;
  curve.theory = screen_points(theory, rows, cell_size, comparison->factor);
  curve.label = label;
  if (reading.periods < fewest_periods) {
    leave_uncompared(curve, "the mean is still over too few periods");
    comparison->fringes = 0;
  }
  return true;
}

}  // namespace

ScreenRows rows_of_theory(const ScreenReading& reading, const Parameters& p, int width) {
  const auto height = static_cast<int>(reading.intensity.size());
  const auto sponge = [&](Boundary side) {
    return side == Boundary::absorbing ? static_cast<int>(std::ceil(p.sponge_width / p.cell_size)) : 0;
  };
  const int bottom = sponge(p.boundary_bottom), top = height - sponge(p.boundary_top);
  const bool is_damped = reading.column < sponge(p.boundary_left) ||
                         reading.column >= width - sponge(p.boundary_right) || top - bottom < 3;
  ScreenRows rows{bottom, top, {}};
  if (is_damped) {
    rows.first = 0;
    rows.end = height;
  }
  if (reading.plane < 0 || !(reading.wavelength > 0)) return rows;
  const Boundary behind = reading.column > reading.plane ? p.boundary_right : p.boundary_left;
  const double distance = std::abs(reading.column - reading.plane) * p.cell_size;
  if (is_damped)
    rows.why_no_theory =
        "No theory for the screen: it is inside the sponge, which damps the waves. Move the screen to open water.";
  else if (p.boundary_bottom != Boundary::absorbing || p.boundary_top != Boundary::absorbing ||
           behind != Boundary::absorbing)
    rows.why_no_theory =
        "No theory for the screen: a side behind the openings reflects waves or repeats. Make these sides absorbing.";
  else if (p.damping * distance > 2 * max_lost * p.wave_speed)
    rows.why_no_theory = "No theory for the screen: the water damps the waves on their way. Lower the damping.";
  return rows;
}

Message why_no_spacing(const Comparison& comparison) {
  if (comparison.found.size() < 2 || comparison.theory.size() < 2)
    return "No spacing of fringes: fewer than two bright fringes are on the part of the screen outside the sponge.";
  if (comparison.found.size() != comparison.theory.size())
    return Message(
        "No spacing of fringes: there are {} bright fringes near the middle of the screen, and {} by theory.",
        comparison.found.size(), comparison.theory.size());
  return {};
}

Curve wave_screen_curve(const ScreenReading& reading, const ScreenRows& rows, double cell_size,
                        Diffraction& diffraction, std::optional<Comparison>& comparison) {
  Curve curve = screen_curve(reading, rows, cell_size);
  if (reading.samples == 0) {
    curve.label = "Mean intensity on the screen: starts when waves have crossed the tank";
    for (CurvePoint& point : curve.points) point.y = 0;
    return curve;
  }
  if (!has_theory(reading, rows)) return curve;
  diffraction.prepare(std::abs(reading.column - reading.plane), reading.wavelength,
                      static_cast<int>(reading.intensity.size()));
  add_theory(curve, reading, rows, diffraction.on_line(reading.in_plane), cell_size,
             "Mean intensity on the screen; theory: Rayleigh-Sommerfeld integral over the openings", comparison);
  return curve;
}

std::optional<Curve> screen_far_curve(const ScreenReading& reading, const ScreenRows& rows, double cell_size,
                                      std::optional<Comparison>& comparison, Message& remark) {
  if (!has_theory(reading, rows)) return std::nullopt;
  const std::vector<Aperture> apertures = wave_apertures(reading.in_plane, reading.wavelength);
  if (apertures.empty()) return std::nullopt;
  const double distance = std::abs(reading.column - reading.plane), from = far_from(apertures, reading.wavelength);
  if (distance < from) {
    remark = Message(
        "The Fraunhofer curve is not drawn: for openings this wide it holds from {} behind the wall on, and the screen "
        "is {} behind it.",
        format_number(from * cell_size, 3), format_number(distance * cell_size, 3));
    return std::nullopt;
  }
  Curve curve = screen_curve(reading, rows, cell_size);
  curve.id = "screen_far";
  const auto amplitudes =
      far_field(apertures, distance, reading.wavelength, static_cast<int>(reading.intensity.size()));
  if (!add_theory(curve, reading, rows, amplitudes, cell_size,
                  "Mean intensity on the screen; theory: far field of each opening (Fraunhofer)", comparison))
    return std::nullopt;
  return curve;
}

}  // namespace perturb::wave
