// Requests the steps of each frame: play, pause, number of steps and speed.
#pragma once

#include <cstdint>

#include "app/session/instrument_readings.h"
#include "app/session/pace.h"
#include "app/session/rates.h"
#include "app/session/run_client.h"

namespace perturb {

class Playback {
 public:
  // `steps_per_frame` 0: the default of the scene, else of the program.
  Playback(RunClient& client, UiState& state, InstrumentReadings& readings, int steps_per_frame);

  Pace& pace() { return pace_; }
  const Pace& pace() const { return pace_; }
  const Rates& rates() const { return rates_.rates(); }
  // How long the current job has been running, in seconds; 0: the run is idle.
  double waiting() const { return waiting_; }

  // Requests the steps of this frame if the run is playing.
  void advance();
  // `frame_seconds`: duration of the frame; `busy_seconds`: its part that was work, not waiting for the display.
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
  // Steps done since the end of the last frame.
  std::int64_t steps_now_ = 0;
  double stepping_seconds_ = 0;
  // Step of the run at the end of the last frame.
  std::int64_t paced_step_ = 0;
  double paced_time_ = 0;
};

}  // namespace perturb
