// The readings of a probe as sound: played while it records, or saved in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace perturb {

// Destination of sound: the audio output, or a replacement in tests.
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

// Source of sound: the microphone, or a replacement in tests.
class AudioSource {
 public:
  virtual ~AudioSource() = default;
  // Samples per second; one channel, from -1 to 1.
  virtual int rate() const = 0;
  // Appends the samples that have come since the last call. Throws Error if the device is gone.
  virtual void read(std::vector<float>& samples) = 0;
};

// Throws Error with a remedy if there is no microphone.
using OpenMicrophone = std::function<std::unique_ptr<AudioSource>()>;
// Throws Error with a remedy if there is no audio output.
using OpenAudio = std::function<std::unique_ptr<AudioSink>()>;

// Pitch of the dominant frequency in Hz.
inline constexpr double audible_pitch = 440;
inline constexpr int wav_sample_rate = 44100;  // samples per second

// Writes the readings as a WAV file (PCM, 16 bits, one channel). Time is stretched so that the frequency `peak` is
// heard as audible_pitch, and the oscillation about the mean is scaled to full range. Returns the duration in seconds.
// Throws InputError if there is no peak or the sound would be shorter than a tenth of a second, and Error if the file
// cannot be written.
double save_wav(const std::string& path, std::span<const double> values, double spacing, double peak);

// Plays the readings of a probe as sound while it records.
// A simulation oscillates far below or above audible frequencies, and its speed depends on the computer. The newest
// readings are therefore played repeatedly in overlapping grains (Hann window, half a grain apart: the windows add up
// to a constant). Each grain starts where it continues the previous one best: at the shift with the largest correlation
// ("waveform similarity", Verhelst & Roelands, ICASSP 1993). Time is stretched by one factor, chosen at the first grain
// so that the dominant frequency at that time is heard as audible_pitch. Later changes in frequency are audible.
class Sonifier {
 public:
  explicit Sonifier(int rate) : rate_(rate) {}

  // The next samples of sound, half a grain. Silence if no new reading came for a while (`last_step`: step of the
  // newest reading), or if there has been no tone yet. `values`: the readings, newest last, evenly `spacing` apart;
  // `peak`: their dominant frequency, 0: none.
  std::vector<float> next(std::span<const double> values, double spacing, double peak, std::int64_t last_step);
  std::size_t samples_per_call() const;
  bool has_pitch() const { return stretch_ > 0; }
  // Periods of the dominant frequency that the readings must span before the sound begins.
  static constexpr int periods_needed = 14;
  // Whether any samples so far were the probe's, and not silence.
  bool has_begun() const { return has_begun_; }

 private:
  int rate_;
  double stretch_ = 0;  // seconds of sound per unit of simulated time; 0: not chosen yet
  bool has_begun_ = false;
  double loudest_ = 0;  // follows the amplitude; falls slowly
  std::int64_t newest_step_ = -1;
  int repeated_ = 0;          // grains since the last new reading
  std::vector<double> rest_;  // second half of the last grain, before the window is applied
};

}  // namespace perturb
