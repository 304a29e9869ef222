// The caches of a backend's processor, read from the machine.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cuda/core/backend/backend.h"

namespace perturb {

struct Cache {
  int level = 0;          // 1 is the nearest to the arithmetic
  std::size_t bytes = 0;  // that all threads of the backend have together
};

// The data caches, the smallest first; of a GPU the second level, which all multiprocessors share. Empty if the machine
// does not state them.
std::vector<Cache> caches_of(const Backend& backend);

// The caches of a CPU in Linux' format, from files such as FOLDER/cpu0/cache/index2/size, for `threads` threads on
// different processors.
std::vector<Cache> read_caches(const std::string& folder, int threads);

namespace detail {
// Defined with the CUDA backend; never called without CUDA.
std::size_t l2_bytes_cuda(int device);
}  // namespace detail

}  // namespace perturb
