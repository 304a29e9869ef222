// Runs the threads of a kernel one after the other, and checks and counts each access to memory, in a process of its
// own: what is wrong ends the process with a report.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/puzzles/counted_arrays.h"
#include "cuda/core/bench/launch_map.h"

namespace perturb {

// What is wrong with the text.
enum class PuzzleFault : std::int32_t {
  none,
  index,         // there is no such element
  unwritten,     // a read of an element that has no value yet
  race,          // two threads use an element, at least one writes, and no barrier is between them
  barrier,       // some threads of a block wait at a barrier that others never reach
  two_barriers,  // threads of a block wait at different barriers
  too_much_shared_memory,
  endless  // a block has made more accesses than any puzzle needs
};

// In memory that both processes see: it also tells which thread ran when the process crashed.
struct PuzzleReport {
  bool started = false, finished = false;
  PuzzleFault fault = PuzzleFault::none;
  puzzle::Dim block, thread, other_block, other_thread;
  std::int32_t line = 0, other_line = 0;
  bool writes = false, other_writes = false;
  std::int32_t array = 0;  // index of the argument; -1: `shared_name`
  char shared_name[32] = {};
  std::int32_t dimensions = 1;
  std::int64_t index[puzzle::most_dimensions] = {}, size[puzzle::most_dimensions] = {};
  // over all blocks
  std::int64_t threads = 0, global_reads = 0, global_writes = 0, shared_reads = 0, shared_writes = 0;
  std::int64_t global_accesses = 0, sectors = 0;        // by warps
  std::int64_t shared_accesses = 0, shared_passes = 0;  // by warps
};

// What the elements of an output are before the kernel runs: a number that no arithmetic gives, unless it reads one.
inline constexpr std::uint32_t unwritten_bits = 0x7fc0beef;
inline constexpr float unwritten_element = std::bit_cast<float>(unwritten_bits);
inline bool is_unwritten(float value) { return std::bit_cast<std::uint32_t>(value) == unwritten_bits; }

// An array in global memory.
struct GlobalArray {
  float* elements;
  std::int64_t size;
};

// Runs `kernel` in all threads of all blocks and fills in the report. Returns only if nothing was wrong, otherwise ends
// the process.
void run_counted(void (*kernel)(), puzzle::Machine*& machine_of_kernel, puzzle::Dim block, puzzle::Dim grid,
                 const std::vector<GlobalArray>& arrays, PuzzleReport& report);

}  // namespace perturb
