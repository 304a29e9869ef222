#include "app/session/loudspeaker.h"

#include "cuda/core/check.h"

namespace perturb {

void Loudspeaker::fall_silent() { state_.heard = 0, listening_.reset(); }

void Loudspeaker::hear(const ListenTo& wanted) {
  const bool ends = wanted.probe == state_.heard;
  fall_silent();
  if (ends) return;
  try {
    listening_ = std::make_unique<Listening>(wanted.probe, open_);
    state_.heard = wanted.probe;
  } catch (const Error& error) {
    conversation_.tell_failure(error.what());
  }
}

void Loudspeaker::go_on() {
  if (!listening_) return;
  try {
    if (listening_->go_on(instruments_)) return;
  } catch (const Error& error) {
    conversation_.tell_failure(error.what());
  }
  fall_silent();
}

}  // namespace perturb
