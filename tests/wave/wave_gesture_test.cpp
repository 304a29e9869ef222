// Tests of the conversion of pointer gestures into actions.
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/wave/actions.h"
#include "tests/support/backends.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

Gesture gesture(const std::string& tool, Gesture::Phase phase, double x, double y, double from_x, double from_y,
                Gesture::Button button = Gesture::Button::left) {
  Gesture g;
  g.tool = tool;
  g.phase = phase;
  g.button = button;
  g.x = x;
  g.y = y;
  g.previous_x = from_x;
  g.previous_y = from_y;
  g.start_x = from_x;
  g.start_y = from_y;
  return g;
}

class WaveGesture : public OnEachBackend {
 protected:
  void perform(Simulation& tank, const Gesture& g) {
    for (const Action& action : tank.interpret(g)) tank.apply(action);
  }
};
PERTURB_ON_EACH_BACKEND(WaveGesture);

TEST_P(WaveGesture, LeftPressesDownAndRightPullsUp) {
  const auto tank = wave_tank(backend(), 100, 100);
  perform(*tank, gesture("droplet", Gesture::Phase::press, 0.25, 0.5, 0.25, 0.5));
  perform(*tank, gesture("droplet", Gesture::Phase::press, 0.75, 0.5, 0.75, 0.5, Gesture::Button::right));
  const SavedSurface u(*tank);
  EXPECT_FLOAT_EQ(u.at(25, 50), -0.07f);
  EXPECT_FLOAT_EQ(u.at(75, 50), 0.07f);
  EXPECT_TRUE(tank->interpret(gesture("droplet", Gesture::Phase::release, 0.5, 0.5, 0.5, 0.5)).empty());
}

TEST_P(WaveGesture, AFurrowIsAsDeepHoweverTheDragWasCut) {
  const auto furrow = [&](int pieces) {
    const auto tank = wave_tank(backend(), 200, 60);
    for (int k = 0; k < pieces; ++k)
      perform(*tank,
              gesture("droplet", Gesture::Phase::move, 0.2 + 0.6 * (k + 1) / pieces, 0.5, 0.2 + 0.6 * k / pieces, 0.5));
    // The positions of droplets are rounded to cells, so only the mean depth along the furrow must not change.
    const SavedSurface u(*tank);
    float sum = 0;
    for (int i = 60; i < 140; ++i) sum += u.at(i, 30);
    return sum / 80;
  };
  const float whole = furrow(1);
  EXPECT_LT(whole, -0.1f);
  for (const int pieces : {3, 10, 100, 1000}) EXPECT_NEAR(furrow(pieces), whole, 0.03 * std::abs(whole)) << pieces;
}

TEST_P(WaveGesture, WallsAreDrawnAndRubbedOut) {
  const auto tank = wave_tank(backend(), 100, 50);
  perform(*tank, gesture("wall", Gesture::Phase::press, 0.2, 0.5, 0.2, 0.5));
  perform(*tank, gesture("wall", Gesture::Phase::move, 0.8, 0.5, 0.2, 0.5));
  auto wall = tank->save().get<std::uint8_t>("wall", {50, 100});
  for (int i = 20; i < 80; ++i) EXPECT_EQ(wall[25 * 100 + i], 1) << i;
  EXPECT_EQ(wall[25 * 100 + 90], 0);
  perform(*tank, gesture("wall", Gesture::Phase::move, 0.6, 0.5, 0.4, 0.5, Gesture::Button::right));
  wall = tank->save().get<std::uint8_t>("wall", {50, 100});
  EXPECT_EQ(wall[25 * 100 + 50], 0);
  EXPECT_EQ(wall[25 * 100 + 25], 1);
}

TEST_P(WaveGesture, SpeedIsPaintedAndRestored) {
  const auto tank = wave_tank(backend(), 100, 100);
  perform(*tank, gesture("speed", Gesture::Phase::press, 0.5, 0.5, 0.5, 0.5));
  EXPECT_FLOAT_EQ(SavedSurface(*tank, "speed").at(50, 50), 0.6f);
  perform(*tank, gesture("speed", Gesture::Phase::press, 0.5, 0.5, 0.5, 0.5, Gesture::Button::right));
  EXPECT_FALSE(tank->save().has("speed"));
}

TEST_P(WaveGesture, OscillatorsComeAndGo) {
  const auto tank = wave_tank(backend(), 100, 100);
  perform(*tank, gesture("oscillator", Gesture::Phase::press, 0.3, 0.5, 0.3, 0.5));
  perform(*tank, gesture("oscillator", Gesture::Phase::press, 0.7, 0.5, 0.7, 0.5));
  EXPECT_EQ(tank->save().datasets.at("sources").shape[0], 2u);
  // A click without a source nearby removes none.
  const auto right_click = [&](double x, double y) {
    perform(*tank, gesture("oscillator", Gesture::Phase::press, x, y, x, y, Gesture::Button::right));
  };
  EXPECT_THROW(right_click(0.6, 0.6), InputError);
  EXPECT_EQ(tank->save().datasets.at("sources").shape[0], 2u);
  right_click(0.7, 0.5);
  const auto left = tank->save().get<double>("sources", {1, 15});
  EXPECT_DOUBLE_EQ(left[0], 0.3);
}

TEST(WaveActions, EveryFieldIsExplained) {
  for (const ActionKind& kind : action_kinds()) {
    EXPECT_FALSE(kind.help.empty()) << kind.id;
    for (const ValueInfo& field : kind.fields) {
      EXPECT_FALSE(field.help.empty()) << kind.id << " " << field.id;
      if (std::isnan(field.initial)) continue;
      EXPECT_NO_THROW(field.check(field.initial)) << kind.id << " " << field.id;
    }
  }
  for (const Tool& tool : tools())
    for (const ValueInfo& setting : tool.brush)
      EXPECT_NO_THROW(setting.check(setting.initial)) << tool.id << setting.id;
}

TEST(WaveActions, BrushesCreateOnlyValidActions) {
  const Parameters parameters;
  for (const Tool& tool : tools())
    for (const bool greatest : {false, true})
      for (const auto button : {Gesture::Button::left, Gesture::Button::right})
        for (const auto phase : {Gesture::Phase::press, Gesture::Phase::move}) {
          Gesture g = gesture(tool.id, phase, 0.9, 0.4, 0.2, 0.6, button);
          for (const ValueInfo& setting : tool.brush)
            g.brush[setting.id] = greatest ? setting.maximum : setting.minimum;
          for (const Action& action : wave_interpret(g, parameters, 512, 512))
            EXPECT_NO_THROW(check_action(action, action_kinds())) << tool.id;
        }
}

}  // namespace
}  // namespace perturb::wave
