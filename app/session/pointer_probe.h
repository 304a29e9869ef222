// Position of the pointer in the domain, and the value there, read when useful.
#pragma once

#include <string>

#include "cuda/core/paint/camera.h"

namespace perturb {

class PointerProbe {
 public:
  // `waits`: reading a value waits for the device. It is then read when the pointer rests, a few times per second.
  explicit PointerProbe(bool waits) : reading_waits_(waits) {}

  // In fractions of the domain, for any point of the view.
  const Camera::Point& fraction() const { return fraction_; }
  // In length units of the domain; valid while the pointer is over the domain.
  const Camera::Point& position() const { return position_; }
  bool in_domain() const { return in_domain_; }
  // The value there as text; empty: not known.
  const std::string& value() const { return value_; }

  // Call after the events of a frame with the new pointer position.
  void move_to(const Camera::Point& fraction, double domain_width, double domain_height, bool over_picture);
  // Call when the user acts at the pointer.
  void restart_hover_timer() { hover_seconds_ = 0; }
  void elapse(double seconds) { value_age_ += seconds, hover_seconds_ += seconds; }

  bool value_is_due() const;
  // Call when the value has been requested, and when it has arrived.
  void value_asked() { moved_ = false, value_age_ = 0; }
  void take_value(const std::string& value) {
    if (in_domain_) value_ = value;
  }
  void forget_value() { value_.clear(); }

 private:
  bool reading_waits_;
  Camera::Point position_{0, 0}, fraction_{0, 0};
  bool in_domain_ = false, moved_ = false;
  std::string value_;
  double hover_seconds_ = 0, value_age_ = 1;  // seconds: since the pointer moved, since the value was requested
};

}  // namespace perturb
