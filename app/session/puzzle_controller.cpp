#include "app/session/puzzle_controller.h"

#include <chrono>
#include <future>
#include <utility>

#include "app/edited/edited_kernel.h"
#include "app/io/preset/puzzles.h"
#include "app/kernels/puzzles/puzzle_check.h"
#include "cuda/core/backend/check.h"

namespace perturb {

struct PuzzleController::Check {
  std::future<PuzzleResult> result;
};

PuzzleController::PuzzleController(const Interface& interface) : interface_(interface) {}
PuzzleController::~PuzzleController() = default;

void PuzzleController::check(const std::string& puzzle, const std::string& text) {
  if (is_checking()) return;
  if (!interface_.state().preferences.edit_kernels)
    throw InputError("A puzzle is compiled and run as a program. Switch on \"Edit kernels\" in the tab View.");
  puzzle_ = puzzle;
  check_ = std::make_unique<Check>(
      Check{std::async(std::launch::async, [&task = find_puzzle(puzzle), text] { return check_puzzle(task, text); })});
}

void PuzzleController::poll() {
  if (!is_checking() || check_->result.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  ++checks_;
  result_.reset();
  error_ = {};
  problems_.clear();
  const std::unique_ptr<Check> check = std::move(check_);
  try {
    result_ = std::make_unique<PuzzleResult>(check->result.get());
    if (result_->is_solved()) solved_.insert(puzzle_);
  } catch (const CompileError& error) {
    error_ = error.message();
    problems_ = error.problems();
  } catch (const std::exception& error) {
    error_ = message_of(error);
  }
}

}  // namespace perturb
