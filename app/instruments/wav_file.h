// What a probe has read, as a sound.
#pragma once

#include <span>
#include <string>

namespace perturb {

// The pitch that the strongest swing gets; Hz.
inline constexpr double audible_pitch = 440;
inline constexpr int wav_sample_rate = 44100;  // samples a second

// Writes the readings as a WAV file (PCM, 16 bits, one channel): time is stretched so that the frequency `peak` is
// heard as audible_pitch, and the swing about its mean made as loud as a file can hold. Returns the seconds that it
// lasts. Throws InputError where there is no peak or it would last less than a tenth of a second, and Error when it
// cannot be written.
double save_wav(const std::string& path, std::span<const double> values, double spacing, double peak);

}  // namespace perturb
