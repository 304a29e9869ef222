// Checks and scores the text of a puzzle.
#pragma once

#include <optional>
#include <string>

#include "app/io/preset/puzzles.h"
#include "cuda/core/backend/message.h"

namespace perturb {

struct PuzzleResult {
  Message complaint;                 // why it is not solved; empty: it is
  std::optional<PuzzleScore> score;  // once all cells are right
  bool is_solved() const { return complaint.empty(); }
};

// Compiles and runs the text, which takes about two seconds. The caller has permission to run it. Throws CompileError,
// and Error without a compiler.
PuzzleResult check_puzzle(const Puzzle& puzzle, const std::string& text);

}  // namespace perturb
