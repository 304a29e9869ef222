// The discs in a real window, kicked with a real pointer.
#include <cmath>

#include "app/io/state/state_file.h"
#include "tests/support/real_window.h"

namespace perturb::particles {
namespace {

class ParticlesWindow : public RealWindow {};

TEST_F(ParticlesWindow, AClickKicksTheDiscsAroundThePointer) {
  start({"particles/gas"});
  const auto before = paused_image();
  ASSERT_TRUE(before);
  const std::filesystem::path first = saved_state();
  ASSERT_FALSE(first.empty());
  const State still = load_state(first.string());
  std::filesystem::remove(first);
  move_to(layout_.view_rect.width * 0.4, layout_.view_rect.height * 0.55);
  click(1);
  const auto after = screenshot();
  ASSERT_TRUE(after);
  // Discs are coloured by speed, and the kick's strength is that of the fastest at its middle.
  const Difference d = difference(*before, *after);
  EXPECT_GT(d.weight, 1) << "a kick is seen";
  EXPECT_LT(d.at(pointer_x_, pointer_y_), 30) << "pixels beside the pointer";

  const std::filesystem::path second = saved_state();
  ASSERT_FALSE(second.empty());
  const State kicked = load_state(second.string());
  const std::size_t n = still.datasets.at("position").shape[0];
  const auto place = still.get<double>("position", {n, 2});
  const auto was = still.get<double>("velocity", {n, 2}), is = kicked.get<double>("velocity", {n, 2});
  EXPECT_TRUE(kicked.datasets.at("position").bytes == still.datasets.at("position").bytes) << "no disc has moved yet";
  // All changes of velocity point away from one place: the weighted middle of the kicked discs.
  double x = 0, y = 0, weight = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double push = std::hypot(is[2 * k] - was[2 * k], is[2 * k + 1] - was[2 * k + 1]);
    x += push * place[2 * k];
    y += push * place[2 * k + 1];
    weight += push;
  }
  ASSERT_GT(weight, 1);
  x /= weight;
  y /= weight;
  int pushed = 0, outwards = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double px = is[2 * k] - was[2 * k], py = is[2 * k + 1] - was[2 * k + 1];
    if (std::hypot(px, py) < 0.2) continue;
    ++pushed;
    if (px * (place[2 * k] - x) + py * (place[2 * k + 1] - y) > 0) ++outwards;
  }
  EXPECT_GT(pushed, 20);
  EXPECT_GT(outwards, 0.9 * pushed);
  quit();
}

TEST_F(ParticlesWindow, ThrowTakesTheDiscUnderThePointerOrNone) {
  start({"particles/break"});
  ASSERT_TRUE(paused_image());
  const auto state = [this] {
    const std::filesystem::path file = saved_state();
    EXPECT_FALSE(file.empty()) << output();
    return file.empty() ? State{} : load_state(file.string());
  };
  const State still = state();
  const std::size_t n = still.datasets.at("position").shape[0];
  const auto place = still.get<double>("position", {n, 2});
  const auto speeds = [n](const State& s) { return s.get<double>("velocity", {n, 2}); };
  const double across = std::stod(still.parameters.at("box")), up = across * std::stod(still.parameters.at("aspect"));
  const Viewport v = layout_.viewport();
  const auto screen = [&](double x, double y) {
    const Camera::Point p = Camera{}.to_pixel(x / across, y / up, v.width, v.height, across, up);
    return Camera::Point{p.x, v.height - p.y};
  };
  // A place as far from all discs as there is one.
  double empty_x = 0, empty_y = 0, room = 0;
  for (int i = 2; i < 48; ++i)
    for (int j = 2; j < 48; ++j) {
      double least = 1e300;
      for (std::size_t k = 0; k < n; ++k)
        least = std::min(least, std::hypot(place[2 * k] - i * across / 50, place[2 * k + 1] - j * up / 50));
      if (least > room) {
        room = least;
        empty_x = i * across / 50;
        empty_y = j * up / 50;
      }
    }
  ASSERT_GT(room, 5 * std::stod(still.parameters.at("radius")));
  key("2");
  const Camera::Point empty = screen(empty_x, empty_y), disc = screen(place[0], place[1]);
  drag(1, empty.x, empty.y, empty.x + 40, empty.y + 40);
  EXPECT_TRUE(speeds(state()) == speeds(still)) << "nothing is there: nothing is thrown";
  move_to(empty.x, empty.y);
  click(3);
  EXPECT_TRUE(speeds(state()) == speeds(still)) << "and nothing is stopped";
  drag(1, disc.x, disc.y, disc.x + 60, disc.y - 30);
  const auto was = speeds(still), is = speeds(state());
  for (std::size_t k = 0; k < n; ++k) {
    const bool changed = is[2 * k] != was[2 * k] || is[2 * k + 1] != was[2 * k + 1];
    EXPECT_EQ(changed, k == 0) << "disc " << k;
  }
  EXPECT_GT(is[0], 0) << "to the right, as the pointer went";
  EXPECT_NEAR(is[1] / is[0], 0.5, 0.1) << "and half as far up";
}

}  // namespace
}  // namespace perturb::particles
