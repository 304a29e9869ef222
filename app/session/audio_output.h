// The probe that is listened to: which one, and what it is heard by.
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

  // Probes are heard by what this opens; null: there is no sound.
  void set_sound_opener(OpenAudio open) { open_ = std::move(open); }
  // Of the probe that is heard already: it is heard no longer.
  void handle(const PlayProbe& request);
  // A frame's end: the sound goes on, as long as there is the probe.
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
