// Events wait here for their turn. Dear ImGui looks once a frame: at where the pointer is, and at what is down. Of a
// press and its release between two looks it sees nothing, of two clicks one. So a long frame's events are dealt out
// over several looks, of which only the last is drawn.
#pragma once

#include <deque>
#include <vector>

#include "app/session/input_event.h"

namespace perturb {

class TrickleQueue {
 public:
  void add(std::vector<InputEvent> events);
  // Whether events still wait.
  bool waiting() const { return !queue_.empty(); }
  // The next look: the events at the head of the line that it can tell apart, in order. None while the panels
  // must be looked at once more before the next event is for whom it is meant: a field that was double-clicked
  // hears letters only then.
  std::vector<InputEvent> next();
  // A key that is held repeats faster than long frames can follow. What still waits of its repeats is dropped, but for
  // one of each: else it would go on after the key was let go. Not for a text field, where each is a letter.
  void drop_repeats();

 private:
  std::deque<InputEvent> queue_;
  int passes_ = 0;  // since the last press, release or key
};

}  // namespace perturb
