// The intensity along the screen as a plot, with theory.
#include <cmath>
#include <complex>
#include <span>
#include <vector>

#include "cuda/core/simulation/format.h"
#include "cuda/wave/measure/screen.h"

namespace perturb::wave {

namespace {

// Values by row, at most as many as a plot can show.
std::vector<CurvePoint> screen_points(std::span<const double> values, double cell_size, double factor) {
  std::vector<CurvePoint> all;
  constexpr std::size_t max_points = 1024;
  const std::size_t stride = (values.size() + max_points - 1) / max_points;
  for (std::size_t j = 0; j < values.size(); j += stride)
    all.push_back({(static_cast<double>(j) + 0.5) * cell_size, factor * values[j]});
  return all;
}

Curve screen_curve(const ScreenReading& reading, double cell_size) {
  Curve curve;
  curve.id = "screen", curve.label = "Mean intensity on the screen";
  curve.x_label = "y", curve.x_unit = "length", curve.y_label = "<u²>", curve.y_unit = "height²";
  curve.points = screen_points(reading.intensity, cell_size, 1);
  return curve;
}

bool has_theory(const ScreenReading& reading) {
  return reading.samples > 0 && reading.plane >= 0 && reading.wavelength > 0;
}

// Adds the intensity of these amplitudes to the curve; returns false if there are none.
bool add_theory(Curve& curve, const ScreenReading& reading, std::span<const std::complex<double>> amplitudes,
                double cell_size, std::optional<Comparison>& comparison) {
  std::vector<double> theory;
  for (const std::complex<double>& amplitude : amplitudes) theory.push_back(0.5 * std::norm(amplitude));
  comparison = compare(reading.intensity, theory);
  if (!(comparison->factor > 0)) return false;
  curve.theory = screen_points(theory, cell_size, comparison->factor);
  return true;
}

}  // namespace

Curve wave_screen_curve(const ScreenReading& reading, double cell_size, Diffraction& diffraction,
                        std::optional<Comparison>& comparison) {
  Curve curve = screen_curve(reading, cell_size);
  if (reading.samples == 0) {
    curve.label = "Mean intensity on the screen: starts when waves have crossed the tank";
    for (CurvePoint& point : curve.points) point.y = 0;
    return curve;
  }
  if (!has_theory(reading)) return curve;
  diffraction.prepare(std::abs(reading.column - reading.plane), reading.wavelength,
                      static_cast<int>(reading.intensity.size()));
  if (add_theory(curve, reading, diffraction.on_line(reading.in_plane), cell_size, comparison))
    curve.label = "Mean intensity on the screen; theory: Rayleigh-Sommerfeld integral over the openings";
  return curve;
}

std::optional<Curve> screen_far_curve(const ScreenReading& reading, double cell_size,
                                      std::optional<Comparison>& comparison, Message& remark) {
  if (!has_theory(reading)) return std::nullopt;
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
  Curve curve = screen_curve(reading, cell_size);
  curve.id = "screen_far";
  const auto amplitudes =
      far_field(apertures, distance, reading.wavelength, static_cast<int>(reading.intensity.size()));
  if (!add_theory(curve, reading, amplitudes, cell_size, comparison)) return std::nullopt;
  curve.label = "Mean intensity on the screen; theory: far field of each opening (Fraunhofer)";
  return curve;
}

}  // namespace perturb::wave
