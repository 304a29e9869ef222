// The measured peak rates of this machine: the roofline that kernels are compared with.
//
// Williams, Waterman, Patterson, "Roofline: an insightful visual performance model for multicore architectures" (2009).
#pragma once

#include <algorithm>
#include <memory>

#include "cuda/core/backend/backend.h"

namespace perturb {

struct Roofline {
  double bytes_per_second = 0;  // to and from memory, reads and writes counted equally
  double flops_per_second = 0;  // FP32, a fused multiply-add counts as two

  // The minimum time for work that moves `bytes` and computes `flops` concurrently.
  double min_seconds(double bytes, double flops) const {
    const double moving = bytes_per_second > 0 ? bytes / bytes_per_second : 0;
    const double computing = flops_per_second > 0 ? flops / flops_per_second : 0;
    return std::max(moving, computing);
  }
};

// A measurement of the peak rates in parts, between which the caller can use the backend for something else. It takes
// one to two seconds in total, and two gigabytes of the backend's memory on CUDA, half a gigabyte on the CPU (less if
// less is free). On CUDA the bandwidth is that of a device-to-device copy. On the CPU it is the better of a copy and of
// an update in place: a copy also has to fetch the lines that it overwrites, so alone it would set the roof too low.
class RooflineMeasurement {
 public:
  // The backend must outlive it.
  explicit RooflineMeasurement(Backend& backend);
  ~RooflineMeasurement();
  RooflineMeasurement(const RooflineMeasurement&) = delete;
  RooflineMeasurement& operator=(const RooflineMeasurement&) = delete;

  // Measures for about `seconds`, but at least one repetition, which takes up to a tenth of a second. Returns whether
  // the measurement is complete. Throws Error if memory is short.
  bool advance(double seconds);
  // Once it is complete.
  const Roofline& roofline() const { return roofline_; }

 private:
  enum class Part { copy, update, multiply_add, complete };
  struct Fields;
  void begin(Part part);
  void run_once();
  void take(double seconds);

  Backend& backend_;
  Roofline roofline_;
  Part part_ = Part::copy;
  std::unique_ptr<Fields> fields_;  // of the current part; null: it has not begun
  double total_ = 0, best_ = 0;     // seconds of its repetitions so far; 0: none is counted yet
};

// The whole measurement at once. Throws Error if memory is short.
Roofline measure_roofline(Backend& backend);

}  // namespace perturb
