// The pitch of a sound, with which a user drives the frequency of a run.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "app/run/run.h"
#include "app/run/run_status.h"

namespace perturb {

inline constexpr double min_pitch = 70, max_pitch = 3000;  // Hz
// Samples of a reading, at rates of up to 48 kHz.
inline constexpr std::size_t pitch_samples = 2048;

// The fundamental frequency of the newest samples in Hz; none: silence, noise, or beyond these limits. Takes the first
// high peak of the normalised square difference function (McLeod & Wyvill, "A smarter way to find pitch", ICMC 2005)
// and the vertex of the parabola through it, so overtones may be louder than the fundamental.
std::optional<double> find_pitch(std::span<const float> samples, double rate);

// The parameter "frequency" of a scene, if it is a control of the scene, changes while it runs, and is displayed in Hz.
struct SungParameter {
  std::string id;
  double per_hertz = 1;  // its value for 1 Hz
};
std::optional<SungParameter> sung_parameter(const RunStatus& run);

// Turns readings of a microphone into changes of that parameter: the same pitch twice in a row, within 3 %, is meant.
class PitchDriver {
 public:
  // The change to make; none: no pitch, or the parameter has this value already, within half a percent.
  std::optional<ParameterChange> take(const RunStatus& run, std::span<const float> samples, double rate);
  // The last pitch in Hz; none: no tone.
  const std::optional<double>& pitch() const { return pitch_; }

 private:
  std::optional<double> pitch_;
};

}  // namespace perturb
