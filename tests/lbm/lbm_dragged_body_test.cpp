// A dragged body pushes the fluid and conserves its mass.
#include <cmath>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "cuda/lbm/lbm.h"
#include "tests/lbm/lbm_use.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"

namespace perturb::lbm {
namespace {

class LbmDraggedBody : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> make(int width, int height, std::map<std::string, double> parameters,
                                   std::vector<Action> actions) {
    return flow_of(backend(), width, height, std::move(parameters), std::move(actions));
  }
};
PERTURB_ON_EACH_BACKEND(LbmDraggedBody);

double number(Simulation& flow, const std::string& id) { return flow.diagnostics({}, true).number(id); }

// The mass of the fluid, from the populations.
double mass_of(const Simulation& flow) {
  const State s = flow.save();
  const auto w = static_cast<std::size_t>(s.width), h = static_cast<std::size_t>(s.height);
  const auto g = s.get<float>("populations_shifted", {9, h, w});
  const auto wall = s.get<std::uint8_t>("wall", {h, w});
  double mass = 0;
  for (std::size_t k = 0; k < w * h; ++k)
    if (wall[k] == 0) {
      mass += 1;
      for (std::size_t q = 0; q < 9; ++q) mass += static_cast<double>(g[q * w * h + k]);
    }
  return mass;
}

// Drags the body at cell (i, j) by (by_i, by_j) cells.
void drag(Simulation& flow, int& i, int& j, int by_i, int by_j) {
  const double w = flow.domain_width(), h = flow.domain_height();
  flow.apply(action(
      "move-body",
      {{"x0", (i + 0.5) / w}, {"y0", (j + 0.5) / h}, {"x1", (i + by_i + 0.5) / w}, {"y1", (j + by_j + 0.5) / h}}));
  i += by_i;
  j += by_j;
}

constexpr double whole_cells = 0, curved_outlines = 1;

class LbmDraggedOutlines : public LbmDraggedBody {
 protected:
  void mass_stays(double outlines);
  void fluid_loses_what_the_body_feels(double outlines);
  void every_kernel_carries(double outlines);
};
PERTURB_ON_EACH_BACKEND(LbmDraggedOutlines);

void LbmDraggedOutlines::mass_stays(double outlines) {
  constexpr int width = 80, height = 60;
  const auto flow = make(
      width, height, {{"boundary_left", wall}, {"boundary_bottom", wall}, {"outlines", outlines}, {"viscosity", 0.03}},
      {action("wall-disc", {{"x", 0.5}, {"y", 0.5}, {"radius", 0.13}}),
       action("wall-rectangle", {{"x0", 0.8}, {"y0", 0.2}, {"x1", 0.9}, {"y1", 0.5}})});
  int i = width / 2, j = height / 2;
  const double before = mass_of(*flow);
  int moves = 0;
  for (int n = 0; n < 10000; n += 20, ++moves) {
    const int turn = moves % 60;  // around a square
    drag(*flow, i, j,
         turn < 15                 ? 1
         : turn >= 30 && turn < 45 ? -1
                                   : 0,
         turn >= 15 && turn < 30 ? 1
         : turn >= 45            ? -1
                                 : 0);
    flow->step(20);
  }
  EXPECT_NEAR(mass_of(*flow) / before, 1, 1e-6);
  EXPECT_GT(number(*flow, "max_speed"), 0.02) << "the fluid was pushed";
  EXPECT_TRUE(flow->diagnostics({}, true).finite);
}
TEST_P(LbmDraggedOutlines, MassStaysWhileABodyOfWholeCellsIsDragged) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  mass_stays(whole_cells);
}
TEST_P(LbmDraggedOutlines, MassStaysWhileACurvedBodyIsDragged) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  mass_stays(curved_outlines);
}

void LbmDraggedOutlines::fluid_loses_what_the_body_feels(double outlines) {
  const auto flow = make(120, 72, {{"outlines", outlines}, {"viscosity", 0.03}},
                         {action("wall-disc", {{"x", 0.8}, {"y", 0.5}, {"radius", 0.09}})});
  int i = 96, j = 36;
  double impulse = 0;
  for (int n = 0; n < 30; ++n) {
    drag(*flow, i, j, -1, 0);
    for (int k = 0; k < 20; ++k) {
      impulse += number(*flow, "drag");
      flow->step(1);
    }
  }
  EXPECT_GT(impulse, 1);
  EXPECT_NEAR(impulse / -number(*flow, "momentum_x"), 1, 1e-4);
}
TEST_P(LbmDraggedOutlines, ForceOnBodyEqualsFluidMomentumLoss) {
  for (const double outlines : {whole_cells, curved_outlines}) fluid_loses_what_the_body_feels(outlines);
}

TEST_P(LbmDraggedBody, SavedDragResumesBitForBit) {
  const auto begin = [&] {
    return make(64, 48, {{"outlines", curved_outlines}, {"viscosity", 0.03}},
                {action("wall-disc", {{"x", 0.5}, {"y", 0.5}, {"radius", 0.13}})});
  };
  const auto flow = begin(), other = begin();
  int i = 32, j = 24;
  for (int k = 0; k < 3; ++k) {
    drag(*flow, i, j, 1, 0);
    flow->step(10);
  }
  drag(*flow, i, j, 1, 0);
  flow->step(3);
  const State saved = flow->save();
  other->load(saved);
  flow->step(40);
  other->step(40);
  EXPECT_EQ(largest_difference(other->save(), flow->save()), 0);
  drag(*flow, i, j, 0, 1);
  flow->step(5);
  const std::unique_ptr<StateCopy> kept = flow->copy_state();
  flow->step(9);
  const State there = flow->save();
  flow->restore(*kept);
  flow->step(9);
  EXPECT_EQ(largest_difference(flow->save(), there), 0);
}

void LbmDraggedOutlines::every_kernel_carries(double outlines) {
  const auto after = [&](const std::string& kernel) {
    const auto flow = make(64, 48, {{"viscosity", 0.03}, {"boundary_bottom", wall}, {"outlines", outlines}},
                           {action("wall-disc", {{"x", 0.5}, {"y", 0.5}, {"radius", 0.13}})});
    flow->select_kernel(kernel);
    int i = 32, j = 24;
    for (int k = 0; k < 5; ++k) {
      drag(*flow, i, j, 1, k % 2);
      flow->step(9);
    }
    return flow->save();
  };
  const State expected = after("fused");
  for (const KernelVariant& kernel : lbm_simulation().kernels) {
    if (backend().is_cuda() ? !kernel.on_cuda : !kernel.on_cpu) continue;
    EXPECT_LE(largest_difference(after(kernel.id), expected), kernel.stated_error) << kernel.id;
  }
}
TEST_P(LbmDraggedOutlines, EveryKernelCarriesTheWallsVelocity) {
  for (const double outlines : {whole_cells, curved_outlines}) every_kernel_carries(outlines);
}

}  // namespace
}  // namespace perturb::lbm
