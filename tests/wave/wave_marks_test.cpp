// Theory drawn into the tank: fringes, rays, wavelengths and nodal lines are where theory has them.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/wave/measure/marks.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

class WaveMarks : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(WaveMarks);

std::vector<TheoryMark> labelled(const Diagnostics& d, const std::string& begin) {
  std::vector<TheoryMark> found;
  for (const TheoryMark& mark : d.marks)
    if (mark.label.english().starts_with(begin)) found.push_back(mark);
  return found;
}

std::vector<Aperture> apertures_at(const std::vector<double>& middles, double turn = 0) {
  std::vector<Aperture> all;
  for (const double middle : middles)
    all.push_back({middle, 20, {std::polar(1.0, turn * static_cast<double>(all.size()))}});
  return all;
}

TEST(WaveFringeOrder, IsThePathDifferenceInWavelengths) {
  const std::vector<Aperture> two = apertures_at({68, 132});
  for (const int order : {-2, -1, 0, 1, 2}) {
    // The hyperbola of points whose distances from the slits differ by order wavelengths, at the distance 185.
    const double half = 32, a = 0.5 * order * 20, b2 = half * half - a * a;
    const double y = a * std::sqrt(1 + 185.0 * 185.0 / b2);
    EXPECT_EQ(fringe_order(two, 185, 20, 100 + y), order) << order;
  }
  EXPECT_FALSE(fringe_order(two, 185, 20, 100 + 31)) << "between two fringes";
  EXPECT_FALSE(fringe_order(apertures_at({100}), 185, 20, 100)) << "a single slit has no orders";
  EXPECT_FALSE(fringe_order(apertures_at({68, 132}, 1), 185, 20, 100)) << "the slits do not oscillate together";
}

TEST_P(WaveMarks, FringesAreTheMaximaOfTheory) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; other tests read the screen");
  const auto scene = load_scene("wave/double-slit");
  const auto tank = wave_simulation().create(backend(), scene.setup);
  tank->step(3600);
  const Diagnostics d = tank->diagnostics(scene.view, true);
  ASSERT_EQ(d.curves.front().id, "screen");
  const std::vector<CurvePoint>& theory = d.curves.front().theory;
  for (const std::string label : {"n = 0", "n = 1", "n = 2"}) {
    const std::vector<TheoryMark> marks = labelled(d, label);
    ASSERT_EQ(marks.size(), label == "n = 0" ? 1u : 2u) << label;
    for (const TheoryMark& mark : marks) {
      EXPECT_FALSE(mark.measured);
      EXPECT_NEAR(mark.points.front().x, (422 + 0.5) / 768, 1e-9) << "at the screen";
      const double y = mark.points.front().y * 512;
      const auto top = std::max_element(theory.begin(), theory.end(), [&](const CurvePoint& a, const CurvePoint& b) {
        return (std::abs(a.x - y) < 15 ? a.y : 0) < (std::abs(b.x - y) < 15 ? b.y : 0);
      });
      EXPECT_NEAR(y, top->x, 1) << label;
    }
  }
  const std::vector<TheoryMark> first = labelled(d, "n = 1");
  const double apart = std::abs(first[0].points[0].y - first[1].points[0].y) * 512;
  EXPECT_NEAR(0.5 * apart, scalar(d, "first_fringe_theory"), 1e-6);
  EXPECT_EQ(std::count_if(d.marks.begin(), d.marks.end(), [](const TheoryMark& m) { return m.measured; }), 5);
}

TEST_P(WaveMarks, SingleSlitHasItsFirstDarkPlaces) {
  SKIP_UNDER_SANITIZERS("a comparison with theory");
  const auto scene = load_scene("wave/single-slit-lighter-1");
  const auto tank = wave_simulation().create(backend(), scene.setup);
  tank->step(2000);
  const Diagnostics d = tank->diagnostics(scene.view, true);
  const double theory = scalar(d, "first_dark_theory");
  const std::vector<TheoryMark> dark = labelled(d, "dark");
  ASSERT_EQ(dark.size(), 2u);
  // The screen is 512 length units high.
  EXPECT_NEAR(std::abs(dark[0].points.back().y - dark[1].points.back().y) * 512, 2 * theory, 1e-6);
  EXPECT_TRUE(labelled(d, "n = ").empty());
}

TEST(WaveRayCrossing, HasTheAnglesOfSnellsLaw) {
  const int width = 400, height = 400;
  for (const double factor : {0.7, 1.25})
    for (const double degrees : {10., 30., 45.}) {
      std::vector<float> map(static_cast<std::size_t>(width) * height, 1.f);
      for (int j = 0; j < height; ++j)
        for (int i = width / 2; i < width; ++i)
          map[static_cast<std::size_t>(j) * width + i] = static_cast<float>(factor);
      const double angle = degrees * std::numbers::pi / 180;
      const auto ray =
          wave_ray({map, width, height, 12}, 100, 30, std::cos(angle), std::sin(angle), 12, {0, 400, 0, 400});
      ASSERT_TRUE(ray);
      ASSERT_EQ(ray->crossings.size(), 1u);
      const RayCrossing& c = ray->crossings.front();
      EXPECT_NEAR(c.x, 200, 1);
      EXPECT_NEAR(c.normal_x, 1, 1e-9);
      EXPECT_NEAR(degrees_from_normal(c.in_x, c.in_y, c), degrees, 0.05);
      // At both ends of the smoothed edge n² still changes, by less than the threshold of its slope.
      const double expected = std::asin(factor * std::sin(angle)) * 180 / std::numbers::pi;
      EXPECT_NEAR(degrees_from_normal(c.out_x, c.out_y, c), expected, 0.1) << factor << " " << degrees;
      EXPECT_NEAR(ray->path.front().x, 100, 1e-9);
    }
}

