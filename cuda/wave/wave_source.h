// Held sources: parts of the surface that follow a given motion in time, whatever the waves do.
#pragma once

#include <span>
#include <vector>

#include "cuda/wave/wave_params.h"
#include "cuda/wave/wave_pass.h"

namespace perturb {

// An oscillator (a disc; both ends of the segment in one place) or a line source (a segment): the surface on it is
//   u = amplitude · sin(2π·frequency·t + phase) · ramp,
// where the ramp grows from 0 to 1 in the source's first period, so that it does not start with a blow. `t` is the
// tank's time, so that sources of one frequency keep their phases whenever they were placed.
struct WaveSource {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // fractions of the domain, where it is at time `start`
  double frequency = 0;                   // 1/time
  double amplitude = 0;                   // height
  double phase = 0;                       // radians
  double radius = 0;                      // length
  double velocity_x = 0, velocity_y = 0;  // length/time; it turns round at a side, and passes through a periodic one
  double start = 0;                       // time at which it was placed

  bool operator==(const WaveSource&) const = default;
};

// The numbers of a saved source, in the order of the members above.
constexpr int wave_source_columns = 11;
std::vector<double> wave_sources_to_table(std::span<const WaveSource> sources);
std::vector<WaveSource> wave_sources_from_table(std::span<const double> table);

// What the tank must be known by to place a source on it.
struct WaveTankShape {
  int width = 0, height = 0;  // cells
  double cell_size = 1;       // length
  bool periodic_x = false, periodic_y = false;
};

struct WaveSourcePlace {
  double x0, y0, x1, y1;  // fractions of the domain
};
WaveSourcePlace wave_source_place(const WaveSource& source, const WaveTankShape& tank, double time);
double wave_source_height(const WaveSource& source, double time);

// What the source holds at `time`, for kernels. It holds at least the cell under its centre, however small its radius.
template <class Real>
WaveHold<Real> wave_source_hold(const WaveSource& source, const WaveTankShape& tank, double time) {
  const WaveSourcePlace at = wave_source_place(source, tank, time);
  constexpr double least_radius = 0.75;  // cells; the half diagonal of a cell is 0.707
  const double radius = source.radius / tank.cell_size;
  return {static_cast<float>(at.x0 * tank.width),
          static_cast<float>(at.y0 * tank.height),
          static_cast<float>(at.x1 * tank.width),
          static_cast<float>(at.y1 * tank.height),
          static_cast<float>(radius > least_radius ? radius : least_radius),
          static_cast<Real>(wave_source_height(source, time))};
}

}  // namespace perturb
