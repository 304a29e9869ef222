// Several steps in one pass over memory, compared with one step after the other: on two buffers that are overwritten
// alternately, so that a row computed too early, too late or twice changes the numbers.
#include "cuda/core/loops/skewed_rows.h"

#include <atomic>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace perturb {
namespace {

using Row = std::uint64_t;

class SkewedGrid {
 public:
  SkewedGrid(int height, bool wraps, int reach) : height_(height), wraps_(wraps), reach_(reach) {
    for (auto& buffer : buffers_) buffer.resize(height);
    for (int j = 0; j < height; ++j) buffers_[0][j] = 1000003u * (j + 1);
  }
  // Not symmetric, not linear, and different at each level.
  void update(int row, int level) {
    const std::vector<Row>& from = buffers_[level % 2];
    const auto at = [&](int j) -> Row {
      if (j >= 0 && j < height_) return from[j];
      return wraps_ ? from[(j + reach_ * height_) % height_] : 17;
    };
    Row mixed = at(row) * 0xC2B2AE3D27D4EB4Fu + level;
    for (int apart = 1; apart <= reach_; ++apart)
      mixed = mixed * 5 + at(row - apart) * 0x9E3779B97F4A7C15u + at(row + apart) * 3;
    mixed ^= mixed >> 29;
    buffers_[1 - level % 2][row] = mixed;
  }
  const std::vector<Row>& after(int steps) const { return buffers_[steps % 2]; }

 private:
  int height_;
  bool wraps_;
  int reach_;
  std::vector<Row> buffers_[2];
};

std::vector<Row> one_step_after_the_other(int height, int steps, bool wraps, int reach) {
  SkewedGrid grid(height, wraps, reach);
  for (int level = 0; level < steps; ++level)
    for (int j = 0; j < height; ++j) grid.update(j, level);
  return grid.after(steps);
}

void expect_plain_steps(CpuThreads& threads, int height, int steps, bool wraps, int min_rows, int reach) {
  SkewedGrid grid(height, wraps, reach);
  std::vector<std::atomic<int>> updates(static_cast<std::size_t>(height) * steps);
  for_skewed_rows(threads, height, steps, wraps, min_rows, reach, [&](int row, int level) {
    ASSERT_TRUE(row >= 0 && row < height && level >= 0 && level < steps) << row << ", " << level;
    ++updates[static_cast<std::size_t>(level) * height + row];
    grid.update(row, level);
  });
  for (const auto& count : updates) ASSERT_EQ(count, 1);
  ASSERT_EQ(grid.after(steps), one_step_after_the_other(height, steps, wraps, reach));
}

TEST(SkewedRows, EqualSequentialSteps) {
  for (const int count : {1, 2, 3, 5, 8}) {
    CpuThreads threads(count);
    for (const bool wraps : {false, true})
      for (const int height : {1, 2, 3, 5, 16, 17, 63, 101, 256})
        for (const int steps : {1, 2, 3, 4, 7, 8})
          for (const int min_rows : {1, 10, 1000})
            for (const int reach : {1, 2, 3}) {
              SCOPED_TRACE(testing::Message()
                           << count << " threads, " << height << " rows, " << steps << " steps, wraps " << wraps
                           << ", at least " << min_rows << " rows, reach " << reach);
              expect_plain_steps(threads, height, steps, wraps, min_rows, reach);
              if (testing::Test::HasFatalFailure()) return;
            }
  }
}

// The lowest grids on which bands still hold their triangles, and those one row off.
TEST(SkewedRows, HoldOnBandsThatAreJustHighEnough) {
  for (const int count : {2, 3, 7}) {
    CpuThreads threads(count);
    for (const bool wraps : {false, true})
      for (const int steps : {2, 3, 5})
        for (int off = -1; off <= 1; ++off)
          for (int bands = 1; bands <= count; ++bands)
            for (const int reach : {1, 2})
              expect_plain_steps(threads, 2 * reach * steps * bands + off, steps, wraps, 1, reach);
  }
}

TEST(SkewedRows, NoRowsOrStepsDoNothing) {
  CpuThreads threads(3);
  for (const bool wraps : {false, true}) {
    for_skewed_rows(threads, 0, 4, wraps, 1, 1, [&](int, int) { ADD_FAILURE() << "there is no row"; });
    for_skewed_rows(threads, 9, 0, wraps, 1, 1, [&](int, int) { ADD_FAILURE() << "there is no step"; });
  }
}

}  // namespace
}  // namespace perturb
