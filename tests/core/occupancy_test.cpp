// The occupancy model compared with published numbers, and with the CUDA runtime's result for the device.
#include "cuda/core/launch/occupancy.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/studies/paper.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

Occupancy on(int capability, int block, int registers, int shared_bytes = 0) {
  return occupancy_of(*gpu_rules(capability), {block, registers, shared_bytes});
}

// Figures 1 and 2 and section 1 of the flow's paper, for the G80, with 256 threads per block.
TEST(Occupancy, MatchesFlowPaper) {
  const PaperTable& paper = paper_table("lbm");
  for (const char* kernel : {"if-kernel", "else-kernel"}) {
    const int registers = static_cast<int>(paper.at("figure 2", kernel, "registers per thread"));
    EXPECT_NEAR(100 * on(10, 256, registers).share, paper.at("figure 2", kernel, "occupancy"), 0.5) << kernel;
  }
  const int full = static_cast<int>(paper.at("section 1", "GeForce 8", "registers per thread at full occupancy"));
  EXPECT_EQ(on(10, 256, full).share, 1);
  EXPECT_LT(on(10, 256, full + 1).share, 1);
  // The largest gain from two fewer registers, where the kernel runs at all.
  const int freed = static_cast<int>(paper.at("figure 1", "loop split", "registers freed"));
  double gain = 0;
  for (int registers = freed + 1; on(10, 256, registers).blocks > 0; ++registers)
    gain = std::max(gain, on(10, 256, registers - freed).share - on(10, 256, registers).share);
  EXPECT_NEAR(100 * gain, paper.at("figure 1", "loop split", "largest gain of occupancy"), 0.5);
}

// NVIDIA, CUDA C++ Best Practices Guide, "Calculating Occupancy": 37 registers on 7.0.
TEST(Occupancy, MatchesBestPracticesGuide) {
  EXPECT_EQ(on(70, 128, 32).share, 1);
  EXPECT_LT(on(70, 128, 33).share, 1);
  EXPECT_EQ(on(70, 128, 37).blocks, 12);
  EXPECT_EQ(on(70, 128, 37).share, 0.75);
  EXPECT_EQ(on(70, 320, 37).blocks, 4);
  EXPECT_EQ(on(70, 320, 37).share, 0.625);
}

// Section 5.7.6 of the fibers' paper: its kernel on compute capability 1.3.
TEST(Occupancy, MatchesFibersPaper) {
  const PaperTable& paper = paper_table("fibers");
  const auto paper_value = [&](const char* what) {
    return static_cast<int>(paper.at("section 5.7.6", "kernel", what));
  };
  const int threads = paper_value("threads per block");
  const Occupancy here = on(13, threads, paper_value("registers per thread"));
  EXPECT_EQ(here.blocks, paper_value("blocks per multiprocessor"));
  EXPECT_EQ(here.blocks * threads / threads_of_warp, paper_value("warps per multiprocessor"));
  EXPECT_EQ(here.limit, OccupancyLimit::registers);
  // Table A.2, which describes the device.
  const GpuRules& rules = *gpu_rules(13);
  const auto device = [&](const char* what) { return paper.at("table A.2", "GeForce GTX 260", what); };
  EXPECT_EQ(rules.registers, device("registers per block"));
  EXPECT_EQ(rules.max_shared_bytes, device("shared memory per block"));
  EXPECT_EQ(rules.max_block, device("threads per block"));
  EXPECT_EQ(threads_of_warp, device("warp size"));
}

// The waves' paper on a multiprocessor with 1024 threads and 8 blocks: squares of 8, 16 and 32 threads.
TEST(Occupancy, MatchesWavePaper) {
  const PaperTable& paper = paper_table("wave");
  for (const char* block : {"64", "256", "1024"}) {
    const Occupancy here = on(13, std::stoi(block), 16);
    EXPECT_EQ(here.blocks, paper.at("section CUDA Kernels best practices", block, "blocks per multiprocessor"))
        << block;
  }
  EXPECT_EQ(on(13, 64, 16).limit, OccupancyLimit::blocks);
  EXPECT_EQ(on(13, 64, 16).share, 0.5) << "512 of 1024 threads";
  EXPECT_EQ(on(13, 256, 16).limit, OccupancyLimit::threads);
  EXPECT_EQ(on(13, 1024, 16).limit, OccupancyLimit::not_launched);
}

