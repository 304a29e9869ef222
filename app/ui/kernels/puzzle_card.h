// Puzzles, over the left part of the view: the task, the user's text, hints that unfold, the check with a
// map of the accesses, and the score.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "app/ui/kernels/kernel_text.h"
#include "app/ui/panels/panel.h"

namespace perturb {

struct PuzzleCardState {
  bool open = false, begun = false;  // begun: the field contains the text of a puzzle
  std::size_t index = 0;             // among all_puzzles()
  KernelTextState field;
  std::map<std::string, std::string> texts;  // of the other puzzles
  int hints = 0;                             // that are unfolded
  int checks = 0;                            // PuzzleController::checks() to which the rest belongs
  bool shows_accesses = false;               // in place of the task
  int thread = 0;                            // of the map of accesses
};

bool puzzle_card_is_shown(const Panel& panel, const PuzzleCardState& state);
// Draws the card if it is shown.
void draw_puzzle_card(const Panel& panel, PuzzleCardState& state);

}  // namespace perturb
