#include "app/session/loudspeaker.h"

#include "cuda/core/check.h"

namespace perturb {

void Loudspeaker::fall_silent() { state_.heard = 0, listening_.reset(); }

void Loudspeaker::handle(const ListenTo& request) {
  const bool ends = request.probe == state_.heard;
  fall_silent();
  if (ends) return;
  try {
    listening_ = std::make_unique<Listening>(request.probe, open_);
    state_.heard = request.probe;
  } catch (const Error& error) {
    client_.show_error(error.what());
  }
}

void Loudspeaker::go_on() {
  if (!listening_) return;
  try {
    if (listening_->go_on(instruments_)) return;
  } catch (const Error& error) {
    client_.show_error(error.what());
  }
  fall_silent();
}

}  // namespace perturb
