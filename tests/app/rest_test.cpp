// A window at rest waits for input, and draws at once where there is some or something moves.
#include <vector>

#include <gtest/gtest.h>

#include "app/window_rest.h"

namespace perturb {
namespace {

using Kind = InputEvent::Kind;

InputEvent event(Kind kind, int code = 0) {
  InputEvent e;
  e.kind = kind, e.code = code;
  if (kind == Kind::press || kind == Kind::release) e.button = InputEvent::Button::left;
  return e;
}

// Frames in which nothing is done.
void pass(WindowRest& rest, int frames, bool moves = false) {
  for (int k = 0; k < frames; ++k) rest.see({}, moves);
}

TEST(WindowRest, WaitsOnceNothingHasHappenedForSomeFrames) {
  WindowRest rest;
  EXPECT_EQ(rest.longest_wait(), 0);
  pass(rest, 60);
  EXPECT_GT(rest.longest_wait(), 0);
  EXPECT_LE(rest.longest_wait(), 0.1);
  rest.see({event(Kind::move)}, false);
  EXPECT_EQ(rest.longest_wait(), 0);
  pass(rest, 3);
  EXPECT_EQ(rest.longest_wait(), 0) << "panels settle first";
}

TEST(WindowRest, NeverWaitsWhileSomethingMoves) {
  WindowRest rest;
  pass(rest, 100, true);
  EXPECT_EQ(rest.longest_wait(), 0);
}

TEST(WindowRest, NeverWaitsWhileAKeyOrAButtonIsHeld) {
  for (const Kind down : {Kind::press, Kind::key_press}) {
    WindowRest rest;
    rest.see({event(down, 65)}, false);
    pass(rest, 100);
    EXPECT_EQ(rest.longest_wait(), 0);
    rest.see({event(down == Kind::press ? Kind::release : Kind::key_release, 65)}, false);
    pass(rest, 100);
    EXPECT_GT(rest.longest_wait(), 0);
  }
}

TEST(WindowRest, ALetterThatAKeyWritesIsNotHeld) {
  WindowRest rest;
  rest.see({event(Kind::key_press, 65), event(Kind::key_press), event(Kind::key_release, 65)}, false);
  EXPECT_EQ(rest.longest_wait(), 0);
  pass(rest, 100);
  EXPECT_GT(rest.longest_wait(), 0);
}

TEST(WindowRest, WhatIsLetGoOutsideIsHeldNoLonger) {
  WindowRest rest;
  rest.see({event(Kind::key_press, 65), event(Kind::leave)}, false);
  pass(rest, 100);
  EXPECT_GT(rest.longest_wait(), 0);
}

}  // namespace
}  // namespace perturb
