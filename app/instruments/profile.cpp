#include "app/instruments/profile.h"

#include <algorithm>

namespace perturb {

void Profile::clear() {
  now_.clear(), sum_.clear();
  moments_ = 0;
  step_ = -1;
}

void Profile::take(std::span<const double> values, std::int64_t step) {
  if (values.size() != now_.size() || step < step_) clear();
  now_.assign(values.begin(), values.end());
  if (step == step_) return;  // the same state was read again
  step_ = step;
  sum_.resize(values.size(), 0);
  for (std::size_t k = 0; k < values.size(); ++k) sum_[k] += values[k];
  ++moments_;
}

std::vector<CurvePoint> Profile::points(bool averaged, double length) const {
  std::vector<CurvePoint> points;
  const double apart = length / static_cast<double>(std::max<std::size_t>(2, now_.size()) - 1);
  for (std::size_t k = 0; k < now_.size(); ++k)
    points.push_back(
        {apart * static_cast<double>(k), averaged && moments_ > 0 ? sum_[k] / static_cast<double>(moments_) : now_[k]});
  return points;
}

std::vector<Camera::Point> places_along(const Instrument& cut, std::size_t count) {
  std::vector<Camera::Point> places;
  if (cut.places.size() < 2) return places;
  // The far edge of the domain belongs to no cell: uses the last position before it.
  const auto inside = [](double fraction) { return std::clamp(fraction, 0.0, 1 - 1e-9); };
  const Camera::Point a = cut.places[0], b = cut.places[1];
  for (std::size_t k = 0; k < count; ++k) {
    const double t = static_cast<double>(k) / static_cast<double>(std::max<std::size_t>(2, count) - 1);
    places.push_back({inside(a.x + t * (b.x - a.x)), inside(a.y + t * (b.y - a.y))});
  }
  return places;
}

}  // namespace perturb
