// A probe that is listened to.
#pragma once

#include <memory>

#include "app/instruments/audio_sink.h"
#include "app/instruments/instruments.h"
#include "app/instruments/sonifier.h"

namespace perturb {

// As long as it lives the probe is heard.
class ProbePlayer {
 public:
  // Throws Error where there is no sound.
  ProbePlayer(int probe, const OpenAudio& open);

  int probe() const { return probe_; }
  // Gives the loudspeaker what it has room for; false: the probe is gone. Throws Error when the loudspeaker is.
  bool update(const Instruments& instruments);

 private:
  int probe_;
  std::unique_ptr<AudioSink> out_;
  Sonifier sound_;
};

}  // namespace perturb
