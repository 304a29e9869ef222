#include "app/session/run_client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/io/files/failure_log.h"
#include "app/session/labels.h"

namespace perturb {

namespace {

// How long a frame waits for the run, so that its image shows the finished steps. After a timeout, frames do not wait
// until the run is done.
constexpr std::chrono::milliseconds frame_wait{70};
// How long a message or suggestion is shown. A frame counts for at most a tenth of a second: at low frame rates the
// message stays for enough frames to read it and to respond.
constexpr double message_seconds = 8, error_seconds = 60, longest_counted_frame = 0.1;

}  // namespace

RunClient::RunClient(Experiment& experiment, Runner::Where where, UiState& state)
    : backend_(experiment.backend()), state_(state), frame_deadline_(Runner::Clock::now()) {
  runner_.emplace(experiment, where);
}

void RunClient::begin_frame() {
  runner_->deliver_results();
  frame_deadline_ = Runner::Clock::now();
  if (runner_->is_idle()) frame_deadline_ += frame_wait;
  runner_->refresh_status();
}

bool RunClient::finish(std::chrono::seconds limit) {
  const Runner::Clock::time_point end = Runner::Clock::now() + limit;
  cancel();
  runner_->wait_until(end);
  runner_->deliver_results();
  return runner_->is_idle();
}

void RunClient::post(RunJob job, OnDone on_done) {
  runner_->post(std::move(job), [this, on_done = std::move(on_done)](JobResult& result) {
    on_done(result);
    if (!result.warning.empty()) show_message(result.warning);
  });
  runner_->wait_until(frame_deadline_);
  runner_->deliver_results();
}

void RunClient::run_job(RunJob job, OnDone on_done) {
  post(std::move(job), [this, on_done = std::move(on_done)](JobResult& result) {
    try {
      result.check();
      on_done(result);
    } catch (const Error& error) {
      show_error(error.what());
    }
  });
}

void RunClient::run_frame_job(RunJob job, OnDone on_done) {
  post(std::move(job), [on_done = std::move(on_done)](JobResult& result) {
    result.check();
    on_done(result);
  });
}

void RunClient::show_message(const std::string& message) {
  state_.message = with_labels(message, info().parameters), state_.message_age = 0;
  state_.message_is_error = false;
  state_.message_folder.clear();
}

void RunClient::show_error(const std::string& message) {
  show_message(message);
  state_.message_is_error = true;
  log_failure(state_.message);
}

void RunClient::age_messages(double seconds) {
  const double seen = std::min(seconds, longest_counted_frame);
  state_.message_age += seen;
  if (state_.message_age > (state_.message_is_error ? error_seconds : message_seconds))
    state_.message.clear(), state_.message_is_error = false, state_.message_folder.clear();
  state_.suggestion.age += seen;
  if (state_.suggestion.age > message_seconds) state_.suggestion = {};
}

}  // namespace perturb
