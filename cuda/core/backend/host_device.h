// Macros that let one function compile for both backends and with every compiler.
#pragma once

#if defined(__CUDACC__)
// Marks a function that can be called on the CPU and on the GPU.
#define PERTURB_HD __host__ __device__
// Precedes a host-and-device template that calls its argument: with a host-only argument it is host-only too.
#define PERTURB_HD_AS_GIVEN _Pragma("nv_exec_check_disable")
#else
#define PERTURB_HD
#define PERTURB_HD_AS_GIVEN
#endif

// Precedes a loop whose iterations write nothing that other iterations read; compilers cannot derive this from
// pointers.
#if defined(__clang__)
#define PERTURB_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define PERTURB_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define PERTURB_INDEPENDENT_ITERATIONS
#endif

// Marks a CPU function whose loop is fast only if all calls in it are inlined: by default the compiler keeps a call to
// a function that has many callers. In WebAssembly the call stays, because download size matters more there.
#if defined(__GNUC__) && !defined(__wasm__)
#define PERTURB_FLAT [[gnu::flatten]]
#else
#define PERTURB_FLAT
#endif

#include <cmath>

namespace perturb {

// a·b + c, rounded once. Contraction is off in every build (the compiler may not fuse on its own), so a cell function
// that fuses explicitly is bit-identical on CPU and CUDA. Where the CPU has no fused instruction, the library's
// emulation would be a hundred times slower, so there the product is rounded too.
template <class Real>
PERTURB_HD inline Real multiply_add(Real a, Real b, Real c) {
#if defined(__CUDA_ARCH__) || defined(__FP_FAST_FMA) || defined(__FMA__)
  if constexpr (sizeof(Real) == sizeof(float))
    return ::fmaf(a, b, c);  // plain ::fma would compute in double: slower, with different bits
  else
    return ::fma(a, b, c);
#else
  return a * b + c;
#endif
}

// Whether this is the device version of a host-and-device function.
#if defined(__CUDA_ARCH__)
inline constexpr bool compiled_for_device = true;
#else
inline constexpr bool compiled_for_device = false;
#endif

}  // namespace perturb
