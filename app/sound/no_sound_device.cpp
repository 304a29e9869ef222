#include "app/sound/sound_device.h"
#include "cuda/core/backend/check.h"

namespace perturb {

std::unique_ptr<AudioSink> open_sound_device() {
  throw Error(
      "Cannot play sound: this program was built without PortAudio. Install portaudio19-dev and build it again, "
      "or save the sound as a WAV file.");
}

std::unique_ptr<AudioSource> open_microphone() {
  throw Error(
      "Cannot hear you: this program was built without PortAudio. Install portaudio19-dev and build it again, or move "
      "the slider.");
}

}  // namespace perturb
