// Where sound goes: a loudspeaker, or what a test has in its place.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace perturb {

class SoundOut {
 public:
  virtual ~SoundOut() = default;
  // Samples a second; one channel, from -1 to 1.
  virtual int rate() const = 0;
  // How many samples it takes now without making anybody wait.
  virtual std::size_t room() = 0;
  // At most that many, which are heard after those before. Throws Error when the device is gone.
  virtual void put(std::span<const float> samples) = 0;
};

// Throws Error, with a remedy, where there is none.
using OpenSound = std::function<std::unique_ptr<SoundOut>()>;

}  // namespace perturb