// NVIDIA, CUDA C Programming Guide, "Technical Specifications per Compute Capability": limits of a multiprocessor.
TEST(Occupancy, RulesAreNvidiasPublishedLimits) {
  struct Limits {
    int capability, threads, blocks, registers, registers_of_block, registers_of_thread, shared, shared_of_block;
  };
  constexpr int kib = 1024;
  for (const Limits& l : {Limits{21, 1536, 8, 32 * kib, 32 * kib, 63, 48 * kib, 48 * kib},
                          Limits{62, 2048, 32, 64 * kib, 32 * kib, 255, 64 * kib, 48 * kib},
                          Limits{75, 1024, 16, 64 * kib, 64 * kib, 255, 64 * kib, 64 * kib}}) {
    SCOPED_TRACE(l.capability);
    const GpuRules& rules = *gpu_rules(l.capability);
    EXPECT_EQ(rules.max_threads, l.threads);
    EXPECT_EQ(rules.max_blocks, l.blocks);
    EXPECT_EQ(rules.registers, l.registers);
    EXPECT_EQ(rules.max_registers_of_block, l.registers_of_block);
    EXPECT_EQ(rules.max_registers, l.registers_of_thread);
    EXPECT_EQ(rules.shared_bytes, l.shared);
    EXPECT_EQ(rules.max_shared_bytes, l.shared_of_block);
    EXPECT_EQ(rules.max_block, 1024);
    // The most registers that allow full occupancy; with one unit more, occupancy drops.
    const int each = l.registers / l.threads / 8 * 8;
    if (each <= l.registers_of_thread) {
      EXPECT_EQ(on(l.capability, 256, each).share, 1);
      EXPECT_LT(on(l.capability, 256, each + 8).share, 1);
    }
  }
  // The membrane's paper states the shared memory of its GPU.
  EXPECT_EQ(gpu_rules(21)->max_shared_bytes,
            1024 * paper_table("membrane").at("section 3.5.2", "GeForce GTX 560 Ti", "shared memory"));
}

TEST(Occupancy, SharedMemoryIsGivenOutInUnits) {
  EXPECT_EQ(on(10, 64, 8, 4096).blocks, 4);
  EXPECT_EQ(on(10, 64, 8, 4097).blocks, 3);  // 4608 bytes each
  EXPECT_EQ(on(10, 64, 8, 4097).limit, OccupancyLimit::shared_memory);
  EXPECT_EQ(on(90, 64, 8, 31 * 1024).blocks, 7);  // with the system's own KiB each uses 32 of 228
}

TEST(Occupancy, StatesLimitingResource) {
  EXPECT_EQ(on(75, 1024, 32).limit, OccupancyLimit::threads);
  EXPECT_EQ(on(70, 32, 16).limit, OccupancyLimit::blocks);
  EXPECT_EQ(on(70, 256, 128).limit, OccupancyLimit::registers);
  EXPECT_EQ(on(10, 1024, 10).limit, OccupancyLimit::not_launched) << "512 threads a block are the most";
  EXPECT_EQ(on(10, 512, 17).limit, OccupancyLimit::not_launched) << "one block takes more registers than there are";
  EXPECT_EQ(on(70, 256, 300).limit, OccupancyLimit::not_launched);
  EXPECT_EQ(on(70, 1, 16).share, on(70, 32, 16).share) << "a warp is taken whole";
}

TEST(Occupancy, ContainsGpusOfPapers) {
  for (const PaperGpu& gpu : paper_gpus()) EXPECT_NE(gpu_rules(gpu.compute_capability), nullptr) << gpu.name;
  EXPECT_EQ(gpu_rules(14), nullptr);
}

// For each kernel of each simulation as it is launched here.
TEST(Occupancy, EqualsCudaRuntime) {
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
