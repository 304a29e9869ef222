// The check of every CUDA call. Only for files that may include CUDA's runtime headers: those that nvcc compiles, and
// the one in app/render/display.
#pragma once

#include <cuda_runtime_api.h>

namespace perturb::detail {
[[noreturn]] void throw_cuda_error(cudaError_t code, const char* call, const char* file, int line);
}

// Throws Error with the call, CUDA's message and the source location if a CUDA call fails.
#define PERTURB_CUDA_CHECK(call)                                                                                   \
  do {                                                                                                             \
    const cudaError_t perturb_code = (call);                                                                       \
    if (perturb_code != cudaSuccess) ::perturb::detail::throw_cuda_error(perturb_code, #call, __FILE__, __LINE__); \
  } while (false)
