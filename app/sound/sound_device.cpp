#include "app/sound/sound_device.h"

#include <string>

#include <portaudio.h>

#include "cuda/core/check.h"

namespace perturb {

namespace {

constexpr int sample_rate = 44100;
// A frame of the window may last as long before the sound has a gap.
constexpr double held_seconds = 0.25;

[[noreturn]] void fail(const std::string& what, PaError error) {
  throw Error("There is no sound: " + what +
              (error == paNoError ? "" : std::string(" (") + Pa_GetErrorText(error) + ")") +
              ". Connect a loudspeaker or headphones and try again, or save the probe's sound as a WAV file.");
}

class PortAudioOut : public SoundOut {
 public:
  PortAudioOut() {
    if (const PaError error = Pa_Initialize(); error != paNoError) fail("the sound system does not start", error);
    const PaDeviceIndex device = Pa_GetDefaultOutputDevice();
    if (device == paNoDevice) {
      Pa_Terminate();
      fail("this machine has no sound device", paNoError);
    }
    PaStreamParameters out{};
    out.device = device, out.channelCount = 1, out.sampleFormat = paFloat32;
    out.suggestedLatency = held_seconds;
    PaError error =
        Pa_OpenStream(&stream_, nullptr, &out, sample_rate, paFramesPerBufferUnspecified, paNoFlag, nullptr, nullptr);
    if (error == paNoError) error = Pa_StartStream(stream_);
    if (error == paNoError) return;
    if (stream_) Pa_CloseStream(stream_);
    Pa_Terminate();
    fail("the sound device does not open", error);
  }
  ~PortAudioOut() override {
    Pa_AbortStream(stream_);
    Pa_CloseStream(stream_);
    Pa_Terminate();
  }
  PortAudioOut(const PortAudioOut&) = delete;
  PortAudioOut& operator=(const PortAudioOut&) = delete;

  int rate() const override { return sample_rate; }
  std::size_t room() override {
    const signed long room = Pa_GetStreamWriteAvailable(stream_);
    if (room < 0) fail("the sound device is gone", static_cast<PaError>(room));
    return static_cast<std::size_t>(room);
  }
  void put(std::span<const float> samples) override {
    const PaError error = Pa_WriteStream(stream_, samples.data(), samples.size());
    // A gap that there was is heard, and no fault.
    if (error != paNoError && error != paOutputUnderflowed) fail("the sound device is gone", error);
  }

 private:
  PaStream* stream_ = nullptr;
};

}  // namespace

std::unique_ptr<SoundOut> open_sound_device() { return std::make_unique<PortAudioOut>(); }

}  // namespace perturb
