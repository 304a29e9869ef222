#include "app/session/input_events.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace perturb {

namespace {

using Kind = InputEvent::Kind;

// A field opened by a double click is laid out in the next pass, gets the focus in the second and reports it in the
// third.
constexpr int settle_passes = 3;

// These events may change the panels: lists and fields open and close.
bool is_press(const InputEvent& event) {
  return event.kind == Kind::press || event.kind == Kind::release || event.kind == Kind::key_press ||
         event.kind == Kind::key_release;
}
// Whether the two events are a key and the character that it types.
bool writes(const InputEvent& key, const InputEvent& letter) {
  return key.kind == Kind::key_press && key.code != 0 && letter.kind == Kind::key_press && letter.letter != 0;
}

}  // namespace

void TrickleQueue::add(std::vector<InputEvent> events) {
  queue_.insert(queue_.end(), std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
}

std::vector<InputEvent> TrickleQueue::next() {
  std::vector<InputEvent> pass;
  const auto take = [&] {
    pass.push_back(std::move(queue_.front()));
    queue_.pop_front();
  };
  // Any number of moves: only the last one sets the position of what follows.
  while (waiting() && !is_press(queue_.front()) && queue_.front().kind != Kind::scroll) take();
  if (waiting() && passes_ >= settle_passes) {
    if (is_press(queue_.front())) {
      take();
      if (waiting() && writes(pass.back(), queue_.front())) take();
      passes_ = 0;
      return pass;
    }
    while (waiting() && queue_.front().kind == Kind::scroll) take();
  }
  passes_ = std::min(passes_ + 1, settle_passes);
  return pass;
}

void TrickleQueue::drop_repeats() {
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    if (!queue_[i].repeat) continue;
    const auto same = [&, first = queue_[i]](const InputEvent& e) {
      return e.repeat && e.kind == first.kind && e.key == first.key && e.code == first.code && e.letter == first.letter;
    };
    queue_.erase(std::remove_if(queue_.begin() + static_cast<std::ptrdiff_t>(i) + 1, queue_.end(), same), queue_.end());
  }
}

}  // namespace perturb
