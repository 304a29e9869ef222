// The source's numbers against what it says of them itself, and how its experiment is timed.
#include <gtest/gtest.h>

#include "cuda/core/source_table.h"
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/lbm_studies.h"

namespace perturb {
namespace {

const SourceTable& source() { return source_table("lbm"); }

TEST(LbmSource, WeightsAddUpToOne) {
  const auto weight = [](const char* row) { return source().at("section 3.1", row, "weight x 36"); };
  EXPECT_EQ(weight("rest") + 4 * weight("face neighbour") + 4 * weight("edge neighbour"), 36);
}

// Of the G80, by NVIDIA's programming guide: registers and threads of a multiprocessor, and its processors. With 256
// threads a block, registers are given to whole blocks.
TEST(LbmSource, OccupanciesAreThoseOfTheG80) {
  constexpr int registers = 8192, most_threads = 768, processors = 8, block = 256;
  const auto value = [](const char* row, const char* column) { return source().at("figure 2", row, column); };
  const double multiprocessors = source().at("section 1", "GeForce 8", "processors") / processors;
  EXPECT_EQ(multiprocessors * most_threads, source().at("section 1", "GeForce 8", "active threads"));
  EXPECT_EQ(registers / most_threads, source().at("section 1", "GeForce 8", "registers per thread at full occupancy"));
  for (const char* kernel : {"if-kernel", "else-kernel"}) {
    const int blocks =
        std::min(most_threads / block, static_cast<int>(registers / (value(kernel, "registers per thread") * block)));
    EXPECT_NEAR(100.0 * blocks * block / most_threads, value(kernel, "occupancy"), 0.5) << kernel;
  }
}

TEST(LbmSource, HasTheGainsOfFigure8) {
  EXPECT_EQ(source().at("figure 8", "128 x 128", "gain of the split version"), 30.1);
  EXPECT_EQ(source().at("figure 8", "256 x 256", "gain of the split version"), 24);
}

TEST(LbmStudies, KernelsAreTimedInTurns) {
  const auto backend = Backend::make_cpu(1);
  perturb::Setup setup;
  setup.simulation = "lbm", setup.width = setup.height = 16;
  const auto repeats = lbm_times_in_turns(*backend, setup, {"fused", "in-place"}, 3, 4);
  ASSERT_EQ(repeats.size(), 2u);
  for (const auto& of_kernel : repeats) {
    ASSERT_EQ(of_kernel.size(), 3u);
    for (const double seconds : of_kernel) EXPECT_GT(seconds, 0);
  }
}

// Its kernels are CUDA's: where there is none, nothing is claimed.
TEST(LbmStudies, WithoutAGpuNothingIsSaidOfTheSplit) {
  const auto backend = Backend::make_cpu(1);
  for (const Study& study : lbm_studies()) {
    if (study.id != "split") continue;
    perturb::Setup setup;
    setup.simulation = "lbm";
    const StudyResult result = study.run(*backend, setup, [](const std::string&) {});
    ASSERT_EQ(result.tables.size(), 1u);
    EXPECT_TRUE(result.tables[0].rows.empty());
    EXPECT_NE(result.tables[0].note.find("nothing was measured"), std::string::npos);
    return;
  }
  FAIL() << "no study of the split";
}

}  // namespace
}  // namespace perturb
