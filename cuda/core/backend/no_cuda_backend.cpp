// Replaces cuda_backend.cu in builds without CUDA.
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/caches.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cuda_scan.h"
#include "cuda/core/backend/peak_rates.h"
#include "cuda/core/backend/timeline.h"

namespace perturb {

CudaStatus cuda_status() {
  CudaStatus status;
  status.reason = "This program was built without CUDA; build it with scripts/run --cuda.";
  return status;
}

std::unique_ptr<Backend> Backend::make_cuda(int) { throw Error(cuda_status().reason); }

std::size_t detail::cuda_scan_bytes(std::size_t) { throw Error(cuda_status().reason); }
void detail::cuda_scan(Backend&, const char*, const int*, int*, std::size_t, void*, std::size_t) {
  throw Error(cuda_status().reason);
}

void use_device_here(const Backend&) {}

void detail::push_profiler_range(const char*) {}
void detail::pop_profiler_range() {}

PeakRates detail::peak_rates_cuda(int) { return {}; }
std::size_t detail::l2_bytes_cuda(int) { return 0; }

}  // namespace perturb
