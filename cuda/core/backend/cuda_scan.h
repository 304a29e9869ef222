// Exclusive prefix sums on a CUDA device (core/loops/scan.h).
#pragma once

#include <cstddef>

#include "cuda/core/backend/backend.h"

namespace perturb::detail {

// Defined with the CUDA backend; never called without CUDA.
std::size_t cuda_scan_bytes(std::size_t max_count);
void cuda_scan(Backend& backend, const char* label, const int* from, int* to, std::size_t count, void* scratch,
               std::size_t bytes);

}  // namespace perturb::detail
