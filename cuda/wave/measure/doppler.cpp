#include "cuda/wave/measure/doppler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace perturb::wave {

namespace {

// Mean distance of two crests in cells, from the zeros of the height between two positions; 0: less than one whole wave
// is there.
double wavelength_between(std::span<const double> row, double low, double high) {
  const auto first = static_cast<std::ptrdiff_t>(std::ceil(std::max(low, 0.))),
             last =
                 std::min(static_cast<std::ptrdiff_t>(std::floor(high)), static_cast<std::ptrdiff_t>(row.size()) - 1);
  double begin = 0, end = 0;
  int zeros = 0;
  for (std::ptrdiff_t i = first; i < last; ++i) {
    const double a = row[static_cast<std::size_t>(i)], b = row[static_cast<std::size_t>(i) + 1];
    if ((a < 0) == (b < 0)) continue;
    end = static_cast<double>(i) + a / (a - b);
    if (zeros++ == 0) begin = end;
  }
  return zeros < 3 ? 0 : 2 * (end - begin) / (zeros - 1);
}

}  // namespace

std::optional<Doppler> doppler_of(std::span<const double> row, const Sources& sources, const Grid& tank, double speed,
                                  double margin, double time) {
  if (sources.count() != 1 || tank.periodic_x) return std::nullopt;
  const Source& source = sources[0];
  const double v = std::abs(source.velocity_x), middle = tank.height / 2 + 0.5;
  const bool on_the_row = source.y0 == source.y1 && std::abs(source.y0 * tank.height - middle) <= 1;
  if (!(v > 0 && v < speed) || source.velocity_y != 0 || !(source.frequency > 0) || !on_the_row) return std::nullopt;

  Doppler doppler;
  doppler.ahead_expected = (speed - v) / source.frequency, doppler.behind_expected = (speed + v) / source.frequency;
  // In cells. Only waves sent since the last reversal of the source count, from the first whole period on.
  const double step = source.velocity_x / tank.cell_size,
               unfolded = source.x0 * tank.width + step * (time - source.start);
  const double periods_crossed = std::floor(unfolded / tank.width);
  const bool is_reversed = periods_crossed != 0, backwards = static_cast<long long>(periods_crossed) % 2 != 0;
  const double direction = (step > 0) == backwards ? -1 : 1;
  const double since_side =
      step > 0 ? unfolded - periods_crossed * tank.width : (periods_crossed + 1) * tank.width - unfolded;
  const double since = is_reversed ? since_side / std::abs(step) : time - source.start;
  const double here = source_place(source, tank, time).x0 * tank.width,
               from = here - direction * since * std::abs(step);
  const double reach = (since - 1 / source.frequency) * speed / tank.cell_size;
  const double ahead = doppler.ahead_expected / tank.cell_size, behind = doppler.behind_expected / tank.cell_size;
  // From one wavelength off the source, they agree with the far field to 1 %. Positions of cell centres.
  const auto between = [&](double near, double far) {
    const double low = std::max(std::min(near, far), margin) - 0.5,
                 high = std::min(std::max(near, far), tank.width - margin) - 0.5;
    return wavelength_between(row, low, high) * tank.cell_size;
  };
  if (const double far = from + direction * reach; direction * (far - here) > ahead)
    doppler.ahead = between(here + direction * ahead, far);
  if (const double far = from - direction * reach; direction * (here - far) > behind)
    doppler.behind = between(here - direction * behind, far);
  return doppler;
}

}  // namespace perturb::wave
