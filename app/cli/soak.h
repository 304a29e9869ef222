// `perturb verify --presets`: runs presets as a window does, for a long time, and counts what goes wrong.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/cli/options.h"
#include "app/run/experiment.h"

namespace perturb {

// Runs every preset and prints the failures.
int soak_command(const VerifyOptions& options);

// The result of one run.
struct SoakOutcome {
  std::int64_t steps = 0, checks = 0;
  double seconds = 0, window_seconds = 0;
  std::int64_t not_finite = 0;  // checks that found a non-finite number
  std::int64_t red = 0;         // checks that found a gauge beyond its limit while all numbers were finite
  // those at which it was the scene's own gauge (Scene::past_limit); not counted in `red`
  std::int64_t expected_red = 0;
  bool red_before_stop = false;  // a gauge was red at a check before the run stopped
  std::string stop_reason;       // the message
  // By gauge, the largest fraction of its limit while all numbers were finite.
  std::map<std::string, double> max_shares;
};

struct SoakLength {
  double window_seconds, seconds;  // whichever is reached first
};

// An opened preset and the window time that has passed.
class SoakRun {
 public:
  SoakRun(Backend& backend, const std::string& scene);
  Experiment& experiment() { return experiment_; }
  const SoakOutcome& outcome() const { return outcome_; }

  // `every_frame`: checks after each frame's steps, as the window does; else less often. Under a StopScope it may throw
  // Stopped; the outcome then covers the steps taken.
  void advance(SoakLength length, bool every_frame);

 private:
  void check();

  Experiment experiment_;
  int steps_per_frame_;
  SoakOutcome outcome_;
};

}  // namespace perturb
