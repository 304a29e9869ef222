// The probe that is listened to: which one, and what it is heard by.
#pragma once

#include <memory>

#include "app/instruments/instruments.h"
#include "app/instruments/sound_out.h"
#include "app/session/conversation.h"
#include "app/session/listening.h"

namespace perturb {

class Loudspeaker {
 public:
  Loudspeaker(Conversation& conversation, UiState& state, const Instruments& instruments)
      : conversation_(conversation), state_(state), instruments_(instruments) {}

  // Probes are heard by what this opens; null: there is no sound.
  void sound_by(OpenSound open) { open_ = std::move(open); }
  // Of the probe that is heard already: it is heard no longer.
  void hear(const ListenTo& wanted);
  // A frame's end: the sound goes on, as long as there is the probe.
  void go_on();

 private:
  void fall_silent();

  Conversation& conversation_;
  UiState& state_;
  const Instruments& instruments_;
  OpenSound open_;
  std::unique_ptr<Listening> listening_;
};

}  // namespace perturb
