// Stability of flows and its prediction: outlets that let waves leave, the speed at which ripples grow, and stable
// presets.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/measure/stability.h"
#include "tests/lbm/lbm_use.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"
#include "tests/support/setup_of.h"

namespace perturb::lbm {
namespace {

constexpr double collision_bgk = 0, collision_trt = 1;

class LbmStability : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> flow(int width, int height, std::map<std::string, double> parameters) {
    return lbm_simulation().create(backend(), setup_of("lbm", width, height, std::move(parameters)));
  }
  // Runs an unchanged preset for this number of steps and checks every gauge on the way.
  void expect_calm(const std::string& scene, int steps) {
    const auto preset = lbm_simulation().create(backend(), load_scene(scene).setup);
    for (int n = 0; n <= steps; n += 100) {
      const Diagnostics d = preset->diagnostics({}, true);
      ASSERT_TRUE(d.finite) << scene << ": " << d.error;
      for (const Gauge& gauge : preset->gauges())
        ASSERT_LE(gauge.value, gauge.limit) << scene << ", step " << n << ": " << gauge.label;
      preset->step(100);
    }
  }
};
PERTURB_ON_EACH_BACKEND(LbmStability);

double density_change(const Simulation& flow) {
  const State state = flow.save();
  const auto density =
      state.get<float>("density", {static_cast<std::size_t>(state.height), static_cast<std::size_t>(state.width)});
  double most = 0;
  for (const float value : density) most = std::max(most, std::abs(static_cast<double>(value) - 1));
  return most;
}

// Sets the fluid to the equilibrium of the density and velocity that `f` gives for each cell.
template <class F>
void set_equilibrium(Simulation& flow, const F& f) {
  State state = flow.save();
  const auto w = static_cast<std::size_t>(state.width), h = static_cast<std::size_t>(state.height);
  std::vector<float> populations(9 * w * h);
  constexpr int ex[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  for (int q = 0; q < 9; ++q) {
    const double weight = q == 0 ? 4. / 9 : q < 5 ? 1. / 9 : 1. / 36;
    for (std::size_t j = 0; j < h; ++j)
      for (std::size_t i = 0; i < w; ++i) {
        const auto [rho, ux, uy] = f(static_cast<int>(i), static_cast<int>(j));
        const double eu = ex[q] * ux + ey[q] * uy;
        populations[(static_cast<std::size_t>(q) * h + j) * w + i] =
            static_cast<float>(weight * rho * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * (ux * ux + uy * uy)));
      }
  }
  state.datasets.erase("populations_shifted");
  state.put("populations", {9, h, w}, "", populations);
  flow.load(state);
}

struct CellState {
  double rho, ux, uy;
};

TEST_P(LbmStability, StepRuns) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  expect_calm("lbm/step", 3000);
}
TEST_P(LbmStability, ShearLayerRollsUp) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  expect_calm("lbm/shear-layer", 6000);
}

TEST_P(LbmStability, PressureLeavesThroughAnOutlet) {
  const auto channel =
      flow(400, 4,
           {{"boundary_left", outlet}, {"boundary_right", outlet}, {"viscosity", 0.01}, {"collision", collision_trt}});
  set_equilibrium(*channel, [](int i, int) {
    const double x = (i - 199.5) / 12;
    return CellState{1 + 0.01 * std::exp(-x * x), 0, 0};
  });
  EXPECT_NEAR(density_change(*channel), 0.01, 1e-4);
  channel->step(300);  // 173 cells: two half pulses under way
  const double before = density_change(*channel);
  EXPECT_NEAR(before, 0.005, 5e-4);
  channel->step(200);  // both have arrived, and the reflections have not met
  EXPECT_NEAR(density_change(*channel) / before, (std::sqrt(3.) - 1) / (std::sqrt(3.) + 1), 0.02);
}

TEST_P(LbmStability, MeanPressureComesBackToOne) {
  const auto channel = flow(100, 4, {{"boundary_left", outlet}, {"boundary_right", outlet}, {"viscosity", 0.02}});
  set_equilibrium(*channel, [](int, int) { return CellState{1.02, 0, 0}; });
  channel->step(20000);
  EXPECT_LT(density_change(*channel), 1e-4);
}

// A narrow step whose vortices leave through the outlet one after the other: each lowers the pressure, which then
// recovers.
TEST_P(LbmStability, VorticesThatLeaveDoNotLowerTheMeanPressure) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  perturb::Setup setup = load_scene("lbm/step").setup;
  setup.width = 256;
  setup.height = 48;
  setup.parameters["viscosity"] = 0.003;
  setup.parameters["collision"] = collision_bgk;
  const auto step = lbm_simulation().create(backend(), setup);
  step->step(8000);  // until they arrive
  double sum = 0;
  int count = 0;
  for (; step->steps() < 20000; step->step(500)) {
    const Diagnostics d = step->diagnostics({}, true);
    ASSERT_TRUE(d.finite) << d.error;
    for (const Scalar& s : d.scalars)
      if (s.id == "mass") {
        sum += s.value;
        ++count;
      }
  }
  EXPECT_NEAR(sum / count, 1, 0.07);
}

