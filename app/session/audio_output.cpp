#include "app/session/audio_output.h"

#include "cuda/core/backend/check.h"

namespace perturb {

void AudioOutput::stop() { state_.audible_probe = 0, player_.reset(); }

void AudioOutput::handle(const PlayProbe& request) {
  const bool ends = request.probe == state_.audible_probe;
  stop();
  if (ends) return;
  try {
    player_ = std::make_unique<ProbePlayer>(request.probe, open_);
    state_.audible_probe = request.probe;
  } catch (const Error& error) {
    client_.show_error(error.what());
  }
}

void AudioOutput::update() {
  if (!player_) return;
  try {
    if (player_->update(instruments_)) return;
  } catch (const Error& error) {
    client_.show_error(error.what());
  }
  stop();
}

}  // namespace perturb
