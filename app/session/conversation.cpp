#include "app/session/conversation.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/files/failure_log.h"
#include "app/session/labels.h"

namespace perturb {

namespace {

// How long a frame waits for the run: what a frame has time for is done by then, and shown in it. Once it took longer,
// frames wait no more until it is done.
constexpr std::chrono::milliseconds patience{70};
// How long a sentence or an offer stays. A frame counts for no more than a tenth of a second: where frames are slow, it
// stays for as many as anybody needs to see it, and to act on it.
constexpr double note_seconds = 8, failure_seconds = 60, longest_counted_frame = 0.1;

}  // namespace

Conversation::Conversation(Experiment& experiment, Runner::Where where, UiState& state)
    : backend_(experiment.backend()), state_(state), answer_by_(Runner::Clock::now()) {
  runner_.emplace(experiment, where);
}

void Conversation::begin_frame() {
  runner_->deliver_results();
  answer_by_ = Runner::Clock::now();
  if (runner_->is_idle()) answer_by_ += patience;
  runner_->refresh_status();
}

bool Conversation::finish(std::chrono::seconds patience) {
  const Runner::Clock::time_point end = Runner::Clock::now() + patience;
  cancel();
  runner_->wait_until(end);
  runner_->deliver_results();
  return runner_->is_idle();
}

void Conversation::post(RunJob job, OnDone on_done) {
  runner_->post(std::move(job), [this, on_done = std::move(on_done)](JobResult& result) {
    on_done(result);
    if (!result.warning.empty()) tell(result.warning);
  });
  runner_->wait_until(answer_by_);
  runner_->deliver_results();
}

void Conversation::ask(RunJob job, OnDone on_done) {
  post(std::move(job), [this, on_done = std::move(on_done)](JobResult& result) {
    try {
      result.check();
      on_done(result);
    } catch (const Error& error) {
      tell_failure(error.what());
    }
  });
}

void Conversation::ask_of_frame(RunJob job, OnDone on_done) {
  post(std::move(job), [on_done = std::move(on_done)](JobResult& result) {
    result.check();
    on_done(result);
  });
}

void Conversation::tell(const std::string& note) {
  state_.note = in_labels(note, info().parameters), state_.note_age = 0;
  state_.note_failed = false;
  state_.note_folder.clear();
}

void Conversation::tell_failure(const std::string& note) {
  tell(note);
  state_.note_failed = true;
  log_failure(state_.note);
}

void Conversation::age_messages(double seconds) {
  const double seen = std::min(seconds, longest_counted_frame);
  state_.note_age += seen;
  if (state_.note_age > (state_.note_failed ? failure_seconds : note_seconds))
    state_.note.clear(), state_.note_failed = false, state_.note_folder.clear();
  state_.offer.age += seen;
  if (state_.offer.age > note_seconds) state_.offer = {};
}

}  // namespace perturb
