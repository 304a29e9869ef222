// Singing: the microphone drives the frequency of the scene, while the user wants it.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/instruments/probe_sound.h"
#include "app/run/pitch.h"
#include "app/session/parameter_controller.h"
#include "app/session/run_client.h"

namespace perturb {

// Keeps the last samples only as long as a pitch needs them. Changes are those of the slider, so that a script or an
// undo repeats them.
class Singing {
 public:
  Singing(RunClient& client, ParameterController& parameters) : client_(client), parameters_(parameters) {}

  // Sets how the microphone is opened; null: there is none.
  void set_microphone_opener(OpenMicrophone open) { open_ = std::move(open); }
  bool is_on() const { return source_ != nullptr; }
  // The last pitch in Hz; none: no tone.
  const std::optional<double>& pitch() const { return driver_.pitch(); }
  // Throws Error if there is no microphone, and InputError if this scene has no frequency in Hz.
  void toggle();
  // Call at the end of a frame.
  void update();

 private:
  void listen();

  RunClient& client_;
  ParameterController& parameters_;
  OpenMicrophone open_;
  std::unique_ptr<AudioSource> source_;
  std::vector<float> samples_;
  PitchDriver driver_;
};

}  // namespace perturb
