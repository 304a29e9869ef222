// The launch of every simulation that states it: each cell of the grid is written once.
#include "cuda/core/launch/launch_map.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "cuda/core/backend/block_recorder.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

class LaunchMaps : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(LaunchMaps);

TEST_P(LaunchMaps, CoverTheGridWithEveryKernel) {
  for (const SimulationInfo* info : catalog()) {
    Scene scene = load_scene(info->id + "/" + preset_ids(info->id).front());
    scene.setup.width = std::min(scene.setup.width, 96);
    scene.setup.height = std::min(scene.setup.height, 64);
    Experiment run(backend(), scene);
    for (const KernelVariant& kernel : info->kernels) {
      if (!(backend().is_cuda() ? kernel.on_cuda : kernel.on_cpu)) continue;
      SCOPED_TRACE(info->id + ", " + kernel.id);
      run.simulation().select_kernel(kernel.id);
      const auto* const maps = run.simulation().find<MapsLaunch>();
      if (!maps) continue;
      const LaunchMap map = maps->launch_map();
      ASSERT_FALSE(map.empty());
      EXPECT_EQ(map.on_gpu, backend().is_cuda());
      EXPECT_EQ(map.kernel, kernel.title);
      EXPECT_GE(map.steps, 1);
      std::int64_t cells = 0;
      for (const LaunchTile& tile : tiles_in(map, {0, 0, map.width, map.height}))
        cells += std::int64_t{tile.tile.width} * tile.tile.height;
      EXPECT_EQ(cells, std::int64_t{map.width} * map.height);
      for (int j = 0; j < map.height; ++j)
        for (int i = 0; i < map.width; ++i) {
          const LaunchLocation place = location_of(map, i, j);
          ASSERT_TRUE(place.launch && place.tile.holds(i, j) && place.cells.holds(i, j)) << i << ", " << j;
          if (!map.on_gpu) continue;
          ASSERT_LT(place.thread, place.launch->block_x * place.launch->block_y);
        }
      // Threads do read something, in at least as many sectors or lines as are needed.
      for (const ThreadRead& read : reads_of(map, location_of(map, 40, 30), 40, 30))
        EXPECT_GE(read.units, read.min_units);
    }
  }
}

// The kernels that write a record are compiled twice on CUDA: both take the same steps.
TEST_P(LaunchMaps, RecordTheStartOfEachBlockWithoutChangingTheRun) {
  constexpr int steps = 12;
  for (const SimulationInfo* info : catalog()) {
    Scene scene = load_scene(info->id + "/" + preset_ids(info->id).front());
    scene.setup.width = std::min(scene.setup.width, 200);
    scene.setup.height = std::min(scene.setup.height, 128);
    if (!Experiment(backend(), scene).simulation().find<MapsLaunch>()) continue;
    for (const KernelVariant& kernel : info->kernels) {
      if (!(backend().is_cuda() ? kernel.on_cuda : kernel.on_cpu)) continue;
      SCOPED_TRACE(info->id + ", " + kernel.id);
      Experiment recorded(backend(), scene), plain(backend(), scene);
      for (Experiment* run : {&recorded, &plain}) run->choose_kernel(kernel.id);
      BlockRecorder& recorder = recorded.simulation().block_recorder();
      recorder.request();
      recorded.advance(steps);
      const std::vector<BlockStarts> records = recorder.take();
      plain.advance(steps);
      const State first = recorded.simulation().save(), second = plain.simulation().save();
      for (const auto& [name, data] : first.datasets) EXPECT_TRUE(data.bytes == second.datasets.at(name).bytes) << name;

      const LaunchMap map = recorded.simulation().find<MapsLaunch>()->launch_map();
      const LaunchStarts starts(map, records);
      int blocks = 0, wanted = 0;
      for (const LaunchTile& tile : tiles_in(map, {0, 0, map.width, map.height})) {
        if (!tile.launch->is_recorded) continue;
        ++wanted;
        const BlockStart* const start = starts.of(map, tile);
        if (!start) continue;
        ++blocks;
        EXPECT_GE(starts.microseconds(*start), 0);
        EXPECT_LE(starts.microseconds(*start), starts.last_microseconds());
        EXPECT_TRUE(std::binary_search(starts.units().begin(), starts.units().end(), start->unit));
      }
      EXPECT_EQ(blocks, wanted);
    }
  }
}

TEST_P(LaunchMaps, FollowTheChosenBlockWithoutChangingTheRun) {
  const auto all = catalog();
  if (std::none_of(all.begin(), all.end(), [](const SimulationInfo* info) { return info->id == "wave"; }))
    GTEST_SKIP() << "the blocks of the wave tank are a choice, and it is not here";
  constexpr int steps = 5;
  Scene scene = load_scene("wave/droplet");
  scene.setup.width = 201;
  scene.setup.height = 37;
  Experiment plain(backend(), scene);
  plain.choose_kernel("fused");
  plain.advance(steps);
  const State usual = plain.simulation().save();
  for (const LoopBlock& block : loop_block_choices) {
    SCOPED_TRACE(testing::Message() << block.width << " x " << block.height);
    EXPECT_EQ(block.width * block.height, loop_block_width * loop_block_height);
    Experiment run(backend(), scene);
    run.choose_kernel("fused");
    run.simulation().find<HasLoopBlocks>()->set_loop_block(block);
    BlockRecorder& recorder = run.simulation().block_recorder();
    recorder.request();
    run.advance(steps);
    const State state = run.simulation().save();
    for (const auto& [name, data] : usual.datasets) EXPECT_TRUE(data.bytes == state.datasets.at(name).bytes) << name;
    LaunchMap map = run.simulation().find<MapsLaunch>()->launch_map();
    EXPECT_EQ(map.block_is_a_choice, backend().is_cuda());
    if (backend().is_cuda()) {
      EXPECT_EQ(map.launches[0].block_x, block.width);
      EXPECT_EQ(map.launches[0].block_y, block.height);
    }
    const LaunchStarts starts(map, recorder.take());
    for (const LaunchTile& tile : tiles_in(map, {0, 0, map.width, map.height})) EXPECT_TRUE(starts.of(map, tile));
    EXPECT_GT(starts.seconds(map, map.launches[0]), 0);
    run.simulation().select_kernel("auto");
    map = run.simulation().find<MapsLaunch>()->launch_map();
    EXPECT_FALSE(map.block_is_a_choice) << "auto compares kernels as they are";
  }
}

}  // namespace
}  // namespace perturb
