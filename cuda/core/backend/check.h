// The three kinds of failure, and what each does.
//
//   programming error    PERTURB_ASSERT: prints the expression and aborts; gone in Release.
//   failure at run time  throw Error: what happened, and what the user can do about it.
//   wrong usage or input throw InputError: the same, and the program ends with exit code 2.
//
// An expected absence (no GPU, no interop, no display) is none of these: it is a value that says why.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace perturb {

// A failure at run time. `what()` is a sentence; it ends with a remedy where there is one.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The user's input cannot be taken: names what was given and what would do.
class InputError : public Error {
 public:
  using Error::Error;
};

// A run that cannot go on because its numbers are no longer finite.
class NonFiniteError : public Error {
 public:
  using Error::Error;
};

}  // namespace perturb

#if defined(NDEBUG)
#define PERTURB_ASSERT(condition) ((void)0)
#elif defined(__CUDA_ARCH__)
#include <cassert>
#define PERTURB_ASSERT(condition) assert(condition)
#else
#define PERTURB_ASSERT(condition) \
  ((condition)                    \
       ? (void)0                  \
       : (std::fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition), std::abort()))
#endif
