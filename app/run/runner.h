// Jobs that a front end posts to a run, their results, and the thread that executes them. Jobs and results are values,
// so that the run may live on another thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/run/experiment.h"
#include "app/run/kernel_measurement.h"
#include "app/run/run.h"
#include "app/run/run_status.h"
#include "app/run/size_sweep.h"
#include "cuda/core/backend/loop_blocks.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/inspection.h"

namespace perturb {

struct LaunchMap;
class LaunchStarts;

// Position at which an instrument reads a quantity, as fractions of the domain.
struct SamplePoint {
  double x = 0, y = 0;
  std::string quantity;
};
// Values read at one step, one per sample point; NaN where there is none.
struct Sample {
  std::int64_t step = 0;
  double time = 0;
  std::vector<double> values;
};

namespace job {

// ---- frame jobs
// The run pauses at the steps of app/run/sampling.h to read what is requested. The steps and their results do not
// change.
struct Advance {
  std::int64_t steps = 1;
  std::vector<SamplePoint> points{};   // of probes
  std::vector<SamplePoint> lines{};    // along line cuts that show a mean
  std::optional<ViewSettings> view{};  // with it, all numbers are sampled
};
// Reads diagnostics. `wait`: those of the current state; otherwise the newest that have arrived from the device.
struct ReadDiagnostics {
  ViewSettings view;
  bool diagnostics = true, wait = false;
  std::optional<Camera::Point> value_at;  // fractions of the domain
  std::optional<Camera::Point> inspect_at{};
  bool launch = false;  // how the kernel in use is launched
  // Where and when the blocks of its launches started since the last such request; false: end of these requests.
  std::optional<bool> block_starts{};
  std::optional<LoopBlock> loop_block{};  // the shape of blocks from now on
  bool kernels = false;                   // status of the kernels, which are timed during the run
  std::vector<SamplePoint> points{};      // to be read in the current state
};
// Measures the next part of the kernels' times and of the backend's peak rates (KernelMeasurement), or of their times
// on grids of other sizes (SizeSweep): repeat it until the result says that nothing is left.
struct Measure {
  std::optional<int> largest{};  // width of the largest grid; none: the grid of the run
  bool stop = false;             // releases the memory of a measurement that is not continued
};
// Paints into memory that stays mapped until the job is done.
struct Paint {
  Pixels pixels;
  const ColorTable* table = nullptr;
  Camera camera;
  ViewSettings view;
};

// ---- changes of the run
// `client`: as in Experiment::perform.
struct ApplyGesture {
  Gesture gesture;
  int client = 0;
};
// All of them form one undo step. `merge_with_last`: they join the last one.
struct SetParameters {
  std::vector<ParameterChange> changes;
  bool merge_with_last = false;
  int client = 0;
};
// `width`: the new width of the scene, such as the number of fibers; 0: as before. `race_by_time`: the new kind of the
// race; none: as before.
struct Restart {
  bool keep_built = false;
  int width = 0;
  std::optional<bool> race_by_time{};
};
struct Undo {};
struct Redo {};
// Goes to this step of the past (Experiment::return_to_step), or, within `limit`, a part of the way.
struct ReturnToStep {
  std::int64_t step = 0;
  std::chrono::milliseconds limit{100};
};
struct RestoreLastGood {};
// Looks for a change that keeps the stopped run finite. Can be cancelled like a frame.
struct FindRemedy {};
struct ApplyRemedy {};
// Opens another run. `start` is called on the run's thread, because it may read a large file.
struct Open {
  std::function<Start()> start;
  std::function<std::vector<Event>()> events{};  // scheduled after opening; null: none
  Message what{};                                // label if an undo can lead back; empty: it cannot
};
// Applies an action that no gesture produces, such as dropping an image. `merge_with_last`: joins the last undo step.
struct ApplyAction {
  Action action;
  bool merge_with_last = false;
  int client = 0;
};

// Adds an object of this kind about a point, in fractions of the domain (ObjectPlacer); the result has its action.
struct PlaceObject {
  std::string kind;
  double x = 0.5, y = 0.5;
  int client = 0;
};

// ---- reading the run between two steps, for example to save it to a file or as text
struct Inspect {
  std::function<std::string(const Experiment&)> function;
};

// Lets other code use the run between two steps, such as the clients of a shared run. It may not replace the run.
struct Visit {
  std::function<void(Experiment&)> function;
};

// Describes the image (run_text.h).
struct Describe {
  ViewSettings view;
  DisplayUnits units{};
};

}  // namespace job

using RunJob = std::variant<job::Advance, job::ReadDiagnostics, job::Measure, job::Paint, job::SetParameters,
                            job::Restart, job::Undo, job::Redo, job::ReturnToStep, job::RestoreLastGood,
                            job::FindRemedy, job::ApplyRemedy, job::Open, job::ApplyAction, job::PlaceObject,
                            job::Inspect, job::Visit, job::Describe, job::ApplyGesture, ChooseKernel, ViewChange>;

// How far a measurement of the kernels is.
struct KernelProgress {
  bool complete = false;
  std::string current;                       // the kernel being measured; empty: the peak rates
  std::size_t remaining = 0;                 // kernels to be measured, with this one
  std::vector<UnmeasuredKernel> unmeasured;  // that cannot be measured here
};

// Result of one job.
struct JobResult {
  std::exception_ptr error;                          // exception thrown by the job; null: success
  bool cancelled = false;                            // cancelled in favour of a later job: done partly or not at all
  double seconds = 0;                                // duration
  std::int64_t steps = 0;                            // Advance: number of steps taken
  Diagnostics diagnostics;                           // ReadDiagnostics
  Message value;                                     // ReadDiagnostics: at `value_at`
  Inspection inspection;                             // ReadDiagnostics: at `inspect_at`
  std::shared_ptr<const LaunchMap> launch_map;       // ReadDiagnostics, if requested
  std::shared_ptr<const LaunchStarts> block_starts;  // ReadDiagnostics, if requested; null: no blocks have started
  // Advance: those of the steps on the way; ReadDiagnostics: one of the current state if `points` is given
  std::vector<Sample> samples;
  std::int64_t every = 1;                               // Advance: steps between the samples
  std::vector<Sample> lines;                            // Advance
  std::vector<Diagnostics> numbers;                     // Advance: the samples of all numbers, without curves
  KernelProgress kernels;                               // Measure
  SizeTimings sizes;                                    // Measure, of other grids
  Message message;                                      // Undo, Redo: what was done; Describe
  std::string text;                                     // Inspect: returned by the function
  std::vector<Action> actions;                          // ApplyGesture: the actions it produced
  std::vector<std::pair<std::string, Message>> errors;  // SetParameters: parameter id, reason
  Message warning;                                      // deviation from the request
  std::shared_ptr<const RunStatus> status;  // after the job; null: no run exists any more, `error` holds the reason

