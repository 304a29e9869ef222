// The measurement of a run's kernels for the table in the tab "Kernels", and the table as a file.
#pragma once

#include <string>
#include <vector>

#include "app/session/run_client.h"

namespace perturb {

// Posts one part of a measurement per frame, so that the run continues meanwhile.
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

  // Times on grids of other sizes, of the current or last sweep of this scene.
  const SizeTimings& sizes() const { return sizes_; }
  bool is_sweeping() const { return is_sweeping_; }
  // Begins again with widths up to `largest`.
  void measure_sizes(int largest);
  void stop_sizes();

  // Call in every frame.
  void poll();
  // Another scene ends the measurement; after a restart or an undo it goes on with the new run.
  void on_run_replaced(bool new_scene);

 private:
  void poll_kernels();
  void poll_sizes();

  RunClient& client_;
  bool is_measuring_ = false;
  bool is_posted_ = false;  // a part has not returned yet
  KernelProgress progress_;
  int largest_ = 0;
  bool is_sweeping_ = false;
  bool is_size_posted_ = false;
  SizeTimings sizes_;
};

// One row per kernel that the backend supports, with the columns of `perturb bench --json`. Cells of values that are
// unknown or not measured are empty. Numbers read back bit for bit.
std::string kernels_as_csv(const RunStatus& run);
// One row per grid and kernel; the sizes of the caches are the same in every row. Numbers read back bit for bit.
std::string sizes_as_csv(const SizeTimings& sizes, const RunStatus& run);

}  // namespace perturb
