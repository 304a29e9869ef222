// The audio output and the microphone of this machine.
#pragma once

#include <memory>

#include "app/instruments/probe_sound.h"

namespace perturb {

// Uses PortAudio, if the program was built with it (PERTURB_SOUND). Throws Error without an audio output or without
// PortAudio.
std::unique_ptr<AudioSink> open_sound_device();
// The same for a microphone.
std::unique_ptr<AudioSource> open_microphone();

}  // namespace perturb
