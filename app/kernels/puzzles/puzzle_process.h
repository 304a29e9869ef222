// Compiles the text of a puzzle, and runs its kernel in a process of its own: a crash or an endless loop there ends
// only that process.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/edited/process.h"
#include "app/io/preset/puzzles.h"
#include "app/kernels/puzzles/counting_machine.h"
#include "app/kernels/puzzles/puzzle_cases.h"

namespace perturb {

// The block that writes this element is recorded.
struct WatchedElement {
  int array = 0;  // index of the argument among the arrays
  std::int64_t element = 0;
};

// How a process with a kernel ended, and what it wrote.
struct PuzzleRun {
  PuzzleReport report;  // unless it finished: how far it came
  int signal = 0;       // that ended the process; 0: none
  bool too_slow = false;
  double seconds = 0;  // of a launch, on a device
  std::string
      message;  // the failure: of the system that loads the library, or on a device of the compiler or the driver
  std::map<std::string, std::vector<float>> outputs;  // by argument; elements that were not written: unwritten_element
  std::shared_ptr<const BlockAccesses> record;        // null on a device
};

// The library of the text. Throws CompileError, InputError and Error as library_of does.
std::shared_ptr<const Descriptor> compile_puzzle(const Puzzle& puzzle, const std::string& text);
// Runs a case once, and counts. Throws Error if no process can be started.
PuzzleRun run_puzzle(const Puzzle& puzzle, const Descriptor& library, const PuzzleCase& one,
                     const WatchedElement& watched = {});

// Compiles the text for a CUDA device, runs a case and times it. Throws Error if no process can be started.
PuzzleRun time_puzzle(const Puzzle& puzzle, const std::string& text, const PuzzleCase& one, int device);

// The process that runs it.
[[noreturn]] void serve_as_puzzle_process(int argc, char** argv);
inline constexpr ProcessTask puzzle_task = {"@puzzle", 0, serve_as_puzzle_process};

}  // namespace perturb
