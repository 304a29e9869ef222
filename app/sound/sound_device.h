// The machine's own loudspeaker.
#pragma once

#include <memory>

#include "app/instruments/audio_sink.h"

namespace perturb {

// By PortAudio, where the program has been built with it (PERTURB_SOUND). Throws Error where there is no loudspeaker,
// or no PortAudio.
std::unique_ptr<AudioSink> open_sound_device();

}  // namespace perturb
