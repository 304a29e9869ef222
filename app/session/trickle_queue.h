// Trickles input events over several ImGui passes. Dear ImGui samples the pointer position and the pressed buttons once
// per pass. It misses a press and release that fall between two passes, and merges two clicks into one. The events of a
// long frame are therefore distributed over several passes, and only the last pass is drawn.
#pragma once

#include <deque>
#include <vector>

#include "app/session/input_event.h"

namespace perturb {

class TrickleQueue {
 public:
  void add(std::vector<InputEvent> events);
  // Whether events are pending.
  bool waiting() const { return !queue_.empty(); }
  // Events of the next pass, in order: as many from the front as one pass can distinguish. Empty while the panels need
  // another pass before the next event can reach its target: a double-clicked field accepts characters only then.
  std::vector<InputEvent> next();
  // Drops pending repeats of a held key except one each: they may come faster than long frames can process, and would
  // continue after the key is released. Not for a text field, where each is a character.
  void drop_repeats();

 private:
  std::deque<InputEvent> queue_;
  int passes_ = 0;  // since the last press, release or key
};

}  // namespace perturb
