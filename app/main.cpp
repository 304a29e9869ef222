// Parses options, runs the command and returns the exit code (app/cli/failure.h).
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <variant>

#include <unistd.h>

#include "app/cli/commands.h"
#include "app/cli/failure.h"
#include "app/cli/run_checks.h"
#include "app/cli/terminal.h"
#include "app/edited/compiler.h"
#include "app/edited/edited_kernel.h"
#include "app/edited/kernel_process.h"
#include "app/io/files/process.h"
#include "app/io/files/timing_cache_file.h"
#include "app/kernels/puzzles/puzzle_process.h"
#include "app/run/interrupts.h"

namespace {

struct CommandRunner {
  int operator()(const perturb::RunOptions& options) const { return perturb::run_command(options); }
  int operator()(const perturb::ListOptions& options) const { return perturb::list_command(options); }
  int operator()(const perturb::PaperOptions& options) const { return perturb::paper_items_command(options); }
  int operator()(const perturb::LessonOptions& options) const { return perturb::lesson_command(options); }
  int operator()(const perturb::PuzzleOptions& options) const { return perturb::puzzle_command(options); }
  int operator()(const perturb::ResultsOptions& options) const { return perturb::results_command(options); }
  int operator()(const perturb::ServeOptions& options) const { return perturb::serve(options); }
  int operator()(const perturb::SweepOptions& options) const { return perturb::sweep_command(options); }
  int operator()(const perturb::VerifyOptions& options) const { return perturb::verify_command(options); }
  int operator()(const perturb::BenchOptions& options) const { return perturb::bench_command(options); }
  int operator()(const perturb::DoctorOptions& options) const { return perturb::doctor_command(options); }
  int operator()(const perturb::PrintText& print) const {
    std::cout << print.text;
    return 0;
  }
};

// Ends the program with a message and an exit code if an exception has no handler: before main, in a thread, or without
// memory to handle another one. Allocates nothing.
[[noreturn]] void end_without_handler() {
  const char* what = "an unknown error.";
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    what = perturb::no_memory_text;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  for (const char* part : {"perturb: ", what, "\n"})
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  _exit(1);
}

// Runs before any other object of the program is constructed.
__attribute__((constructor(101))) void end_with_messages() { std::set_terminate(end_without_handler); }

int report_error(const std::string& sentence, int code) {
  perturb::print_line(std::cerr, "perturb: " + sentence);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  perturb::run_process_task(argc, argv,
                            {perturb::compiler_task, perturb::kernel_task, perturb::puzzle_task,
                             perturb::offscreen_task, perturb::picture_task});
  perturb::ignore_file_size_signal();
  const perturb::TimingCacheFile timing_cache;
  if (!timing_cache.note().empty()) perturb::print_line(std::cerr, timing_cache.note().english());
  try {
    const int code = std::visit(CommandRunner{}, perturb::parse_command_line({argv + 1, argv + argc}));
    if (!std::cout.flush()) return report_error("Cannot write all of the output. Check its destination.", 1);
    return code;
  } catch (...) {
    const perturb::Failure failure = perturb::failure_of(std::current_exception());
    return report_error(failure.message, failure.exit_code);
  }
}
