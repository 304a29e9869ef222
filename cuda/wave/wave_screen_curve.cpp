// The intensity along the screen as a plot, with theory beside it.
#include <algorithm>
#include <cmath>
#include <span>

#include "cuda/core/words.h"
#include "cuda/wave/wave_screen.h"

namespace perturb {

Curve wave_screen_curve(const WaveScreenReading& reading, double cell_size, WaveDiffraction& diffraction,
                        std::optional<WaveComparison>& comparison) {
  Curve curve;
  curve.id = "screen", curve.label = "Mean intensity on the screen";
  curve.x_label = "y", curve.x_unit = "length", curve.y_label = "<u²>", curve.y_unit = "height²";
  const auto points = [&](std::span<const double> values, double factor) {
    std::vector<CurvePoint> all;
    constexpr std::size_t most_points = 1024;
    const std::size_t stride = (values.size() + most_points - 1) / most_points;
    for (std::size_t j = 0; j < values.size(); j += stride)
      all.push_back({(static_cast<double>(j) + 0.5) * cell_size, factor * values[j]});
    return all;
  };
  if (reading.samples == 0) {
    curve.label = "Mean intensity on the screen: waits until waves have crossed the tank";
    curve.points = points(std::vector<double>(reading.intensity.size()), 1);
    return curve;
  }
  curve.points = points(reading.intensity, 1);
  if (reading.plane < 0 || !(reading.wavelength > 0)) return curve;
  diffraction.prepare(std::abs(reading.column - reading.plane), reading.wavelength,
                      static_cast<int>(reading.intensity.size()));
  std::vector<double> theory;
  for (const std::complex<double>& amplitude : diffraction.on_line(reading.in_plane))
    theory.push_back(0.5 * std::norm(amplitude));
  comparison = wave_compare(reading.intensity, theory);
  if (!(comparison->factor > 0)) return curve;
  curve.theory = points(theory, comparison->factor);
  curve.label += "; theory: Rayleigh and Sommerfeld's integral over the openings";
  return curve;
}

}  // namespace perturb
