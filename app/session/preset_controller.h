// The run as a preset of one's own: its title is asked for, then it is written.
#pragma once

#include <string>

#include "app/session/pace.h"
#include "app/session/run_client.h"

namespace perturb {

class PresetController {
 public:
  // `pace`: that the preset will begin with. All outlive it.
  PresetController(RunClient& client, UiState& state, const Pace& pace) : client_(client), state_(state), pace_(pace) {}

  bool handle(UiCommand command);
  void handle(const SavePreset& request);

 private:
  RunClient& client_;
  UiState& state_;
  const Pace& pace_;
};

}  // namespace perturb
