// What is kept of the run in case the program is cut off, and what is offered after that.
#include <limits>
#include <utility>

#include "app/instruments/instrument_words.h"
#include "app/session/session.h"
#include "app/states/autosave.h"
#include "app/states/script_file.h"
#include "cuda/core/check.h"
#include "cuda/core/words.h"

namespace perturb {

namespace {
// Between two states that are kept: what is lost at most, and a trifle of the time to write one.
constexpr double autosave_seconds = 30, first_seconds = 5;
}  // namespace

void Session::keep_safe_in(const std::string& folder) {
  if (folder.empty()) return;
  try {
    autosave_ = std::make_unique<Autosave>(folder);
  } catch (const Error& error) {
    tell_failure(error.what());
    return;
  }
  safe_age_ = autosave_seconds - first_seconds;
  if (const auto& before = autosave_->cut_off()) state_.rescue = {before->words, before->state};
}

void Session::keep_safe(double seconds) {
  if (!autosave_) return;
  if (const std::string failure = autosave_->take_failure(); !failure.empty() && failure != safe_failure_)
    tell(safe_failure_ = failure);
  safe_age_ += seconds;
  const bool is_same = safe_step_ == run().steps && safe_events_ == run().events;
  if (safe_age_ < autosave_seconds || is_same || !run().trouble.empty() || !runner_.rests()) return;
  safe_age_ = 0;
  safe_step_ = run().steps, safe_events_ = run().events;
  ask(order::Read{[this, more = options_for(instruments_.all())](const Experiment& now) {
        State state = now.simulation().save();
        std::size_t bytes = 0;
        for (const auto& [name, dataset] : state.datasets) bytes += dataset.bytes.size();
        if (bytes > Autosave::largest_state)
          return "This run is larger than " + bytes_in_words(Autosave::largest_state) +
                 ": it is not kept in case of a crash. Save it (Ctrl+S) now and then.";
        if (state.preset.empty()) state.preset = now.setup().preset;
        const std::string words = state.simulation + (state.preset.empty() ? "" : "/" + state.preset) + " at step " +
                                  std::to_string(state.steps);
        autosave_->keep(std::move(state), script_of(now, now.start(), more), words);
        return std::string();
      }},
      [this](Answer& answer) {
        if (answer.words.empty()) return;
        tell(answer.words);
        safe_age_ = -std::numeric_limits<double>::infinity();  // as long as this scene is open
      });
}

void Session::is_rescued(const std::string& path) {
  if (!autosave_ || !autosave_->cut_off() || autosave_->cut_off()->state != path) return;
  autosave_->forget_cut_off();
  safe_age_ = autosave_seconds;  // at once: until then nothing else has it
  safe_step_ = -1;
}

void Session::take_rescue(bool wanted) {
  const std::string file = state_.rescue.state;
  state_.rescue = {};
  if (!autosave_) return;
  if (!wanted) {
    autosave_->forget_cut_off();
    return;
  }
  carry_out(OpenState{file});
}

}  // namespace perturb
