// A run as a page has it: what it shows, and what of a page's doings goes on from one call to the next.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/lessons/lesson_session.h"
#include "app/run/automatic_range.h"
#include "app/run/experiment.h"
#include "app/run/runner.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/setup_progress.h"

namespace perturb {

class WebRun {
 public:
  // On the CPU's threads; 0: as many as there are.
  explicit WebRun(int threads);

  Backend& backend() { return *backend_; }
  Experiment& experiment();  // throws InputError where no scene is open
  // By value: an order replaces the run's facts, and a reference into the old ones would dangle.
  std::shared_ptr<const RunStatus> status();
  // Throws what the order throws.
  JobResult run_job(RunJob job);
  // Another run. Throws InputError, and then the run is as it was.
  void begin(Start start, const std::string& kernel);
  // What the last orders had to do otherwise than they were asked; told once.
  std::string take_warning() { return std::exchange(warning_, {}); }

  // The view with nothing left open.
  ViewSettings resolved_view();
  const Quantity& shown_quantity();
  // The ends of an automatic range follow what is measured.
  void follow_range(const Diagnostics& diagnostics);
  bool range_known() const { return range_.known(); }
  void forget_range() { range_.forget(); }
  // A pixel's place in the domain, in a picture of this size whose top row is the first.
  Camera::Point place_of(double x, double y, int width, int height);

  // Shows progress while a scene with many strokes opens: the share that is done, from 0 to 1.
  std::function<void(double share)> show_progress;
  std::optional<LessonSession> lesson;
  // On their way in ("load" reads them) and out ("save" writes them).
  std::vector<std::byte> bytes;
  double seconds_per_step = 0;  // 0: not known yet
  // Of the gesture that goes on: places of its press and its last event.
  Camera::Point pressed{0, 0}, last{0, 0};

 private:
  SetupProgress shown_progress();

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Runner> runner_;
  AutomaticRange range_;
  std::string warning_;
};

}  // namespace perturb