  void check() const {
    if (error) std::rethrow_exception(error);
  }
};

// Executes the jobs of a front end: on the run thread, so that no step delays a frame, or immediately on the caller's
// thread.
//
//   front end's thread   post(job, on_done) ... wait_until(end) ... deliver_results(): on_done(result)
//   run thread                 job, job, job, each with a result
//
// The run thread is idle between jobs: while is_idle(), the front end may use the backend (for example to allocate an
// image). While jobs are pending, the experiment and the backend belong to the run thread.
class Runner {
 public:
  enum class Where { own_thread, here };
  using OnDone = std::function<void(JobResult&)>;
  using Clock = std::chrono::steady_clock;

  // `here`: post() executes each job, including its `on_done`, before it returns; the caller may use the experiment
  // too.
  Runner(Experiment& experiment, Where where);
  // Cancels the current computation and waits for its end. Discards jobs that have not begun.
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Jobs are executed in order. A job that replaces the run (Restart, Undo, Redo, ReturnToStep, RestoreLastGood,
  // ApplyRemedy, Open)
  // cancels earlier frame jobs instead of waiting for them.
  void post(RunJob job, OnDone on_done);
  // Cancels the current frame job. Returns whether there was one.
  bool cancel();
  // Whether all jobs are done and their results delivered.
  bool is_idle() const;
  // Waits until all jobs are done, or until `end`. Returns whether they are done.
  bool wait_until(Clock::time_point end);
  // Calls `on_done` for each finished job, on the calling thread.
  void deliver_results();
  // Sets a function that is called on the run thread when all jobs are done: it wakes a front end that waits elsewhere.
  // Call only while idle.
  void on_idle(std::function<void()> call);

  // As of the last delivered result; with `here`, the current one.
  std::shared_ptr<const RunStatus> status() const { return status_; }
  // With `here`: updates the status if other code has used the experiment.
  void refresh_status();

 private:
  struct Thread;
  JobResult execute(const RunJob& job);
  void deliver(JobResult& result, const OnDone& on_done);

  Experiment& experiment_;
  std::shared_ptr<const RunStatus> status_;         // used by the front end's thread
  std::shared_ptr<const RunStatus> last_status_;    // used by the run thread
  std::unique_ptr<KernelMeasurement> measurement_;  // in progress; used by the run thread
  std::unique_ptr<SizeSweep> sweep_;                // the same
  std::unique_ptr<Thread> thread_;
};

}  // namespace perturb
