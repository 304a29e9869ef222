// The flow in a real window: a pointer stroke is visible in the velocity field, and a rejected change of a side shows
// the reason.
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/io/preset/presets.h"
#include "app/io/state/state_file.h"
#include "tests/support/laid_out_panels.h"
#include "tests/support/real_window.h"

namespace perturb::lbm {
namespace {

class LbmWindow : public RealWindow {};

TEST_F(LbmWindow, AStrokeIsSeenInTheVelocity) {
  start({"lbm/sheet", "--size", "200x100"});
  const auto before = paused_image();
  ASSERT_TRUE(before);
  const double x0 = layout_.view_rect.width * 0.4, x1 = layout_.view_rect.width * 0.6,
               y = layout_.view_rect.height * 0.5;
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
      along += ux;
      across += std::abs(uy);
      if (i < w / 10 || i > 9 * w / 10) outside += std::abs(ux);
    }
  EXPECT_GT(along, 1) << "cells times cells a step, to the right as the pointer went";
  EXPECT_LT(across, 0.1 * along);
  EXPECT_LT(outside, 0.05 * along);
}

// The cylinder between inlet and outlet: without the outlet, the inflow could not leave.
TEST_F(LbmWindow, RejectedSideShowsReasonAndFlowContinues) {
  if (cannot_capture()) GTEST_SKIP() << "ffmpeg is not installed: the screenshot cannot be checked";
  start({"lbm/cylinder", "--size", "96x48"});
  auto scene = load_scene("lbm/cylinder");
  scene.setup.width = 96;
  scene.setup.height = 48;
  LaidOutPanels panels(scene, layout_);
  const auto way = panels.search(
      "Right side", [](const Session& session) { return !session.parameters().error_of("boundary_right").empty(); });
  ASSERT_TRUE(way) << "no list in the panel refuses the right side";
  EXPECT_EQ(panels.session()
                .parameters()
                .error_of("boundary_right")
                .english()
                .rfind("Fluid enters at an inlet but cannot leave", 0),
            0u);
  const std::vector<Rect> letters = panels.letters(color::bad);
  ASSERT_GT(letters.size(), 60u) << "the sentence as it is laid out";

  // The redness of a pixel: high for the colour of an error message, not for the amber of a gauge.
  const auto red = [](const std::vector<std::uint8_t>& rgb, int x, int y) {
    const std::size_t k = 3 * (static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x));
    return rgb.at(k) - rgb.at(k + 1);
  };
  constexpr int ink = 64, faint_ink = 30;
  const auto red_pixels = [&](const std::vector<std::uint8_t>& rgb) {
    int count = 0;
    for (int y = 0; y < static_cast<int>(layout_.column.height); ++y)
      for (int x = static_cast<int>(layout_.column.x); x < width; ++x) count += red(rgb, x, y) > ink;
    return count;
  };
  move_to(way->x, way->wheel);
  wait_for_frame();
  for (int k = 0; k < way->notches; ++k) click(5);
  wait_for_frame();
  EXPECT_EQ(red_pixels(capture_window()), 0) << "nothing has been refused yet";
  for (const double y : {way->row, way->entry}) {
    move_to(way->x, y);
    wait_for_frame();
    click(1);
    wait_for_frame();
  }
  move_to(layout_.view_rect.width / 2, layout_.view_rect.height / 2);
  wait_for_frame();

  const std::vector<std::uint8_t> rgb = capture_window();
  ASSERT_FALSE(rgb.empty());
  std::vector<bool> within(std::size_t{width} * height);
  for (const Rect& letter : letters) {
    const int x0 = std::max(0, static_cast<int>(std::floor(letter.x)) - 1),
              x1 = std::min(width - 1, static_cast<int>(std::ceil(letter.x + letter.width)) + 1);
    const int y0 = std::max(0, static_cast<int>(std::floor(letter.y)) - 1),
              y1 = std::min(height - 1, static_cast<int>(std::ceil(letter.y + letter.height)) + 1);
    int most = 0;
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) {
        within[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)] = true;
        most = std::max(most, red(rgb, x, y));
      }
    EXPECT_GT(most, faint_ink) << "no ink where a letter should be, at " << letter.x << ", " << letter.y;
  }
  int astray = 0;
  for (int y = 0; y < static_cast<int>(layout_.column.height); ++y)
    for (int x = static_cast<int>(layout_.column.x); x < width; ++x)
      astray += red(rgb, x, y) > ink && !within[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)];
  EXPECT_EQ(astray, 0) << "red pixels that belong to no letter of the sentence";

  // The run continues with its previous sides.
  ASSERT_TRUE(screenshot());
  const long before = step();
  ASSERT_TRUE(eventually([&] { return screenshot() && step() > before; }));
  const auto file = saved_state();
  ASSERT_FALSE(file.empty()) << output();
  const State state = load_state(file);
  EXPECT_GT(state.steps, before);
  EXPECT_EQ(state.parameters.at("boundary_left"), "inlet");
  EXPECT_EQ(state.parameters.at("boundary_right"), "outlet");
  const auto h = static_cast<std::size_t>(state.height), w = static_cast<std::size_t>(state.width);
  const std::vector<std::uint8_t> walls = state.get<std::uint8_t>("wall", {h, w});
  EXPECT_GT(std::count(walls.begin(), walls.end(), 1), 20) << "the cylinder stands";
  double speed = 0;
  for (const float u : state.get<float>("velocity", {h, w, 2})) speed += std::abs(static_cast<double>(u));
  EXPECT_GT(speed, 0.03 * static_cast<double>(h * w)) << "it streams, at an inlet speed of 0.1";
  EXPECT_TRUE(std::isfinite(speed));
}

}  // namespace
}  // namespace perturb::lbm
