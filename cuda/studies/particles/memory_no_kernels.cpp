// Replaces memory_kernels.cu in builds without CUDA; never called.
#include "cuda/core/backend/check.h"
#include "cuda/studies/particles/memory.h"

namespace perturb::particles {

void set_check_numbers(Backend&, const CheckNumbers&) { no_kernels(); }
void count_pairs_from(Backend&, CheckMemory, const CheckNumbers&, const CheckNumbers*, const Disc<double>*,
                      std::int64_t*) {
  no_kernels();
}
ManagedDiscs::ManagedDiscs(Backend&, std::size_t) { no_kernels(); }
ManagedDiscs::~ManagedDiscs() = default;

}  // namespace perturb::particles
