#include "app/session/run_client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/io/files/failure_log.h"
#include "app/io/preset/presets.h"
#include "cuda/core/backend/timeline.h"

namespace perturb {

namespace {

// How long a frame waits for the run, so that its image shows the finished steps. After a timeout, frames do not wait
// until the run is done.
constexpr std::chrono::milliseconds frame_wait{70};
// How long a message is shown. A frame counts for at most a tenth of a second: at low frame rates the
// message stays for enough frames to read it and to respond.
constexpr double message_seconds = 8, error_seconds = 60, longest_message_frame = 0.1;

}  // namespace

RunClient::RunClient(Experiment& experiment, Runner::Where where) : frame_deadline_(Runner::Clock::now()) {
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
  {
    const Timeline::Scope waiting(TimeUse::waiting, "wait for the run");
    runner_->wait_until(frame_deadline_);
  }
  runner_->deliver_results();
}

void RunClient::run_job(RunJob job, OnDone on_done) {
  post(std::move(job), [this, on_done = std::move(on_done)](JobResult& result) {
    try {
      result.check();
      on_done(result);
    } catch (const Error& error) {
      show_error(error.message());
    }
  });
}

void RunClient::run_frame_job(RunJob job, OnDone on_done) {
  post(std::move(job), [on_done = std::move(on_done)](JobResult& result) {
    result.check();
    on_done(result);
  });
}

void RunClient::show_message(const Message& message, const std::string& folder) {
  message_ = {in_shown_units(message), 0, false, folder};
}

void RunClient::show_error(const Message& message) {
  message_ = {in_shown_units(message), 0, true, ""};
  log_failure(message.english());
}

bool RunClient::dismiss_error() {
  const bool was_error = message_.is_error;
  if (was_error) message_ = {};
  return was_error;
}

void RunClient::age_message(double seconds) {
  message_.age += std::min(seconds, longest_message_frame);
  if (message_.age > (message_.is_error ? error_seconds : message_seconds)) message_ = {};
}

void RunSwitcher::open(const std::string& path, job::Open open, std::function<void()> then, Fail fail) {
  opening_.push_back(path);
  client_.post(std::move(open), [this, then = std::move(then), fail = std::move(fail)](JobResult& result) {
    opening_.pop_front();
    try {
      result.check();
      then();
    } catch (const Error& error) {
      if (fail)
        fail(error.message());
      else
        client_.show_error(error.message());
    }
  });
}

std::string RunSwitcher::pending_scene() const {
  if (!opening_.empty()) return opening_.back();
  const Setup& setup = client_.run().scene->setup;
  return setup.simulation + "/" + full_preset_of(setup.preset);
}

void RunSwitcher::restart(bool keep_built) {
  client_.run_job(job::Restart{keep_built}, [this](JobResult&) { on_run_replaced(false); });
}

void RunSwitcher::restart_with_width(int width) {
  client_.run_job(job::Restart{false, width}, [this, width](JobResult&) {
    on_run_replaced(false);
    client_.show_message({"{}: {}", Message(client_.run().scene->count.label), width});
  });
}

void RunSwitcher::restart_race(bool by_time) {
  client_.run_job(job::Restart{false, 0, by_time}, [this, by_time](JobResult&) {
    on_run_replaced(false);
    client_.show_message(by_time ? "Race by time: all lanes begin again." : "Race by steps: all lanes begin again.");
  });
}

void RunSwitcher::undo_or_redo(bool back) {
  const char* const nothing = back ? "Nothing to undo." : "Nothing to redo.";
  const RunStatus& now = client_.run();
  if ((back ? now.undo_opens_scene : now.redo_opens_scene) && blocks_scene_undo_ && blocks_scene_undo_())
    return client_.show_message(nothing);
  client_.run_job(back ? RunJob(job::Undo{}) : RunJob(job::Redo{}),
                  [this, nothing, before = now.opening](JobResult& result) {
                    if (!result.message.empty()) {
                      on_run_replaced(client_.run().opening != before);
                      undo_seconds_.push_back(result.seconds);
                    }
                    client_.show_message(result.message.empty() ? nothing : result.message);
                  });
}

void RunSwitcher::restore_last_good() {
  client_.run_job(job::RestoreLastGood{}, [this](JobResult&) { on_run_replaced(false); });
}

void RunSwitcher::follow_returns() {
  if (const std::uint64_t now = client_.run().returns; std::exchange(returns_, now) != now) on_run_replaced(false);
}

void RunSwitcher::find_remedy() {
  if (client_.run().stop_reason.empty() || client_.run().has_sought_remedy || seeks_remedy_) return;
  seeks_remedy_ = true;
  client_.post(job::FindRemedy{}, [this](JobResult&) { seeks_remedy_ = false; });
}

void RunSwitcher::apply_remedy() {
  client_.run_job(job::ApplyRemedy{}, [this](JobResult&) { on_run_replaced(false); });
}

}  // namespace perturb