TEST_P(WaveMarks, FocusIsWhereTheReadingHasIt) {
  SKIP_UNDER_SANITIZERS("a comparison with theory");
  const auto scene = load_scene("wave/lens");
  const auto tank = wave_simulation().create(backend(), scene.setup);
  tank->step(8);
  const Diagnostics d = tank->diagnostics(scene.view, true);
  const std::vector<TheoryMark> focus = labelled(d, "Focus");
  ASSERT_EQ(focus.size(), 1u);
  // From the middle of the lens, whose axis is the middle of the tank.
  EXPECT_NEAR(focus[0].points[0].x * 1024 - 0.25 * 1024, scalar(d, "focus_theory"), 2);
  EXPECT_NEAR(focus[0].points[0].y, 0.5, 0.002);
}

TEST_P(WaveMarks, WavelengthIsSpeedOverFrequency) {
  const auto tank = wave_tank(backend(), 200, 100, {{"wave_speed", 1}, {"time_step", 0.5}});
  tank->apply(act("oscillator", {{"x", 0.2}, {"y", 0.5}, {"frequency", 0.05}, {"amplitude", 0.1}}));
  const std::vector<TheoryMark> bar = labelled(tank->diagnostics({}, true), "λ = 20 length");
  ASSERT_EQ(bar.size(), 1u);
  EXPECT_NEAR((bar[0].points[3].x - bar[0].points[2].x) * 200, 20, 1e-9);
}

TEST_P(WaveMarks, MovingSourceHasTheDopplerWavelengths) {
  const auto tank = wave_tank(backend(), 400, 100, {{"wave_speed", 1}, {"time_step", 0.5}});
  tank->apply(act("oscillator", {{"x", 0.4}, {"y", 0.5}, {"frequency", 0.05}, {"amplitude", 0.1}, {"vx", 0.4}}));
  const Diagnostics d = tank->diagnostics({}, true);
  const std::vector<TheoryMark> ahead = labelled(d, "(c - v)/f = 12 length"),
                                behind = labelled(d, "(c + v)/f = 28 length");
  ASSERT_EQ(ahead.size(), 1u);
  ASSERT_EQ(behind.size(), 1u);
  EXPECT_NEAR((ahead[0].points[3].x - ahead[0].points[2].x) * 400, 12, 1e-9);
  EXPECT_NEAR((behind[0].points[3].x - behind[0].points[2].x) * 400, -28, 1e-9) << "to the left of the source";
}

TEST(WaveNodalLines, AreTheZerosOfTheSumOfModes) {
  const Parameters fixed;
  const double pi = std::numbers::pi;
  const auto lines = nodal_lines_of({{3, 2, 0.6}, {2, 3, 0.4}}, fixed, 384, 384);
  ASSERT_FALSE(lines.empty());
  for (const auto& line : lines)
    for (const CurvePoint& p : line) {
      if (std::min({p.x, p.y, 1 - p.x, 1 - p.y}) < 0.02) continue;  // zero there anyway
      EXPECT_NEAR(
          0.6 * std::sin(3 * pi * p.x) * std::sin(2 * pi * p.y) + 0.4 * std::sin(2 * pi * p.x) * std::sin(3 * pi * p.y),
          0, 0.01);
    }
  EXPECT_EQ(nodal_lines_of({{3, 1, 0.6}}, fixed, 384, 384).size(), 2u);
  EXPECT_TRUE(nodal_lines_of({{3, 2, 0.6}, {1, 1, 0.4}}, fixed, 384, 384).empty()) << "of two frequencies";
}

// Nodal lines belong to modes alone: a droplet ends them, calm water and another mode bring them back.
TEST_P(WaveMarks, NodalLinesAreThoseOfAnUndisturbedTank) {
  const auto tank = wave_tank(backend(), 96, 96, {{"time_step", 0.5}, {"damping", 0}});
  const auto mode = act("mode", {{"m", 3}, {"n", 1}, {"amplitude", 0.5}});
  const auto count = [&] { return tank->diagnostics({}, true).marks.size(); };
  tank->apply(mode);
  EXPECT_EQ(count(), 2u);
  const auto copy = tank->copy_state();
  tank->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
  EXPECT_EQ(count(), 0u);
  tank->apply(mode);
  EXPECT_EQ(count(), 0u) << "the droplet's waves are still there";
  tank->apply(act("calm"));
  tank->apply(mode);
  EXPECT_EQ(count(), 2u);
  tank->apply(act("calm"));
  tank->restore(*copy);
  EXPECT_EQ(count(), 2u) << "undo";
}

}  // namespace
}  // namespace perturb::wave
