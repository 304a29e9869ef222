// Runs the threads of a kernel one after the other, and checks and counts each access to memory, in a process of its
// own: what is wrong ends the process with a report.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/kernels/puzzles/counted_arrays.h"
#include "cuda/core/launch/launch_map.h"

namespace perturb {

// Error in the text.
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

// In memory that both processes see: it also records which thread ran when the process crashed.
struct PuzzleReport {
  bool started = false, finished = false;
  PuzzleFault fault = PuzzleFault::none;
  puzzle::Dim block, thread, other_block, other_thread;
  std::int32_t line = 0, other_line = 0;
  bool writes = false, other_writes = false;
  std::int32_t array = 0;  // index of the argument; -1: `shared_name`
  char shared_name[32] = {};
  std::int32_t dimensions = 1;
  std::int64_t index[puzzle::max_dimensions] = {}, size[puzzle::max_dimensions] = {};
  // over all blocks
  std::int64_t threads = 0, global_reads = 0, global_writes = 0, shared_reads = 0, shared_writes = 0;
  std::int64_t sectors = 0;  // by warps
  // By warps, each times the threads that took part: so a few accesses of single threads do not hide those of all.
  std::int64_t sectors_of_threads = 0, shared_passes_of_threads = 0;
  // of the busiest thread
  std::int64_t accesses_of_thread = 0;  // to any memory
  std::int64_t cells_of_thread = 0,
               size_of_cells = 1;   // elements of an array that has a thread for each, and of how many
  std::int64_t passes_of_warp = 0;  // of the busiest warp
};

// Value of an output's elements before the kernel runs: a number that no arithmetic gives, unless it reads one.
inline constexpr std::uint32_t unwritten_bits = 0x7fc0beef;
inline constexpr float unwritten_element = std::bit_cast<float>(unwritten_bits);
inline bool is_unwritten(float value) { return std::bit_cast<std::uint32_t>(value) == unwritten_bits; }

// An access that was neither outside of its array nor a race.
struct PuzzleAccess {
  std::int64_t instruction = 0;  // the same for the accesses that the threads of a warp make at once
  std::int32_t element = 0;      // of the array, which is stored row by row
  std::int16_t thread = 0;       // its number in the block, along x first
  std::int16_t array = 0;        // index of the argument among the arrays; behind these the shared ones, as declared
  bool writes = false;
};

inline constexpr std::int64_t max_shared_bytes = std::int64_t{48} << 10;  // of a block
struct SharedArray {
  char name[32] = {};
  std::int32_t dimensions = 1;
  std::int64_t size[puzzle::max_dimensions] = {};
  std::int64_t element_bytes = 0;
};

// The accesses of one block, in memory that both processes see: of the block that a fault ended, otherwise of the one
// that writes the watched element, otherwise of the first.
struct BlockAccesses {
  static constexpr int max_accesses = 1 << 16, max_shared_arrays = 8;

  std::int32_t watched_array = 0;
  std::int64_t watched_element = 0;
  std::int32_t watched_thread = -1;  // that wrote this element, in this block; -1: none
  puzzle::Dim block;
  std::int32_t shared_arrays = 0;
  SharedArray shared[max_shared_arrays];
  bool complete = true;  // false: threads made more accesses than their part of the list holds
  std::int32_t count = 0;
  PuzzleAccess accesses[max_accesses];  // in the order of the run
};

// Units of an access by all threads of a warp: sectors of global memory, or passes over the banks of shared
// memory. `addresses`: in bytes; they are sorted and reduced to sectors or words.
std::int64_t count_warp_units(bool is_shared, std::vector<std::size_t>& addresses);

// An array in global memory.
struct GlobalArray {
  float* elements;
  std::int64_t size;
  bool is_own = false;  // a thread reads only the elements of its cell
};

// Runs `kernel` in all threads of all blocks and fills in the report and the record. Returns only if nothing was wrong,
// otherwise ends the process.
void run_counted(void (*kernel)(), puzzle::Machine*& machine_of_kernel, puzzle::Dim block, puzzle::Dim grid,
                 const std::vector<GlobalArray>& arrays, PuzzleReport& report, BlockAccesses& record);

}  // namespace perturb
