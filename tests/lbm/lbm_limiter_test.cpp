// The limiter: whatever obstructs the stream, the flow continues with finite numbers, and a gauge counts the limited
// cells.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/core/backend/check.h"
#include "cuda/lbm/model/cell.h"
#include "tests/lbm/lbm_use.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"

namespace perturb::lbm {
namespace {

constexpr double one_rate = 0, two_rates = 1, eddy_rate = 2;

// A wall across the stream, over this share of the height.
Action wall_across(double share) {
  return action("wall-line", {{"x0", 0.53},
                              {"y0", 0.5 - share / 2},
                              {"x1", 0.53},
                              {"y1", 0.5 + share / 2},
                              {"thickness", share < 1 ? 3. : 6.}});
}

class LbmLimiter : public OnEachBackend {
 protected:
  // A preset with a quarter of its width and height.
  std::unique_ptr<Simulation> small(const std::string& scene, std::map<std::string, double> parameters = {}) {
    perturb::Setup setup = load_scene(scene).setup;
    setup.width /= 4;
    setup.height /= 4;
    for (const auto& [id, value] : parameters) setup.parameters[id] = value;
    return create(backend(), setup);
  }
};
PERTURB_ON_EACH_BACKEND(LbmLimiter);

const char* const presets[] = {"airfoil", "cavity",      "channel", "cylinder",    "porous",
                               "sheet",   "shear-layer", "step",    "taylor-green"};

TEST_P(LbmLimiter, EveryPresetSurvivesAWallThatIsDrawn) {
  SKIP_UNDER_SANITIZERS("long runs of every preset; the next test runs the same kernels");
  for (const char* preset : presets)
    for (const double share : {0.72, 1.2}) {
      SCOPED_TRACE(std::string(preset) + ", " + std::to_string(share));
      const auto flow = small(std::string("lbm/") + preset);
      flow->step(200);
      flow->apply(wall_across(share));
      flow->step(800);
      const Diagnostics d = flow->diagnostics({}, true);
      ASSERT_TRUE(d.finite) << d.error;
      EXPECT_LT(scalar(d, "max_speed"), 0.6);
      EXPECT_NEAR(scalar(d, "mass"), 1, 0.4);
      flow->apply(action("clear-walls"));
      flow->step(300);
      const Diagnostics after = flow->diagnostics({}, true);
      ASSERT_TRUE(after.finite) << after.error;
      EXPECT_NEAR(scalar(after, "mass"), 1, 0.4) << "with the walls rubbed out";
    }
}

TEST_P(LbmLimiter, NoCellIsLimitedWhereNothingDisturbsAPreset) {
  for (const char* preset : presets) {
    const auto flow = small(std::string("lbm/") + preset);
    for (int k = 0; k < 5; ++k) {
      flow->step(60);
      flow->diagnostics({}, true);
      EXPECT_EQ(gauge_of(*flow, "limited").value, 0) << preset << ", step " << flow->steps();
    }
    EXPECT_EQ(gauge_of(*flow, "limited").level(), Gauge::Level::good);
  }
}

TEST_P(LbmLimiter, GaugeCountsTheCellsBehindAWall) {
  const auto flow = small("lbm/cylinder");
  flow->apply(wall_across(0.72));
  flow->step(300);
  flow->diagnostics({}, true);
  const Gauge limited = gauge_of(*flow, "limited");
  EXPECT_GT(limited.value, 0);
  EXPECT_EQ(limited.level(), Gauge::Level::near) << "to be known, and no end of the run";
  EXPECT_NE(limited.remedy.english().find("inlet speed"), std::string::npos);
}

// The worst case for collisions and storage: very low viscosity, the fastest inlet, a dragged body.
TEST_P(LbmLimiter, EveryCollisionSurvivesTheWorstOfItsParameters) {
  for (const double collision : {one_rate, two_rates, eddy_rate})
    for (const double storage : {0., 1.}) {
      SCOPED_TRACE("collision " + std::to_string(collision) + ", storage " + std::to_string(storage));
      const auto flow = small("lbm/cylinder", {{"viscosity", 1e-5}, {"collision", collision}, {"storage", storage}});
      flow->set_parameter("inlet_speed", 0.3);
      flow->step(100);
      flow->apply(wall_across(0.8));
      for (int k = 0; k < 10; ++k) {
        flow->apply(action("move-body", {{"x0", 0.18 + 0.02 * k}, {"y0", 0.51}, {"x1", 0.2 + 0.02 * k}, {"y1", 0.51}}));
        flow->apply(action(
            "push", {{"x0", 0.1}, {"y0", 0.3}, {"x1", 0.9}, {"y1", 0.7}, {"vx", 0.3}, {"vy", -0.3}, {"radius", 5}}));
        flow->step(60);
        const Diagnostics d = flow->diagnostics({}, true);
        ASSERT_TRUE(d.finite) << d.error;
        for (const Gauge& gauge : flow->gauges()) EXPECT_TRUE(std::isfinite(gauge.value)) << gauge.id;
      }
      EXPECT_GT(gauge_of(*flow, "limited").value, 0);
    }
}

TEST_P(LbmLimiter, EveryKernelGivesTheSameBitsWhereItActs) {
  std::vector<std::pair<int, int>> sizes = {{131, 67}, {320, 96}};
  if (backend().is_cuda()) sizes.emplace_back(1800, 900);  // where multi-step passes run as streams
  for (const auto& size : sizes)
    for (const double collision : {two_rates, eddy_rate}) {
      const int width = size.first, height = size.second;
      const auto after = [&](const std::string& kernel) {
        const auto flow = flow_of(backend(), width, height,
                                  {{"boundary_left", inlet},
                                   {"boundary_right", outlet},
                                   {"inlet_speed", 0.3},
                                   {"collision", collision},
                                   {"viscosity", 1e-4},
                                   {"force_y", 1e-5}},
                                  {action("stream", {{"vx", 0.3}}), wall_across(0.8),
                                   action("wall-disc", {{"x", 0.2}, {"y", 0.5}, {"radius", 0.1}})});
        flow->select_kernel(kernel);
        flow->step(151);
        flow->diagnostics({}, true);
        EXPECT_GT(gauge_of(*flow, "limited").value, 0) << "the limiter acts";
        return flow->save();
      };
      const State expected = after("fused");
      for (const KernelVariant& kernel : lbm_simulation().kernels) {
        if (backend().is_cuda() ? !kernel.on_cuda : !kernel.on_cpu) continue;
        if (kernel.stated_error > 0) continue;  // in 16 bits such a flow soon diverges from the others
        EXPECT_EQ(largest_difference(after(kernel.id), expected), 0)
            << kernel.id << ", collision " << collision << ", " << width << " x " << height;
      }
    }
}

// An inlet without an outlet: the pressure rises until no fluid enters, and the fluid comes to rest.
TEST_P(LbmLimiter, InletYieldsWhereNoWayIsLeft) {
  const auto flow = flow_of(backend(), 60, 20, {{"boundary_left", inlet}, {"boundary_right", outlet}},
                            {action("stream", {{"vx", 0.1}}),
                             action("wall-rectangle", {{"x0", 0.5}, {"y0", -0.1}, {"x1", 0.6}, {"y1", 1.1}})});
  flow->step(8000);
  const Diagnostics d = flow->diagnostics({}, true);
  ASSERT_TRUE(d.finite) << d.error;
  EXPECT_LT(scalar(d, "max_speed"), 0.01);
  EXPECT_LT(scalar(d, "mass"), 1.3);
  EXPECT_EQ(gauge_of(*flow, "limited").value, 0);
}

TEST_P(LbmLimiter, GaugesHaveNumbersAtTheLowestViscosity) {
  const auto flow = small("lbm/cylinder", {{"viscosity", 1e-5}, {"inlet_speed", 0.3}});
  flow->step(400);
  flow->diagnostics({}, true);
  const Gauge inlet_gauge = gauge_of(*flow, "inlet");
  EXPECT_TRUE(std::isfinite(inlet_gauge.value));
  EXPECT_GT(inlet_gauge.limit, 0) << "a limit of 0 gives no level";
  EXPECT_EQ(inlet_gauge.level(), Gauge::Level::exceeded);
}

// ---- one cell

struct Totals {
  double mass = 0, x = 0, y = 0;
};
Totals totals(const float (&g)[lbm_links]) {
  Totals t;
  for (int q = 0; q < lbm_links; ++q) {
    t.mass += static_cast<double>(g[q]);
    t.x += lbm_ex(q) * static_cast<double>(g[q]);
    t.y += lbm_ey(q) * static_cast<double>(g[q]);
  }
  return t;
}

TEST(LbmLimit, KeepsMassAndMomentumOfWhatIsNotCut) {
  float g[lbm_links], rest[lbm_links];
  const Moments m{0.1f, 0.3f, -0.25f};  // speed 0.39
  for (int q = 0; q < lbm_links; ++q) g[q] = rest[q] = lbm_equilibrium(q, m);
  // A stress.
  g[1] += 0.02f;
  g[3] += 0.02f;
  g[2] -= 0.02f;
  g[4] -= 0.02f;
  ASSERT_TRUE(lbm_exceeds(lbm_load(m)));
  const Totals before = totals(g);
  lbm_limit(g);
  const Totals after = totals(g);
  EXPECT_NEAR(after.mass, before.mass, 1e-6);
  EXPECT_NEAR(after.x, before.x, 1e-6);
  EXPECT_NEAR(after.y, before.y, 1e-6);
  const double left = static_cast<double>((g[1] - rest[1]) / 0.02f);
  EXPECT_GT(left, 0);
  EXPECT_LT(left, 1) << "a share of the stress is left";
}

TEST(LbmLimit, LeavesNumbersThatAnEquilibriumCarriesWhateverComes) {
  const float infinite = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
  for (const float worst : {1.f, -1.f, 5.f, -30.f, 1e20f, -1e38f, infinite, -infinite, none})
    for (int at = 0; at < lbm_links; ++at) {
      float g[lbm_links] = {};
      g[at] = worst;
      Rates rates;
      rates.relaxation = lbm_relaxation(1.9f, 1.2f);
      lbm_collide<lbm_plain>(g, rates);
      for (int q = 0; q < lbm_links; ++q) {
        ASSERT_TRUE(std::isfinite(g[q])) << worst << ", " << at << ", " << q;
        ASSERT_LT(std::abs(g[q]), 3.f) << worst << ", " << at << ", " << q;
      }
      EXPECT_GT(1.f + lbm_density(g), 0.1f);
    }
}

TEST(LbmLimit, IsNotThereUpToTheBearableLoad) {
  const Moments m{0.02f, 0.25f, 0.1f};
  ASSERT_FALSE(lbm_exceeds(lbm_load(m)));
  Rates rates;
  rates.relaxation = lbm_relaxation(1.9f, 1.2f);
  float g[lbm_links], free[lbm_links];
  for (int q = 0; q < lbm_links; ++q) g[q] = free[q] = lbm_equilibrium(q, m) + 0.001f * static_cast<float>(q - 4);
  lbm_collide<lbm_plain>(g, rates);
  lbm_collide_freely<lbm_plain>(free, rates);
  for (int q = 0; q < lbm_links; ++q) EXPECT_EQ(g[q], free[q]);
}

}  // namespace
}  // namespace perturb::lbm
