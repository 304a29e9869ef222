#include "cuda/wave/model/droplets.h"

#include <cmath>

#include "cuda/core/math/random.h"

namespace perturb::wave {

int drops_at(const Parameters& p, std::uint32_t seed, std::int64_t step) {
  if (p.rain_rate <= 0) return 0;
  const Random4 random = philox(seed, 0, static_cast<std::uint64_t>(step));
  // The integer part always falls, plus one more drop with the probability of the fractional part.
  const double expected = p.rain_rate * p.time_step, whole_drops = std::floor(expected);
  const bool one_more = uniform_float(random.v[0]) < expected - whole_drops;
  return static_cast<int>(whole_drops) + (one_more ? 1 : 0);
}

Droplet rain_drop(const Parameters& p, std::uint32_t seed, std::int64_t step, int number) {
  const Random4 r = philox(seed, 1 + static_cast<std::uint64_t>(number), static_cast<std::uint64_t>(step));
  const double strength = 0.5 + 0.5 * uniform_float(r.v[2]);
  return {uniform_float(r.v[0]), uniform_float(r.v[1]), p.droplet_radius, p.droplet_amplitude * strength};
}

}  // namespace perturb::wave
