// The probe that is listened to: which one, and what it is heard by.
#pragma once

#include <memory>

#include "app/instruments/instruments.h"
#include "app/instruments/sound_out.h"
#include "app/session/run_client.h"
#include "app/session/listening.h"

namespace perturb {

class Loudspeaker {
 public:
  Loudspeaker(RunClient& client, UiState& state, const Instruments& instruments)
      : client_(client), state_(state), instruments_(instruments) {}

  // Probes are heard by what this opens; null: there is no sound.
  void sound_by(OpenSound open) { open_ = std::move(open); }
  // Of the probe that is heard already: it is heard no longer.
  void handle(const ListenTo& request);
  // A frame's end: the sound goes on, as long as there is the probe.
  void go_on();

 private:
  void fall_silent();

  RunClient& client_;
  UiState& state_;
  const Instruments& instruments_;
  OpenSound open_;
  std::unique_ptr<Listening> listening_;
};

}  // namespace perturb
