// Tests of walls that would leave no water.
#include <memory>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "tests/support/backends.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

class WaveFull : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(WaveFull);

Action of_picture(float left, float right) {
  Action action = act("wall-image");
  action.image = std::make_shared<const GreyImage>(GreyImage{2, 1, {left, right}});
  return action;
}

TEST_P(WaveFull, RejectsWallsThatCoverAllWater) {
  const auto t = wave_tank(backend(), 32, 24);
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
  const State before = t->save();
  const Action walls[] = {of_picture(0, 0), act("wall-rectangle", {{"x0", 0}, {"y0", 0}, {"x1", 1}, {"y1", 1}}),
                          act("wall-ellipse", {{"x", 0.5}, {"y", 0.5}, {"radius_x", 9}, {"radius_y", 9}}),
                          act("wall-line", {{"x0", 0}, {"y0", 0}, {"x1", 1}, {"y1", 1}, {"thickness", 900}})};
  for (const Action& wall : walls) {
    const std::string why = error_thrown_by([&] { t->apply(wall); });
    EXPECT_TRUE(says(why, "no water")) << wall.kind << ": " << why;
    EXPECT_TRUE(same_bits(t->save(), before)) << wall.kind;
  }
  // First one half of the tank, then the other half.
  t->apply(of_picture(0, 1));
  EXPECT_TRUE(says(error_thrown_by([&] {
                     t->apply(act("wall-rectangle", {{"x0", 0.3}, {"y0", 0}, {"x1", 1}, {"y1", 1}}));
                   }),
                   "no water"));
  EXPECT_TRUE(says(error_thrown_by([&] { t->apply(of_picture(1, 0)); }), "no water"));
  t->apply(act("wall-rectangle", {{"x0", 0.3}, {"y0", 0}, {"x1", 0.9}, {"y1", 1}}));
  t->apply(act("clear-walls"));
}

}  // namespace
}  // namespace perturb::wave
