// The flow in a real window: a stroke of the pointer is seen in the velocity field.
#include <cmath>
#include <vector>

#include "app/files/state_file.h"
#include "tests/support/real_window.h"

namespace perturb {
namespace {

class LbmWindow : public RealWindow {};

TEST_F(LbmWindow, AStrokeIsSeenInTheVelocity) {
  start({"lbm/sheet", "--size", "200x100"});
  const auto before = paused_picture();
  ASSERT_TRUE(before);
  const double x0 = layout_.picture.width * 0.4, x1 = layout_.picture.width * 0.6, y = layout_.picture.height * 0.5;
  drag(1, x0, y, x1, y);
  const auto file = saved_state();
  ASSERT_FALSE(file.empty()) << output();
  const State state = load_state(file);
  const auto h = static_cast<std::size_t>(state.height), w = static_cast<std::size_t>(state.width);
  const std::vector<float> u = state.get<float>("velocity", {h, w, 2});
  double along = 0, across = 0, outside = 0;
  for (std::size_t j = 0; j < h; ++j)
    for (std::size_t i = 0; i < w; ++i) {
      const double ux = static_cast<double>(u[2 * (j * w + i)]), uy = static_cast<double>(u[2 * (j * w + i) + 1]);
      along += ux, across += std::abs(uy);
      if (i < w / 10 || i > 9 * w / 10) outside += std::abs(ux);
    }
  EXPECT_GT(along, 1) << "cells times cells a step, to the right as the pointer went";
  EXPECT_LT(across, 0.1 * along);
  EXPECT_LT(outside, 0.05 * along);
}

}  // namespace
}  // namespace perturb
