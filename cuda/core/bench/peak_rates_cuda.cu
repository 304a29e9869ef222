#include <cuda_runtime_api.h>

#include "cuda/core/backend/cuda_check.h"
#include "cuda/core/bench/peak_rates_cuda.h"

namespace perturb::detail {

PeakRates peak_rates_cuda(int device) {
  const auto get = [device](cudaDeviceAttr attribute) {
    int value = 0;
    PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return static_cast<double>(value);
  };
  const int major = static_cast<int>(get(cudaDevAttrComputeCapabilityMajor)),
            minor = static_cast<int>(get(cudaDevAttrComputeCapabilityMinor));
  // FP32 units per multiprocessor: CUDA C++ Programming Guide, "Arithmetic Instructions".
  const double units = major == 6 && minor == 0 ? 64 : major == 7 ? 64 : major == 8 && minor == 0 ? 64 : 128;
  const double clock = 1e3 * get(cudaDevAttrClockRate);  // kHz
  const double ratio = get(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  PeakRates rates;
  rates.fp32 = 2 * units * clock * get(cudaDevAttrMultiProcessorCount);
  rates.fp64 = rates.fp32 / (ratio > 0 ? ratio : 1);
  rates.bytes_per_second = 2 * 1e3 * get(cudaDevAttrMemoryClockRate) * get(cudaDevAttrGlobalMemoryBusWidth) / 8;
  return rates;
}

}  // namespace perturb::detail
