// What a probe reads, heard while it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace perturb {

// A simulation swings far slower or faster than an ear hears, and its time goes as fast as the computer. So the newest
// readings are heard again and again, in grains that overlap (Hann's window, half of a grain apart: their sum is
// level), each begun where it goes on as the one before (the shift with the largest correlation: "waveform similarity",
// Verhelst & Roelands, ICASSP 1993). Time is stretched by one factor, chosen at the first grain so that the strongest
// swing of then is heard as audible_pitch: what changes in frequency is heard to change.
class Sonifier {
 public:
  explicit Sonifier(int rate) : rate_(rate) {}

  // The next samples of sound, half a grain; silence where nothing new has come for a while (`last_step`: that of the
  // newest reading), or there has been no tone yet. `values`: the readings, the newest last, evenly `spacing` apart;
  // `peak`: the frequency of their strongest swing, 0: none.
  std::vector<float> next(std::span<const double> values, double spacing, double peak, std::int64_t last_step);
  std::size_t samples_per_call() const;
  bool has_pitch() const { return stretch_ > 0; }

 private:
  int rate_;
  double stretch_ = 0;  // seconds of sound for each unit of the run's time; 0: not chosen yet
  double loudest_ = 0;  // follows the swing, slowly where it falls
  std::int64_t newest_step_ = -1;
  int repeated_ = 0;          // grains since something new came
  std::vector<double> rest_;  // the second half of the last grain, without its window
};

}  // namespace perturb
