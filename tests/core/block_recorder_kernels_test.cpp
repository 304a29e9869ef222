// Records of where and when the blocks of a launch start.
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/block_recorder.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/backend/timeline.h"
#include "cuda/core/launch/launch_map.h"
#include "cuda/core/loops/parallel_for.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

struct Add {
  View2D<float> field;
  PERTURB_HD void operator()(int i, int j) const { field(i, j) += static_cast<float>(i + 1000 * j); }
};

constexpr int width = 200, height = 90;

class BlockRecords : public OnEachBackend {
 protected:
  void SetUp() override {
    OnEachBackend::SetUp();
    field_ = Field<float>(backend(), width, height, "field");
  }
  void run(const char* label) { parallel_for_shown(backend(), label, Range2D{width, height}, Add{field_.view()}); }
  // Blocks of such a loop.
  int blocks() {
    if (backend().is_cuda()) {
      const LoopBlocks all = loop_blocks(width, height);
      return all.x * all.y;
    }
    return static_cast<CpuBackend&>(backend()).pool().row_blocks(height, min_loop_rows(width));
  }

 private:
  Field<float> field_;
};
PERTURB_ON_EACH_BACKEND(BlockRecords);

TEST_P(BlockRecords, HaveEachBlockOfTheFirstLaunchWithALabel) {
  BlockRecorder recorder(backend());
  recorder.request();
  const std::int64_t before = Timeline::now();
  for (const char* label : {"test.one", "test.two", "test.one"}) run(label);
  const std::vector<BlockStarts> records = recorder.take();
  const std::int64_t after = Timeline::now();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].label, "test.one");
  EXPECT_EQ(records[1].label, "test.two");
  for (const BlockStarts& record : records) {
    EXPECT_EQ(record.blocks_x * record.blocks_y, blocks());
    ASSERT_EQ(record.blocks.size(), static_cast<std::size_t>(blocks()));
    for (const BlockStart& start : record.blocks) {
      EXPECT_NE(start.nanoseconds, 0);
      EXPECT_GE(start.unit, 0);
      EXPECT_LT(start.unit, 4096);
      if (backend().is_cuda()) continue;  // another clock
      EXPECT_GE(start.nanoseconds, before);
      EXPECT_LE(start.nanoseconds, after);
    }
  }
  // The second launch begins after the first.
  for (const BlockStart& first : records[0].blocks)
    for (const BlockStart& second : records[1].blocks) EXPECT_LE(first.nanoseconds, second.nanoseconds);
}

TEST_P(BlockRecords, AreMadeOnRequestOnly) {
  BlockRecorder recorder(backend());
  run("test.loop");
  EXPECT_TRUE(recorder.take().empty());
  recorder.request();
  EXPECT_TRUE(recorder.take().empty()) << "no launch yet";
  run("test.loop");
  EXPECT_TRUE(recorder.take().empty()) << "the request has ended";
  recorder.request();
  run("test.loop");
  recorder.request();
  EXPECT_EQ(recorder.take().size(), 1u) << "the same request";
  recorder.request();
  recorder.stop();
  EXPECT_EQ(backend().block_recorder(), nullptr);
  run("test.loop");
  EXPECT_TRUE(recorder.take().empty());
}

TEST_P(BlockRecords, RequestOfAnotherRecorderCounts) {
  BlockRecorder first(backend());
  first.request();
  {
    BlockRecorder second(backend());
    second.request();
    run("test.loop");
    EXPECT_EQ(second.take().size(), 1u);
    EXPECT_TRUE(first.take().empty());
    second.request();
  }
  EXPECT_EQ(backend().block_recorder(), nullptr) << "a recorder that ends takes its request with it";
  run("test.loop");
}

TEST_P(BlockRecords, LeaveOutLaunchesWithTooManyBlocks) {
  BlockRecorder recorder(backend());
  EXPECT_EQ(recorder.begin("test.none", 1, 1), nullptr) << "no memory yet";
  recorder.request();
  EXPECT_EQ(recorder.begin("test.many", 1 << 15, 1 << 15), nullptr);
  EXPECT_EQ(recorder.begin("test.none", 0, 4), nullptr);
  EXPECT_NE(recorder.begin("test.few", 100, 2), nullptr);
  EXPECT_TRUE(recorder.take().empty()) << "a launch of which no block has started";
}

TEST_P(BlockRecords, DoNotChangeTheResult) {
  Field<float> plain(backend(), width, height, "plain"), recorded(backend(), width, height, "recorded");
  parallel_for(backend(), "test.loop", Range2D{width, height}, Add{plain.view()});
  BlockRecorder recorder(backend());
  recorder.request();
  parallel_for_shown(backend(), "test.loop", Range2D{width, height}, Add{recorded.view()});
  EXPECT_EQ(recorder.take().size(), 1u);
  EXPECT_EQ(plain.download(), recorded.download());
}

TEST(BlockRecordOfThreads, HasTheBlocksOfEveryLoop) {
  const auto backend = Backend::make_cpu(3);
  BlockRecorder recorder(*backend);
  recorder.request();
  Field<float> field(*backend, width, height, "field");
  parallel_for(*backend, "test.loop", Range2D{width, height}, Add{field.view()});
  const std::vector<BlockStarts> records = recorder.take();
  ASSERT_EQ(records.size(), 1u) << "loops without a label are not recorded";
  EXPECT_EQ(records[0].blocks.size(), 3u);
}

TEST(LaunchStartsOfAMap, AreThoseOfItsLaunches) {
  LaunchMap map;
  map.on_gpu = true;
  map.width = 100;
  map.height = 20;
  Launch launch;
  launch.label = "test.loop";
  launch.block_x = 32;
  launch.block_y = 8;
  launch.parts = {{{0, 0, 100, 20}, 32, 8}};
  map.launches = {launch};
  BlockStarts record{"test.loop", 4, 3, {}}, other = record;
  for (int k = 0; k < 12; ++k) record.blocks.push_back({1000000 + 2000 * k, 5 - k % 3});
  record.blocks[7] = {};
  other.label = "test.other";
  other.blocks.assign(12, {1, 99});
  const LaunchStarts starts(map, {other, record});
  ASSERT_FALSE(starts.empty());
  EXPECT_EQ(starts.units(), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(starts.last_microseconds(), 22);
  std::set<const BlockStart*> found;
  for (const LaunchTile& tile : tiles_in(map, {0, 0, 100, 20})) {
    const int block = tile.tile.y / 8 * 4 + tile.tile.x / 32;
    const BlockStart* const start = starts.of(map, tile);
    EXPECT_EQ(start != nullptr, block != 7);
    if (!start) continue;
    EXPECT_EQ(starts.microseconds(*start), 2 * block);
    found.insert(start);
  }
  EXPECT_EQ(found.size(), 11u);
  // A launch of another size, or of another kernel.
  EXPECT_TRUE(starts.has(map, map.launches[0]));
  map.launches[0].parts[0].box.height = 40;
  EXPECT_FALSE(starts.has(map, map.launches[0]));
  map.launches[0].parts[0].box.height = 20;
  map.launches[0].label = "test.third";
  EXPECT_FALSE(starts.has(map, map.launches[0]));
  EXPECT_TRUE(LaunchStarts(map, {record, other}).empty());
}

}  // namespace
}  // namespace perturb
