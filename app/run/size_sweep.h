// Times of the kernels with other sizes of the scene's grid, and the sizes of the caches to compare them with.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run/experiment.h"
#include "app/run/kernel_trial.h"
#include "cuda/core/backend/caches.h"

namespace perturb {

// The size of a scene's grid; without one, that of the simulation.
GridSize grid_of(const Setup& setup, const SimulationInfo& info);

// The time of one kernel on one grid.
struct SizeTiming {
  std::size_t kernel = 0;  // index in the table of the simulation
  GridSize size{};
  double cells = 0;
  double seconds_per_step = 0, spread = 0;  // as in KernelTiming
};

// A grid on which a kernel is not measured, and why.
struct UnmeasuredSize {
  std::string kernel;  // id
  GridSize size{};
  Message reason;
};

struct SizeTimings {
  std::vector<SizeTiming> timings;  // the smallest grids first
  std::vector<UnmeasuredSize> unmeasured;
  std::vector<Cache> caches;   // of the backend
  double bytes_per_cell = 0;   // of the memory that a run with the largest grid uses
  std::size_t remaining = 0;   // measurements that are still to be done; 0: complete
  GridSize current{};          // grid that is being measured
  std::string current_kernel;  // id
};

// Whether a step of this cost updates the cells of a grid, which can have other sizes; and the text if it does not.
bool has_grid(const StepCost& cost);
inline constexpr const char* no_sizes_text = "Open a wave tank or a flow: only these have a grid of any size.";

inline constexpr int min_swept_width = 32, max_swept_width = 16384;
// A largest width at which most caches are too small.
inline int usual_swept_width(const Backend& backend) { return backend.is_cuda() ? 8192 : 2048; }

// Takes steps of runs of their own, one after the other, in parts of a few hundredths of a second, so that the run can
// continue between them. The grids have the proportions of the scene and widths from min_swept_width to `largest`,
// each √2 times the one before.
class SizeSweep {
 public:
  // The backend must outlive it. Throws InputError if the scene has no grid, and if `largest` is out of range.
  SizeSweep(Experiment& experiment, int largest);
  ~SizeSweep();
  // Whether it measures this scene with its current parameters.
  bool matches(const Experiment& experiment, int largest) const;

  // Measures the next part. Returns whether the sweep is complete. Throws Stopped under a StopScope; this grid then
  // counts as one that cannot be measured.
  bool advance();
  const SizeTimings& timings() const { return timings_; }

 private:
  struct Task {
    std::size_t kernel;
    GridSize size;
  };
  bool runs_here(std::size_t kernel) const;
  void name_current();
  void begin(const Task& task);
  Message obstacle(const Task& task) const;

  Backend& backend_;
  const SimulationInfo& info_;
  Start start_;
  std::string key_;
  int largest_;
  std::vector<Task> tasks_;  // the current one last
  std::optional<KernelTrial> trial_;
  SizeTimings timings_;
};

}  // namespace perturb
