#include "app/session/safekeeping.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "app/instruments/instrument_words.h"
#include "app/states/autosave.h"
#include "app/states/script_file.h"
#include "cuda/core/check.h"
#include "cuda/core/words.h"

namespace perturb {

namespace {
// Between two states that are kept: what is lost at most, and a trifle of the time to write one.
constexpr double autosave_seconds = 30, first_seconds = 5;
}  // namespace

Safekeeping::Safekeeping(Conversation& conversation, UiState& state, const Instruments& instruments)
    : conversation_(conversation), state_(state), instruments_(instruments) {}

Safekeeping::~Safekeeping() = default;

void Safekeeping::keep_in(const std::string& folder) {
  if (folder.empty()) return;
  try {
    autosave_ = std::make_unique<Autosave>(folder);
  } catch (const Error& error) {
    conversation_.tell_failure(error.what());
    return;
  }
  age_ = autosave_seconds - first_seconds;
  if (const auto& before = autosave_->cut_off()) state_.rescue = {before->words, before->state};
}

void Safekeeping::end_frame(double seconds) {
  if (!autosave_) return;
  if (const std::string failure = autosave_->take_failure(); !failure.empty() && failure != told_failure_)
    conversation_.tell(told_failure_ = failure);
  age_ += seconds;
  const RunFacts& run = conversation_.run();
  const bool is_same = step_ == run.steps && events_ == run.events;
  if (age_ < autosave_seconds || is_same || !run.trouble.empty() || !conversation_.rests()) return;
  age_ = 0;
  step_ = run.steps, events_ = run.events;
  keep();
}

void Safekeeping::keep() {
  const auto write = [&autosave = *autosave_, more = options_for(instruments_.all())](const Experiment& now) {
    State state = now.simulation().save();
    std::size_t bytes = 0;
    for (const auto& [name, dataset] : state.datasets) bytes += dataset.bytes.size();
    if (bytes > Autosave::largest_state)
      return "This run is larger than " + bytes_in_words(Autosave::largest_state) +
             ": it is not kept in case of a crash. Save it (Ctrl+S) now and then.";
    const std::string words =
        state.simulation + (state.preset.empty() ? "" : "/" + state.preset) + " at step " + std::to_string(state.steps);
    autosave.keep(std::move(state), script_of(now, now.start(), more), words);
    return std::string();
  };
  conversation_.ask(order::Read{write}, [this](Answer& answer) {
    if (answer.words.empty()) return;
    conversation_.tell(answer.words);
    age_ = -std::numeric_limits<double>::infinity();  // as long as this scene is open
  });
}

void Safekeeping::meet_scene() { age_ = std::max(age_, 0.0); }

void Safekeeping::file_is_open(const std::string& path) {
  if (!autosave_ || !autosave_->cut_off() || autosave_->cut_off()->state != path) return;
  autosave_->forget_cut_off();
  age_ = autosave_seconds;  // at once: until then nothing else has it
  step_ = -1;
}

std::string Safekeeping::take_offer(bool wanted) {
  std::string file = state_.rescue.state;
  state_.rescue = {};
  if (!autosave_) return "";
  if (wanted) return file;
  autosave_->forget_cut_off();
  return "";
}

}  // namespace perturb
