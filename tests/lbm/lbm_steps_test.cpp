// Every method for several steps is bit-identical to the same number of single steps, for any size, sides and walls.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/lbm/lbm.h"
#include "tests/lbm/lbm_use.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/setup_of.h"

namespace perturb::lbm {
namespace {

struct Case {
  std::string name;
  std::map<std::string, double> parameters;
  bool walls;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"periodic", {}, false},
      {"obstacle", {{"force_x", 1e-5}}, true},
      {"box", {{"boundary_left", wall}, {"boundary_bottom", wall}, {"boundary_top", moving}}, false},
      {"channel", {{"boundary_left", inlet}, {"boundary_right", outlet}, {"boundary_bottom", wall}}, true},
      {"parabola",
       {{"boundary_bottom", inlet}, {"boundary_top", outlet}, {"boundary_left", wall}, {"inlet_profile", 1}},
       true},
      {"half periodic", {{"boundary_bottom", wall}, {"boundary_top", moving}, {"force_x", 1e-5}}, true},
      {"eddies", {{"boundary_left", inlet}, {"collision", 2}, {"viscosity", 1e-4}}, true},
  };
  return all;
}

class LbmSteps : public OnEachBackend {
 protected:
  State after(const Case& c, int width, int height, const std::string& kernel, const std::vector<int>& steps) {
    perturb::Setup setup = setup_of("lbm", width, height, c.parameters);
    setup.actions.push_back({"taylor-green", {{"speed", 0.05}, {"m", 2}, {"n", 1}}, "", nullptr});
    if (c.walls) {
      setup.actions.push_back({"wall-disc", {{"x", 0.4}, {"y", 0.45}, {"radius", 0.17}}, "", nullptr});
      // Over a corner and along a side, where walls touch sides.
      setup.actions.push_back({"wall-disc", {{"x", 0}, {"y", 1}, {"radius", 0.2}}, "", nullptr});
      setup.actions.push_back(
          {"wall-line", {{"x0", 0.6}, {"y0", 0}, {"x1", 0.7}, {"y1", 0.3}, {"thickness", 1}}, "", nullptr});
    }
    const auto flow = create(backend(), setup);
    flow->select_kernel(kernel);
    for (const int n : steps) flow->step(n);
    return flow->save();
  }
  void compare(int width, int height, const std::vector<int>& steps) {
    int sum = 0;
    for (const int n : steps) sum += n;
    for (const Case& c : cases()) {
      const State expected = after(c, width, height, "fused", std::vector<int>(static_cast<std::size_t>(sum), 1));
      for (const char* kernel : {"temporal", "in-place", "auto"})
        EXPECT_EQ(largest_difference(after(c, width, height, kernel, steps), expected), 0)
            << c.name << ", " << kernel << ", " << width << " x " << height;
    }
  }
};
PERTURB_ON_EACH_BACKEND(LbmSteps);

TEST_P(LbmSteps, SmallGrids) {
  compare(2, 2, {7});
  compare(3, 17, {6, 1, 4});
  compare(37, 5, {8, 3});
}
TEST_P(LbmSteps, OddAndEvenGrids) {
  compare(65, 43, {13});
  compare(130, 96, {12, 2});
}
// Wide enough for streams on CUDA and, on the CPU, for rows that leave the cache early.
TEST_P(LbmSteps, LargeGrids) {
  SKIP_AT_SMALL_REACH("the largest of several sizes");
  if (backend().is_cuda()) {
    compare(1801, 1411, {6, 7, 12});
    compare(2048, 1280, {18});
  } else {
    compare(2100, 40, {6, 5});
  }
}

}  // namespace
}  // namespace perturb::lbm