// A stream near its inlet: ripples grow above and decay below the speed that the analysis gives.
TEST_P(LbmStability, RipplesGrowAtAnInletAsTheAnalysisSays) {
  SKIP_UNDER_SANITIZERS("digits of solutions; smaller tests run the same kernels");
  const double viscosity = 0.012, magic = 3. / 16, tau = 3 * viscosity + 0.5;
  const double limit = stable_inlet(1 / tau, 1 / (magic / (tau - 0.5) + 0.5), 0.3);
  ASSERT_LT(limit, 0.5 * lbm_stable_speed(1 / tau, 1 / (magic / (tau - 0.5) + 0.5), 0.3) + 0.02)
      << "a stream alone bears more";
  const auto ripple = [&](double speed) {
    const auto stream = flow(48, 32,
                             {{"boundary_left", 3},
                              {"boundary_right", outlet},
                              {"inlet_speed", speed},
                              {"viscosity", viscosity},
                              {"collision", collision_trt}});
    set_equilibrium(*stream, [&](int i, int j) {
      const double noise = std::sin(12.9898 * i + 78.233 * j) * 43758.5453;
      return CellState{1, speed, 1e-4 * (noise - std::floor(noise) - 0.5)};
    });
    stream->step(3000);
    const State state = stream->save();
    double most = 0;
    for (const float u : state.get<float>("velocity", {32, 48, 2}))
      most = std::isfinite(u) ? std::max(most, std::abs(static_cast<double>(u))) : 1e9;
    return most - speed;
  };
  EXPECT_LT(ripple(0.9 * limit), 1e-4);
  EXPECT_GT(ripple(1.15 * limit), 1e-2);
}

// In a box of 16 cells, the waves are those of the analysis: ripples on a stream grow at the predicted rate.
TEST_P(LbmStability, RipplesGrowAsTheAnalysisSays) {
  const double viscosity = 0.002, speed = 0.15, angle = std::numbers::pi / 8, magic = 3. / 16;
  const auto box = flow(16, 16, {{"viscosity", viscosity}, {"collision", collision_trt}, {"magic", magic}});
  const double ux = speed * std::cos(angle), uy = speed * std::sin(angle);
  set_equilibrium(*box, [&](int i, int j) {
    // Excites every wave: pseudo-random numbers, by hashing the cell.
    const double noise = std::sin(12.9898 * i + 78.233 * j) * 43758.5453;
    const double unit = noise - std::floor(noise) - 0.5;
    return CellState{1, ux + 1e-4 * unit, uy - 1e-4 * unit * unit};
  });
  const auto ripple = [&] {
    const State state = box->save();
    const auto velocity = state.get<float>("velocity", {16, 16, 2});
    double mean_x = 0, sum = 0;
    for (int k = 0; k < 256; ++k) mean_x += velocity[static_cast<std::size_t>(2 * k)] / 256.;
    for (int k = 0; k < 256; ++k) sum += std::pow(velocity[static_cast<std::size_t>(2 * k)] - mean_x, 2);
    return std::sqrt(sum / 256);
  };
  const double tau = 3 * viscosity + 0.5;
  const double growth = lbm_growth(1 / tau, 1 / (magic / (tau - 0.5) + 0.5), speed, angle);
  ASSERT_GT(growth, 1.001);
  // Until one wave dominates, then while it is small.
  while (box->steps() < 100000 && ripple() < 5e-4) box->step(50);
  const double begin = ripple();
  const auto first = box->steps();
  while (box->steps() < 100000 && ripple() < 5e-3) box->step(50);
  const double rate = std::log(ripple() / begin) / static_cast<double>(box->steps() - first);
  EXPECT_NEAR(rate / std::log(growth), 1, 0.1);
}

TEST(LbmStableSpeed, FallsWithTheViscosityForTrtAndHardlyForBgk) {
  SKIP_UNDER_SANITIZERS("digits of solutions; smaller tests run the same kernels");
  const auto plus = [](double viscosity) { return 1 / (3 * viscosity + 0.5); };
  const auto minus = [](double viscosity) { return 1 / (3. / 16 / (3 * viscosity) + 0.5); };
  EXPECT_LE(lbm_growth(plus(0.002), minus(0.002), 0, 0), 1 + 1e-4);
  EXPECT_EQ(lbm_stable_speed(plus(0.1), minus(0.1), 0.3), 0.3);
  const double fine = lbm_stable_speed(plus(0.004), minus(0.004), 0.3),
               finer = lbm_stable_speed(plus(0.002), minus(0.002), 0.3);
  EXPECT_NEAR(fine / finer, 2, 0.1);
  EXPECT_LT(finer, 0.06);
  EXPECT_GT(lbm_stable_speed(plus(0.002), plus(0.002), 0.3), 0.15);
  // The gauge's interpolation agrees with the direct computation.
  StableSpeeds speeds(StableSpeeds::Where::stream, 3. / 16, 0.3);
  EXPECT_NEAR(speeds.at(0.002), finer, 0.1 * finer);
}

TEST_P(LbmStability, GaugesKnowTheCollisionAndTheGrid) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  const auto preset = lbm_simulation().create(backend(), load_scene("lbm/cylinder").setup);
  preset->step(200);
  const auto red = [&](const std::string& id) {
    preset->diagnostics({}, true);
    for (const Gauge& gauge : preset->gauges())
      if (gauge.id == id) return !(gauge.value <= gauge.limit);
    ADD_FAILURE() << "no gauge " << id;
    return false;
  };
  EXPECT_FALSE(red("speed"));
  EXPECT_FALSE(red("cell_reynolds"));
  EXPECT_FALSE(red("inlet"));
  preset->set_parameter("viscosity", 0.006);
  EXPECT_TRUE(red("inlet"));
  preset->set_parameter("viscosity", 0.004);
  EXPECT_TRUE(red("speed"));
  preset->set_parameter("collision", collision_bgk);
  EXPECT_FALSE(red("speed"));
  preset->set_parameter("viscosity", 1e-4);
  EXPECT_TRUE(red("cell_reynolds"));
}

}  // namespace
}  // namespace perturb::lbm
