// The map of a launch: the rows of each CPU thread against a record of the loop itself, and the accesses of warps.
#include "cuda/core/launch/launch_map.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/loops/skewed_rows.h"

namespace perturb {
namespace {

// Which thread wrote the last step of a row, and when.
struct Written {
  std::thread::id thread;
  int turn = -1;
};

TEST(LaunchMapRows, AreThoseThatEachThreadWrites) {
  CpuThreads threads(4);
  for (const bool wraps : {false, true})
    for (const int steps : {1, 3, 8})
      for (const int reach : {1, 2}) {
        SCOPED_TRACE(testing::Message() << "wraps " << wraps << ", steps " << steps << ", reach " << reach);
        constexpr int height = 211;
        const SkewedRows rows = skewed_rows(threads.count(), height, steps, wraps, 1, reach);
        std::vector<Written> written(height);
        std::atomic<int> turn{0};
        for_skewed_rows(threads, rows, [&](int j, int level) {
          if (level == steps - 1) written[static_cast<std::size_t>(j)] = {std::this_thread::get_id(), turn++};
        });

        LaunchMap map;
        map.width = 10;
        map.height = height;
        Launch launch;
        launch.parts = band_parts(rows, map.width);
        launch.seam_rows = rows.seam_rows();
        launch.wraps = rows.wraps;
        map.launches = {launch};
        int last_of_first = -1, first_of_second = height;
        std::map<std::pair<bool, int>, std::set<std::thread::id>> threads_of;
        for (int j = 0; j < height; ++j) {
          const LaunchLocation place = location_of(map, 3, j);
          ASSERT_TRUE(place.launch) << j;
          EXPECT_TRUE(place.tile.holds(3, j));
          const Written& row = written[static_cast<std::size_t>(j)];
          threads_of[{place.second_phase, place.block_x}].insert(row.thread);
          if (place.second_phase)
            first_of_second = std::min(first_of_second, row.turn);
          else
            last_of_first = std::max(last_of_first, row.turn);
        }
        EXPECT_LT(last_of_first, first_of_second);
        for (const auto& [group, of] : threads_of) EXPECT_EQ(of.size(), 1u) << group.first << ", " << group.second;
        EXPECT_EQ(threads_of.size(), static_cast<std::size_t>(rows.bands + rows.seams() * (steps > 1 ? 1 : 0)));
      }
}

TEST(LaunchMapRows, AreTheBlocksOfTheThreadsInALoop) {
  CpuThreads threads(3);
  std::vector<int> begin_of(100);
  threads.for_row_blocks(100, 7, RowBlock([&](int begin, int end) {
                           for (int j = begin; j < end; ++j) begin_of[static_cast<std::size_t>(j)] = begin;
                         }));
  LaunchMap map;
  map.width = 10;
  map.height = 100;
  Launch launch;
  launch.parts = band_parts(threads.row_blocks(100, 7), 10, 100);
  map.launches = {launch};
  for (int j = 0; j < 100; ++j) EXPECT_EQ(location_of(map, 0, j).tile.y, begin_of[static_cast<std::size_t>(j)]) << j;
}

TEST(LaunchMapVectors, CoverARowLikeTheLoopsOfARow) {
  for (const int width : {20, 33, 64, 100, 257}) {
    LaunchMap map;
    map.width = width;
    map.height = 5;
    Launch launch;
    launch.parts = band_parts(1, width, 5);
    launch.vector_cells = 8;
    launch.min_vectors = 4;
    launch.single_top = true;
    map.launches = {launch};
    const RowVectors whole = row_vectors(width - 1, 8, 4);
    for (int i = 0; i < width; ++i) {
      const LaunchLocation place = location_of(map, i, 1);
      EXPECT_TRUE(place.cells.holds(i, 1));
      EXPECT_EQ(place.vector_lane >= 0, !whole.empty() && i > 0 && i < width - 1) << i;
      if (place.vector_lane < 0) continue;
      EXPECT_EQ(place.cells.x + place.vector_lane, i);
      EXPECT_GE(place.cells.x, 1);
      EXPECT_LE(place.cells.x + 8, width - 1);
      if (i >= whole.begin && i < whole.end) {
        EXPECT_EQ(place.cells.x % 8, 0);
      }
      EXPECT_EQ(location_of(map, i, 4).vector_lane, -1) << "the uppermost row is computed cell by cell";
    }
  }
}

// A loop with blocks of 64 x 4 threads over rows of 256 cells of 4 bytes.
LaunchMap map_of_loop(std::vector<LaunchRead> reads) {
  LaunchMap map;
  map.on_gpu = true;
  map.width = 256;
  map.height = 16;
  map.cell_bytes = 4;
  map.row_bytes = 1024;
  Launch launch;
  launch.block_x = loop_block_width;
  launch.block_y = loop_block_height;
  launch.parts = {{{0, 0, 256, 16}, loop_block_width, loop_block_height}};
  launch.reads = std::move(reads);
  map.launches = {launch};
  return map;
}

TEST(LaunchMapReads, CountTheSectorsOfAWarp) {
  const LaunchMap map = map_of_loop({{"own"}, {"left", 0, -1}, {"below", 4096, 0, -1}});
  const LaunchLocation place = location_of(map, 70, 5);
  EXPECT_EQ(place.block_x, 1);
  EXPECT_EQ(place.block_y, 1);
  EXPECT_EQ(place.thread_x, 6);
  EXPECT_EQ(place.thread_y, 1);
  EXPECT_EQ(place.warp(), 2);
  EXPECT_EQ(place.lane(), 6);
  const std::vector<ThreadRead> reads = reads_of(map, place, 70, 5);
  ASSERT_EQ(reads.size(), 3u);
  EXPECT_EQ(reads[0].byte, 5 * 1024 + 70 * 4);
  EXPECT_EQ(reads[0].units, 4);
  EXPECT_EQ(reads[0].min_units, 4);
  EXPECT_EQ(reads[1].byte, 5 * 1024 + 69 * 4);
  EXPECT_EQ(reads[1].units, 5) << "128 bytes from the middle of a sector";
  EXPECT_EQ(reads[1].min_units, 4);
  EXPECT_EQ(reads[2].byte, 4096 + 4 * 1024 + 70 * 4);
}

TEST(LaunchMapReads, BeyondASideFollowTheSide) {
  LaunchMap map = map_of_loop({{"left", 0, -1}});
  const auto byte = [&] { return reads_of(map, location_of(map, 0, 2), 0, 2)[0].byte; };
  map.left = BeyondSide::nothing;
  EXPECT_EQ(byte(), -1);
  map.left = BeyondSide::opposite;
  EXPECT_EQ(byte(), 2 * 1024 + 255 * 4);
  map.left = BeyondSide::own;
  EXPECT_EQ(byte(), 2 * 1024);
  map.left = BeyondSide::inner;
  EXPECT_EQ(byte(), 2 * 1024 + 4);
}

TEST(LaunchMapReads, TouchEachSectorOnceWithWideThreads) {
  LaunchMap map = map_of_loop({{"own", 0, 0, 0, 4}, {"left", 0, -1}, {"last", 0, 4, 0, 1, LaunchRead::Lanes::last}});
  map.width = 1024;
  map.row_bytes = 4096;
  map.launches[0].cells_of_thread = 4;
  map.launches[0].parts = {{{0, 0, 1024, 16}, 4 * loop_block_width, loop_block_height}};
  const std::vector<ThreadRead> reads = reads_of(map, location_of(map, 300, 0), 300, 0);
  EXPECT_EQ(reads[0].units, 16);
  EXPECT_EQ(reads[0].min_units, 16);
  // One of four cells is read, and the first one is in the sector before.
  EXPECT_EQ(reads[1].units, 17);
  EXPECT_EQ(reads[1].min_units, 4);
  EXPECT_EQ(reads[2].units, 1);
  EXPECT_EQ(reads[2].byte, -1) << "only the last thread of a warp reads it";
  EXPECT_EQ(reads_of(map, location_of(map, 383, 0), 383, 0)[2].byte, 384 * 4);
}

TEST(LaunchMapWarps, CoverABlockOnce) {
  LaunchMap map = map_of_loop({});
  const auto check = [&](int i, int j) {
    const LaunchLocation place = location_of(map, i, j);
    const std::vector<WarpCells> warps = warps_of(map, {place.launch, place.tile});
    for (int y = place.tile.y; y < place.tile.y + place.tile.height; ++y)
      for (int x = place.tile.x; x < place.tile.x + place.tile.width; ++x) {
        int found = 0;
        for (const WarpCells& warp : warps)
          if (warp.cells.holds(x, y)) {
            ++found;
            EXPECT_EQ(warp.warp, location_of(map, x, y).warp());
          }
        EXPECT_EQ(found, 1) << x << ", " << y;
      }
    return warps.size();
  };
  EXPECT_EQ(check(10, 3), 8u);
  map.launches[0].block_x = 3;
  map.launches[0].block_y = 3;
  map.launches[0].parts = {{{0, 0, 256, 16}, 3, 3}};
  EXPECT_EQ(check(10, 3), 1u);
  map.launches[0].order = Launch::Order::in_turn;
  map.launches[0].block_x = 64;
  map.launches[0].block_y = 1;
  map.launches[0].parts = {{{0, 0, 256, 16}, 18, 6}};
  check(20, 7);
}

}  // namespace
}  // namespace perturb
