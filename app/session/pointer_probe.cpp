#include "app/session/pointer_probe.h"

#include "app/run/pointer_segment.h"

namespace perturb {

void PointerProbe::move_to(const Camera::Point& fraction, double domain_width, double domain_height,
                           bool over_picture) {
  const bool moved = fraction.x != fraction_.x || fraction.y != fraction_.y;
  fraction_ = fraction;
  position_ = {fraction.x * domain_width, fraction.y * domain_height};
  in_domain_ = over_picture && is_in_domain(fraction);
  if (moved) {
    hover_seconds_ = 0;
    moved_ = true;
    if (reading_waits_) value_.clear();
  }
  if (!in_domain_) value_.clear();
}

bool PointerProbe::value_is_due() const {
  if (!in_domain_) return false;
  return reading_waits_ ? hover_seconds_ > 0.15 && value_age_ > 0.25 : value_age_ > 0.08 || moved_;
}

}  // namespace perturb
