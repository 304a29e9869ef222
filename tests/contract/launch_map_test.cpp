// The launch of every simulation that states it: each cell of the grid is written once.
#include "cuda/core/bench/launch_map.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

class LaunchMaps : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(LaunchMaps);

TEST_P(LaunchMaps, CoverTheGridWithEveryKernel) {
  for (const SimulationInfo* info : catalog()) {
    Scene scene = load_scene(info->id + "/" + preset_ids(info->id).front());
    scene.setup.width = std::min(scene.setup.width, 96), scene.setup.height = std::min(scene.setup.height, 64);
    Experiment run(backend(), scene);
    for (const KernelVariant& kernel : info->kernels) {
      if (!(backend().is_cuda() ? kernel.on_cuda : kernel.on_cpu)) continue;
      SCOPED_TRACE(info->id + ", " + kernel.id);
      run.simulation().select_kernel(kernel.id);
      const LaunchMap map = run.simulation().launch_map();
      EXPECT_EQ(map.empty(), !info->maps_launch);
      if (map.empty()) continue;
      EXPECT_EQ(map.on_gpu, backend().is_cuda());
      EXPECT_EQ(map.kernel, kernel.title);
      EXPECT_GE(map.steps, 1);
      std::int64_t cells = 0;
      for (const LaunchTile& tile : tiles_in(map, {0, 0, map.width, map.height}))
        cells += std::int64_t{tile.tile.width} * tile.tile.height;
      EXPECT_EQ(cells, std::int64_t{map.width} * map.height);
      for (int j = 0; j < map.height; ++j)
        for (int i = 0; i < map.width; ++i) {
          const LaunchPlace place = place_of(map, i, j);
          ASSERT_TRUE(place.launch && place.tile.holds(i, j) && place.cells.holds(i, j)) << i << ", " << j;
          if (!map.on_gpu) continue;
          ASSERT_LT(place.thread, place.launch->block_x * place.launch->block_y);
        }
      // Threads do read something, in at least as many sectors or lines as are needed.
      for (const ThreadRead& read : reads_of(map, place_of(map, 40, 30), 40, 30))
        EXPECT_GE(read.units, read.least_units);
    }
  }
}

}  // namespace
}  // namespace perturb
