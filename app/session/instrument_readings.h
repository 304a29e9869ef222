// What instruments read of the run: probes on its way, so that their readings are even; cuts at a moment, in a share of
// the time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "app/instruments/instruments.h"
#include "app/session/run_client.h"

namespace perturb {

class InstrumentReadings {
 public:
  // Both outlive it.
  InstrumentReadings(RunClient& client, Instruments& instruments) : client_(client), instruments_(instruments) {}

  // Probes read at steps that this divides.
  std::int64_t every() const { return every_; }
  // So many steps, with stops where probes read; `asked` is the generation of instruments that they belong to.
  job::Advance steps(std::int64_t count) const { return {count, every_, instruments_.probed()}; }
  int generation() const { return instruments_.generation(); }
  void take_probed(const JobResult& result, int asked);

  // Cuts are read, if that is due. Call while the run may rest.
  void read_cuts();
  // All that instruments need is read at once, of this very moment: for a picture that stands alone.
  void read_all();
  // Probes read now, for a front that takes the steps itself.
  void read_probes();
  // Spectra are made anew of what has come since, every so often.
  void elapse(double seconds);
  // `steps_per_frame`: as they would be taken now.
  void on_run_replaced(bool new_scene, int steps_per_frame);

 private:
  RunClient& client_;
  Instruments& instruments_;
  std::int64_t every_ = 1;  // steps
  // Of the cuts that were asked for last.
  std::int64_t cut_step_ = -1;
  int cut_generation_ = -1;
  std::size_t cut_events_ = 0;
  double cut_age_ = 1, cut_seconds_ = 0;  // since they were asked for; that they took
  double refresh_age_ = 0;
};

}  // namespace perturb
