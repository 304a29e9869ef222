#include "app/serve/time_limit.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace perturb {
namespace {

using namespace std::chrono_literals;

// Waits until the stop is requested; only a limit that fails makes it wait for long.
bool stops(const TimeLimit& limit) {
  for (int k = 0; k < 6000 && !limit.stop().stop_requested(); ++k) std::this_thread::sleep_for(5ms);
  return limit.stop().stop_requested();
}

TEST(TimeLimit, StopsLongWorkAgainAndAgain) {
  TimeLimit limit(1ms, [] { return true; });
  for (int k = 0; k < 3; ++k) {
    const TimeLimit::Scope work(limit);
    EXPECT_TRUE(stops(limit));
  }
}

TEST(TimeLimit, WorkThatEndsInTimeIsNotStopped) {
  TimeLimit limit(1h, [] { return true; });
  for (int k = 0; k < 100; ++k) const TimeLimit::Scope work(limit);
  EXPECT_FALSE(limit.stop().stop_requested());
}

TEST(TimeLimit, StopsWhenSomebodyBeginsToWait) {
  std::atomic<int> asked{0};
  TimeLimit limit(1ms, [&] { return ++asked > 1; });
  const TimeLimit::Scope work(limit);
  EXPECT_TRUE(stops(limit));
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace perturb
