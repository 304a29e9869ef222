// Mouse actions on fibers, and how fibers are shown.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/field.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/model/core.h"
#include "cuda/fibers/parameters.h"
#include "tests/support/backends.h"
#include "tests/support/setup_of.h"

namespace perturb::fibers {
namespace {

class FiberGestures : public OnEachBackend {
 protected:
  static constexpr int width = 240, height = 120;
  std::unique_ptr<Simulation> make(int count, std::map<std::string, double> parameters = {}) {
    return fibers_simulation().create(backend(), setup_of("fibers", count, 0, std::move(parameters)));
  }
  std::vector<std::uint32_t> picture(Simulation& run, const Camera& camera = {}, double fastest = 8) {
    const ColorTable table(backend(), find_colormap("viridis"));
    ViewSettings view;
    view.quantity = "speed";
    view.minimum = 0;
    view.maximum = fastest;
    Field<std::uint32_t> pixels(backend(), width, height, "picture");
    run.paint(pixels.view(), camera, view, table);
    return pixels.download();
  }
  static std::size_t differing(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < a.size(); ++k) count += a[k] != b[k];
    return count;
  }
  static Gesture gesture(const char* tool, Gesture::Phase phase, double x, double y, double start_x, double start_y) {
    Gesture g;
    g.tool = tool;
    g.phase = phase;
    g.x = g.previous_x = x;
    g.y = g.previous_y = y;
    g.start_x = start_x;
    g.start_y = start_y;
    return g;
  }
  static void perform(Simulation& run, const Gesture& g) {
    for (const Action& action : run.interpret(g)) run.apply(action);
  }
};
PERTURB_ON_EACH_BACKEND(FiberGestures);

TEST_P(FiberGestures, AChosenFiberPointsToThePointer) {
  const auto run = make(1, {{"start", static_cast<double>(Start::lone)}, {"tilt", 0}, {"follow", 1}});
  picture(*run);
  // The fiber stands upright in the middle of the side view, the left half of the picture.
  perform(*run, gesture("turn", Gesture::Phase::press, 0.25, 0.6, 0.25, 0.6));
  perform(*run, gesture("turn", Gesture::Phase::move, 0.45, 0.5, 0.25, 0.6));
  std::vector<double> t = run->save().get<double>("tangent", {1, 3});
  EXPECT_NEAR(std::abs(t[0]), 1, 1e-9) << "to the right";
  EXPECT_NEAR(t[2], 0, 1e-9);
  // In the view from above it turns about the vertical.
  perform(*run, gesture("turn", Gesture::Phase::press, 0.75, 0.5, 0.75, 0.5));
  perform(*run, gesture("turn", Gesture::Phase::move, 0.75, 0.9, 0.75, 0.5));
  t = run->save().get<double>("tangent", {1, 3});
  EXPECT_NEAR(std::abs(t[1]), 1, 1e-9) << "away from the eye of the side view";
  // A press that hits no fiber chooses none, and then nothing turns.
  perform(*run, gesture("turn", Gesture::Phase::press, 0.05, 0.95, 0.05, 0.95));
  perform(*run, gesture("turn", Gesture::Phase::move, 0.2, 0.9, 0.05, 0.95));
  EXPECT_EQ(run->save().get<double>("tangent", {1, 3}), t);
}

TEST_P(FiberGestures, DropsAndBurstsLandWhereThePointerIs) {
  const auto run = make(4);
  picture(*run);
  Gesture g =
      gesture("drop", Gesture::Phase::press, 0.75, 0.8, 0.75, 0.8);  // from above: ahead, in the middle's height
  const std::vector<Action> drop = run->interpret(g);
  ASSERT_EQ(drop.size(), 1u);
  EXPECT_EQ(drop[0].kind, "fiber");
  perform(*run, g);
  EXPECT_EQ(run->save().width, 5);
  const std::vector<double> x = run->save().get<double>("position", {5, 3});
  EXPECT_NEAR(x[12], drop[0].get("x"), 1e-12);
  EXPECT_NEAR(x[13], drop[0].get("y"), 1e-12);
  EXPECT_NEAR(x[14], drop[0].get("z"), 1e-12);
  g.button = Gesture::Button::right;
  g.brush = {{"count", 6}, {"radius", 2}};
  perform(*run, g);
  EXPECT_EQ(run->save().width, 11);
  g.shift = true;
  perform(*run, g);
  EXPECT_EQ(run->save().width, 90) << "fifteen bursts make a cloud";
}

TEST_P(FiberGestures, TheCameraTurnsTheViews) {
  const auto run = make(60);
  const std::vector<std::uint32_t> straight = picture(*run);
  Camera camera;
  camera.yaw = 0.8;
  camera.pitch = 0.4;
  const std::vector<std::uint32_t> turned = picture(*run, camera);
  EXPECT_GT(differing(straight, turned), straight.size() / 50);
  EXPECT_EQ(differing(straight, picture(*run)), 0u) << "and back";
  EXPECT_TRUE(fibers_simulation().orbits);
  // A quarter turn about the vertical shows the other side of a fiber that lies along x: its end.
  const auto lone = make(1, {{"start", static_cast<double>(Start::lone)}, {"tilt", 90}, {"views", 1}});
  const auto lit = [&](const Camera& of) {
    std::size_t count = 0;
    for (const std::uint32_t pixel : picture(*lone, of, 0.7)) count += (pixel & 0xffu) + ((pixel >> 8) & 0xffu) > 160;
    return count;
  };
  camera.yaw = 0;
  camera.pitch = 0;
  const std::size_t along = lit(camera);
  camera.yaw = M_PI / 2;
  EXPECT_LT(4 * lit(camera), along);
}

TEST_P(FiberGestures, ThePresetsPitchAndTheMousesStopAtThePole) {
  const auto level = make(60), raised = make(60, {{"pitch", 60}});
  Camera camera;
  camera.pitch = 30 * radians_per_degree;
  EXPECT_GT(differing(picture(*level, camera), picture(*raised, camera)), 0u);
  camera.pitch = 90 * radians_per_degree;
  const std::vector<std::uint32_t> above = picture(*level, camera);
  EXPECT_EQ(differing(above, picture(*raised, camera)), 0u)
      << "the elevation is limited: 150 degrees would be upside down";
}

TEST_P(FiberGestures, TrailsShowWhereFibersWere) {
  const auto plain = make(25, {{"time_step", 0.3}}), traced = make(25, {{"time_step", 0.3}, {"trail", 12}});
  EXPECT_EQ(differing(picture(*plain), picture(*traced)), 0u) << "nothing has moved yet";
  plain->step(15);
  traced->step(15);
  EXPECT_EQ(largest_difference(plain->save(), traced->save()), 0) << "looking changes nothing";
  const std::vector<std::uint32_t> without = picture(*plain), with = picture(*traced);
  EXPECT_GT(differing(without, with), 100u);
  // Switched off they are cleared; switched on they restart; other fibers have none.
  traced->set_parameter("trail", 0);
  EXPECT_EQ(differing(without, picture(*traced)), 0u);
  traced->set_parameter("trail", 150);
  traced->step(3);
  traced->apply({"new-cloud", {{"count", 7}}, "", nullptr});
  picture(*traced);
  traced->step(200);
  picture(*traced);
  EXPECT_TRUE(traced->diagnostics({}, true).finite);
  const auto box = make(
      20,
      {{"trail", 8}, {"box", 6}, {"start", static_cast<double>(Start::box)}, {"min_distance", 0}, {"time_step", 0.5}});
  box->step(20);
  picture(*box);
}

TEST_P(FiberGestures, CurvesCountEveryFiber) {
  const auto run = make(80, {{"radius", 4}});
  const Diagnostics d = run->diagnostics({}, true);
  ASSERT_EQ(d.curves.size(), 3u);
  EXPECT_TRUE(make(fewest_core_fibers - 1, {{"radius", 4}})->diagnostics({}, true).curves.empty());
  double fall = 0, upright = 0, inside = 0;
  for (const CurvePoint& p : d.curve("fall_speeds")->points) fall += p.y;
  for (const CurvePoint& p : d.curve("upright")->points)
    upright += p.y / static_cast<double>(d.curve("upright")->points.size());
  EXPECT_NEAR(fall, 1, 1e-12);
  EXPECT_NEAR(upright, 1, 1e-12);
  const std::vector<CurvePoint>& shells = d.curve("radial")->points;
  const double half = shells.front().x;
  for (const CurvePoint& p : shells)
    inside += p.y * 4.0 / 3.0 * M_PI * (std::pow(p.x + half, 3) - std::pow(p.x - half, 3));
  EXPECT_NEAR(inside, 80, 1e-9) << "a ball lies within twice its own radius";
  // Its density is that of the uniform ball, where there are enough fibers to measure it.
  EXPECT_NEAR(d.curve("radial")->theory.front().y, 80 / (4.0 / 3.0 * M_PI * 64), 0.25 * 80 / (4.0 / 3.0 * M_PI * 64));
}

}  // namespace
}  // namespace perturb::fibers
