// Compiles the text of a puzzle, and runs its kernel in a process of its own: a crash or an endless loop there ends
// only that process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/io/preset/puzzles.h"
#include "app/lab/process.h"
#include "app/puzzles/counting_machine.h"
#include "app/puzzles/puzzle_cases.h"

namespace perturb {

// How a process with a kernel ended, and what it wrote.
struct PuzzleRun {
  PuzzleReport report;  // unless it finished: how far it came
  int signal = 0;       // that ended the process; 0: none
  bool too_slow = false;
  std::map<std::string, std::vector<float>> outputs;  // by argument; elements that were not written: unwritten_element
};

// The library of the text. Throws CompileError, InputError and Error as library_of does.
std::shared_ptr<const Descriptor> compile_puzzle(const Puzzle& puzzle, const std::string& text);
// Throws Error if no process can be started.
PuzzleRun run_puzzle(const Puzzle& puzzle, const Descriptor& library, const PuzzleCase& one);

// Call first in main(), before anything is initialised.
bool is_puzzle_process(int argc, char** argv);
[[noreturn]] void serve_as_puzzle_process();

}  // namespace perturb
