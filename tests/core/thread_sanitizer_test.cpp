// That ThreadSanitizer sees into the loops of the CPU's threads, which oneTBB deals out unseen: without this its
// silence about all other tests would tell nothing.
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

// Waits, without ordering anything, until both blocks of a loop are under way: then two threads do them.
void wait_for_both(std::atomic<int>& here) {
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  here.fetch_add(1, std::memory_order_relaxed);
  while (here.load(std::memory_order_relaxed) < 2 && std::chrono::steady_clock::now() < late) std::this_thread::yield();
}

#if defined(PERTURB_THREAD_SANITIZER)

// Several times over, each in a place of its own: of a single pair of writes at the same moment the sanitizer may see
// none.
void write_one_place_from_two_blocks() {
  CpuThreads threads(2);
  std::vector<int> places(16 * 64);
  for (std::size_t place = 0; place < places.size(); place += 64) {
    std::atomic<int> here{0};
    const auto block = [&](int begin, int) { wait_for_both(here), places[place] = begin; };
    threads.for_row_blocks(2, 1, RowBlock(block));
  }
  std::exit(places[0] >= 0 ? 0 : 1);
}

TEST(ThreadSanitizer, ReportsTwoBlocksWritingOneLocation) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(write_one_place_from_two_blocks(), "data race");
}

#endif

// What is done before a loop, in it and after it are no races: each block writes what the other one wrote in the loop
// before, and reads what was written between the loops.
TEST(ThreadSanitizer, AcceptsConsecutiveLoops) {
  CpuThreads threads(2);
  int places[2] = {0, 0}, between = 0;
  for (int round = 0; round < 4; ++round) {
    std::atomic<int> here{0};
    between = round;
    const auto block = [&](int begin, int) { wait_for_both(here), places[(begin + round) % 2] += 1 + between; };
    threads.for_row_blocks(2, 1, RowBlock(block));
    EXPECT_EQ(places[0], places[1]);
  }
  EXPECT_EQ(places[0], 1 + 2 + 3 + 4);
}

}  // namespace
}  // namespace perturb
