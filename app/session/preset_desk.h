// The run as a preset of one's own: its title is asked for, then it is written.
#pragma once

#include <string>

#include "app/session/conversation.h"
#include "app/session/pace.h"

namespace perturb {

class PresetDesk {
 public:
  // `pace`: that the preset will begin with. All outlive it.
  PresetDesk(Conversation& conversation, UiState& state, const Pace& pace)
      : conversation_(conversation), state_(state), pace_(pace) {}

  bool hear(UiCommand command);
  void hear(const SavePreset& wanted);

 private:
  Conversation& conversation_;
  UiState& state_;
  const Pace& pace_;
};

}  // namespace perturb
