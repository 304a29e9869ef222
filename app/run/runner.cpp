#include "app/run/runner.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "app/run/run_text.h"
#include "app/run/sampling.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/block_recorder.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/timeline.h"
#include "cuda/core/launch/launch_map.h"

namespace perturb {

namespace {

template <class... Kinds>
bool is_one_of(const RunJob& job) {
  return (std::holds_alternative<Kinds>(job) || ...);
}
bool is_frame_job(const RunJob& job) {
  return is_one_of<job::Advance, job::ReadDiagnostics, job::Measure, job::Paint, job::FindRemedy>(job);
}
bool replaces_run(const RunJob& job) {
  return is_one_of<job::Restart, job::Undo, job::Redo, job::ReturnToStep, job::RestoreLastGood, job::ApplyRemedy,
                   job::Open>(job);
}

// Use of a job's time, and the name of its interval. Jobs must not contain other intervals of these
// kinds: FrameTimes adds them up.
std::pair<TimeUse, const char*> use_of(const RunJob& job) {
  if (is_one_of<job::Advance>(job)) return {TimeUse::steps, "steps"};
  if (is_one_of<job::Paint>(job)) return {TimeUse::painting, "paint"};
  if (is_one_of<job::ReadDiagnostics>(job)) return {TimeUse::numbers, "read numbers"};
  if (is_one_of<job::Measure>(job)) return {TimeUse::numbers, "measure kernels"};
  if (is_one_of<job::FindRemedy, job::Inspect, job::Describe>(job)) return {TimeUse::other, "other job"};
  return {TimeUse::events, "change the run"};
}

// The loops of a job are recorded, except where a measurement of kernels times them itself. The code of a visit runs
// jobs of its own.
class JobScope {
 public:
  JobScope(const RunJob& job, const Backends& backends) {
    if (is_one_of<job::Visit>(job)) return;
    scope_.emplace(use_of(job).first, use_of(job).second);
    if (is_one_of<job::Measure>(job)) return;
    preferred_.emplace(backends.preferred());
    if (backends.cpu()) cpu_.emplace(*backends.cpu());
  }

