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
  runner_->collect();
  answer_by_ = Runner::Clock::now();
  if (runner_->rests()) answer_by_ += patience;
  runner_->look_again();
}

bool Conversation::finish(std::chrono::seconds patience) {
  const Runner::Clock::time_point end = Runner::Clock::now() + patience;
  give_up();
  runner_->wait_until(end);
  runner_->collect();
  return runner_->rests();
}

void Conversation::post(Order order, Then then) {
  runner_->post(std::move(order), [this, then = std::move(then)](Answer& answer) {
    then(answer);
    if (!answer.note.empty()) tell(answer.note);
  });
  runner_->wait_until(answer_by_);
  runner_->collect();
}

void Conversation::ask(Order order, Then then) {
  post(std::move(order), [this, then = std::move(then)](Answer& answer) {
    try {
      answer.check();
      then(answer);
    } catch (const Error& error) {
      tell_failure(error.what());
    }
  });
}

void Conversation::ask_of_frame(Order order, Then then) {
  post(std::move(order), [then = std::move(then)](Answer& answer) {
    answer.check();
    then(answer);
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
