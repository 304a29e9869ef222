// Which cells of its arrays each thread of one block read and wrote in a check, to be drawn (app/ui).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/kernels/puzzles/counting_machine.h"
#include "app/kernels/puzzles/puzzle_process.h"

namespace perturb {

// Of an array that is drawn as rows, the first one at the bottom.
struct ArrayCell {
  std::int64_t column = 0, row = 0;
  bool operator==(const ArrayCell&) const = default;
};

struct AccessMap {
  enum class Role { input, output, shared };
  struct Array {
    std::string name;
    Role role = Role::input;
    std::int64_t columns = 1, size = 0;  // cells of a row, of all
    std::int64_t element_bytes = sizeof(float);

    ArrayCell cell_of(std::int64_t element) const { return {element % columns, element / columns}; }
  };
  // Result of the check. Without a thread: a cell that differs, and that no thread of the block wrote.
  struct Fault {
    int array = 0;
    ArrayCell cell;  // also outside of the array
    int thread = -1, other_thread = -1;
    bool writes = false, other_writes = false;
  };

  puzzle::Dim block, block_size;
  std::vector<Array> arrays;
  std::vector<PuzzleAccess> accesses;  // in the order of the run
  bool complete = true;                // false: not all accesses of each thread are listed
  bool finished = true;                // false: the run ended in this block, and other threads had not come as far
  std::optional<Fault> fault;
  int thread = 0;  // to be shown first: of the fault, or the one that wrote the watched element

  int threads() const { return static_cast<int>(block_size.x * block_size.y); }
};

// Of a run that was recorded.
AccessMap access_map_of(const Puzzle& puzzle, const PuzzleCase& one, const PuzzleRun& run);
// With a cell that differs from the expected one, which the run has watched.
AccessMap access_map_of(const Puzzle& puzzle, const PuzzleCase& one, const PuzzleRun& run,
                        const WatchedElement& different);

// The accesses of a thread to an array, and what its warp moves with them.
struct ThreadUse {
  int array = 0;
  bool writes = false;
  std::vector<std::int64_t> elements;          // of the thread, each once
  std::vector<std::int64_t> elements_of_warp;  // each once
  std::vector<std::int64_t> moved;             // all elements in the sectors of these; empty for shared memory
  std::int64_t accesses = 0;                   // of the thread
  std::int64_t units = 0, min_units = 0;  // sectors, or passes over shared memory; and the fewest for as many bytes
};
// Reads before writes, by array.
std::vector<ThreadUse> uses_of(const AccessMap& map, int thread);

}  // namespace perturb
