// The table of kernels: its figures, the measurement on a copy of the run, and the file.
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "app/run/runner.h"
#include "app/run/si_prefix.h"
#include "app/session/kernel_controller.h"
#include "cuda/core/timing/timing_duration.h"
#include "tests/support/session_fixture.h"
#include "tests/support/small_run.h"

namespace perturb {
namespace {

KernelStatus measured(double seconds) {
  KernelStatus kernel;
  kernel.cost = {12e6, 10e6, 1e6, "cell/s"};
  kernel.timing = KernelTiming{"fused", seconds, 0.02};
  return kernel;
}

constexpr Roofline roofline{24e9, 80e9};

TEST(KernelFigures, FollowFromCostAndTime) {
  const KernelFigures figures = figures_of(measured(1e-3), roofline);
  EXPECT_DOUBLE_EQ(figures.cells_per_second.value(), 1e9);
  EXPECT_DOUBLE_EQ(figures.bytes_per_second.value(), 12e9);
  EXPECT_DOUBLE_EQ(figures.flops_per_second.value(), 10e9);
  EXPECT_DOUBLE_EQ(figures.intensity.value(), 10.0 / 12);
  EXPECT_DOUBLE_EQ(figures.roofline_share.value(), 0.5) << "12 MB at 24 GB/s take half of the time";
  EXPECT_TRUE(figures.is_memory_bound);
}

TEST(KernelFigures, ArithmeticIsTheRoofOfIntenseKernels) {
  KernelStatus kernel = measured(1e-3);
  kernel.cost.flops = 60e6;
  const KernelFigures figures = figures_of(kernel, roofline);
  EXPECT_DOUBLE_EQ(figures.roofline_share.value(), 0.75);
  EXPECT_FALSE(figures.is_memory_bound);
}

TEST(KernelFigures, UnknownValuesHaveNoFigures) {
  KernelStatus kernel = measured(1e-3);
  kernel.timing.reset();
  const KernelFigures unmeasured = figures_of(kernel, roofline);
  EXPECT_FALSE(unmeasured.cells_per_second || unmeasured.bytes_per_second || unmeasured.flops_per_second);
  EXPECT_FALSE(unmeasured.roofline_share);
  EXPECT_TRUE(unmeasured.intensity) << "the cost is known without a time";
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    const KernelFigures figures = figures_of(measured(seconds), roofline);
    EXPECT_FALSE(figures.cells_per_second || figures.roofline_share) << seconds;
  }
  kernel = measured(1e-3);
  kernel.cost = {};
  const KernelFigures costless = figures_of(kernel, roofline);
  EXPECT_FALSE(costless.bytes_per_second || costless.intensity || costless.roofline_share);
}

TEST(KernelFigures, NoPeakRatesGiveNoShare) {
  EXPECT_TRUE(figures_of(measured(1e-3), std::nullopt).bytes_per_second);
  for (const std::optional<Roofline>& roof :
       {std::optional<Roofline>(), {Roofline{}}, {Roofline{24e9, 0}}, {Roofline{0, 80e9}}})
    EXPECT_FALSE(figures_of(measured(1e-3), roof).roofline_share);
}

TEST(KernelFigures, OccupancyOnThePapersGpusFollowsTheirLimits) {
  LaunchShape shape;
  shape.block_x = 32;
  shape.block_y = 8;
  shape.registers_per_thread = 40;
  shape.shared_bytes = 4096;
  const std::vector<Occupancy> occupancies = paper_occupancies(shape);
  ASSERT_EQ(occupancies.size(), paper_gpus().size());
  EXPECT_EQ(occupancies.front().blocks, 0) << "the registers of a G80 are too few for a block of 256 threads";
  EXPECT_EQ(paper_gpus().back().name, "Titan RTX");
  EXPECT_EQ(occupancies.back().share, 1) << "1024 threads with 64 registers each";
  shape.registers_per_thread = 128;
  EXPECT_EQ(paper_occupancies(shape).back().share, 0.5);
  shape.block_x = 1024;
  shape.block_y = 1;
  shape.registers_per_thread = 8;
  EXPECT_EQ(paper_occupancies(shape).front().limit, OccupancyLimit::not_launched) << "at most 512 threads";
}

TEST(SiPrefix, KeepsNumberBetweenOneAndAThousand) {
  EXPECT_STREQ(with_si_prefix(1.5e10).prefix, "G");
  EXPECT_DOUBLE_EQ(with_si_prefix(1.5e10).number, 15);
  EXPECT_STREQ(with_si_prefix(3.4e-4).prefix, "µ");
  EXPECT_STREQ(with_si_prefix(0).prefix, "");
  EXPECT_STREQ(with_si_prefix(1e-12).prefix, "n");
  EXPECT_STREQ(with_si_prefix(1e15).prefix, "T");
  EXPECT_STREQ(with_si_prefix(std::numeric_limits<double>::infinity()).prefix, "");
}

class KernelMeasurements : public SmallRun {
 protected:
  void SetUp() override {
    SmallRun::SetUp();
    TimingCache::of_process().clear();
  }
  void TearDown() override { TimingCache::of_process().clear(); }
  const ShortTimingScope short_timing_;
};
PERTURB_ON_EACH_BACKEND(KernelMeasurements);

TEST_P(KernelMeasurements, MeasuresEveryKernelAndLeavesRunUnchanged) {
  for (const char* scene : {"wave/droplet", "lbm/cylinder", "particles", "membrane", "fibers"}) {
    SCOPED_TRACE(scene);
    Experiment experiment(backend(), small_scene(scene));
    experiment.advance(3);
    const State before = experiment.simulation().save();
    const std::string selected = experiment.simulation().selected_kernel();
    KernelMeasurement measurement(experiment);
    while (!measurement.advance()) {
    }
    EXPECT_TRUE(same(experiment.simulation().save(), before));
    EXPECT_EQ(experiment.simulation().steps(), 3);
    EXPECT_EQ(experiment.simulation().selected_kernel(), selected);
    EXPECT_EQ(measurement.remaining(), 0U);
    const RunStatus status = status_of(experiment);
    ASSERT_TRUE(status.roofline);
    EXPECT_GT(status.roofline->bytes_per_second, 0);
    EXPECT_GT(status.roofline->flops_per_second, 0);
    for (std::size_t k = 0; k < status.kernels.size(); ++k) {
      const KernelVariant& kernel = status.info->kernels[k];
      const bool here = backend().is_cuda() ? kernel.on_cuda : kernel.on_cpu;
      const auto& failed = measurement.unmeasured();
      const bool has_reason = std::any_of(failed.begin(), failed.end(), [&](const UnmeasuredKernel& one) {
        return one.kernel == kernel.id && !one.reason.empty();
      });
      EXPECT_EQ(status.kernels[k].timing.has_value(), here && !has_reason) << kernel.id;
      if (status.kernels[k].timing) {
        EXPECT_GT(status.kernels[k].timing->seconds_per_step, 0);
      }
    }
  }
}

TEST_P(KernelMeasurements, MeasuresOnlyWhatIsMissing) {
  Experiment experiment(backend(), small());
  const std::string key = kernel_table_key(backend(), experiment.scene());
  TimingCache::of_process().set_in_table(key, {"fused", 42, 0});
  KernelMeasurement measurement(experiment);
  while (!measurement.advance()) {
  }
  const std::vector<KernelTiming> timings = TimingCache::of_process().table(key);
  EXPECT_EQ(timings[0].seconds_per_step, 42);
  EXPECT_GT(timings.size(), 1U);
}

TEST_P(KernelMeasurements, OtherParametersAreOtherWork) {
  Experiment experiment(backend(), small());
  const KernelMeasurement measurement(experiment);
  EXPECT_TRUE(measurement.matches(experiment));
  const std::string before = kernel_table_key(backend(), experiment.scene());
  experiment.set_parameter("damping", 0.01);
  EXPECT_NE(kernel_table_key(backend(), experiment.scene()), before);
  EXPECT_FALSE(measurement.matches(experiment));
}

TEST_P(KernelMeasurements, ReportsMissingMemory) {
  Experiment experiment(backend(), small());
  fail_memory_after(0);
  KernelMeasurement measurement(experiment);
  EXPECT_THROW(measurement.advance(), Error) << "of the peak rates";
  TimingCache::of_process().set_roofline(measured_device(backend()), roofline);
  KernelMeasurement kernels(experiment);
  fail_memory_after(0);
  while (!kernels.advance()) {
  }
  fail_memory_after(-1);
  ASSERT_EQ(kernels.unmeasured().size(), 1U) << "only the kernel that found no memory";
  EXPECT_NE(kernels.unmeasured()[0].reason, "");
}

class KernelTableInSession : public SessionFixture {
 protected:
  void SetUp() override { TimingCache::of_process().clear(); }
  void TearDown() override { TimingCache::of_process().clear(); }
  const KernelController& controller() const { return session_.kernel_controller(); }
  void measure() {
    session_.execute(MeasureKernels{});
    for (int k = 0; k < 1000 && controller().is_measuring(); ++k) frame();
    ASSERT_FALSE(controller().is_measuring());
  }
  const ShortTimingScope short_timing_;
};

TEST_F(KernelTableInSession, RunContinuesDuringMeasurement) {
  EXPECT_FALSE(controller().all_are_measured());
  frame();
  EXPECT_FALSE(controller().is_measuring()) << "only on request";
  const std::int64_t before = session_.run().steps;
  measure();
  EXPECT_TRUE(controller().all_are_measured());
  EXPECT_GT(session_.run().steps, before);
  EXPECT_TRUE(session_.run().roofline);
  EXPECT_EQ(session_.run().events, 0U) << "a measurement is no change of the run";
  const KernelTiming impossible{"fused", 42, 0};
  TimingCache::of_process().set_in_table(kernel_table_key(*backend_, experiment_.scene()), impossible);
  TimingCache::of_process().set_roofline(measured_device(*backend_), {1, 1});
  measure();
  EXPECT_TRUE(controller().all_are_measured());
  EXPECT_NE(session_.run().kernels[0].timing->seconds_per_step, 42) << "measured again";
  EXPECT_GT(session_.run().roofline->bytes_per_second, 1);
}

TEST_F(KernelTableInSession, StopsOnRequestAndWithAnotherScene) {
  session_.execute(MeasureKernels{});
  frame();
  ASSERT_TRUE(controller().is_measuring());
  session_.execute(MeasureKernels{false});
  EXPECT_FALSE(controller().is_measuring());
  session_.execute(MeasureKernels{false});
  session_.execute(MeasureKernels{});
  frame();
  session_.execute(CommandId::restart);
  EXPECT_TRUE(controller().is_measuring()) << "goes on with the restarted run";
  session_.execute(OpenScene{"wave/rain"});
  EXPECT_FALSE(controller().is_measuring());
}

TEST_F(KernelTableInSession, RunContinuesDuringSweepOfSizes) {
  session_.execute(MeasureSizes{48});
  EXPECT_TRUE(controller().is_sweeping());
  const std::int64_t before = session_.run().steps;
  for (int k = 0; k < 1000 && controller().is_sweeping(); ++k) frame();
  ASSERT_FALSE(controller().is_sweeping());
  EXPECT_GT(session_.run().steps, before);
  EXPECT_EQ(session_.run().events, 0U) << "a measurement is no change of the run";
  ASSERT_EQ(controller().sizes().timings.size(), 4U) << "fused and temporal, 32 and 48 cells wide";
  std::istringstream lines(sizes_as_csv(controller().sizes(), session_.run()));
  std::string line;
  std::getline(lines, line);
  const auto commas = std::count(line.begin(), line.end(), ',');
  EXPECT_EQ(line.substr(0, 24), "simulation,scene,kernel,");
  int rows = 0;
  for (; std::getline(lines, line); ++rows) EXPECT_GE(std::count(line.begin(), line.end(), ','), commas) << line;
  EXPECT_EQ(rows, 4);
  session_.execute(OpenScene{"wave/rain"});
  EXPECT_TRUE(controller().sizes().timings.empty()) << "they were of another scene";
}

TEST_F(KernelTableInSession, SweepOfSizesStopsOnRequestAndKeepsItsTimes) {
  session_.execute(MeasureSizes{64});
  for (int k = 0; k < 1000 && controller().sizes().timings.empty(); ++k) frame();
  session_.execute(MeasureSizes{0, false});
  EXPECT_FALSE(controller().is_sweeping());
  const std::size_t measured = controller().sizes().timings.size();
  EXPECT_GT(measured, 0U);
  for (int k = 0; k < 10; ++k) frame();
  EXPECT_EQ(controller().sizes().timings.size(), measured);
  session_.execute(MeasureSizes{7});
  frame();
  frame();
  EXPECT_FALSE(controller().is_sweeping()) << "an error ends it";
}

TEST_F(KernelTableInSession, TableLeavesUnknownCellsEmpty) {
  const auto rows = [this] {
    std::istringstream lines(kernels_as_csv(session_.run()));
    std::vector<std::vector<std::string>> all;
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> cells(1);
      bool quoted = false;
      for (const char c : line)
        if (c == '"')
          quoted = !quoted;
        else if (c == ',' && !quoted)
          cells.emplace_back();
        else
          cells.back() += c;
      all.push_back(cells);
    }
    return all;
  };
  auto table = rows();
  ASSERT_EQ(table.size(), 3U) << "the heading, fused and temporal: the others need a GPU";
  EXPECT_EQ(table[0][5], "seconds_per_step");
  EXPECT_EQ(table[1][2], "fused");
  for (const std::size_t unknown : {5, 6, 7, 11, 12, 13, 14, 15, 16, 18, 20}) {
    const std::string& name = table[0][unknown];
    if (name == "copy_bandwidth" || name == "peak_flops") continue;  // of the machine: another test may know them
    EXPECT_EQ(table[1][unknown], "") << name;
  }
  EXPECT_EQ(table[1][9], "49152") << "three fields of 64 x 64 numbers";
  measure();
  table = rows();
  for (const auto& row : table) EXPECT_EQ(row.size(), table[0].size());
  for (const std::size_t known : {5, 7, 11, 12, 13, 14, 15})
    EXPECT_GT(std::stod(table[1][known]), 0) << table[0][known];
  for (const std::size_t launch : {16, 18, 20, 21}) EXPECT_EQ(table[1][launch], "") << "not on the CPU";
}

}  // namespace
}  // namespace perturb
