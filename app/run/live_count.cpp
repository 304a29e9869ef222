#include "app/run/live_count.h"

#include <algorithm>
#include <cmath>

#include "app/run/lighter.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// A step with so few takes less than a millisecond.
constexpr int first_count = 8;
// Shorter durations are not compared: clocks of browsers tick once in a millisecond.
constexpr double clock_tick = 1e-3;
// Exponents of the duration's growth with the count: all pairs at least, and at most what a matrix solution costs.
constexpr double min_growth = 2, max_growth = 3;
// A result below this multiple of the measured count is accepted. The first image waits for the measurement, and one
// closer to the result would take longer than all before.
constexpr double accepted_multiple = 4, accepted_multiple_at_first = 2;

int two_digits(int count) {
  const int unit = static_cast<int>(std::pow(10, std::max(0.0, std::floor(std::log10(count)) - 1)));
  return count / unit * unit;
}

}  // namespace

int live_count(int wanted, double seconds, const std::function<double(int)>& measure) {
  double before = 0;
  for (int count = std::min(first_count, wanted);; count *= 2) {
    const double taken = std::max(measure(count), clock_tick);
    // Without an earlier duration to compare, the exponent that gives the smaller count.
    double growth = taken < seconds ? max_growth : min_growth;
    if (before > clock_tick) growth = std::clamp(std::log2(taken / before), min_growth, max_growth);
    const double fits = count * std::pow(seconds / taken, 1 / growth);
    if (fits >= wanted) return wanted;
    if (fits < (before > clock_tick ? accepted_multiple : accepted_multiple_at_first) * count)
      return std::max(1, two_digits(std::max(1, static_cast<int>(fits))));
    before = taken;
  }
}

void choose_live_count(const Backends& backends, Scene& scene, const std::string& kernel) {
  const int wanted = scene.setup.width;
  if (scene.count.label.empty() || scene.as_read || wanted <= 0) return;
  try {
    // The backend of the whole scene: that of a small one may be another.
    Backend& backend = backends.of(scene.setup, kernel);
    const int count = live_count(wanted, live_step_seconds, [&](int fewer) {
      Start start{scene, kernel, nullptr, "", ""};
      start.scene.setup.width = fewer;
      return seconds_of_step(backend, start);
    });
    if (count >= wanted) return;
    scene.setup.width = count;
    scene.count.is_from_machine = true;
  } catch (const Error&) {
    // Opening the scene reports the reason.
  }
}

}  // namespace perturb
