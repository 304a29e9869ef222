// Checks and scores the text of a puzzle.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/io/preset/puzzles.h"
#include "app/kernels/puzzles/access_map.h"
#include "cuda/core/backend/message.h"

namespace perturb {

struct PuzzleResult {
  Message complaint;                 // why it is not solved; empty: it is
  std::optional<PuzzleScore> score;  // once all cells are right
  // Of a block that shows the complaint, otherwise of one in the middle; null before a check.
  std::shared_ptr<const AccessMap> accesses;
  bool is_solved() const { return complaint.empty(); }
};

// Compiles and runs the text, which takes about two seconds. The caller has permission to run it. Throws CompileError,
// and Error without a compiler.
PuzzleResult check_puzzle(const Puzzle& puzzle, const std::string& text);

// A launch on a CUDA device, with arrays that its caches do not hold.
struct PuzzleTime {
  Message complaint;  // why there is no time; empty: there is one
  double seconds = 0;
  double min_bytes = 0;  // each array once
  int width = 0, height = 0, steps = 1;
};
// Also checks what the device wrote. Takes some seconds. The text has been checked before.
PuzzleTime time_puzzle(const Puzzle& puzzle, const std::string& text, int device = 0);

}  // namespace perturb
