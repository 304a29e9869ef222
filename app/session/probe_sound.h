// Plays a probe as sound.
#pragma once

#include <memory>

#include "app/instruments/audio_sink.h"
#include "app/instruments/instruments.h"
#include "app/instruments/sonifier.h"

namespace perturb {

// The probe is audible during the lifetime of this object.
class ProbePlayer {
 public:
  // Throws Error if there is no audio output.
  ProbePlayer(int probe, const OpenAudio& open);

  int probe() const { return probe_; }
  // Fills the free space of the audio output; false: the probe no longer exists. Throws Error if the audio output
  // fails.
  bool update(const Instruments& instruments);

 private:
  int probe_;
  std::unique_ptr<AudioSink> out_;
  Sonifier sound_;
};

}  // namespace perturb
