// Saves the readings of a probe as sound.
#pragma once

#include <span>
#include <string>

namespace perturb {

// Pitch of the dominant frequency in Hz.
inline constexpr double audible_pitch = 440;
inline constexpr int wav_sample_rate = 44100;  // samples per second

// Writes the readings as a WAV file (PCM, 16 bits, one channel). Time is stretched so that the frequency `peak` is
// heard as audible_pitch, and the oscillation about the mean is scaled to full range. Returns the duration in seconds.
// Throws InputError if there is no peak or the sound would be shorter than a tenth of a second, and Error if the file
// cannot be written.
double save_wav(const std::string& path, std::span<const double> values, double spacing, double peak);

}  // namespace perturb
