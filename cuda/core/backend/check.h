// The three kinds of failure and how each is handled.
//
//   programming error    PERTURB_ASSERT: prints the expression and aborts; removed in Release.
//   failure at run time  throw Error: what happened, and what the user can do about it.
//   wrong usage or input throw InputError: the same, and the program ends with exit code 2.
//
// An expected absence (no GPU, no interop, no display) is none of these: it is a value that contains the reason.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "cuda/core/backend/message.h"

namespace perturb {

// A failure at run time. The message ends with a remedy if there is one; what(): the same in English.
class Error : public std::runtime_error {
 public:
  explicit Error(Message message)
      : std::runtime_error(message.english()), message_(std::make_shared<const Message>(std::move(message))) {}
  // A format, and an argument for each {} in it, as for a Message.
  template <class First, class... Rest>
  Error(std::string_view format, const First& first, const Rest&... rest) : Error(Message(format, first, rest...)) {}

  const Message& message() const { return *message_; }

 private:
  std::shared_ptr<const Message> message_;  // shared: copying an exception must not throw
};

// The message of any exception: of an Error with its arguments.
inline Message message_of(const std::exception& error) {
  const auto* own = dynamic_cast<const Error*>(&error);
  return own ? own->message() : Message(error.what());
}

// Invalid user input. The message gives the value and the accepted ones.
class InputError : public Error {
 public:
  using Error::Error;
};

// A run that cannot continue because its numbers are no longer finite.
class NonFiniteError : public Error {
 public:
  using Error::Error;
};

// For no_kernels.cpp of a simulation, which replaces its .cu files in builds without CUDA. Never called: without CUDA
// there is no backend for these kernels.
[[noreturn]] inline void no_kernels() { throw Error("internal: a kernel for CUDA in a build without it"); }

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
