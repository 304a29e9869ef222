#include "app/sound/sound_device.h"

#include <string>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <portaudio.h>
#include <unistd.h>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr int sample_rate = 44100;
// Longest frame of the window without a gap in the sound.
constexpr double held_seconds = 0.25;

// PortAudio queries ALSA and JACK for devices. Both print to the terminal what they did not find: a dozen lines on a
// machine without sound. Perturb reports failures itself. PortAudio links these libraries, so their functions are
// looked up by name, if present.
void hush_alsa(const char*, int, const char*, int, const char*, ...) {}
void hush_jack(const char*) {}

template <typename Function>
Function* loaded(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

void hush_libraries() {
  using AlsaHandler = void(const char*, int, const char*, int, const char*, ...);
  if (auto* set = loaded<int(AlsaHandler*)>("snd_lib_error_set_handler")) set(hush_alsa);
  for (const char* name : {"jack_set_error_function", "jack_set_info_function"})
    if (auto* set = loaded<void(void (*)(const char*))>(name)) set(hush_jack);
}

// JACK's database of properties prints by itself if another version of its library, or another program at the same
// time, uses the same file in /dev/shm. There is no function to set, so the standard error output is closed meanwhile.
class WithoutErrorOutput {
 public:
  WithoutErrorOutput() : kept_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) {
    if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); kept_ >= 0 && nowhere >= 0) {
      dup2(nowhere, STDERR_FILENO);
      close(nowhere);
    }
  }
  ~WithoutErrorOutput() {
    if (kept_ < 0) return;
    dup2(kept_, STDERR_FILENO);
    close(kept_);
  }
  WithoutErrorOutput(const WithoutErrorOutput&) = delete;
  WithoutErrorOutput& operator=(const WithoutErrorOutput&) = delete;

 private:
  int kept_;
};

PaError start_portaudio() {
  hush_libraries();
  const WithoutErrorOutput quiet;
  return Pa_Initialize();
}

Message reason(const char* what, PaError error) {
  return error == paNoError ? Message(what) : Message("{} ({})", what, std::string(Pa_GetErrorText(error)));
}

[[noreturn]] void fail(const char* what, PaError error) {
  throw Error(Message("Cannot play sound: {}.", reason(what, error)) +
              "Connect speakers or headphones and try again, or save the sound as a WAV file.");
}
[[noreturn]] void fail_to_hear(const char* what, PaError error) {
  throw Error(Message("Cannot hear you: {}.", reason(what, error)) +
              "Connect a microphone and try again, or move the slider.");
}

// A stream of the default microphone or audio output, one channel of floats, while it exists.
class SoundStream {
 public:
  // `on_failure` throws the error that this text is part of.
  using Fail = void (*)(const char* what, PaError error);

  SoundStream(bool is_input, Fail on_failure, const char* no_device, const char* not_opened) {
    if (const PaError error = start_portaudio(); error != paNoError)
      on_failure("the sound system failed to start", error);
    PaStreamParameters parameters{};
    parameters.device = is_input ? Pa_GetDefaultInputDevice() : Pa_GetDefaultOutputDevice();
    if (parameters.device == paNoDevice) {
      Pa_Terminate();
      on_failure(no_device, paNoError);
    }
    parameters.channelCount = 1;
    parameters.sampleFormat = paFloat32;
    parameters.suggestedLatency = held_seconds;
    PaError error = Pa_OpenStream(&stream_, is_input ? &parameters : nullptr, is_input ? nullptr : &parameters,
                                  sample_rate, paFramesPerBufferUnspecified, paNoFlag, nullptr, nullptr);
    if (error == paNoError) error = Pa_StartStream(stream_);
    if (error == paNoError) return;
    if (stream_) Pa_CloseStream(stream_);
    Pa_Terminate();
    on_failure(not_opened, error);
  }
  ~SoundStream() {
    Pa_AbortStream(stream_);
    Pa_CloseStream(stream_);
    Pa_Terminate();
  }
  SoundStream(const SoundStream&) = delete;
  SoundStream& operator=(const SoundStream&) = delete;

  PaStream* get() const { return stream_; }

 private:
  PaStream* stream_ = nullptr;
};

class PortAudioOut : public AudioSink {
 public:
  int rate() const override { return sample_rate; }
  std::size_t free_samples() override {
    const signed long free_samples = Pa_GetStreamWriteAvailable(stream_.get());
    if (free_samples < 0) fail("the sound device was disconnected", static_cast<PaError>(free_samples));
    return static_cast<std::size_t>(free_samples);
  }
  void write(std::span<const float> samples) override {
    const PaError error = Pa_WriteStream(stream_.get(), samples.data(), samples.size());
    // A past gap is audible but not an error.
    if (error != paNoError && error != paOutputUnderflowed) fail("the sound device was disconnected", error);
  }

 private:
  SoundStream stream_{false, fail, "this machine has no sound device", "the sound device failed to open"};
};

class PortAudioIn : public AudioSource {
 public:
  int rate() const override { return sample_rate; }
  void read(std::vector<float>& samples) override {
    const signed long there = Pa_GetStreamReadAvailable(stream_.get());
    if (there < 0) fail_to_hear("the microphone was disconnected", static_cast<PaError>(there));
    const std::size_t before = samples.size();
    samples.resize(before + static_cast<std::size_t>(there));
    const PaError error = Pa_ReadStream(stream_.get(), samples.data() + before, static_cast<unsigned long>(there));
    // A gap is no error.
    if (error != paNoError && error != paInputOverflowed) fail_to_hear("the microphone was disconnected", error);
  }

 private:
  SoundStream stream_{true, fail_to_hear, "this machine has no microphone", "the microphone failed to open"};
};

}  // namespace

std::unique_ptr<AudioSink> open_sound_device() { return std::make_unique<PortAudioOut>(); }
std::unique_ptr<AudioSource> open_microphone() { return std::make_unique<PortAudioIn>(); }

}  // namespace perturb
