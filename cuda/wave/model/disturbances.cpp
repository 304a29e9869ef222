#include "cuda/wave/model/disturbances.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/math/elementary.h"
#include "cuda/core/math/random.h"
#include "cuda/wave/model/disturbances.h"
#include "cuda/wave/model/step_params.h"
#include "cuda/wave/setup.h"

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

namespace {

// A mode along one axis: its values in `count` cells, and its phase k·dx from cell to cell.
struct Profile {
  std::vector<double> values;
  double phase;
};

Profile profile_of(int count, int number, Boundary low, Boundary high) {
  constexpr double pi = std::numbers::pi;
  if (low == Boundary::absorbing || high == Boundary::absorbing)
    throw InputError(
        "Cannot start a standing mode: absorbing sides let waves leave. Set every side to fixed, free or periodic.");
  Profile profile;
  profile.values.resize(static_cast<std::size_t>(count));
  const bool low_fixed = low == Boundary::fixed, high_fixed = high == Boundary::fixed;
  const auto fill = [&](double phase, auto&& value) {
    profile.phase = phase;
    for (int i = 0; i < count; ++i) profile.values[static_cast<std::size_t>(i)] = value(i);
  };
  if (is_periodic(low)) {
    const double phase = 2 * pi * number / count;
    fill(phase, [&](int i) { return cosine(phase * i); });
  } else if (low_fixed && high_fixed) {  // the lines of zeros are one cell outside
    const double phase = pi * number / (count + 1);
    fill(phase, [&](int i) { return sine(phase * (i + 1)); });
  } else if (!low_fixed && !high_fixed) {  // the crests are on the outermost faces
    const double phase = pi * number / count;
    fill(phase, [&](int i) { return cosine(phase * (i + 0.5)); });
  } else {  // a line of zeros one cell outside one side, a crest on the outermost face of the other
    const double phase = pi * (number - 0.5) / (count + 0.5);
    fill(phase, [&](int i) { return sine(phase * (low_fixed ? i + 1 : count - i)); });
  }
  return profile;
}

}  // namespace

Mode standing_mode(const Parameters& p, int width, int height, int m, int n, double amplitude) {
  Profile x = profile_of(width, m, p.boundary_left, p.boundary_right);
  Profile y = profile_of(height, n, p.boundary_bottom, p.boundary_top);
  for (double& value : x.values) value *= amplitude;
  // At rest, the level before equals the level after. A mode is an eigenvector of L, and the scheme with u(t+1) =
  // u(t-1) gives u(t-1)/u(t).
  const double courant = courant_number(p);
  const bool one_sided = p.damping_form == Damping::one_sided;
  const auto along = [](double phase) { return 4 * std::pow(std::sin(phase / 2), 2); };
  const double eigenvalue = wave_eigenvalue(p.stencil, along(x.phase), along(y.phase));
  const double previous = 1 - courant * courant * eigenvalue / (2 - (one_sided ? p.damping * p.time_step : 0));
  return {std::move(x.values), std::move(y.values), previous, std::hypot(x.phase, y.phase)};
}

}  // namespace perturb::wave
