// Search for the pairs of fibers that are close enough to touch: all pairs are compared on the device, so that the host
// gets only a short list.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/scan.h"
#include "cuda/fibers/model/interaction.h"

namespace perturb::fibers {

class ContactSearch {
 public:
  // Throws Error when memory is short.
  ContactSearch(Backend& backend, int fibers);
  static std::size_t bytes(int fibers);

  // Pairs whose axes are closer than `reach`, the lower number first, in the order of their numbers. Waits for the
  // device.
  std::vector<Pair> closer_than(double reach, const Poses& poses);

 private:
  Backend& backend_;
  int fibers_, words_;
  Array<std::uint32_t> mask_;
  Array<int> counts_, begin_;  // [fibers + 1]
  ExclusiveScan scan_;
  Array<Pair> pairs_;
};

}  // namespace perturb::fibers
