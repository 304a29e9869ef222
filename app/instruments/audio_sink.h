// Where sound goes: a loudspeaker, or what a test has in its place.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace perturb {

class AudioSink {
 public:
  virtual ~AudioSink() = default;
  // Samples a second; one channel, from -1 to 1.
  virtual int rate() const = 0;
  // How many samples it takes now without making anybody wait.
  virtual std::size_t free_samples() = 0;
  // At most that many, which are heard after those before. Throws Error when the device is gone.
  virtual void write(std::span<const float> samples) = 0;
};

// Throws Error, with a remedy, where there is none.
using OpenAudio = std::function<std::unique_ptr<AudioSink>()>;

}  // namespace perturb
