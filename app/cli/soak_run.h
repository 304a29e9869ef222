// One preset, run as a window runs it, and what was seen.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/run/experiment.h"

namespace perturb {

// What one run showed.
struct SoakOutcome {
  std::int64_t steps = 0, checks = 0;
  double seconds = 0, window_seconds = 0;
  std::int64_t not_finite = 0;         // looks at which some number was not finite
  std::int64_t red = 0;                // looks at which a gauge was past its limit, and all was well
  std::int64_t expected_red = 0;       // those at which the scene's own was (Scene::past_limit); they are not in `red`
  bool red_before_stop = false;        // some gauge was, at a look before the trouble
  std::string stop_reason;             // the sentence
  std::map<std::string, double> most;  // by gauge, the largest share of its limit while all was well
};

struct SoakLength {
  double window_seconds, seconds;  // whichever ends first
};

// A preset that was opened, with a clock of window time.
class SoakRun {
 public:
  SoakRun(Backend& backend, const std::string& scene);
  Experiment& experiment() { return experiment_; }
  const SoakOutcome& outcome() const { return outcome_; }

  // `every_frame`: looks after each frame's steps, as the window does; else after some. Under a StopScope it may throw
  // Stopped; the outcome is that of the steps taken.
  void advance(SoakLength length, bool every_frame);

 private:
  void check();

  Experiment experiment_;
  int steps_per_frame_;
  SoakOutcome outcome_;
};

}  // namespace perturb
