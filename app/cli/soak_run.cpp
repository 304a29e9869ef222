#include "app/cli/soak_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/io/preset/presets.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/math/optional_value.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int frames_a_second = 60;
constexpr int window_steps_per_frame = 16;      // if the preset has no value
constexpr double seconds_between_looks = 0.05;  // of computing time: a frame or more

}  // namespace

SoakRun::SoakRun(Backend& backend, const std::string& scene) : experiment_(backend, load_scene(scene)) {
  const int own = experiment_.scene().steps_per_frame;
  steps_per_frame_ = own > 0 ? own : window_steps_per_frame;
}

void SoakRun::advance(SoakLength length, bool every_frame) {
  const auto begin = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  const auto frames = static_cast<std::int64_t>(std::ceil(length.window_seconds * frames_a_second));
  std::int64_t chunk = 1;
  check();
  for (std::int64_t frame = 0; frame < frames && outcome_.stop_reason.empty() && passed() < length.seconds;) {
    const std::int64_t taken = std::min(chunk, frames - frame);
    const auto before = Clock::now();
    try {
      experiment_.advance(taken * steps_per_frame_);
    } catch (const Stopped&) {
      outcome_.steps = experiment_.simulation().steps();
      outcome_.seconds += passed();
      throw;
    }
    check();
    frame += taken;
    outcome_.window_seconds += static_cast<double>(taken) / frames_a_second;
    const double took = std::chrono::duration<double>(Clock::now() - before).count();
    if (!every_frame && took < seconds_between_looks) chunk = std::min<std::int64_t>(2 * chunk, frames_a_second);
  }
  outcome_.steps = experiment_.simulation().steps();
  outcome_.seconds += passed();
}

void SoakRun::check() {
  const Diagnostics diagnostics = experiment_.simulation().diagnostics(experiment_.scene().view, true);
  experiment_.check_diagnostics(diagnostics);
  ++outcome_.checks;
  const bool finite = diagnostics.finite &&
                      std::all_of(diagnostics.scalars.begin(), diagnostics.scalars.end(), [](const Scalar& scalar) {
                        return !has_value(scalar.value) || std::isfinite(scalar.value);
                      });
  outcome_.not_finite += finite ? 0 : 1;
  outcome_.stop_reason = experiment_.stop_reason();
  bool red = false;
  for (const Gauge& gauge : experiment_.simulation().gauges()) {
    if (gauge.advisory || !gauge.measured || !finite || !outcome_.stop_reason.empty()) continue;
    const bool past = !(gauge.value <= gauge.limit), expected_red = gauge.id == experiment_.scene().past_limit;
    red = red || (past && !expected_red);
    outcome_.expected_red += past && expected_red ? 1 : 0;
    double& most = outcome_.most[gauge.id];
    most = std::max(most, gauge.limit != 0 ? gauge.value / gauge.limit : 0);
  }
  outcome_.red += red ? 1 : 0;
  outcome_.red_before_stop = outcome_.red_before_stop || red;
}

}  // namespace perturb
