// Drags the load with a real pointer in a real window, and checks the state that the program saves.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/io/state/state_file.h"
#include "tests/support/real_window.h"

namespace perturb::membrane {
namespace {

class MembraneWindow : public RealWindow {
 protected:
  // Screen coordinates of a point of the domain, which is the unit square.
  double screen_x(double x) const {
    return layout_.view_rect.x + Camera{}.to_pixel(x, 0.5, viewport().width, viewport().height, 1, 1).x;
  }
  double screen_y(double y) const {
    return layout_.view_rect.y + viewport().height -
           Camera{}.to_pixel(0.5, y, viewport().width, viewport().height, 1, 1).y;
  }

 private:
  Viewport viewport() const { return layout_.viewport(); }
};

TEST_F(MembraneWindow, ADraggedLoadIsWhereThePointerLetItGo) {
  start({"membrane/load", "--set", "level=3"});
  drag(1, screen_x(0.3), screen_y(0.4), screen_x(0.72), screen_y(0.3));
  // The frames of a busy machine may be long, and the events of a frame precede its solution: saves until both are
  // there.
  double x = 0, y = 0, highest_x = 0, highest_y = 0;
  EXPECT_TRUE(eventually([&] {
    const std::filesystem::path file = saved_state();
    if (file.empty()) return true;  // the program has ended
    const State state = load_state(file.string());
    x = std::stod(state.parameters.at("source_x"));
    y = std::stod(state.parameters.at("source_y"));
    const auto rows = static_cast<std::size_t>(state.height), columns = static_cast<std::size_t>(state.width);
    const std::vector<double> u = state.get<double>("u", {rows, columns});
    const auto highest = static_cast<std::size_t>(std::max_element(u.begin(), u.end()) - u.begin());
    highest_x = (static_cast<double>(highest % columns) + 0.5) / state.width;
    highest_y = (static_cast<double>(highest / columns) + 0.5) / state.height;
    return std::abs(x - 0.72) < 0.01 && std::abs(highest_x - x) < 0.06;
  })) << x
      << ' ' << highest_x << ' ' << output();
  ASSERT_FALSE(program_->ended()) << output();
  EXPECT_NEAR(x, 0.72, 0.005) << "a pixel is 0.002";
  EXPECT_NEAR(y, 0.30, 0.005);
  // The membrane is highest there, shifted slightly towards the middle.
  EXPECT_NEAR(highest_x, x, 0.06);
  EXPECT_NEAR(highest_y, y, 0.06);
  quit();
}

TEST_F(MembraneWindow, TheWheelWithControlPlaysTheFrequency) {
  start({"membrane/load", "--set", "level=2", "--set", "frequency=2"});
  const auto frequency = [this] {
    const std::filesystem::path file = saved_state();
    return file.empty() ? -1.0 : std::stod(load_state(file.string()).parameters.at("frequency"));
  };
  double expected = 2;
  for (const char* tool : {"1", "2"}) {  // the tools for the load and the frequency
    key(tool);
    ASSERT_EQ(xdotool({"keydown", "ctrl", "click", "--repeat", "3", "--delay", "60", "4", "keyup", "ctrl"}), 0);
    wait_for_frame();
    expected *= std::pow(1.01, 3);
    EXPECT_NEAR(frequency(), expected, 1e-6) << "a hundredth a notch, with tool " << tool;
  }
  ASSERT_EQ(xdotool({"keydown", "ctrl", "click", "5", "keyup", "ctrl"}), 0);
  wait_for_frame();
  EXPECT_NEAR(frequency(), expected / 1.01, 1e-6);
  // Without Ctrl the wheel belongs to the view.
  click(4);
  wait_for_frame();
  EXPECT_NEAR(frequency(), expected / 1.01, 1e-6);
}

}  // namespace
}  // namespace perturb::membrane
