// The number of steps per frame.
#include <algorithm>

#include <gtest/gtest.h>

#include "app/session/playback.h"

namespace perturb {
namespace {

constexpr double frame = Pace::target_frame;

TEST(Pace, TakesRequestedStepsIfTimeAllows) {
  Pace pace(16);
  for (int i = 0; i < 100; ++i) pace.observe_steps(pace.steps(), pace.steps() * 1e-5, 0.002);
  EXPECT_EQ(pace.steps(), 16);
  EXPECT_FALSE(pace.is_throttled());
}

TEST(Pace, ThrottlesToKeepFrameRateAndRecovers) {
  Pace pace(64);
  for (int i = 0; i < 200; ++i) pace.observe_steps(pace.steps(), pace.steps() * 1e-3, 0.002);
  EXPECT_TRUE(pace.is_throttled());
  EXPECT_GE(pace.steps(), 8);
  EXPECT_LE(pace.steps() * 1e-3 + 0.002, frame);
  for (int i = 0; i < 200; ++i) pace.observe_steps(pace.steps(), pace.steps() * 1e-5, 0.002);
  EXPECT_EQ(pace.steps(), 64);
}

TEST(Pace, SlowDrawingDoesNotStarveThePhysics) {
  Pace pace(64);
  for (int i = 0; i < 200; ++i) pace.observe_steps(pace.steps(), pace.steps() * 1e-3, 0.2);
  EXPECT_GE(pace.steps() * 1e-3, 0.4 * frame);
}

TEST(Pace, AHugeStepIsStillTaken) {
  Pace pace(16);
  for (int i = 0; i < 50; ++i) pace.observe_steps(pace.steps(), pace.steps() * 0.5, 0.002);
  EXPECT_EQ(pace.steps(), 1);
}

TEST(Pace, QueuedStepsAreJudgedByFrames) {
  Pace pace(400);
  const auto frame_for = [&](double per_step) { return std::max(frame, pace.steps() * per_step); };
  for (int i = 0; i < 2000; ++i) pace.observe_frame(pace.steps(), frame_for(1e-4));
  EXPECT_TRUE(pace.is_throttled());
  EXPECT_LT(pace.steps() * 1e-4, 1.3 * frame);
  EXPECT_GT(pace.steps() * 1e-4, 0.5 * frame);
  for (int i = 0; i < 8000; ++i) pace.observe_frame(pace.steps(), frame_for(1e-6));
  EXPECT_EQ(pace.steps(), 400);
}

TEST(Pace, DoesNotBlameTheStepsForASlowDisplay) {
  Pace pace(100);
  int least = 100;
  double sum = 0;
  for (int i = 0; i < 3000; ++i) {
    pace.observe_frame(pace.steps(), 1.0 / 30);
    least = std::min(least, pace.steps());
    sum += pace.steps();
  }
  EXPECT_GT(sum / 3000, 90) << "30 frames a second whatever it does: the steps are to be taken";
}

TEST(Pace, KeysDoubleAndHalve) {
  Pace pace(16);
  pace.faster();
  EXPECT_EQ(pace.requested(), 32);
  for (int i = 0; i < 40; ++i) pace.slower();
  EXPECT_EQ(pace.requested(), 1);
  for (int i = 0; i < 80; ++i) pace.faster();
  EXPECT_GT(pace.requested(), 1000);
}

}  // namespace
}  // namespace perturb
