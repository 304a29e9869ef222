// The measurement of a run's kernels for the table in the tab "Kernels", and the table as a file.
#pragma once

#include <string>
#include <vector>

#include "app/session/run_client.h"

namespace perturb {

// Posts one part of the measurement per frame, so that the run continues meanwhile.
class KernelController {
 public:
  explicit KernelController(RunClient& client) : client_(client) {}

  bool is_measuring() const { return is_measuring_; }
  const KernelProgress& progress() const { return progress_; }
  // Why this kernel could not be measured in this run; null: it could, or was not tried.
  const UnmeasuredKernel* unmeasured(const std::string& kernel) const;
  // Whether every kernel that the backend supports has a time, or could not be measured.
  bool all_are_measured() const;

  // Measures the kernels that have no time yet; all of them and the peak rates if all have one. "auto"
  // chooses again.
  void measure();
  void stop();
  // Call in every frame.
  void poll();
  // Another scene ends the measurement; after a restart or an undo it goes on with the new run.
  void on_run_replaced(bool new_scene);

 private:
  RunClient& client_;
  bool is_measuring_ = false;
  bool is_posted_ = false;  // a part has not returned yet
  KernelProgress progress_;
};

// One row per kernel that the backend supports, with the columns of `perturb bench --json`. Cells of values that are
// unknown or not measured are empty. Numbers read back bit for bit.
std::string kernels_as_csv(const RunStatus& run);

}  // namespace perturb
