// Snapshots for undo: which are kept when memory is short, and how much memory they use.
#include <algorithm>
#include <cstddef>

#include <gtest/gtest.h>

#include "app/run/experiment.h"
#include "app/run/state_restorer.h"
#include "cuda/core/backend/field.h"
#include "tests/support/reach.h"
#include "tests/support/small_run.h"

namespace perturb {
namespace {

class SnapshotsOfARun : public SmallRun {};
PERTURB_ON_EACH_BACKEND(SnapshotsOfARun);

// Other programs, such as a browser, need memory too.
TEST_P(SnapshotsOfARun, UseAtMostAnEighthOfMemory) {
  SKIP_AT_SMALL_REACH("fills the memory for snapshots");
  if (backend().is_cuda()) GTEST_SKIP() << "a device's memory has little else to do";
  Scene scene = small();
  scene.setup.width = scene.setup.height = 1024;
  Experiment run(backend(), scene);
  run.advance(1);
  const std::size_t own = backend().memory_in_use();
  ASSERT_LT(own, std::size_t{64} << 20);
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  const std::size_t allowed = std::clamp(backend().total_memory() / 8, 256 * mebibyte, 1024 * mebibyte);
  std::size_t most = 0;
  for (int k = 0; k < 120; ++k) {
    run.perform(Action{"droplet", {{"x", 0.1 + 0.005 * k}, {"y", 0.5}}, "", nullptr});
    run.advance(1);
    most = std::max(most, backend().memory_in_use() - own);
  }
  EXPECT_LE(most, allowed);
  EXPECT_GE(most, allowed / 2) << "and that is used";
  run.undo();
  EXPECT_LE(backend().memory_in_use() - own, allowed);
  run.check_diagnostics(run.simulation().diagnostics(run.shown().view, true));  // spare memory counts too
  EXPECT_LE(backend().memory_in_use() - own, allowed);
}

// Memory for two snapshots: an undo stores the current state for redo, and still finds the state before the undo step.
TEST(SnapshotsTest, KeepsSnapshotBeforeNewest) {
  struct Fake final : StateCopy {
    std::size_t bytes() const override { return 100; }
  };
  RunLog log;
  log.begin({}, 0);
  Snapshots snapshots;
  // The last gap is the smallest: an undo step that is undone at once.
  for (const int step : {1000, 2000, 2004}) {
    const LogPosition position{log.segment_number(), step, 0, 0};
    EXPECT_TRUE(snapshots.add({position, log.id_before(position), {}, {}, "auto", std::make_unique<Fake>()}, 250));
  }
  EXPECT_EQ(snapshots.count(), 2u);
  const Snapshot* found = snapshots.find(log, {log.segment_number(), 2003, 0, 0});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->position.step, 2000);
  EXPECT_FALSE(snapshots.take_spare(300, log));
  EXPECT_FALSE(snapshots.add({{log.segment_number(), 9000, 0, 0}, 0, {}, {}, "auto", std::make_unique<Fake>()}, 50));
  EXPECT_EQ(snapshots.bytes(), 0u);
}

TEST(SnapshotsTest, BoundsMemoryAndKeepsNewest) {
  struct Fake final : StateCopy {
    std::size_t bytes() const override { return 100; }
  };
  RunLog log;
  log.begin({}, 0);
  Snapshots snapshots;
  for (int k = 1; k <= 200; ++k) {
    const LogPosition position{log.segment_number(), 10 * k, 0, 0};
    snapshots.add({position, log.id_before(position), {}, {}, "auto", std::make_unique<Fake>()}, 1050);
    EXPECT_LE(snapshots.bytes(), 1050u);
    const Snapshot* found = snapshots.find(log, position);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->position.step, 10 * k);
  }
  EXPECT_EQ(snapshots.count(), 10u);
  // Old snapshots are spread over the run, so that no gap is much larger than necessary.
  std::int64_t last = 0;
  for (int k = 1; k <= 200; ++k) {
    const Snapshot* found = snapshots.find(log, {log.segment_number(), 10 * k, 0, 0});
    const std::int64_t at = found ? found->position.step : 0;
    EXPECT_LE(10 * k - at, 1000);
    last = at;
  }
  EXPECT_EQ(last, 2000);
}

}  // namespace
}  // namespace perturb
