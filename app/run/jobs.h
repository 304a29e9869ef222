// What a front asks of a run, and what it is told: values, so that the run may live on another thread.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/run/event.h"
#include "app/run/experiment.h"
#include "app/run/run_status.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// A place where an instrument reads a quantity; fractions of the domain.
struct SamplePoint {
  double x = 0, y = 0;
  std::string quantity;
};
// What was read at one step, place by place; no number (NaN) where there was none.
struct Sample {
  std::int64_t step = 0;
  double time = 0;
  std::vector<double> values;
};

namespace job {

// ---- a frame's
// With `points` there are stops on the way, at every step that `every` divides, to read what is there: the steps are
// the same, and so is what they give.
struct Advance {
  std::int64_t steps = 1;
  std::int64_t every = 1;
  std::vector<SamplePoint> points{};
};
// Reads numbers. `wait`: of this very state, else of the newest one that has come back from the device.
struct ReadDiagnostics {
  ViewSettings view;
  bool diagnostics = true, wait = false;
  std::optional<Camera::Point> value_at;  // fractions of the domain
  bool kernels = false;                   // how the step is computed, which is measured while it runs
  std::vector<SamplePoint> points{};      // to be read at this moment
};
// Into memory that is lent until this is answered.
struct Paint {
  Pixels pixels;
  const ColorTable* table = nullptr;
  Camera camera;
  ViewSettings view;
};

// ---- deeds
// Together one deed; `merge_with_last`: they belong to the last one.
struct SetParameters {
  std::vector<ParameterChange> changes;
  bool merge_with_last = false;
};
struct Restart {
  bool keep_built = false;
};
struct Undo {};
struct Redo {};
struct RestoreLastGood {};
// Another run; `start` is called where the run lives, for it may read a large file.
struct Open {
  std::function<Start()> start;
  std::function<std::vector<Event>()> events{};  // scheduled when it is there; null: none
  std::string what{};                            // names it where an undo can lead back; empty: none can
};
// One that no gesture means, such as an image that was dropped.
struct ApplyAction {
  Action action;
};

// ---- what the front does with the run between two steps: writes it to a file, or down as a text
struct Inspect {
  std::function<std::string(const Experiment&)> function;
};

// What is on the screen, in a sentence.
struct Describe {
  ViewSettings view;
};

}  // namespace job

using RunJob = std::variant<job::Advance, job::ReadDiagnostics, job::Paint, job::SetParameters, job::Restart, job::Undo,
                            job::Redo, job::RestoreLastGood, job::Open, job::ApplyAction, job::Inspect, job::Describe,
                            Gesture, ChooseKernel, ViewChange>;

// Of one order.
struct JobResult {
  std::exception_ptr error;  // what it threw; null: it was done
  bool cancelled = false;    // asked to make way for a later one: done in part, or not at all
  double seconds = 0;        // that it took
  std::int64_t steps = 0;    // Advance: that were taken
  Diagnostics diagnostics;   // ReadDiagnostics
  std::string value;         // ReadDiagnostics: at the point
  std::vector<Sample>
      samples;       // Advance: on the way; ReadDiagnostics: one, of this moment, where places were asked for
  std::string text;  // Undo, Redo: what was done; Inspect: what the front gave back; Describe
  std::vector<Action> actions;                              // Gesture: what it meant
  std::vector<std::pair<std::string, std::string>> errors;  // SetParameters: by id, why
  std::string warning;                                      // what had to be done otherwise than was asked
  std::shared_ptr<const RunStatus> status;  // of the run after it; null: there is none any more, `error` says why

  void check() const {
    if (error) std::rethrow_exception(error);
  }
};

}  // namespace perturb
