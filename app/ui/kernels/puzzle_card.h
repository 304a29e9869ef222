// Puzzles, over the left part of the view: the task, the user's text, hints that unfold, the check with a
// map of the accesses, and the score.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// Draws the card if it is open.
void draw_puzzle_card(const Panel& panel, PuzzleCardState& state);

}  // namespace perturb
