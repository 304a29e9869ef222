// The probe that is played as sound, and its audio output.
#pragma once

#include <memory>

#include "app/instruments/audio_sink.h"
#include "app/instruments/instruments.h"
#include "app/session/probe_sound.h"
#include "app/session/run_client.h"

namespace perturb {

class AudioOutput {
 public:
  AudioOutput(RunClient& client, UiState& state, const Instruments& instruments)
      : client_(client), state_(state), instruments_(instruments) {}

  // Sets how the audio output is opened; null: no sound is available.
  void set_sound_opener(OpenAudio open) { open_ = std::move(open); }
  // Stops the probe if it is already being played.
  void handle(const PlayProbe& request);
  // Call at the end of a frame: continues the sound while the probe exists.
  void update();

 private:
  void stop();

  RunClient& client_;
  UiState& state_;
  const Instruments& instruments_;
  OpenAudio open_;
  std::unique_ptr<ProbePlayer> player_;
};

}  // namespace perturb
