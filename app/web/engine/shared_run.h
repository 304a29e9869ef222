// The run that all clients of an engine share: the page is the only client of its own, a server has many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/instruments/instruments.h"
#include "app/instruments/kept_readings.h"
#include "app/run/automatic_range.h"
#include "app/run/backends.h"
#include "app/run/experiment.h"
#include "app/run/runner.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/backend/message.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/setup.h"

namespace perturb {

inline constexpr int max_image_side = 8192;

class WebRun;

// One thread makes and uses it, with all of its clients. The view and the camera are those of all.
class SharedRun {
 public:
  // Computes on CPU threads; 0: one for each processor.
  explicit SharedRun(int threads);
  explicit SharedRun(OwnedBackends backends) : backends_(std::move(backends)) {}
  // Of the run of another front end, which advances and replaces it: use this only between its jobs, on their thread,
  // and call follow() before. The experiment must outlive it.
  explicit SharedRun(Experiment& experiment);

  Backend& backend() { return backends_.preferred ? *backends_.preferred : experiment().backend(); }
  bool has_run() const { return experiment_ && experiment_->has_run(); }
  Experiment& experiment();  // throws InputError if no scene is open
  // By value: a job replaces the run's status, and a reference to the old one would dangle.
  std::shared_ptr<const RunStatus> status();
  // Rethrows exceptions of the job.
  JobResult run_job(RunJob job);
  // Takes steps, with the readings of the instruments on the way.
  JobResult advance(std::int64_t steps);
  // The same for at most about `max_seconds`, but at least one step, in pieces whose length follows the measured time
  // of a step.
  struct Advanced {
    std::int64_t steps = 0;
    double seconds = 0;
  };
  Advanced advance(std::int64_t steps, double max_seconds);
  DomainSize domain();
  CutGrid cut_grid();
  // Starts another run; the clients' gestures and drags end. Throws InputError and then leaves the current run
  // unchanged.
  void begin(Start start, const std::string& kernel);
  // After the other front end has used the experiment: gestures and drags of a run that was replaced end.
  void follow();
  // The run jumps: each client's drag of an object ends.
  void end_drags();
  // The run went back: so do the steps that the clients' lessons count.
  void rewind_lessons();
  // How the last jobs deviated from the request; read once.
  Message take_warning() { return std::exchange(warning_, {}); }

  // The view with all automatic choices resolved.
  ViewSettings resolved_view();
  // The same for an image: measures the ends of an automatic range if they are not known yet.
  ViewSettings painted_view();
  const ColorTable& color_table(const std::string& colormap);
  const Quantity& shown_quantity();
  // Adapts the ends of an automatic range to the measured values.
  void follow_range(const Diagnostics& diagnostics);
  bool range_known() const { return range_.known(); }
  void forget_range() { range_.forget(); }
  // Position of a pixel in the domain, in an image of this size whose first row is the top row.
  Camera::Point position_of(double x, double y, int width, int height);
  // Its inverse: the pixel of a position in the domain.
  Camera::Point pixel_of(double x, double y, int width, int height);

  // The image as RGBA with the top row first, as a canvas takes it. Valid until the next call.
  std::span<const std::uint32_t> paint(int width, int height);

  // Shows progress while a scene with many strokes opens: the fraction done, from 0 to 1.
  std::function<void(double share)> show_progress;
  Instruments instruments;
  double seconds_per_step = 0;  // 0: not measured yet
  // The width counts something and was chosen, not taken from the preset or this machine: a link then contains it.
  bool has_chosen_width = false;
  std::vector<TheoryMark> marks;  // of the last numbers
  std::vector<WebRun*> clients;   // each adds and removes itself

 private:
  SetupProgress shown_progress();
  // Forgets what belonged to the run before.
  void forget_run(bool same_scene);

  OwnedBackends backends_;
  std::unique_ptr<ColorTable> colors_;
  const Backend* color_backend_ = nullptr;
  Array<std::uint32_t> device_picture_;
  std::vector<std::uint32_t> picture_;
  std::unique_ptr<Experiment> own_experiment_;
  Experiment* experiment_ = nullptr;  // that one, or another front end's
  std::unique_ptr<Runner> runner_;
  // At the last follow().
  std::uint64_t seen_opening_ = 0;
  std::int64_t seen_steps_ = 0;
  AutomaticRange range_;
  KeptReadings<std::shared_ptr<const Instruments::Readings>> kept_readings_;
  Message warning_;
};

}  // namespace perturb
