// Reads the instruments: probes during the steps, so that their readings are evenly spaced; cuts between steps, in a
// limited share of the time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "app/instruments/instruments.h"
#include "app/session/run_client.h"

namespace perturb {

class InstrumentReadings {
 public:
  // Both arguments must outlive it.
  InstrumentReadings(RunClient& client, Instruments& instruments) : client_(client), instruments_(instruments) {}

  // Step interval of the probes.
  std::int64_t every() const { return every_; }
  // Job for `count` steps with stops at probe readings; its probes belong to the current generation of instruments.
  job::Advance steps(std::int64_t count) const { return {count, every_, instruments_.probed()}; }
  int generation() const { return instruments_.generation(); }
  void take_probed(const JobResult& result, int asked);

  // Reads the cuts if they are due. Call while the run may be idle.
  void read_cuts();
  // Reads all instruments of the current state at once: for single images.
  void read_all();
  // Reads the probes now, for front ends that execute the steps themselves.
  void read_probes();
  // Recomputes the spectra from new readings at intervals.
  void elapse(double seconds);
  // `steps_per_frame`: at the current speed.
  void on_run_replaced(bool new_scene, int steps_per_frame);

 private:
  RunClient& client_;
  Instruments& instruments_;
  std::int64_t every_ = 1;  // steps
  // Of the cuts requested last.
  std::int64_t cut_step_ = -1;
  int cut_generation_ = -1;
  std::size_t cut_events_ = 0;
  double cut_age_ = 1, cut_seconds_ = 0;  // since they were requested; duration of the reading
  double refresh_age_ = 0;
};

}  // namespace perturb