 private:
  std::optional<Timeline::Scope> scope_;
  std::optional<Timeline::LoopScope> preferred_, cpu_;
};

Sample read_at(Simulation& simulation, const std::vector<SamplePoint>& points) {
  Sample sample{simulation.steps(), simulation.time(), {}};
  ViewSettings view;
  for (const SamplePoint& point : points) {
    view.quantity = point.quantity;
    sample.values.push_back(
        simulation.number_at(point.x, point.y, view).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return sample;
}

// Executes each kind of job and stores its results in `result`.
struct JobExecutor {
  Experiment& experiment;
  JobResult& result;
  std::unique_ptr<KernelMeasurement>& measurement;
  std::unique_ptr<SizeSweep>& sweep;

  void operator()(const job::Advance& advance) const {
    const std::int64_t before = experiment.simulation().steps();
    try {
      advance_and_read(advance);
    } catch (...) {
      result.steps = experiment.simulation().steps() - before;
      throw;
    }
    result.steps = experiment.simulation().steps() - before;
  }
  void advance_and_read(const job::Advance& advance) const {
    const Scene& scene = experiment.scene();
    const std::int64_t end = experiment.simulation().steps() + advance.steps;
    const bool probes = !advance.points.empty(), means = !advance.lines.empty(), numbers = advance.view.has_value();
    if (numbers && end == advance.steps && end > 0) read_numbers(*advance.view);
    for (std::int64_t now = end - advance.steps; now < end;) {
      // A scheduled event may have changed the source.
      if (probes) result.every = steps_per_reading(experiment.simulation());
      const std::int64_t to_probes = probes ? next_multiple(now, result.every) : end,
                         to_lines = means ? next_mean_step(scene, now) : end,
                         to_numbers = numbers ? next_multiple(now, steps_per_numbers(scene)) : end;
      const std::int64_t next = std::min({end, to_probes, to_lines, to_numbers});
      experiment.advance(next - now);
      if (experiment.simulation().steps() != next) return;  // the run has stopped
      if (probes && next == to_probes) result.samples.push_back(read_at(experiment.simulation(), advance.points));
      if (means && next == to_lines) result.lines.push_back(read_at(experiment.simulation(), advance.lines));
      if (numbers && next == to_numbers) read_numbers(*advance.view);
      if (!experiment.stop_reason().empty()) return;
      now = next;
    }
  }
  void read_numbers(const ViewSettings& view) const {
    Diagnostics all = experiment.simulation().diagnostics(view, true);
    experiment.check_diagnostics(all);
    all.curves.clear();
    all.marks.clear();
    if (all.finite) result.numbers.push_back(std::move(all));
  }
  void operator()(const job::ReadDiagnostics& read) const {
    if (read.diagnostics) {
      result.diagnostics = experiment.simulation().diagnostics(read.view, read.wait);
      experiment.check_diagnostics(result.diagnostics);
    }
    Simulation& simulation = experiment.simulation();  // another one if the run has gone back
    if (!read.points.empty()) result.samples.push_back(read_at(simulation, read.points));
    if (read.value_at) result.value = simulation.value_at(read.value_at->x, read.value_at->y, read.view);
    if (auto* blocks = simulation.find<HasLoopBlocks>(); blocks && read.loop_block)
      blocks->set_loop_block(*read.loop_block);
    if (read.launch) result.launch_map = std::make_shared<const LaunchMap>(launch_map_of(simulation));
    if (read.block_starts) read_block_starts(simulation, *read.block_starts);
    if (auto* inspectable = simulation.find<Inspectable>(); inspectable && read.inspect_at)
      result.inspection = inspectable->inspect(read.inspect_at->x, read.inspect_at->y);
  }
  static LaunchMap launch_map_of(const Simulation& simulation) {
    const auto* const maps = simulation.find<MapsLaunch>();
    return maps ? maps->launch_map() : LaunchMap();
  }
  void read_block_starts(Simulation& simulation, bool on) const {
    BlockRecorder& recorder = simulation.block_recorder();
    if (!on) return recorder.stop();
    LaunchStarts starts(launch_map_of(simulation), recorder.take());
    if (!starts.empty()) result.block_starts = std::make_shared<const LaunchStarts>(std::move(starts));
    recorder.request();
  }
  void operator()(const job::Measure& job) const {
    if (job.largest) return measure_sizes(*job.largest, job.stop);
    if (job.stop || (measurement && !measurement->matches(experiment))) measurement.reset();
    if (job.stop) return;
    if (!measurement) measurement = std::make_unique<KernelMeasurement>(experiment);
    const bool complete = measurement->advance();
    result.kernels = {complete, measurement->current(), measurement->remaining(), measurement->unmeasured()};
    if (complete) measurement.reset();
  }
  void measure_sizes(int largest, bool stop) const {
    if (stop || (sweep && !sweep->matches(experiment, largest))) sweep.reset();
    if (stop) return;
    if (!sweep) sweep = std::make_unique<SizeSweep>(experiment, largest);
    const bool complete = sweep->advance();
    result.sizes = sweep->timings();
    if (complete) sweep.reset();
  }
  void operator()(const job::Paint& paint) const {
    experiment.simulation().paint_view(paint.pixels, paint.camera, paint.view, *paint.table);
  }
  void operator()(const job::SetParameters& set) const {
    bool merge_with_last = set.merge_with_last;
    for (const ParameterChange& change : set.changes) {
      try {
        experiment.set_parameter(change.id, change.value, merge_with_last, set.client);
        merge_with_last = true;
      } catch (const Error& error) {
        result.errors.emplace_back(change.id, error.message());
      }
    }
  }
  void operator()(const job::Restart& restart) const {
    if (restart.race_by_time)
      experiment.restart_race(*restart.race_by_time);
    else if (restart.width > 0)
      experiment.restart_with_width(restart.width);
    else if (restart.keep_built)
      experiment.restart_keeping();
    else
      experiment.restart();
  }
  void operator()(const job::Undo&) const { result.message = experiment.undo(); }
  void operator()(const job::Redo&) const { result.message = experiment.redo(); }
  void operator()(const job::ReturnToStep& back) const { experiment.return_to_step(back.step, back.limit); }
  void operator()(const job::RestoreLastGood&) const { experiment.restore_last_good(); }
  void operator()(const job::FindRemedy&) const { experiment.find_remedy(); }
  void operator()(const job::ApplyRemedy&) const { experiment.apply_remedy(); }
  void operator()(const job::Open& open) const {
    experiment.open(open.start(), open.what);
    if (open.events) experiment.schedule(open.events());
  }
  void operator()(const job::ApplyAction& act) const {
    experiment.perform(act.action, act.merge_with_last, act.client);
  }
  void operator()(const job::PlaceObject& place) const {
    const auto* placer = experiment.simulation().find<ObjectPlacer>();
    const std::vector<std::string> kinds = placer ? placer->placeable() : std::vector<std::string>();
    if (std::find(kinds.begin(), kinds.end(), place.kind) == kinds.end())
      throw InputError("Cannot add an object of the kind \"{}\" here{}", place.kind,
                       kinds.empty() ? Message(".") : choose_one_of(kinds));
    const Action action = placer->placed(place.kind, place.x, place.y);
    experiment.perform(action, false, place.client);
    result.actions.push_back(action);
  }
  void operator()(const job::Inspect& inspect) const { result.text = inspect.function(experiment); }
  void operator()(const job::Visit& visit) const { visit.function(experiment); }
  void operator()(const job::Describe& what) const { result.message = describe(experiment, what.view, what.units); }
  void operator()(const job::ApplyGesture& apply) const {
    const std::size_t before = experiment.log().size();
    experiment.perform(apply.gesture, apply.client);
    const std::vector<Event>& log = experiment.log();
    for (std::size_t k = std::min(before, log.size()); k < log.size(); ++k)
      if (const auto* action = std::get_if<Action>(&log[k].change)) result.actions.push_back(*action);
  }
  void operator()(const ChooseKernel& kernel) const { experiment.choose_kernel(kernel.id); }
  void operator()(const ViewChange& view) const { experiment.show(view); }
};

}  // namespace

struct Runner::Thread {
  struct Posted {
    RunJob job;
    OnDone on_done;
  };
  struct Finished {
    JobResult result;
    OnDone on_done;
  };

  StopRequest stop;
  std::mutex mutex;
  std::condition_variable posted, done;
  std::deque<Posted> queue;
  std::deque<Finished> results;
  int queued_replacements = 0;     // of the jobs in the queue
  bool frame_job_running = false;  // the current job is a frame job
  bool busy = false, closing = false;
  std::function<void()> on_idle;
  std::thread thread;

  bool is_done() const { return queue.empty() && !busy; }

  void work(Runner& runner) {
    Timeline::name_this_thread("run");
    use_device_here(runner.experiment_.backends().preferred());
    const StopScopes scopes(runner.experiment_.backends(), stop);
    std::unique_lock lock(mutex);
    for (;;) {
      posted.wait(lock, [this] { return closing || !queue.empty(); });
      if (closing) return;
      Posted now = std::move(queue.front());
      queue.pop_front();
      busy = true;
      frame_job_running = is_frame_job(now.job);
      if (replaces_run(now.job)) --queued_replacements;
      const bool skip = frame_job_running && queued_replacements > 0;
      lock.unlock();
      JobResult result;
      if (skip) {
        result.cancelled = true;
        result.status = runner.last_status_;
      } else {
        result = runner.execute(now.job);
      }
      lock.lock();
      results.push_back({std::move(result), std::move(now.on_done)});
      busy = frame_job_running = false;
      if (!closing) stop.reset();
      if (!is_done()) continue;
      done.notify_all();
      if (on_idle) on_idle();
    }
  }
};

Runner::Runner(Experiment& experiment, Where where)
    : experiment_(experiment),
      status_(std::make_shared<const RunStatus>(status_of(experiment))),
      last_status_(status_) {
  if (where == Where::here) return;
  thread_ = std::make_unique<Thread>();
  try {
    thread_->thread = std::thread([this] { thread_->work(*this); });
  } catch (const std::system_error&) {
    thread_.reset();  // limit of memory or processes: the run stays on the front end's thread
  }
}

Runner::~Runner() {
  if (!thread_) return;
  {
    const std::lock_guard lock(thread_->mutex);
    thread_->closing = true;
    thread_->stop.request_stop();
  }
  thread_->posted.notify_all();
  thread_->thread.join();
}

void Runner::post(RunJob job, OnDone on_done) {
  if (!thread_) {
    JobResult result = execute(job);
    deliver(result, on_done);
    return;
  }
  {
    const std::lock_guard lock(thread_->mutex);
    if (replaces_run(job)) {
      ++thread_->queued_replacements;
      if (thread_->frame_job_running) thread_->stop.request_stop();
    }
    thread_->queue.push_back({std::move(job), std::move(on_done)});
  }
  thread_->posted.notify_one();
}

bool Runner::cancel() {
  if (!thread_) return false;
  const std::lock_guard lock(thread_->mutex);
  if (!thread_->frame_job_running) return false;
  thread_->stop.request_stop();
  return true;
}

bool Runner::is_idle() const {
  if (!thread_) return true;
  const std::lock_guard lock(thread_->mutex);
  return thread_->is_done() && thread_->results.empty();
}

bool Runner::wait_until(Clock::time_point end) {
  if (!thread_) return true;
  std::unique_lock lock(thread_->mutex);
  return thread_->done.wait_until(lock, end, [this] { return thread_->is_done(); });
}

void Runner::deliver_results() {
  if (!thread_) return;
  for (;;) {
    Thread::Finished next;
    {
      const std::lock_guard lock(thread_->mutex);
      if (thread_->results.empty()) return;
      next = std::move(thread_->results.front());
      thread_->results.pop_front();
    }
    deliver(next.result, next.on_done);
  }
}

void Runner::deliver(JobResult& result, const OnDone& on_done) {
  // The run was released to free memory for another one, which could not be created.
  if (!result.status) result.check();
  if (result.status) status_ = result.status;
  on_done(result);
}

void Runner::on_idle(std::function<void()> call) {
  if (!thread_) return;
  const std::lock_guard lock(thread_->mutex);
  thread_->on_idle = std::move(call);
}

void Runner::refresh_status() {
  if (!thread_) status_ = last_status_ = std::make_shared<const RunStatus>(status_of(experiment_));
}

JobResult Runner::execute(const RunJob& job) {
  JobResult result;
  const auto begin = Clock::now();
  // The next run may need the memory.
  if (replaces_run(job)) {
    measurement_.reset();
    sweep_.reset();
  }
  const JobScope scope(job, experiment_.backends());
  try {
    std::visit(JobExecutor{experiment_, result, measurement_, sweep_}, job);
  } catch (const Stopped&) {
    // With a separate thread, it was the front end that requested the stop.
    result.cancelled = true;
    if (!thread_) result.error = std::current_exception();
  } catch (...) {
    result.error = std::current_exception();
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!experiment_.has_run()) return result;
  result.warning = experiment_.take_warning();
  // Frame jobs change only diagnostics; the kernel status changes only if it was requested or measured.
  const auto* read = std::get_if<job::ReadDiagnostics>(&job);
  const auto* measure = std::get_if<job::Measure>(&job);
  const bool only_numbers = is_frame_job(job) && !(read && read->kernels) && !(measure && !measure->largest) &&
                            experiment_.returns() == last_status_->returns;
  result.status = last_status_ =
      std::make_shared<const RunStatus>(status_of(experiment_, only_numbers ? last_status_.get() : nullptr));
  return result;
}

}  // namespace perturb
