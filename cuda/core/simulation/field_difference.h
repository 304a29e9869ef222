// The largest difference between the fields of two runs on one backend, found in the memory where they are. Saved
// states (largest_difference in state.h) give the same number, but copy all fields to the host.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

class Simulation;

// For Reduction. Differences are compared as integers: those of numbers that are not negative have the same order, with
// infinity and NaN above all others, and compilers find the maximum of integers with vectors.
struct LargestDifference {
  std::int64_t bits = 0;

  PERTURB_HD void add(double a, double b) {
    const double difference = fabs(a - b);
    std::int64_t here;
    memcpy(&here, &difference, sizeof here);
    bits = here > bits ? here : bits;
  }
  PERTURB_HD void merge(const LargestDifference& other) { bits = other.bits > bits ? other.bits : bits; }
  // Infinite if a number was not finite.
  double value() const;
};

// A field of the saved state in the memory of the backend.
struct ComparedField {
  std::string name;  // of its dataset
  std::variant<View2D<const float>, View2D<const double>, View2D<const std::int16_t>> values;
  bool has_sign = true;  // false: the saved values are the magnitudes of these
  float unit = 1;        // of integers: the saved values are multiples of it
};

// The saved state of a run: its fields, and everything else as datasets.
struct ComparedState {
  std::vector<ComparedField> fields;
  State others;
};

class FieldDifference {
 public:
  explicit FieldDifference(Backend& backend) : backend_(backend) {}
  // largest_difference() of the saved states, both on this backend. Waits for the device.
  double between(const ComparedState& a, const ComparedState& b);

 private:
  double between(const ComparedField& a, const ComparedField& b);

  Backend& backend_;
  std::optional<Reduction<LargestDifference>> largest_;  // created with the first comparison
};

// Implemented by simulations whose fields are large.
class ComparesFields {
 public:
  // largest_difference() of the saved states of this run and another one of the same simulation, which has the same
  // backend. Waits for the device.
  virtual double difference_from(const Simulation& other) = 0;

 protected:
  ~ComparesFields() = default;
};

}  // namespace perturb
