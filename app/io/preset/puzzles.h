// The puzzles: the user writes the body of a CUDA kernel, and the program checks and scores it (app/kernels/puzzles).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/core/backend/message.h"

namespace perturb {

// Counts of a text, as a GPU would have them without caches.
struct PuzzleScore {
  double global_reads = 0, global_writes = 0, shared_reads = 0, shared_writes = 0;  // per thread
  double bytes_per_cell = 0;    // in sectors of 32 bytes, also per step
  double sectors_per_warp = 0;  // of an access to global memory, on average over the threads that make it
  double shared_passes = 0;     // of an access to shared memory by a warp; more than 1: bank conflicts; 0: no access
  double cells_of_thread = 0, accesses_of_thread = 0;  // by the busiest thread: its cells, accesses to any memory
  double passes_of_warp = 0;                           // of the busiest warp: its accesses, one after the other
};

// (A name for the type: nvcc would write a member of it with parentheses, of which the compiler warns.)
using PuzzleScoreMember = double PuzzleScore::*;

// The largest value of a count with which a puzzle is solved.
struct PuzzleGoal {
  PuzzleScoreMember count;
  double max;
};

// A count's id in files and in JSON, and its name. In the order in which goals are checked.
struct PuzzleCount {
  const char* id;
  PuzzleScoreMember count;
  const char* label;
};
const std::vector<PuzzleCount>& puzzle_counts();
// A count as it is shown: three digits, and a large one as a whole number, "6144".
std::string count_text(double count);

// An argument of the kernel.
struct PuzzleArgument {
  enum class Kind { input, output, integer, real } kind = Kind::input;  // const float*, float*, int, float
  std::string name;
  bool is_own = false;  // an input of which a thread needs only what its cell has: more elements are more cells
};

struct Puzzle {
  std::string id, title, task, signature;
  int order = 0;
  std::vector<PuzzleArgument> arguments;  // of the signature
  std::string start, solution;            // texts of the body
  std::vector<std::string> hints;         // each says more than the one before
  std::vector<PuzzleGoal> goals;
  double built_in_bytes = 0;  // per cell and step of the built-in kernel with this task; 0: there is none
  std::string built_in;       // its name
  // A wrong text, and a part of the complaint about it, for tests.
  std::string wrong, complaint;
};

// Parses a file of assets/puzzles. Throws InputError with file, line and column.
Puzzle parse_puzzle(const std::string& text, const std::string& name, const std::string& id);

// The puzzles of the program, by order.
const std::vector<Puzzle>& all_puzzles();
// Throws InputError with the nearest id.
const Puzzle& find_puzzle(const std::string& id);

}  // namespace perturb
