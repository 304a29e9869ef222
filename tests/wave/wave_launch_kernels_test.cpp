// How the kernels of the wave are launched, as the overlay shows it: against a record of launches with their index
// functions.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/wave/kernels/launches.h"
#include "tests/support/backends.h"
#include "tests/support/launch_record.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

// The cells that each thread writes, by the index functions of the kernels.
struct LoopCells {
  LoopBlock block;
  ThreadRecord record;
  PERTURB_HD void operator()(const ThreadIndex& t) const {
    record.write(t.block_x * block.width + t.thread_x, t.block_y * block.height + t.thread_y, t);
  }
};
struct ConvolutionCells {
  ThreadRecord record;
  PERTURB_HD void operator()(const ThreadIndex& t) const {
    record.write(t.block_x * convolution_block + t.thread_x, t.block_y * convolution_block + t.thread_y, t);
  }
};
struct VectorisedCells {
  ThreadRecord record;
  PERTURB_HD void operator()(const ThreadIndex& t) const {
    const CellIndex cell = vectorised_cell(t.block_x, t.block_y, t.thread_x, t.thread_y);
    for (int c = 0; c < quad; ++c) record.write(cell.i + c, cell.j, t);
  }
};
struct TemporalCells {
  TemporalDivision division;
  int levels;
  ThreadRecord record;
  PERTURB_HD void operator()(const ThreadIndex& t) const {
    const TemporalChunk chunk = chunk_of_block(division, t.block_x);
    const int overlap = strip_overlap(levels), first = t.thread_x * quad;
    if (first < overlap || first >= strip_columns - overlap) return;  // another strip writes these
    for (int j = chunk.row_begin; j < chunk.row_end; ++j)
      for (int c = 0; c < quad; ++c) record.write(chunk.strip * useful_columns(levels) - overlap + first + c, j, t);
  }
};

int blocks_for(int count, int unit) { return (count + unit - 1) / unit; }

template <class Real>
StepParams<Real> tank_of(int width, int height, Boundary sides = Boundary::fixed) {
  StepParams<Real> params;
  params.width = width;
  params.height = height;
  params.left = params.right = params.bottom = params.top = sides;
  return params;
}

constexpr struct { int width, height; } sizes[] = {{301, 37}, {128, 8}, {1, 1}, {5, 60}};

class WaveLaunchRecord : public OnEachBackend {
 protected:
  template <class Real>
  void expect_temporal(const StepParams<Real>& params, int steps, int resident) {
    const int levels = temporal_levels(steps, sizeof(Real));
    const TemporalDivision division = divide_tank(params, levels, resident);
    Field<ThreadIndex> record = unwritten_cells(backend(), params.width, params.height);
    for_each_thread(backend(), "test.launch", {division.blocks(), 1, threads_of_warp, 1},
                    TemporalCells{division, levels, {record.view()}});
    const LaunchMap map = cuda_launch_map(Kernel::temporal, params, steps, resident);
    expect_recorded(map, record);
    // Each step needs one more cell around those that are written.
    EXPECT_GE(map.launches[0].halo_x, steps);
    EXPECT_GE(map.launches[0].halo_y, steps);
  }
};
PERTURB_ON_EACH_BACKEND(WaveLaunchRecord);

TEST_P(WaveLaunchRecord, EqualsTheMapOfOneCellPerThread) {
  for (const auto& [width, height] : sizes) {
    SCOPED_TRACE(testing::Message() << width << " x " << height);
    const StepParams<float> params = tank_of<float>(width, height);
    for (const LoopBlock& block : loop_block_choices) {
      SCOPED_TRACE(testing::Message() << "blocks of " << block.width << " x " << block.height);
      Field<ThreadIndex> fused = unwritten_cells(backend(), width, height);
      const LoopBlocks blocks = loop_blocks(width, height, block);
      for_each_thread(backend(), "test.launch", {blocks.x, blocks.y, block.width, block.height},
                      LoopCells{block, {fused.view()}});
      expect_recorded(cuda_launch_map(Kernel::fused, params, 1, 0, block), fused);
    }
    Field<ThreadIndex> convolution = unwritten_cells(backend(), width, height);
    for_each_thread(backend(), "test.launch",
                    {blocks_for(width, convolution_block), blocks_for(height, convolution_block), convolution_block,
                     convolution_block},
                    ConvolutionCells{{convolution.view()}});
    expect_recorded(cuda_launch_map(Kernel::convolution, params, 1, 0), convolution);
  }
}

