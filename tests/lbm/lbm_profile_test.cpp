// The velocities on the middle lines, compared with theory.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "app/io/files/csv.h"
#include "cuda/core/simulation/uncompared.h"
#include "tests/lbm/lbm_use.h"
#include "tests/support/backends.h"

namespace perturb::lbm {
namespace {

class LbmProfileCurves : public OnEachBackend {
 protected:
  Curve curve(Simulation& flow, const std::string& id) {
    for (Curve& c : flow.diagnostics({}, true).curves)
      if (c.id == id) return c;
    return {};
  }
};
PERTURB_ON_EACH_BACKEND(LbmProfileCurves);

// The largest distance of the points from straight lines between the points of theory.
double off(const Curve& c) {
  double worst = 0;
  for (const CurvePoint& p : c.points) {
    const auto after = std::find_if(c.theory.begin(), c.theory.end(), [&](const CurvePoint& t) { return t.x >= p.x; });
    if (after == c.theory.begin() || after == c.theory.end()) continue;
    const CurvePoint &a = after[-1], &b = *after;
    worst = std::max(worst, std::abs(p.y - (a.y + (b.y - a.y) * (p.x - a.x) / (b.x - a.x))));
  }
  return worst;
}

TEST_P(LbmProfileCurves, BetweenWallsThereIsAParabolaAndAShear) {
  const double viscosity = 0.2, force = 4e-5;
  const auto flow = flow_of(backend(), 6, 33,
                            {{"viscosity", viscosity},
                             {"force_x", force},
                             {"wall_speed", 0.05},
                             {"boundary_bottom", wall},
                             {"boundary_top", moving}},
                            {});
  flow->step(20000);
  const Curve c = curve(*flow, "profile_upright");
  ASSERT_EQ(c.points.size(), 33u);
  ASSERT_GT(c.theory.size(), 10u);
  EXPECT_NEAR(c.theory.front().y, 0, 1e-12);
  EXPECT_NEAR(c.theory.back().y, 0.05, 1e-12);
  EXPECT_LT(off(c), 2e-4);
  EXPECT_NEAR(c.points[16].y, 0.025 + force / (8 * viscosity) * 33 * 33, 1e-4);
}

TEST_P(LbmProfileCurves, PlotsCavityWithTables) {
  const auto cavity = [&](double viscosity) {
    return flow_of(backend(), 48, 48,
                   {{"viscosity", viscosity},
                    {"wall_speed", 0.1},
                    {"boundary_left", wall},
                    {"boundary_right", wall},
                    {"boundary_bottom", wall},
                    {"boundary_top", moving}},
                   {});
  };
  const auto flow = cavity(0.048);  // Re 100
  flow->step(15000);
  for (const char* id : {"profile_upright", "profile_level"}) {
    const Curve c = curve(*flow, id);
    ASSERT_EQ(c.points.size(), 48u) << id;
    ASSERT_GE(c.theory.size(), 14u) << id;
    // Each of Ghia's points separately, since the curve between them is not straight.
    for (const CurvePoint& t : c.theory) {
      if (t.x < 0.5 || t.x > 47.5) continue;
      const auto k = static_cast<std::size_t>(t.x - 0.5);
      const double share = t.x - 0.5 - static_cast<double>(k);
      const double got = c.points[k].y + share * (c.points[std::min<std::size_t>(k + 1, 47)].y - c.points[k].y);
      EXPECT_NEAR(got, t.y, 0.0012) << id << " at " << t.x;
    }
  }
  EXPECT_TRUE(curve(*cavity(0.03), "profile_upright").theory.empty()) << "no table has Re 160";
}

// Far from steady, a deviation says nothing of the method. Every change of the flow restarts the count, also in a
// saved state.
TEST_P(LbmProfileCurves, IsComparedOnceTheFlowIsSteady) {
  const std::map<std::string, double> sides = {
      {"viscosity", 0.2}, {"force_x", 4e-5}, {"boundary_bottom", wall}, {"boundary_top", wall}};
  const auto flow = flow_of(backend(), 6, 24, sides, {});
  const auto compares = [&](Simulation& one) {
    const Curve c = curve(one, "profile_upright");
    EXPECT_FALSE(c.theory.empty());
    if (is_uncompared(c)) return false;
    EXPECT_LT(error_against_theory(c), 0.02);
    return true;
  };
  EXPECT_FALSE(compares(*flow));
  flow->step(200);
  EXPECT_FALSE(compares(*flow));
  flow->step(1600);
  EXPECT_TRUE(compares(*flow));
  flow->set_parameter("arrows", 1);
  EXPECT_TRUE(compares(*flow)) << "what is drawn does not change the flow";
  flow->set_parameter("force_x", 2e-5);
  EXPECT_FALSE(compares(*flow));
  flow->step(200);
  const auto again = flow_of(backend(), 6, 24, sides, {});
  again->set_parameter("force_x", 2e-5);
  again->load(flow->save());
  EXPECT_FALSE(compares(*again));
  again->step(1600);
  flow->step(1600);
  EXPECT_TRUE(compares(*again));
  EXPECT_TRUE(compares(*flow));
}

TEST_P(LbmProfileCurves, HasNoTheoryNextToDrawnWalls) {
  const auto flow = flow_of(backend(), 40, 24, {{"force_x", 1e-5}, {"boundary_bottom", wall}, {"boundary_top", wall}},
                            {action("wall-disc", {{"x", 0.5}, {"y", 0.5}, {"radius", 0.2}})});
  flow->step(5);
  EXPECT_TRUE(curve(*flow, "profile_upright").theory.empty());
  EXPECT_EQ(curve(*flow, "profile_upright").points.size(), 24u);
}

}  // namespace
}  // namespace perturb::lbm
