// Events that come at once are dealt out over looks that can tell them apart, and all arrive in their order.
#include "app/session/turns.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace perturb {
namespace {

using Kind = InputEvent::Kind;

InputEvent mouse(Kind kind, double x, InputEvent::Button button = InputEvent::Button::left) {
  InputEvent e;
  e.kind = kind, e.x = x;
  if (kind == Kind::press || kind == Kind::release) e.button = button;
  return e;
}
InputEvent key(Kind kind, int code, bool repeat = false) {
  InputEvent e;
  e.kind = kind, e.code = code, e.repeat = repeat;
  return e;
}
InputEvent letter(char c, bool repeat = false) {
  InputEvent e;
  e.kind = Kind::key_press, e.key = std::string(1, c), e.letter = static_cast<unsigned char>(c), e.repeat = repeat;
  return e;
}

std::vector<std::vector<InputEvent>> all_looks(Turns& turns) {
  std::vector<std::vector<InputEvent>> looks;
  do looks.push_back(turns.next());
  while (turns.waiting() && looks.size() < 1000);
  return looks;
}

TEST(Turns, TwoClicksAreFourLooksWithQuietOnesBetween) {
  Turns turns;
  turns.add({mouse(Kind::move, 1), mouse(Kind::press, 1), mouse(Kind::release, 1), mouse(Kind::press, 1),
             mouse(Kind::release, 1)});
  int quiet = 0, pressed = 0;
  bool down = false;
  for (const auto& look : all_looks(turns)) {
    int changes = 0;
    for (const InputEvent& e : look) {
      if (e.kind != Kind::press && e.kind != Kind::release) continue;
      EXPECT_EQ(down, e.kind == Kind::release);
      down = !down, pressed += down, ++changes;
    }
    EXPECT_LE(changes, 1) << "one look sees one state of a button";
    quiet += look.empty();
  }
  EXPECT_EQ(pressed, 2);
  EXPECT_GE(quiet, 9) << "the panels are looked at before the next event is for them";
}

TEST(Turns, AllArriveInTheirOrder) {
  std::vector<InputEvent> events;
  for (int k = 0; k < 200; ++k) {
    const Kind kinds[] = {Kind::move,   Kind::move,      Kind::press, Kind::move,        Kind::release,
                          Kind::scroll, Kind::key_press, Kind::enter, Kind::key_release, Kind::leave};
    InputEvent e = mouse(kinds[(k * 7 + k / 10) % 10], k);
    e.code = k;
    events.push_back(e);
  }
  Turns turns;
  turns.add({events.begin(), events.begin() + 120});
  double last = -1;
  std::size_t count = 0;
  const auto take = [&] {
    for (const InputEvent& e : turns.next()) {
      EXPECT_GT(e.x, last);
      last = e.x, ++count;
    }
  };
  for (int k = 0; k < 20; ++k) take();
  turns.add({events.begin() + 120, events.end()});
  for (int k = 0; k < 2000 && turns.waiting(); ++k) take();
  EXPECT_EQ(count, events.size());
}

TEST(Turns, ADragOverThePictureIsOneLook) {
  Turns turns;
  for (int k = 0; k < 5; ++k) turns.next();
  std::vector<InputEvent> moves;
  for (int k = 0; k < 50; ++k) moves.push_back(mouse(Kind::move, k));
  turns.add(moves);
  EXPECT_EQ(turns.next().size(), 50u);
  EXPECT_FALSE(turns.waiting());
}

TEST(Turns, AKeyComesWithItsLetter) {
  Turns turns;
  for (int k = 0; k < 5; ++k) turns.next();
  turns.add({key(Kind::key_press, 65), letter('a'), key(Kind::key_release, 65)});
  EXPECT_EQ(turns.next().size(), 2u);
}

TEST(Turns, WhatIsHeldDoesNotPileUp) {
  Turns turns;
  std::vector<InputEvent> events = {letter('n')};
  for (int k = 0; k < 30; ++k) events.push_back(letter('n', true));
  events.push_back(letter('r'));
  turns.add(events);
  turns.drop_repeats();
  std::string letters;
  for (const auto& look : all_looks(turns))
    for (const InputEvent& e : look) letters += e.key;
  EXPECT_EQ(letters, "nnr");
}

}  // namespace
}  // namespace perturb
