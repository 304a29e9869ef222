// Options -> command -> exit code: 0 done, 1 failed while running, 2 wrong usage or input.
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/terminal.h"
#include "app/files/kernel_book_file.h"
#include "app/run/interrupts.h"
#include "app/states/state_reader.h"
#include "cuda/core/check.h"

namespace {

struct Perform {
  int operator()(const perturb::RunOptions& options) const { return perturb::run_command(options); }
  int operator()(const perturb::ListOptions& options) const { return perturb::list_command(options); }
  int operator()(const perturb::LessonOptions& options) const { return perturb::lesson_command(options); }
  int operator()(const perturb::VerifyOptions& options) const { return perturb::verify_command(options); }
  int operator()(const perturb::BenchOptions& options) const { return perturb::bench_command(options); }
  int operator()(const perturb::DoctorOptions& options) const { return perturb::doctor_command(options); }
  int operator()(const perturb::PrintText& print) const {
    std::cout << print.text;
    return 0;
  }
};

int complain(const std::string& sentence, int code) {
  perturb::say(std::cerr, "perturb: " + sentence);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  if (perturb::is_state_reader(argc, argv)) perturb::serve_as_state_reader();
  perturb::ignore_file_size_signal();
  const perturb::KernelBookFile book;
  if (!book.note().empty()) perturb::say(std::cerr, book.note());
  try {
    const int code = std::visit(Perform{}, perturb::parse_command_line({argv + 1, argv + argc}));
    if (!std::cout.flush()) return complain("Not all of the output could be written: check where it goes.", 1);
    return code;
  } catch (const perturb::InputError& error) {
    return complain(error.what(), 2);
  } catch (const std::bad_alloc&) {
    return complain("There is not enough memory. Choose a smaller size or close other programs.", 1);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}
