#include "app/session/playback.h"

#include <algorithm>

namespace perturb {

namespace {

constexpr int default_steps_per_frame = 16;

int first_positive(std::initializer_list<int> numbers) {
  return *std::find_if(numbers.begin(), numbers.end(), [](int n) { return n > 0; });
}

}  // namespace

Playback::Playback(RunClient& client, UiState& state, InstrumentReadings& readings, int steps_per_frame)
    : client_(client),
      state_(state),
      readings_(readings),
      steps_per_frame_(steps_per_frame),
      pace_(default_steps_per_frame) {}

void Playback::advance() {
  if (!state_.playing || !client_.run().stop_reason.empty()) return;
  // Frames of a video are evenly spaced in time, however long each takes.
  const int steps = state_.film ? pace_.even_steps() : pace_.take();
  if (steps == 0) return;
  client_.post(readings_.steps(steps), [this, asked = readings_.generation()](JobResult& result) {
    steps_now_ += result.steps;
    stepping_seconds_ += result.seconds;
    readings_.take_probed(result, asked);
    try {
      result.check();
    } catch (const InputError& error) {
      client_.show_error(error.what());  // a scheduled event that could not be applied
    }
  });
}

void Playback::take_one_step() {
  state_.playing = false;
  client_.run_job(readings_.steps(1),
                  [this, asked = readings_.generation()](JobResult& result) { readings_.take_probed(result, asked); });
}

void Playback::end_frame(double frame_seconds, double busy_seconds) {
  // A frame whose steps are done may already have requested the next ones.
  waiting_ = client_.is_idle() || steps_now_ > 0 ? 0 : waiting_ + frame_seconds;
  pace_.elapse(frame_seconds);
  // Simulated time per step, from the last steps, because a parameter may have changed it.
  const RunStatus& run = client_.run();
  if (run.steps > paced_step_ && run.time > paced_time_)
    pace_.set_time_per_step((run.time - paced_time_) / static_cast<double>(run.steps - paced_step_));
  paced_step_ = run.steps, paced_time_ = run.time;

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

bool Playback::handle(UiCommand command) {
  switch (command) {
    case UiCommand::play_pause:
      state_.playing = !state_.playing;
      return true;
    case UiCommand::single_step:
      take_one_step();
      return true;
    case UiCommand::faster:
      pace_.faster();
      return true;
    case UiCommand::slower:
      pace_.slower();
      return true;
    case UiCommand::speed_unit:
      pace_.next_unit();
      return true;
    case UiCommand::cancel_step:
      if (client_.cancel()) {
        state_.playing = false;
        client_.show_message("The step was given up, and the run paused.");
      }
      return true;
    default:
      return false;
  }
}

void Playback::handle(const ChooseKernel& request) {
  client_.run_job(request, [this](JobResult&) { pace_.forget(); });
}

void Playback::on_run_replaced(bool new_scene) {
  pace_.forget();
  if (new_scene)
    pace_.set_requested(
        first_positive({steps_per_frame_, client_.run().scene->steps_per_frame, default_steps_per_frame}));
}

}  // namespace perturb
