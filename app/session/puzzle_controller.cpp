#include "app/session/puzzle_controller.h"

#include <chrono>

#include "app/io/preset/puzzles.h"
#include "cuda/core/backend/check.h"

namespace perturb {

void PuzzleController::check(const std::string& puzzle, const std::string& text) {
  if (is_checking()) return;
  if (!interface_.state().preferences.edit_kernels)
    throw InputError("A puzzle is compiled and run as a program. Switch on \"Edit kernels\" in the tab View.");
  puzzle_ = puzzle;
  check_ = std::async(std::launch::async, [&task = find_puzzle(puzzle), text] { return check_puzzle(task, text); });
}

void PuzzleController::poll() {
  if (!is_checking() || check_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  ++checks_;
  result_.reset(), error_ = {}, problems_.clear();
  try {
    result_ = check_.get();
    if (result_->is_solved()) solved_.insert(puzzle_);
  } catch (const CompileError& error) {
    error_ = error.message(), problems_ = error.problems();
  } catch (const std::exception& error) {
    error_ = message_of(error);
  }
}

}  // namespace perturb
