// The steps that frames ask of the run: playing and pausing, how many at a time, and how fast they come.
#pragma once

#include <cstdint>

#include "app/session/instrument_readings.h"
#include "app/session/pace.h"
#include "app/session/rates.h"
#include "app/session/run_client.h"

namespace perturb {

class Playback {
 public:
  // `steps_per_frame` 0: as the scene has it, else the program.
  Playback(RunClient& client, UiState& state, InstrumentReadings& readings, int steps_per_frame);

  Pace& pace() { return pace_; }
  const Pace& pace() const { return pace_; }
  const Rates& rates() const { return rates_.rates(); }
  // For how long the run has been at what it was asked, in seconds; 0: it rests.
  double waiting() const { return waiting_; }

  // Asks for this frame's steps, if the run is playing.
  void advance();
  // How long the frame took, and how much of that was work rather than waiting for the display.
  void end_frame(double frame_seconds, double busy_seconds);

  bool handle(UiCommand command);
  void handle(const ChooseKernel& request);
  void on_run_replaced(bool new_scene);

 private:
  void take_one_step();

  RunClient& client_;
  UiState& state_;
  InstrumentReadings& readings_;
  int steps_per_frame_;
  Pace pace_;
  RateCounter rates_;
  double waiting_ = 0;
  // Done since the last frame's end.
  std::int64_t steps_now_ = 0;
  double stepping_seconds_ = 0;
  // Where the run was at the last frame's end.
  std::int64_t paced_step_ = 0;
  double paced_time_ = 0;
};

}  // namespace perturb
