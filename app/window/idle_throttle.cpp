#include "app/window/idle_throttle.h"

namespace perturb {

namespace {

// The panels settle within a few frames after an input.
constexpr int quiet_frames = 12;
constexpr double wait_at_rest = 0.1;  // seconds

constexpr int first_button = -10;  // keys have positive numbers

}  // namespace

void IdleThrottle::update(const std::vector<InputEvent>& events, bool moves) {
  using Kind = InputEvent::Kind;
  for (const InputEvent& event : events) {
    const int button = first_button + static_cast<int>(event.button);
    if (event.kind == Kind::press) held_.insert(button);
    if (event.kind == Kind::release) held_.erase(button);
    // (The character of a key arrives as a press of no key, without a release.)
    if (event.kind == Kind::key_press && event.code != 0) held_.insert(event.code);
    if (event.kind == Kind::key_release) held_.erase(event.code);
    // Releases in another window are not received.
    if (event.kind == Kind::leave) held_.clear();
  }
  quiet_frames_ = moves || !events.empty() || !held_.empty() ? 0 : quiet_frames_ + 1;
}

double IdleThrottle::max_wait() const { return quiet_frames_ > quiet_frames ? wait_at_rest : 0; }

}  // namespace perturb
