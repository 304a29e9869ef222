// The words that let one function serve both backends, and every compiler.
#pragma once

#if defined(__CUDACC__)
// Marks a function that threads of the CPU and of the GPU may both call.
#define PERTURB_HD __host__ __device__
// Before a template for both that calls what it is given: given something of the host's alone, it is that too.
#define PERTURB_HD_AS_GIVEN _Pragma("nv_exec_check_disable")
#else
#define PERTURB_HD
#define PERTURB_HD_AS_GIVEN
#endif

// Before a loop whose rounds write nothing that other rounds read, which compilers cannot see of pointers.
#if defined(__clang__)
#define PERTURB_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define PERTURB_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define PERTURB_INDEPENDENT_ITERATIONS
#endif

// Before a function of the CPU's whose loop is quick only if all that it calls stands in it: the compiler, left to
// itself, keeps a call where many ask for the same. WebAssembly's size is paid for by whoever opens a page: there it
// may.
#if defined(__GNUC__) && !defined(__wasm__)
#define PERTURB_FLAT [[gnu::flatten]]
#else
#define PERTURB_FLAT
#endif

#include <cmath>

namespace perturb {

// a·b + c, rounded once. Contraction is off in every build (the compiler may not fuse on its own), so that a cell
// function that says where it fuses gives the same bits on CPU and CUDA. Where the CPU has no fused instruction the
// library's emulation would be a hundred times slower, so there the product is rounded too.
template <class Real>
PERTURB_HD inline Real multiply_add(Real a, Real b, Real c) {
#if defined(__CUDA_ARCH__) || defined(__FP_FAST_FMA) || defined(__FMA__)
  if constexpr (sizeof(Real) == sizeof(float))
    return ::fmaf(a, b, c);  // plain ::fma would compute in double: slower, and other bits
  else
    return ::fma(a, b, c);
#else
  return a * b + c;
#endif
}

// Whether this is the device's half of a function for both.
#if defined(__CUDA_ARCH__)
inline constexpr bool compiled_for_device = true;
#else
inline constexpr bool compiled_for_device = false;
#endif

// Whoever opens a page in a browser pays for the program's size: there a shorter way for some of the cells is left out.
#if defined(__wasm__)
inline constexpr bool optimise_for_size = true;
#else
inline constexpr bool optimise_for_size = false;
#endif

}  // namespace perturb
