// The reference of the puzzle "relaxation" is the collision of the flow.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "app/kernels/puzzles/puzzle_cases.h"
#include "cuda/lbm/model/cell.h"

namespace perturb {
namespace {

TEST(LbmPuzzle, ReferenceAgreesWithTheCollision) {
  constexpr float tolerance = 1e-7f;  // rounding, of populations of about 0.01
  const PuzzleCase flow = puzzle_cases("relaxation").front();
  const auto cells = static_cast<std::size_t>(flow.width);
  lbm::Rates rates;
  rates.relaxation =
      lbm::lbm_relaxation(static_cast<float>(flow.numbers.at("plus")), static_cast<float>(flow.numbers.at("minus")));
  float largest = 0;
  for (std::size_t n = 0; n < cells; ++n) {
    float g[lbm::lbm_links];
    for (std::size_t q = 0; q < lbm::lbm_links; ++q) g[q] = flow.inputs.at("now")[q * cells + n];
    lbm::lbm_collide_freely<lbm::lbm_plain>(g, rates);
    for (std::size_t q = 0; q < lbm::lbm_links; ++q)
      largest = std::max(largest, std::fabs(g[q] - flow.expected.at("after")[q * cells + n]));
  }
  EXPECT_LT(largest, tolerance);
}

}  // namespace
}  // namespace perturb
