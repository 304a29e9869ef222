#include "app/session/observation.h"

#include <utility>

namespace perturb {

namespace {
// On a large grid on the CPU, diagnostics cost as much as steps: they may take a tenth of the time.
constexpr double rest_per_cost = 9;
}  // namespace

Observation::Sight Observation::sight() const {
  const RunFacts& run = conversation_.run();
  return {run.steps, run.events, view_.quantity().id, state_.view.automatic};
}

void Observation::look(bool wait, Heard heard) {
  order::Look look;
  look.view = view_.resolved();
  look.kernels = state_.panels && state_.tab == Tab::kernels;
  if (pointer_.value_is_due()) look.value_at = pointer_.fraction();
  // At rest the numbers are of this very state, and the automatic range with them: the picture stays what it is.
  const bool stands = !state_.playing || !conversation_.run().trouble.empty();
  // While steps are under way nobody knows yet what there will be to see.
  look.diagnostics = !conversation_.rests() || !(sight() == seen_);
  look.wait = wait || stands;
  if (!look.wait && since_asked_ < rest_per_cost * cost_) look.diagnostics = false;
  if (!look.diagnostics && !look.value_at && !look.kernels) return;
  const bool has_value = look.value_at.has_value(), has_numbers = look.diagnostics, waited = look.wait;
  if (has_value) pointer_.value_asked();
  conversation_.ask_of_frame(std::move(look),
                             [this, has_value, has_numbers, waited, heard = std::move(heard)](Answer& answer) {
                               if (answer.given_up) return;
                               if (has_value) pointer_.take_value(answer.value);
                               if (!has_numbers) return;
                               if (waited) seen_ = sight();
                               numbers_ = std::move(answer.diagnostics);
                               cost_ = answer.seconds;
                               since_asked_ = 0;
                               history_.add(numbers_);
                               heard(numbers_);
                             });
}

void Observation::forget() {
  history_.clear();
  numbers_ = {};
  seen_ = {};
}

}  // namespace perturb
