#include "cuda/core/backend/peak_rates.h"
namespace perturb {

PeakRates peak_rates(const Backend& backend) {
  if (backend.is_cuda()) return detail::peak_rates_cuda(backend.device_index());
#if defined(__AVX512F__)
  constexpr double lanes = 8;
#elif defined(__AVX__)
  constexpr double lanes = 4;
#else
  constexpr double lanes = 2;
#endif
  constexpr double clock = 3e9, pipes = 2, memory_of_a_thread = 12e9;
  PeakRates rates;
  rates.fp64 = backend.threads() * clock * pipes * lanes * 2;
  rates.fp32 = 2 * rates.fp64;
  rates.bytes_per_second = memory_of_a_thread * (backend.threads() < 8 ? backend.threads() : 8);
  return rates;
}

}  // namespace perturb
