// Where the pointer is in the domain, and the value under it: when that is worth reading.
#pragma once

#include <string>

#include "cuda/core/paint/camera.h"

namespace perturb {

class PointerProbe {
 public:
  // `waits`: reading a value waits for the device. Then it is read when the pointer rests, a few times a second.
  explicit PointerProbe(bool waits) : reading_waits_(waits) {}

  // In fractions of the domain, of any place in the picture.
  const Camera::Point& fraction() const { return fraction_; }
  // In the domain's length units; meaningful while the pointer is over the domain.
  const Camera::Point& position() const { return position_; }
  bool in_domain() const { return in_domain_; }
  // The value there, in words; empty: none is known.
  const std::string& value() const { return value_; }

  // A frame's end of events: the pointer is there now, over the picture or not.
  void move_to(const Camera::Point& fraction, double domain_width, double domain_height, bool over_picture);
  // The hand does something where it is.
  void restart_hover_timer() { hover_seconds_ = 0; }
  void elapse(double seconds) { value_age_ += seconds, hover_seconds_ += seconds; }

  bool value_is_due() const;
  // The value has been asked for; and it is there.
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
  double hover_seconds_ = 0, value_age_ = 1;  // seconds: since it moved, since the value was asked for
};

}  // namespace perturb
