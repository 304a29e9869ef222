// The occupancy model against published numbers, and against the CUDA runtime's answer for the device at hand.
#include "cuda/core/occupancy.h"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "cuda/core/backend.h"
#include "cuda/core/catalog.h"
#include "cuda/core/source_table.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

Occupancy on(int capability, int block, int registers, int shared_bytes = 0) {
  return occupancy_of(*gpu_rules(capability), {block, registers, shared_bytes});
}

// Figures 1 and 2 and section 1 of the flow's source, of the G80, with 256 threads a block.
TEST(Occupancy, OfTheFlowsSource) {
  const SourceTable& source = source_table("lbm");
  for (const char* kernel : {"if-kernel", "else-kernel"}) {
    const int registers = static_cast<int>(source.at("figure 2", kernel, "registers per thread"));
    EXPECT_NEAR(100 * on(10, 256, registers).share, source.at("figure 2", kernel, "occupancy"), 0.5) << kernel;
  }
  const int full = static_cast<int>(source.at("section 1", "GeForce 8", "registers per thread at full occupancy"));
  EXPECT_EQ(on(10, 256, full).share, 1);
  EXPECT_LT(on(10, 256, full + 1).share, 1);
  // What two registers less can gain there, where the kernel runs at all.
  const int freed = static_cast<int>(source.at("figure 1", "loop split", "registers freed"));
  double gain = 0;
  for (int registers = freed + 1; on(10, 256, registers).blocks > 0; ++registers)
    gain = std::max(gain, on(10, 256, registers - freed).share - on(10, 256, registers).share);
  EXPECT_NEAR(100 * gain, source.at("figure 1", "loop split", "largest gain of occupancy"), 0.5);
}

// NVIDIA, CUDA C++ Best Practices Guide, "Calculating Occupancy": 37 registers on 7.0.
TEST(Occupancy, OfTheBestPracticesGuide) {
  EXPECT_EQ(on(70, 128, 32).share, 1);
  EXPECT_LT(on(70, 128, 33).share, 1);
  EXPECT_EQ(on(70, 128, 37).blocks, 12);
  EXPECT_EQ(on(70, 128, 37).share, 0.75);
  EXPECT_EQ(on(70, 320, 37).blocks, 4);
  EXPECT_EQ(on(70, 320, 37).share, 0.625);
}

TEST(Occupancy, SharedMemoryIsGivenOutInUnits) {
  EXPECT_EQ(on(10, 64, 8, 4096).blocks, 4);
  EXPECT_EQ(on(10, 64, 8, 4097).blocks, 3);  // 4608 bytes each
  EXPECT_EQ(on(10, 64, 8, 4097).limit, OccupancyLimit::shared_memory);
  EXPECT_EQ(on(90, 64, 8, 31 * 1024).blocks, 7);  // with the system's own KiB each takes 32 of 228
}

TEST(Occupancy, SaysWhatIsInTheWay) {
  EXPECT_EQ(on(75, 1024, 32).limit, OccupancyLimit::threads);
  EXPECT_EQ(on(70, 32, 16).limit, OccupancyLimit::blocks);
  EXPECT_EQ(on(70, 256, 128).limit, OccupancyLimit::registers);
  EXPECT_EQ(on(10, 1024, 10).limit, OccupancyLimit::not_launched) << "512 threads a block are the most";
  EXPECT_EQ(on(10, 512, 17).limit, OccupancyLimit::not_launched) << "one block takes more registers than there are";
  EXPECT_EQ(on(70, 256, 300).limit, OccupancyLimit::not_launched);
  EXPECT_EQ(on(70, 1, 16).share, on(70, 32, 16).share) << "a warp is taken whole";
}

TEST(Occupancy, KnowsTheGpusOfTheSources) {
  for (const SourceGpu& gpu : source_gpus()) EXPECT_NE(gpu_rules(gpu.compute_capability), nullptr) << gpu.name;
  EXPECT_EQ(gpu_rules(14), nullptr);
}

// Of each kernel of each simulation as it is launched here.
TEST(Occupancy, IsTheCudaRuntimesOwn) {
  const std::vector<BackendKind> backends = tested_backends();
  if (std::find(backends.begin(), backends.end(), BackendKind::cuda) == backends.end()) return;
  const GpuRules* rules = gpu_rules(cuda_status().compute_capability);
  ASSERT_NE(rules, nullptr) << "the device's compute capability is not in the table";
  const auto backend = Backend::make_cuda();
  int compared = 0;
  for (const SimulationInfo* info : catalog()) {
    perturb::Setup setup;
    setup.simulation = info->id;
    const auto simulation = info->create(*backend, setup);
    for (const KernelVariant& kernel : info->kernels) {
      if (!kernel.on_cuda) continue;
      const LaunchShape shape = simulation->launch_shape(kernel.id);
      if (shape.registers_per_thread == 0) continue;
      const KernelNeeds needs{shape.block_x * std::max(1, shape.block_y), shape.registers_per_thread,
                              shape.shared_bytes};
      EXPECT_NEAR(occupancy_of(*rules, needs).share, shape.occupancy, 1e-6) << info->id << ' ' << kernel.id;
      ++compared;
    }
  }
  EXPECT_GT(compared, 5);
}

}  // namespace
}  // namespace perturb
