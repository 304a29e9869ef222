// Exclusive prefix sums: from the number of items in each cell to the index of each cell's first item.
#pragma once

#include <cstddef>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/backend/cuda_scan.h"
#include "cuda/core/backend/field.h"

namespace perturb {

// to[k] = from[0] + ... + from[k - 1]; `from` and `to` may be the same. The sum of all `from` must fit into an int.
// Keeps its scratch memory between calls.
class ExclusiveScan {
 public:
  ExclusiveScan() = default;
  // For at most `max_count` elements.
  ExclusiveScan(Backend& backend, std::size_t max_count) {
    if (backend.is_cuda())
      scratch_ = Array<std::byte>(backend, detail::cuda_scan_bytes(max_count), "scratch of a running sum");
  }

  void run(Backend& backend, const char* label, const int* from, int* to, std::size_t count) {
    if (backend.is_cuda()) {
      detail::cuda_scan(backend, label, from, to, count, scratch_.data(), scratch_.size());
      return;
    }
    const KernelTimer timer(backend, label);
    int sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const int here = from[k];
      to[k] = sum;
      sum += here;
    }
  }

 private:
  Array<std::byte> scratch_;
};

}  // namespace perturb
