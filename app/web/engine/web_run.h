// A run as a page uses it: the run, the view, and the state of the page's gestures and lessons between calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/instruments/instruments.h"
#include "app/instruments/kept_readings.h"
#include "app/instruments/probe_sound.h"
#include "app/lessons/lesson_session.h"
#include "app/run/automatic_range.h"
#include "app/run/experiment.h"
#include "app/run/pitch.h"
#include "app/run/runner.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/message.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/field_image.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/object.h"
#include "cuda/core/simulation/setup.h"

namespace perturb {

inline constexpr int max_image_side = 8192;

class WebRun {
 public:
  // Computes on CPU threads; 0: one for each processor.
  explicit WebRun(int threads);

  Backend& backend() { return *backend_; }
  Experiment& experiment();  // throws InputError if no scene is open
  // By value: a job replaces the run's status, and a reference to the old one would dangle.
  std::shared_ptr<const RunStatus> status();
  // Rethrows exceptions of the job.
  JobResult run_job(RunJob job);
  // Takes steps, with the readings of the instruments on the way.
  JobResult advance(std::int64_t steps);
  DomainSize domain();
  CutGrid cut_grid();
  // Starts another run. Throws InputError and then leaves the current run unchanged.
  void begin(Start start, const std::string& kernel);
  // The scene's units, or the simulation's; a lesson shows the scene's. None while no scene is open.
  const DisplayUnits& display_units(bool of_scene);
  bool shows_scene_units = true;  // the page's last choice
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

  // Shows progress while a scene with many strokes opens: the fraction done, from 0 to 1.
  std::function<void(double share)> show_progress;
  std::optional<LessonSession> lesson;
  Instruments instruments;
  std::optional<Sonifier> sonifier;      // of the probe that is played
  bool lesson_measures_kernels = false;  // the open step does, and not all are measured yet
  // Input of "load" and "use_image", and output of "save".
  std::vector<std::byte> bytes;
  FieldImage field;             // output of "field"
  double seconds_per_step = 0;  // 0: not measured yet
  // The width counts something and was chosen, not taken from the preset or this machine: a link then contains it.
  bool has_chosen_width = false;
  // Positions of the press and of the last event of the current gesture.
  Camera::Point pressed{0, 0}, last{0, 0};

  // A handle of an object on its way. The object is as it was at the start, so that rounding does not add up.
  struct ObjectDrag {
    SceneObject object;
    ObjectHandle handle;
    Camera::Point from{0, 0};  // of the press
    Action last{};
    bool merges = false;  // the next change belongs to the undo step of the previous one
  };
  std::optional<ObjectDrag> object_drag;
  std::vector<TheoryMark> marks;  // of the last numbers
  PitchDriver singing;

 private:
  SetupProgress shown_progress();

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<ColorTable> colors_;
  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Runner> runner_;
  AutomaticRange range_;
  KeptReadings<std::shared_ptr<const Instruments::Readings>> kept_readings_;
  Message warning_;
  DisplayUnits units_;  // of the open scene
};

}  // namespace perturb
