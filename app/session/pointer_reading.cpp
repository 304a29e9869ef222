#include "app/session/pointer_reading.h"

#include "app/run/pointer_segment.h"

namespace perturb {

void PointerReading::move_to(const Camera::Point& fraction, double domain_width, double domain_height,
                             bool over_picture) {
  const bool moved = fraction.x != fraction_.x || fraction.y != fraction_.y;
  fraction_ = fraction;
  place_ = {fraction.x * domain_width, fraction.y * domain_height};
  in_domain_ = over_picture && is_in_domain(fraction);
  if (moved) {
    rest_ = 0;
    moved_ = true;
    if (waits_) value_.clear();
  }
  if (!in_domain_) value_.clear();
}

bool PointerReading::value_is_due() const {
  if (!in_domain_) return false;
  return waits_ ? rest_ > 0.15 && value_age_ > 0.25 : value_age_ > 0.08 || moved_;
}

}  // namespace perturb
