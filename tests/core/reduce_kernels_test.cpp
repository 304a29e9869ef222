#include <cstdint>

#include <gtest/gtest.h>

#include "cuda/core/loops/reduce.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

struct Tally {
  std::int64_t cells = 0, sum = 0;
  int largest = -1;
  double exact = 0;
  PERTURB_HD void merge(const Tally& other) {
    cells += other.cells;
    sum += other.sum;
    exact += other.exact;
    largest = other.largest > largest ? other.largest : largest;
  }
};
struct CountCells {
  PERTURB_HD void operator()(int i, int j, Tally& into) const {
    into.cells += 1;
    into.sum += i + 1000 * j;
    into.largest = i > into.largest ? i : into.largest;
    into.exact += 1.0 / (1 + i + j);  // not associative: shows whether the order stays the same
  }
};

class Reduce : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(Reduce);

TEST_P(Reduce, CountsEveryCellOnce) {
  Reduction<Tally> reduction(backend());
  for (const auto& [width, height] : {std::pair(1, 1), std::pair(300, 7), std::pair(5, 3000), std::pair(777, 611)}) {
    reduction.start("test.count", Range2D{width, height}, CountCells{});
    reduction.wait();
    EXPECT_TRUE(reduction.ready());
    const Tally count = reduction.result();
    const std::int64_t cells = static_cast<std::int64_t>(width) * height;
    EXPECT_EQ(count.cells, cells);
    EXPECT_EQ(count.sum, cells * (width - 1) / 2 + 1000 * cells * (height - 1) / 2);
    EXPECT_EQ(count.largest, width - 1);
  }
}

TEST_P(Reduce, GivesTheSameBitsEachTime) {
  Reduction<Tally> a(backend()), b(backend());
  a.start("test.count", Range2D{999, 501}, CountCells{});
  b.start("test.count", Range2D{999, 501}, CountCells{});
  a.wait();
  b.wait();
  EXPECT_EQ(a.result().exact, b.result().exact);
}

TEST(ReduceThreads, DoNotChangeTheBits) {
  double first = 0;
  for (const int threads : {1, 2, 3, 7}) {
    const auto backend = Backend::make_cpu(threads);
    Reduction<Tally> reduction(*backend);
    reduction.start("test.count", Range2D{999, 501}, CountCells{});
    if (threads == 1) first = reduction.result().exact;
    EXPECT_EQ(reduction.result().exact, first) << threads;
  }
}

}  // namespace
}  // namespace perturb
