// Destination of sound: the audio output, or a replacement in tests.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace perturb {

class AudioSink {
 public:
  virtual ~AudioSink() = default;
  // Samples per second; one channel, from -1 to 1.
  virtual int rate() const = 0;
  // Number of samples that can be written now without blocking.
  virtual std::size_t free_samples() = 0;
  // Writes at most that many samples; they are played after the previous ones. Throws Error if the device is gone.
  virtual void write(std::span<const float> samples) = 0;
};

// Throws Error with a remedy if there is no audio output.
using OpenAudio = std::function<std::unique_ptr<AudioSink>()>;

}  // namespace perturb
