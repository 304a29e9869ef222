// Events that arrive together are spread over passes that can distinguish them; all arrive, in order.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/session/input_events.h"
#include "tests/support/session_input.h"

namespace perturb {
namespace {

using Kind = InputEvent::Kind;

InputEvent mouse(Kind kind, double x, InputEvent::Button button = InputEvent::Button::left) {
  InputEvent e;
  e.kind = kind;
  e.x = x;
  if (kind == Kind::press || kind == Kind::release) e.button = button;
  return e;
}
InputEvent key(Kind kind, int code, bool repeat = false) {
  InputEvent e;
  e.kind = kind;
  e.code = code;
  e.repeat = repeat;
  return e;
}
InputEvent letter(char c, bool repeat = false) {
  InputEvent e = key_press(std::string(1, c));
  e.letter = static_cast<unsigned char>(c);
  e.repeat = repeat;
  return e;
}

std::vector<std::vector<InputEvent>> all_passes(TrickleQueue& trickle_queue) {
  std::vector<std::vector<InputEvent>> passes;
  do passes.push_back(trickle_queue.next());
  while (trickle_queue.waiting() && passes.size() < 1000);
  return passes;
}

TEST(TrickleQueue, DeliversEachPressAndReleaseInItsOwnPass) {
  TrickleQueue trickle_queue;
  trickle_queue.add({mouse(Kind::move, 1), mouse(Kind::press, 1), mouse(Kind::release, 1), mouse(Kind::press, 1),
                     mouse(Kind::release, 1)});
  int quiet = 0, pressed = 0;
  bool down = false;
  for (const auto& pass : all_passes(trickle_queue)) {
    int changes = 0;
    for (const InputEvent& e : pass) {
      if (e.kind != Kind::press && e.kind != Kind::release) continue;
      EXPECT_EQ(down, e.kind == Kind::release);
      down = !down;
      pressed += down;
      ++changes;
    }
    EXPECT_LE(changes, 1) << "one look sees one state of a button";
    quiet += pass.empty();
  }
  EXPECT_EQ(pressed, 2);
  EXPECT_GE(quiet, 9) << "the panels are looked at before the next event is for them";
}

TEST(TrickleQueue, DeliversAllEventsInOrder) {
  std::vector<InputEvent> events;
  for (int k = 0; k < 200; ++k) {
    const Kind kinds[] = {Kind::move,   Kind::move,      Kind::press, Kind::move,        Kind::release,
                          Kind::scroll, Kind::key_press, Kind::enter, Kind::key_release, Kind::leave};
    InputEvent e = mouse(kinds[(k * 7 + k / 10) % 10], k);
    e.code = k;
    events.push_back(e);
  }
  TrickleQueue trickle_queue;
  trickle_queue.add({events.begin(), events.begin() + 120});
  double last = -1;
  std::size_t count = 0;
  const auto take = [&] {
    for (const InputEvent& e : trickle_queue.next()) {
      EXPECT_GT(e.x, last);
      last = e.x;
      ++count;
    }
  };
  for (int k = 0; k < 20; ++k) take();
  trickle_queue.add({events.begin() + 120, events.end()});
  for (int k = 0; k < 2000 && trickle_queue.waiting(); ++k) take();
  EXPECT_EQ(count, events.size());
}

TEST(TrickleQueue, DeliversMovesOfADragInOnePass) {
  TrickleQueue trickle_queue;
  for (int k = 0; k < 5; ++k) trickle_queue.next();
  std::vector<InputEvent> moves;
  for (int k = 0; k < 50; ++k) moves.push_back(mouse(Kind::move, k));
  trickle_queue.add(moves);
  EXPECT_EQ(trickle_queue.next().size(), 50u);
  EXPECT_FALSE(trickle_queue.waiting());
}

TEST(TrickleQueue, DeliversKeyWithItsLetter) {
  TrickleQueue trickle_queue;
  for (int k = 0; k < 5; ++k) trickle_queue.next();
  trickle_queue.add({key(Kind::key_press, 65), letter('a'), key(Kind::key_release, 65)});
  EXPECT_EQ(trickle_queue.next().size(), 2u);
}

TEST(TrickleQueue, DropsRepeatsOfHeldKey) {
  TrickleQueue trickle_queue;
  std::vector<InputEvent> events = {letter('n')};
  for (int k = 0; k < 30; ++k) events.push_back(letter('n', true));
  events.push_back(letter('r'));
  trickle_queue.add(events);
  trickle_queue.drop_repeats();
  std::string letters;
  for (const auto& pass : all_passes(trickle_queue))
    for (const InputEvent& e : pass) letters += e.key;
  EXPECT_EQ(letters, "nnr");
}

}  // namespace
}  // namespace perturb
