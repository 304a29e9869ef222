// How wide the vectors are that the compiler makes of a plain loop on the CPU.
#pragma once

namespace perturb {

// Bytes of a vector. A loop whose first element lies on a multiple of this never straddles two cache lines with a vector: on
// 512-bit machines that is worth a factor of nearly two.
#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#else
inline constexpr int vector_bytes = 32;
#endif

}  // namespace perturb
