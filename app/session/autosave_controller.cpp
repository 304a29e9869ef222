#include "app/session/autosave_controller.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "app/instruments/instrument.h"
#include "app/io/state/autosave.h"
#include "app/io/state/script_file.h"
#include "app/io/state/state_file.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {
// Time between two autosaves: the most work that a crash can lose, and long compared with the time of one write.
constexpr double autosave_seconds = 30, first_seconds = 5;
constexpr const char* script_stem = "script";
// How long the exit waits for a running step to be cancelled.
constexpr std::chrono::seconds max_exit_wait{20};

Message describe_state(const State& state) {
  return Message("{} at step {}", state.simulation + (state.preset.empty() ? "" : "/" + state.preset), state.steps);
}

// A state does not contain how the run is shown.
ScriptFiles files_of(const Experiment& run, const std::vector<std::string>& more) {
  ScriptFiles files = script_files(run, script_stem, more);
  files.beside.push_back({view_file_name, script_of_view(run)});
  return files;
}

std::size_t bytes_of(const State& state) {
  std::size_t bytes = 0;
  for (const auto& [name, dataset] : state.datasets) bytes += dataset.bytes.size();
  return bytes;
}

}  // namespace

AutosaveController::AutosaveController(RunClient& client, const Instruments& instruments)
    : client_(client), instruments_(instruments) {}

AutosaveController::~AutosaveController() = default;

void AutosaveController::enable(const std::string& folder, bool in_browser) {
  if (folder.empty()) return;
  try {
    autosave_ = std::make_unique<Autosave>(folder);
  } catch (const Error& error) {
    client_.show_error(error.message());
    return;
  }
  age_ = autosave_seconds - first_seconds;
  offer_recovery();
  if (in_browser) put_off_offer();
}

void AutosaveController::offer_recovery() {
  offer_ = {};
  if (const auto& before = autosave_->interrupted())
    offer_ = {before->description, before->state, before->was_closed, false, before->saved};
}

void AutosaveController::end_frame(double seconds) {
  if (!autosave_) return;
  if (const Message failure = autosave_->take_failure(); !failure.empty() && failure != shown_failure_)
    client_.show_message(shown_failure_ = failure);
  age_ += seconds;
  const RunStatus& run = client_.run();
  const bool is_same = step_ == run.steps && events_ == run.events;
  if (age_ < autosave_seconds || is_same || !run.stop_reason.empty() || !client_.is_idle()) return;
  age_ = 0;
  step_ = run.steps;
  events_ = run.events;
  save();
}

void AutosaveController::save() {
  const auto failure = std::make_shared<Message>();
  const auto write = [&autosave = *autosave_, more = to_arguments(instruments_.all()),
                      failure](const Experiment& now) -> std::string {
    try {
      require_memory_to_save(now);
    } catch (const Error& error) {
      *failure = error.message() + "This run is not autosaved.";
      return "";
    }
    State state = now.saved_state();
    if (bytes_of(state) > Autosave::max_state_bytes) {
      *failure = Message("This run is not autosaved: its state is larger than {}. Save it regularly with Ctrl+S.",
                         format_bytes(Autosave::max_state_bytes));
      return "";
    }
    Message description = describe_state(state);
    autosave.keep(std::move(state), files_of(now, more), std::move(description));
    return "";
  };
  client_.run_job(job::Inspect{write}, [this, failure](JobResult&) {
    if (failure->empty()) return;
    client_.show_message(*failure);
    age_ = -std::numeric_limits<double>::infinity();  // while this scene is open
  });
}

void AutosaveController::on_scene_replaced() { age_ = std::max(age_, 0.0); }

bool AutosaveController::offers(const std::string& path) const {
  return autosave_ && autosave_->interrupted() && autosave_->interrupted()->state == path;
}

std::string AutosaveController::offered_script() const {
  return autosave_ && autosave_->interrupted() ? autosave_->interrupted()->script : std::string();
}

void AutosaveController::on_file_opened(const std::string& path) {
  if (!offers(path)) return;
  autosave_->take_over_interrupted();
  recovered_ = client_.run().opening;
  age_ = autosave_seconds;  // save at the next opportunity
  step_ = -1;
}

bool AutosaveController::put_off_offer() {
  // After a crash the user is asked until there is an answer.
  if (offer_.description.empty() || offer_.put_off || !offer_.was_closed) return false;
  return offer_.put_off = true;
}

std::string AutosaveController::take_offer(bool wanted) {
  std::string file = offer_.state;
  offer_ = {};
  if (!autosave_) return "";
  if (wanted) return file;
  autosave_->discard_interrupted();
  offer_recovery();
  return "";
}

// ---- the end

bool AutosaveController::is_unsaved() const {
  const RunStatus& run = client_.run();
  if (!run.stop_reason.empty()) return false;
  const bool is_worked_on = (!run.next_undo.empty() && !run.undo_opens_scene) || run.opening == recovered_;
  return is_worked_on && saved_ != now();
}

Message AutosaveController::save_at_exit() {
  if (!autosave_ || !client_.finish(max_exit_wait) || !is_unsaved()) return {};
  const auto failure = std::make_shared<Message>();
  const auto write = [&autosave = *autosave_, more = to_arguments(instruments_.all()),
                      failure](const Experiment& now) -> std::string {
    require_memory_to_save(now);
    const State state = now.saved_state();
    if (bytes_of(state) > Autosave::max_last_state_bytes)
      *failure = Message("The run was not saved for the next start: its state is larger than {}.",
                         format_bytes(Autosave::max_last_state_bytes));
    else
      autosave.save_for_next_start(state, files_of(now, more), describe_state(state));
    return "";
  };
  client_.post(job::Inspect{write}, [failure](JobResult& result) {
    try {
      result.check();
    } catch (const Error& error) {
      *failure = error.message() + "The run was not saved for the next start.";
    }
  });
  client_.finish(std::chrono::hours(1));
  return *failure;
}

}  // namespace perturb
