// Tasks that run in a child process: this program, started again for one task. A library that crashes or hangs there
// ends only that process.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "cuda/core/backend/stop.h"

namespace perturb {

// The first argument of such a process; the second is the task's name, the rest are the task's arguments. The result is
// written to standard output.
inline constexpr const char* own_task_argument = "@task";

struct OwnTask {
  const char* name;
  std::string (*run)(const std::vector<std::string>& arguments);
};

// Call first in main(), before any initialization.
bool is_own_task(int argc, char** argv);
// Runs the task that the arguments name and prints its result. Never returns.
[[noreturn]] void serve_own_task(int argc, char** argv, std::initializer_list<OwnTask> tasks);

// Runs the task in a child process and returns its result. The main program must serve the task when it starts. Throws
// Error with the message of the task's exception, with the signal that ended its process, or if it took more than
// `seconds` or `stop` was requested. In the last two cases the process is killed.
std::string result_of_task(const std::string& name, const std::vector<std::string>& arguments, double seconds,
                           const StopRequest* stop = nullptr);

// The same for any program: returns its standard output. If the exit code is not 0, throws Error with this output as
// message.
std::string output_of_program(const std::string& path, const std::vector<std::string>& arguments, double seconds,
                              const StopRequest* stop = nullptr);

}  // namespace perturb
