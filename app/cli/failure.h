// The exit codes of the program: 0 success, 1 failure while running, 2 wrong usage or input, 3 a compiler that cannot
// work.
#pragma once

#include <exception>
#include <string>

namespace perturb {

inline constexpr const char* no_memory_text =
    "There is not enough memory. Choose a smaller size or close other programs.";

struct Failure {
  int exit_code;
  std::string message;
};
// The exit code and the message of an exception that ended a command or a run.
Failure failure_of(const std::exception_ptr& exception);

}  // namespace perturb
