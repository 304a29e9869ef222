// Tasks with a text as result that run in a child process (ProcessTask).
#pragma once

#include <string>
#include <vector>

#include "app/io/files/process.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

using TextTask = std::string (*)(const std::vector<std::string>& arguments);
// Runs the task with the arguments after its name and prints its result, for the parent. Never returns.
[[noreturn]] void serve_text_task(TextTask task, int argc, char** argv);
// The entry of such a task for run_process_task().
template <TextTask task>
constexpr ProcessTask text_task(const char* name) {
  return {name, 0, [](int argc, char** argv) { serve_text_task(task, argc, argv); }};
}

// Runs the task in a child process and returns its result. The main program must run the task when it starts. Throws
// Error with the message of the task's exception, with the signal that ended its process, or if it took more than
// `seconds` or `stop` was requested. In the last two cases the process is killed.
std::string result_of_task(const ProcessTask& task, const std::vector<std::string>& arguments, double seconds,
                           const StopRequest* stop = nullptr);

// The same for any program: returns its standard output. If the exit code is not 0, throws Error with this output as
// message.
std::string output_of_program(const std::string& path, const std::vector<std::string>& arguments, double seconds,
                              const StopRequest* stop = nullptr);

}  // namespace perturb
