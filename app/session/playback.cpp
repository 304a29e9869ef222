#include "app/session/playback.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/run/pace_limits.h"

namespace perturb {

namespace {
constexpr int unlimited = 1 << 30;
constexpr int averaged_frames = 8;        // frames per mean
constexpr int stable_periods_needed = 4;  // good means in a row before the limit is raised
constexpr int cooldown_periods = 15;      // means to ignore after lowering the limit did not help
}  // namespace

void Pace::set_requested(int steps) {
  requested_ = std::clamp(steps, 1, pace_limits::max_steps);
  rate_ = requested_ / target_frame;
  // Measured times (seconds per step) are kept; a limit found by trial must be found again.
  if (seconds_per_step_ == 0) forget();
}

void Pace::set_unit(Unit unit) {
  if (unit_ != Unit::per_frame && unit == Unit::per_frame) set_requested(even_steps());
  unit_ = unit;
  due_ = 0;
}

double Pace::speed() const {
  return unit_ == Unit::per_frame ? requested_ : unit_ == Unit::per_second ? rate_ : rate_ * time_per_step_;
}

void Pace::set_time_per_step(double time) {
  if (!(time > 0)) return;
  // Ignores rounding errors of a sum of steps.
  const bool changed = time_per_step_ > 0 && std::abs(time - time_per_step_) > 1e-3 * time_per_step_;
  if (unit_ == Unit::real_time && changed)
    rate_ = std::clamp(rate_ * time_per_step_ / time, pace_limits::min_rate, pace_limits::max_rate);
  if (changed || time_per_step_ == 0) time_per_step_ = time;
}

void Pace::elapse(double seconds) {
  // Time in which the machine was suspended is not made up for.
  if (unit_ != Unit::per_frame)
    due_ = std::min(due_ + rate_ * seconds, std::max(1.0, rate_ * pace_limits::max_due_seconds));
}

int Pace::take() {
  if (unit_ == Unit::per_frame) return steps();
  const int due = static_cast<int>(std::min(std::floor(due_), double{pace_limits::max_steps}));
  if (due == 0) return 0;
  requested_ = due;
  const int taken = steps();
  due_ -= due;  // steps that the machine cannot take are dropped: the status bar shows it
  return taken;
}

int Pace::even_steps() const {
  if (unit_ == Unit::per_frame) return requested_;
  return static_cast<int>(std::lround(std::clamp(rate_ * target_frame, 1.0, double{pace_limits::max_steps})));
}

void Pace::faster() {
  if (unit_ != Unit::per_frame)
    rate_ = std::min(2 * rate_, pace_limits::max_rate);
  else
    set_requested(requested_ >= pace_limits::max_steps / 2 ? pace_limits::max_steps : requested_ * 2);
}
void Pace::slower() {
  if (unit_ != Unit::per_frame)
    rate_ = std::max(rate_ / 2, pace_limits::min_rate);
  else
    set_requested((requested_ + 1) / 2);
}

void Pace::forget() {
  allowed_ = unlimited;
  seconds_per_step_ = other_seconds_ = sum_ = before_cut_ = 0;
  frames_ = stable_periods_ = cooldown_ = 0;
  due_ = time_per_step_ = 0;
}

void Pace::observe_steps(int steps, double stepping_seconds, double other_seconds) {
  if (steps <= 0) return;
  const double one = stepping_seconds / steps;
  // The first frames include first-touch page faults; a fast start is accepted at once, a slow one decays.
  const auto follow = [](double& mean, double value) { mean = mean == 0 ? value : mean + 0.1 * (value - mean); };
  follow(seconds_per_step_, one);
  follow(other_seconds_, other_seconds);
  // Drawing must not starve the physics: at least half of a frame is for steps, even at the cost of the frame rate. If
  // frames are slow and a speed is to be held, steps get as much time as the rest of the frame.
  const double half = unit_ == Unit::per_frame ? 0.5 * target_frame : std::max(0.5 * target_frame, other_seconds_);
  const double budget = std::max(0.9 * target_frame - other_seconds_, half);
  const double fits = budget / std::max(seconds_per_step_, 1e-9);
  // The limit changes only if the change is significant, so that the displayed number stays steady.
  const int limit = fits >= pace_limits::max_steps ? unlimited : std::max(1, static_cast<int>(fits));
  if (limit >= requested_)
    allowed_ = unlimited;
  else if (allowed_ >= requested_ || std::abs(limit - allowed_) > allowed_ / 8)
    allowed_ = limit;
}

void Pace::observe_frame(int steps, double frame_seconds) {
  if (steps <= 0) return;
  sum_ += frame_seconds;
  if (++frames_ < averaged_frames) return;
  const double mean = sum_ / frames_;
  sum_ = 0;
  frames_ = 0;

  if (before_cut_ > 0) {
    // Did fewer steps help? If frames are as long as before, something else is slow (a 30 Hz display, software OpenGL).
    if (mean > 0.93 * before_cut_) {
      allowed_ = allowed_before_cut_;
      cooldown_ = cooldown_periods;
    }
    before_cut_ = 0;
    if (cooldown_ > 0) return;
  }
  if (cooldown_ > 0) {
    --cooldown_;
    return;
  }
  if (mean > 1.25 * target_frame && steps > 1) {
    before_cut_ = mean;
    allowed_before_cut_ = allowed_;
    stable_periods_ = 0;
    allowed_ = std::max(1, static_cast<int>(steps * std::max(0.5, 1.05 * target_frame / mean)));
  } else if (mean < 1.1 * target_frame && allowed_ < requested_) {
    if (++stable_periods_ >= stable_periods_needed) {
      stable_periods_ = 0;
      allowed_ += std::max(1, allowed_ / 8);
      if (allowed_ >= requested_) allowed_ = unlimited;
    }
  } else {
    stable_periods_ = 0;
  }
}

void RateCounter::add(double frame_seconds, std::int64_t steps, bool computes, bool queued, double seconds_per_step) {
  seconds_ += frame_seconds;
  step_seconds_ += frame_seconds;
  frames_ += 1;
  steps_ += steps;
  const bool first = rates_.frames_per_second == 0;
  if (seconds_ < (first ? 0.1 : 0.5)) return;
  rates_.frames_per_second = frames_ / seconds_;
  seconds_ = 0;
  frames_ = 0;
  // A step that takes many frames is counted when it is done.
  if (steps_ == 0 && computes) return;
  rates_.steps_per_second = static_cast<double>(steps_) / step_seconds_;
  rates_.is_bound = queued;
  rates_.seconds_per_step = !queued ? seconds_per_step : steps_ > 0 ? step_seconds_ / static_cast<double>(steps_) : 0;
  step_seconds_ = 0;
  steps_ = 0;
}

namespace {

int first_positive(std::initializer_list<int> numbers) {
  return *std::find_if(numbers.begin(), numbers.end(), [](int n) { return n > 0; });
}

}  // namespace

Playback::Playback(RunClient& client, InstrumentReadings& readings, int steps_per_frame,
                   std::function<void(bool leaves_end)> on_returned)
    : client_(client),
      readings_(readings),
      steps_per_frame_(steps_per_frame),
      on_returned_(std::move(on_returned)),
      pace_(default_steps_per_frame) {}

void Playback::advance() {
  if (wanted_) return go_on_returning();
  if (!playing_ || !client_.run().stop_reason.empty()) return;
  const int steps = film_ ? pace_.even_steps() : pace_.take();
  if (steps == 0) return;
  client_.post(readings_.steps(steps), [this, asked = readings_.generation()](JobResult& result) {
    steps_now_ += result.steps;
    stepping_seconds_ += result.seconds;
    readings_.take(result, asked);
    try {
      result.check();
    } catch (const InputError& error) {
      client_.show_error(error.message());  // a scheduled event that could not be applied
    }
  });
}

void Playback::return_to(std::int64_t step) {
  playing_ = false;
  wanted_ = std::clamp(step, client_.run().first_step, client_.run().last_step);
}

void Playback::move_in_past(double share) {
  const RunStatus& run = client_.run();
  const auto length = static_cast<double>(run.last_step - run.first_step);
  const std::int64_t by = std::max<std::int64_t>(1, std::llround(std::abs(share) * length));
  return_to(wanted_.value_or(run.steps) + (share > 0 ? by : -by));
}

// One job at a time: the next one begins with the step that is wanted then.
void Playback::go_on_returning() {
  if (returns_) return;
  returns_ = true;
  const std::int64_t before = client_.run().steps;
  const bool leaves_end = before == client_.run().last_step;
  client_.post(job::ReturnToStep{*wanted_}, [this, before, leaves_end, to = *wanted_](JobResult& result) {
    returns_ = false;
    const std::int64_t now = client_.run().steps;
    // A cancelled job is repeated; one that makes no progress is not.
    if (wanted_ == to && (now == to || (now == before && !result.cancelled))) wanted_.reset();
    on_returned_(leaves_end);
    try {
      result.check();
    } catch (const Error& error) {
      wanted_.reset();
      client_.show_error(error.message());
    }
  });
}

void Playback::take_one_step() {
  playing_ = false;
  wanted_.reset();
  client_.run_job(readings_.steps(1),
                  [this, asked = readings_.generation()](JobResult& result) { readings_.take(result, asked); });
}

void Playback::end_frame(double frame_seconds, double busy_seconds) {
  // A frame whose steps are done may already have requested the next ones.
  waiting_ = client_.is_idle() || steps_now_ > 0 ? 0 : waiting_ + frame_seconds;
  pace_.elapse(frame_seconds);
  // Simulated time per step, from the last steps, because a parameter may have changed it.
  const RunStatus& run = client_.run();
  if (run.steps > paced_step_ && run.time > paced_time_)
    pace_.set_time_per_step((run.time - paced_time_) / static_cast<double>(run.steps - paced_step_));
  paced_step_ = run.steps;
  paced_time_ = run.time;
  pause_when_complete();

  const auto steps = static_cast<int>(steps_now_);
  const bool queued = client_.backend().is_cuda();
  if (steps > 0) {
    if (queued)
      pace_.observe_frame(steps, frame_seconds);
    else
      pace_.observe_steps(steps, stepping_seconds_, std::max(0.0, busy_seconds - stepping_seconds_));
  }
  rates_.add(frame_seconds, steps_now_, !client_.is_idle(), queued, pace_.seconds_per_step());
  steps_now_ = 0;
  stepping_seconds_ = 0;
}

// Once, so that the user can continue. A video ends by itself.
void Playback::pause_when_complete() {
  const Message& completion = client_.run().completion;
  const bool was_complete = std::exchange(is_complete_, !completion.empty());
  if (completion.empty() || was_complete || !playing_ || film_) return;
  playing_ = false;
  client_.show_message(completion);
}

void Playback::cancel_step() {
  if (!client_.cancel()) return;
  playing_ = false;
  client_.show_message("Step cancelled. The run is paused.");
}

void Playback::choose_kernel(const ChooseKernel& kernel) {
  client_.run_job(kernel, [this](JobResult&) { pace_.forget(); });
}

void Playback::on_run_replaced(bool new_scene) {
  wanted_.reset();
  pace_.forget();
  is_complete_ = !client_.run().completion.empty();
  if (new_scene)
    pace_.set_requested(
        first_positive({steps_per_frame_, client_.run().scene->steps_per_frame, default_steps_per_frame}));
}

}  // namespace perturb
