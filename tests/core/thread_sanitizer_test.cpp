// Checks that ThreadSanitizer detects races in the CPU's loops, which an uninstrumented oneTBB distributes: otherwise
// its silence about all other tests would prove nothing.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/cpu_threads.h"
#include "cuda/core/backend/tsan_fence.h"

namespace perturb {
namespace {

// Waits, without memory ordering, until both blocks of a loop are running: then two threads process them.
void wait_for_both(std::atomic<int>& here) {
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  here.fetch_add(1, std::memory_order_relaxed);
  while (here.load(std::memory_order_relaxed) < 2 && std::chrono::steady_clock::now() < late) std::this_thread::yield();
}

#if defined(PERTURB_THREAD_SANITIZER)

// Repeated, at different addresses: the sanitizer may miss a single pair of simultaneous writes.
void write_one_place_from_two_blocks() {
  CpuThreads threads(2);
  std::vector<int> places(16 * 64);
  for (std::size_t place = 0; place < places.size(); place += 64) {
    std::atomic<int> here{0};
    const auto block = [&](int begin, int) {
      wait_for_both(here);
      places[place] = begin;
    };
    threads.for_row_blocks(2, 1, RowBlock(block));
  }
  std::exit(places[0] >= 0 ? 0 : 1);
}

TEST(ThreadSanitizer, ReportsTwoBlocksWritingOneLocation) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(write_one_place_from_two_blocks(), "data race");
}

#endif

// Accesses before, in and after a loop are no races: each block writes what the other one wrote in the previous loop,
// and reads what was written between the loops.
TEST(ThreadSanitizer, AcceptsConsecutiveLoops) {
  CpuThreads threads(2);
  int places[2] = {0, 0}, between = 0;
  for (int round = 0; round < 4; ++round) {
    std::atomic<int> here{0};
    between = round;
    const auto block = [&](int begin, int) {
      wait_for_both(here);
      places[(begin + round) % 2] += 1 + between;
    };
    threads.for_row_blocks(2, 1, RowBlock(block));
    EXPECT_EQ(places[0], places[1]);
  }
  EXPECT_EQ(places[0], 1 + 2 + 3 + 4);
}

}  // namespace
}  // namespace perturb
