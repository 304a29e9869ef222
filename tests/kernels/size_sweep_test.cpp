// Times of the kernels on grids of several sizes.
#include "app/run/size_sweep.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "app/ui/plots/size_plot.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/timing/timing_duration.h"
#include "tests/support/small_run.h"

namespace perturb {
namespace {

class SizeSweeps : public SmallRun {
 protected:
  static SizeTimings swept(SizeSweep& sweep) {
    while (!sweep.advance()) {
    }
    return sweep.timings();
  }
  const ShortTimingScope short_timing_;
};
PERTURB_ON_EACH_BACKEND(SizeSweeps);

TEST_P(SizeSweeps, TimeEveryKernelOnEveryGridAndLeaveTheRunUnchanged) {
  for (const char* scene : {"wave/droplet", "lbm/taylor-green"}) {
    SCOPED_TRACE(scene);
    Scene wide = small_scene(scene);
    wide.setup.width = 64;
    wide.setup.height = 32;
    Experiment experiment(backend(), wide);
    experiment.advance(3);
    const State before = experiment.simulation().save();
    SizeSweep sweep(experiment, 64);
    EXPECT_EQ(sweep.timings().current.width, 32);
    const SizeTimings sizes = swept(sweep);
    EXPECT_TRUE(same(experiment.simulation().save(), before));
    EXPECT_EQ(sizes.remaining, 0U);
    EXPECT_TRUE(sizes.unmeasured.empty());
    std::size_t kernels = 0;
    for (const KernelVariant& kernel : experiment.info().kernels)
      kernels += backend().is_cuda() ? kernel.on_cuda : kernel.on_cpu;
    ASSERT_EQ(sizes.timings.size(), 3 * kernels) << "widths of 32, 48 and 64";
    for (const SizeTiming& timing : sizes.timings) {
      EXPECT_GT(timing.seconds_per_step, 0);
      EXPECT_EQ(timing.size.height, timing.size.width / 2) << "the proportions of the scene";
      EXPECT_EQ(timing.cells, timing.size.width * timing.size.height);
    }
    EXPECT_GE(sizes.bytes_per_cell, 8) << "at least two fields";
  }
}

TEST_P(SizeSweeps, RejectScenesWithoutAGridAndImpossibleWidths) {
  Experiment discs(backend(), small_scene("particles"));
  EXPECT_THROW(SizeSweep(discs, 64), InputError);
  Experiment tank(backend(), small());
  for (const int width : {-1, 0, min_swept_width - 1, max_swept_width + 1})
    EXPECT_THROW(SizeSweep(tank, width), InputError) << width;
}

TEST_P(SizeSweeps, NameWhatIsNotMeasured) {
  Experiment experiment(backend(), small());
  SizeSweep sweep(experiment, 64);
  fail_memory_after(0);
  const SizeTimings sizes = swept(sweep);
  fail_memory_after(-1);
  ASSERT_EQ(sizes.unmeasured.size(), 1U) << "only the grid that found no memory";
  EXPECT_NE(sizes.unmeasured[0].reason, "");
  EXPECT_EQ(sizes.unmeasured[0].size.width, 32);
}

TEST_P(SizeSweeps, BelongToTheParametersAndTheLargestWidth) {
  Experiment experiment(backend(), small());
  const SizeSweep sweep(experiment, 64);
  EXPECT_TRUE(sweep.matches(experiment, 64));
  EXPECT_FALSE(sweep.matches(experiment, 128));
  experiment.set_parameter("damping", 0.01);
  EXPECT_FALSE(sweep.matches(experiment, 64));
}

TEST(SizePlot, HasALineForEachKernelAndEachCacheInRange) {
  RunStatus run;
  run.info = &find_simulation("wave");
  SizeTimings sizes;
  EXPECT_TRUE(make_size_plot(run, sizes).lines.empty());
  sizes.bytes_per_cell = 8;
  sizes.caches = {{1, 80}, {2, 8000}, {3, 8'000'000}};
  for (const double cells : {100.0, 10'000.0}) {
    sizes.timings.push_back({0, {10, 10}, cells, 1e-9 * cells, 0});
    sizes.timings.push_back({1, {10, 10}, cells, 1e-10 * cells, 0});
  }
  sizes.timings.push_back({1, {10, 10}, 1000, 0, 0});  // cannot be drawn on a logarithmic axis
  const SizePlot plot = make_size_plot(run, sizes);
  ASSERT_EQ(plot.lines.size(), 3U) << "two kernels, and the cache of 1000 cells";
  for (std::size_t k = 0; k < 2; ++k) {
    ASSERT_EQ(plot.points[k].size(), 2U);
    EXPECT_NEAR(plot.points[k][0].x, 2, 1e-12);
    EXPECT_NEAR(plot.points[k][1].x, 4, 1e-12);
    EXPECT_NEAR(plot.points[k][1].y, k == 0 ? -9 : -10, 1e-12);
  }
  ASSERT_EQ(plot.points[2].size(), 2U);
  for (const CurvePoint& p : plot.points[2]) EXPECT_NEAR(p.x, 3, 1e-12);
  EXPECT_TRUE(plot.lines[2].dashed);
}

}  // namespace
}  // namespace perturb
