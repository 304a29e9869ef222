// Saves the run as a user preset: asks for the title, then writes the file.
#pragma once

#include <string>

#include "app/session/pace.h"
#include "app/session/run_client.h"

namespace perturb {

class PresetController {
 public:
  // `pace`: the preset starts with this speed. All arguments must outlive it.
  PresetController(RunClient& client, UiState& state, const Pace& pace) : client_(client), state_(state), pace_(pace) {}

  bool handle(UiCommand command);
  void handle(const SavePreset& request);

 private:
  RunClient& client_;
  UiState& state_;
  const Pace& pace_;
};

}  // namespace perturb