TEST_P(WaveLaunchRecord, EqualsTheMapOfVectorised) {
  for (const auto& [width, height] : sizes) {
    SCOPED_TRACE(testing::Message() << width << " x " << height);
    Field<ThreadIndex> record = unwritten_cells(backend(), width, height);
    for_each_thread(
        backend(), "test.launch",
        {blocks_for(width, vectorised_columns), blocks_for(height, vectorised_rows), threads_of_warp, vectorised_rows},
        VectorisedCells{{record.view()}});
    expect_recorded(cuda_launch_map(Kernel::vectorised, tank_of<float>(width, height), 1, 0), record);
  }
}

TEST_P(WaveLaunchRecord, EqualsTheMapOfTemporal) {
  for (const auto& [width, height] : sizes)
    for (const int resident : {1, 100})
      for (const Boundary sides : {Boundary::fixed, Boundary::absorbing}) {
        SCOPED_TRACE(testing::Message() << width << " x " << height << ", " << resident << " warps");
        for (const int steps : {2, 3, 7, 12}) expect_temporal(tank_of<float>(width, height, sides), steps, resident);
        for (const int steps : {2, 6}) expect_temporal(tank_of<double>(width, height, sides), steps, resident);
      }
}

// A line source over the whole height makes a slow strip, whose chunks come first.
TEST_P(WaveLaunchRecord, HasMoreChunksOfTemporalInSlowStrips) {
  StepParams<float> params = tank_of<float>(600, 60);
  params.sources.count = 1;
  params.sources.hard_sources[0][0] = {300, 0, 300, 60, 2, 0};
  const TemporalDivision division = divide_tank(params, 12, 80);
  EXPECT_GT(division.slow_strips, 2);
  expect_temporal(params, 12, 80);
}

TEST(WaveLaunch, ReadsAreThoseOfTheStencil) {
  StepParams<float> params = tank_of<float>(512, 512, Boundary::absorbing);
  const auto reads = [&](Kernel kernel, int i, int j) {
    const LaunchMap map = cuda_launch_map(kernel, params, 1, 100);
    std::vector<std::int64_t> bytes;
    for (const ThreadRead& read : reads_of(map, location_of(map, i, j), i, j)) bytes.push_back(read.byte);
    return bytes;
  };
  const std::int64_t row = 4 * Field<float>::stride_of(512), here = 100 * row + 4 * 200;
  EXPECT_EQ(reads(Kernel::fused, 200, 100),
            (std::vector<std::int64_t>{here, here - 4, here + 4, here - row, here + row, here}));
  // A thread of four cells reads rows of them, and a neighbour at both ends.
  EXPECT_EQ(reads(Kernel::vectorised, 201, 100),
            (std::vector<std::int64_t>{here, here - 4, here + 16, here - row, here + row, here}));
  EXPECT_EQ(reads(Kernel::fused, 0, 100)[1], 100 * row + 4) << "the inner cell, at an absorbing side";
  params.stencil = Stencil::nine;
  EXPECT_EQ(reads(Kernel::fused, 200, 100).size(), 10u);
  params.left = Boundary::fixed;
  EXPECT_EQ(reads(Kernel::fused, 0, 100)[1], -1);
}

TEST(WaveLaunch, ConvolutionLoadsItsApronOnce) {
  const StepParams<float> params = tank_of<float>(99, 99);
  const LaunchMap map = cuda_launch_map(Kernel::convolution, params, 1, 0);
  // 25 cells by 9 threads.
  const std::vector<ThreadRead> reads = reads_of(map, location_of(map, 50, 50), 50, 50);
  ASSERT_EQ(reads.size(), 3u);
  int least = 0;
  for (const ThreadRead& read : reads) least += read.min_units;
  EXPECT_EQ(least, 2 + 2 + 1) << "9, 9 and 7 numbers of 4 bytes";
}

TEST(WaveLaunch, OnTheCpuFollowsTheRun) {
  const auto backend = Backend::make_cpu(2);
  const auto tank = wave_tank(*backend, 256, 300);
  tank->select_kernel("temporal");
  LaunchMap map = tank->find<MapsLaunch>()->launch_map();
  EXPECT_FALSE(map.on_gpu);
  EXPECT_EQ(map.kernel, "Temporal");
  EXPECT_EQ(map.steps, cpu_max_steps(256, 4)) << "before the first pass: the most steps";
  EXPECT_EQ(map.launches[0].parts.size(), 2u);
  tank->step(3);
  map = tank->find<MapsLaunch>()->launch_map();
  EXPECT_EQ(map.steps, 3);
  EXPECT_TRUE(location_of(map, 100, 149).second_phase);
  EXPECT_FALSE(location_of(map, 100, 140).second_phase);
  tank->select_kernel("fused");
  map = tank->find<MapsLaunch>()->launch_map();
  EXPECT_EQ(map.kernel, "Fused");
  EXPECT_EQ(map.steps, 1);
  EXPECT_FALSE(location_of(map, 100, 149).second_phase);
}

}  // namespace
}  // namespace perturb::wave
