// Puzzles in the window: the check of the user's text, on a thread of its own, and what it found.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/session/interface.h"
#include "cuda/core/backend/message.h"

namespace perturb {

struct CompileProblem;
struct PuzzleResult;

class PuzzleController {
 public:
  explicit PuzzleController(const Interface& interface);
  // Waits for a check in progress: at most as long as the compiler and an endless kernel may take.
  ~PuzzleController();

  // Number of checks that have ended.
  int checks() const { return checks_; }
  bool is_checking() const { return check_ != nullptr; }
  // The puzzle of the last check; empty: none.
  const std::string& puzzle() const { return puzzle_; }
  // Result of the check; null if the text did not compile.
  const PuzzleResult* result() const { return result_.get(); }
  // Why it could not be compiled or run; empty: it could.
  const Message& error() const { return error_; }
  const std::vector<CompileProblem>& problems() const { return problems_; }
  bool is_solved(const std::string& puzzle) const { return solved_.contains(puzzle); }

  // Checks a text that the user has written; does nothing during a check. Throws InputError unless editing is switched
  // on.
  void check(const std::string& puzzle, const std::string& text);
  // Call in every frame.
  void poll();

 private:
  struct Check;
  const Interface& interface_;
  std::string puzzle_;
  std::unique_ptr<Check> check_;  // in progress; null: none
  std::unique_ptr<PuzzleResult> result_;
  Message error_;
  std::vector<CompileProblem> problems_;
  std::set<std::string> solved_;
  int checks_ = 0;
};

}  // namespace perturb
