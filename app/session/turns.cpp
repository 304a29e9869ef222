#include "app/session/turns.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace perturb {

namespace {

using Kind = InputEvent::Kind;

// A field that is asked for with a double click is laid out in the next look, gets the keyboard in the one after
// that, and says so in a third.
constexpr int settling_looks = 3;

// After these the panels may be others: lists and fields open and close.
bool is_press(const InputEvent& event) {
  return event.kind == Kind::press || event.kind == Kind::release || event.kind == Kind::key_press ||
         event.kind == Kind::key_release;
}
// A key and the letter that it writes are one deed.
bool writes(const InputEvent& key, const InputEvent& letter) {
  return key.kind == Kind::key_press && key.code != 0 && letter.kind == Kind::key_press && letter.letter != 0;
}

}  // namespace

void Turns::add(std::vector<InputEvent> events) {
  line_.insert(line_.end(), std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
}

std::vector<InputEvent> Turns::next() {
  std::vector<InputEvent> turn;
  const auto take = [&] {
    turn.push_back(std::move(line_.front()));
    line_.pop_front();
  };
  // Any number of moves: the last one tells where what follows happens.
  while (waiting() && !is_press(line_.front()) && line_.front().kind != Kind::scroll) take();
  if (waiting() && looks_ >= settling_looks) {
    if (is_press(line_.front())) {
      take();
      if (waiting() && writes(turn.back(), line_.front())) take();
      looks_ = 0;
      return turn;
    }
    while (waiting() && line_.front().kind == Kind::scroll) take();
  }
  looks_ = std::min(looks_ + 1, settling_looks);
  return turn;
}

void Turns::drop_repeats() {
  for (std::size_t i = 0; i < line_.size(); ++i) {
    if (!line_[i].repeat) continue;
    const auto same = [&, first = line_[i]](const InputEvent& e) {
      return e.repeat && e.kind == first.kind && e.key == first.key && e.code == first.code && e.letter == first.letter;
    };
    line_.erase(std::remove_if(line_.begin() + static_cast<std::ptrdiff_t>(i) + 1, line_.end(), same), line_.end());
  }
}

}  // namespace perturb
