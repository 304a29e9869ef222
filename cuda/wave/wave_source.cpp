#include "cuda/wave/wave_source.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace perturb {

namespace {

// Where something that starts at `x` and moves by `way` (both in fractions) is in [0, 1]: it turns round at
// the ends, or comes in again at the other one. A closed form of the time, so that the path does not depend
// on how steps are grouped.
double travel(double x, double way, bool periodic) {
  if (way == 0) return x;
  const double sum = x + way;
  if (periodic) return sum - std::floor(sum);
  const double folded = sum - 2 * std::floor(sum / 2);  // in [0, 2)
  return folded <= 1 ? folded : 2 - folded;
}

}  // namespace

WaveSourcePlace wave_source_place(const WaveSource& source, const WaveTankShape& tank, double time) {
  const double elapsed = time - source.start;
  const double way_x = source.velocity_x * elapsed / (tank.width * tank.cell_size);
  const double way_y = source.velocity_y * elapsed / (tank.height * tank.cell_size);
  // The first end travels and takes the other along.
  const double x = travel(source.x0, way_x, tank.periodic_x), y = travel(source.y0, way_y, tank.periodic_y);
  return {x, y, x + (source.x1 - source.x0), y + (source.y1 - source.y0)};
}

double wave_source_height(const WaveSource& source, double time) {
  const double periods = (time - source.start) * source.frequency;
  const double ramp = source.frequency > 0 ? std::clamp(periods, 0.0, 1.0) : 1.0;
  return source.amplitude * ramp * std::sin(2 * std::numbers::pi * source.frequency * time + source.phase);
}

std::vector<double> wave_sources_to_table(std::span<const WaveSource> sources) {
  std::vector<double> table;
  for (const WaveSource& s : sources)
    table.insert(table.end(), {s.x0, s.y0, s.x1, s.y1, s.frequency, s.amplitude, s.phase, s.radius, s.velocity_x,
                               s.velocity_y, s.start});
  return table;
}

std::vector<WaveSource> wave_sources_from_table(std::span<const double> table) {
  std::vector<WaveSource> sources;
  for (std::size_t k = 0; k + wave_source_columns <= table.size(); k += wave_source_columns)
    sources.push_back({table[k], table[k + 1], table[k + 2], table[k + 3], table[k + 4], table[k + 5], table[k + 6],
                       table[k + 7], table[k + 8], table[k + 9], table[k + 10]});
  return sources;
}

}  // namespace perturb
