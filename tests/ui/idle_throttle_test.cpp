// An idle window waits for input, and draws at once if there is input or something moves.

#include <gtest/gtest.h>

#include "app/window/frame_timing.h"

namespace perturb {
namespace {

using Kind = InputEvent::Kind;

InputEvent event(Kind kind, int code = 0) {
  InputEvent e;
  e.kind = kind;
  e.code = code;
  if (kind == Kind::press || kind == Kind::release) e.button = InputEvent::Button::left;
  return e;
}

// Frames without input.
void pass(IdleThrottle& throttle, int frames, bool moves = false) {
  for (int k = 0; k < frames; ++k) throttle.update({}, moves);
}

TEST(IdleThrottle, WaitsAfterQuietFrames) {
  IdleThrottle throttle;
  EXPECT_EQ(throttle.max_wait(), 0);
  pass(throttle, 60);
  EXPECT_GT(throttle.max_wait(), 0);
  EXPECT_LE(throttle.max_wait(), 0.1);
  throttle.update({event(Kind::move)}, false);
  EXPECT_EQ(throttle.max_wait(), 0);
  pass(throttle, 3);
  EXPECT_EQ(throttle.max_wait(), 0) << "panels settle first";
}

TEST(IdleThrottle, NeverWaitsWhileSomethingMoves) {
  IdleThrottle throttle;
  pass(throttle, 100, true);
  EXPECT_EQ(throttle.max_wait(), 0);
}

TEST(IdleThrottle, NeverWaitsWhileKeyOrButtonIsDown) {
  for (const Kind down : {Kind::press, Kind::key_press}) {
    IdleThrottle throttle;
    throttle.update({event(down, 65)}, false);
    pass(throttle, 100);
    EXPECT_EQ(throttle.max_wait(), 0);
    throttle.update({event(down == Kind::press ? Kind::release : Kind::key_release, 65)}, false);
    pass(throttle, 100);
    EXPECT_GT(throttle.max_wait(), 0);
  }
}

TEST(IdleThrottle, DoesNotCountTypedCharacterAsHeldKey) {
  IdleThrottle throttle;
  throttle.update({event(Kind::key_press, 65), event(Kind::key_press), event(Kind::key_release, 65)}, false);
  EXPECT_EQ(throttle.max_wait(), 0);
  pass(throttle, 100);
  EXPECT_GT(throttle.max_wait(), 0);
}

TEST(IdleThrottle, ForgetsKeysReleasedOutside) {
  IdleThrottle throttle;
  throttle.update({event(Kind::key_press, 65), event(Kind::leave)}, false);
  pass(throttle, 100);
  EXPECT_GT(throttle.max_wait(), 0);
}

}  // namespace
}  // namespace perturb
