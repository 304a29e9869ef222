#include <atomic>
#include <string>

#include <gtest/gtest.h>

#include "cuda/core/backend/cpu_threads.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/backend/timeline.h"
#include "cuda/core/loops/parallel_for.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

struct Count {
  View2D<float> field;
  PERTURB_HD void operator()(int i, int j) const { field(i, j) += static_cast<float>(1 + i + 1000 * j); }
};
struct CountLine {
  View1D<float> line;
  PERTURB_HD void operator()(int i) const { line[i] += static_cast<float>(1 + i); }
};

class ParallelFor : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(ParallelFor);

TEST_P(ParallelFor, VisitsEveryCellOnce) {
  for (const int width : {1, 31, 64, 65, 200})
    for (const int height : {1, 3, 4, 5, 100}) {
      Field<float> field(backend(), width, height, "field");
      parallel_for(backend(), "test.count", Range2D{width, height}, Count{field.view()});
      const std::vector<float> values = field.download();
      for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i) ASSERT_EQ(values[j * width + i], static_cast<float>(1 + i + 1000 * j));
    }
}

TEST_P(ParallelFor, LinesToo) {
  for (const int size : {1, 255, 256, 257, 100000}) {
    Array<float> line(backend(), size, "line");
    parallel_for(backend(), "test.line", Range1D{size}, CountLine{line.view()});
    const std::vector<float> values = line.download();
    for (int i = 0; i < size; ++i) ASSERT_EQ(values[i], static_cast<float>(1 + i));
  }
}

TEST_P(ParallelFor, EmptyRangesDoNothing) {
  Field<float> field(backend(), 4, 4, "field");
  parallel_for(backend(), "test.none", Range2D{0, 4}, Count{field.view()});
  parallel_for(backend(), "test.none", Range2D{4, 0}, Count{field.view()});
  for (const float value : field.download()) EXPECT_EQ(value, 0);
}

TEST_P(ParallelFor, TimesByLabelWhenAsked) {
  Field<float> field(backend(), 64, 64, "field");
  backend().stats().set_timing(true);
  for (int k = 0; k < 3; ++k) parallel_for(backend(), "test.timed", Range2D{64, 64}, Count{field.view()});
  const auto table = backend().stats().table();
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table[0].label, "test.timed");
  EXPECT_EQ(table[0].launches, 3);
  EXPECT_GT(table[0].seconds, 0);
}

TEST_P(ParallelFor, IsOnTheTimelineWhileRecorded) {
  Field<float> field(backend(), 64, 64, "field");
  const auto loop = [&](const char* label) { parallel_for(backend(), label, Range2D{64, 64}, Count{field.view()}); };
  const Timeline::Recording recording;
  loop("test.before");
  {
    const Timeline::LoopScope recorded(backend());
    for (int k = 0; k < 3; ++k) loop("test.recorded");
    backend().synchronize();
  }
  loop("test.after");
  backend().synchronize();
  const std::vector<TimelineTrack> tracks = Timeline::tracks();
  ASSERT_EQ(tracks.size(), 1u);
  EXPECT_EQ(tracks[0].is_gpu, backend().is_cuda());
  ASSERT_EQ(tracks[0].intervals.size(), 3u);
  std::int64_t last = 0;
  for (const TimedInterval& one : tracks[0].intervals) {
    EXPECT_EQ(std::string(one.name.data()), "test.recorded");
    EXPECT_EQ(one.use, TimeUse::loop);
    EXPECT_GE(one.begin, last);
    EXPECT_GE(one.end, one.begin);
    last = one.begin;
  }
}

TEST(CpuThreads, BlocksCoverTheRowsForAnyNumberOfThreads) {
  for (int threads = 1; threads <= 5; ++threads) {
    CpuThreads pool(threads);
    for (const int rows : {1, 2, 7, 100}) {
      std::vector<std::atomic<int>> visits(rows);
      const auto body = [&](int begin, int end) {
        for (int j = begin; j < end; ++j) visits[j]++;
      };
      pool.for_row_blocks(rows, 1, RowBlock(body));
      for (const auto& count : visits) EXPECT_EQ(count, 1);
    }
  }
}

TEST(HostDevice, MultiplyAddRoundsOnceWhereTheProcessorCan) {
#if defined(__FMA__) || defined(__FP_FAST_FMA)
  const double a = 1 + 0x1p-30, exact_tail = 0x1p-60;
  EXPECT_EQ(multiply_add(a, a, -(1 + 0x1p-29)), exact_tail);
#else
  GTEST_SKIP() << "this processor has no fused multiply-add";
#endif
}

}  // namespace
}  // namespace perturb
