// The inputs with which a puzzle is checked, and what its kernel must write.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/kernels/puzzles/counted_arrays.h"

namespace perturb {

struct PuzzleCase {
  int width = 1, height = 1;                                   // cells
  int steps = 1;                                               // of the simulation in one launch
  puzzle::Dim block, grid;                                     // threads of a block, blocks
  std::map<std::string, std::vector<float>> inputs, expected;  // by argument
  std::map<std::string, double> numbers;                       // by argument
  std::map<std::string, int> columns;                          // by array: cells in a row of it, if not `width`
};

// Of a puzzle of the program: the first one is scored. Empty for other ids.
std::vector<PuzzleCase> puzzle_cases(const std::string& id);
// One more, whose size and numbers depend on the text: a text cannot contain its results. It is scored too.
PuzzleCase puzzle_case_of_text(const std::string& id, const std::string& text);
// The one with which it is timed on a GPU: large enough that caches do not hold it, unless it has one block.
PuzzleCase timed_puzzle_case(const std::string& id);

}  // namespace perturb
