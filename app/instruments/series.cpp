#include "app/instruments/series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perturb {

void Series::clear() {
  values_.clear();
  last_step_ = -1;
  spacing_ = 0;
}

void Series::add(std::int64_t step, double time, double value, std::int64_t every) {
  if (last_step_ >= 0 && step != last_step_ + every) clear();
  if (!values_.empty()) spacing_ = time - values_.back().time;
  last_step_ = step;
  values_.push_back({time, value});
  if (values_.size() > most_readings) values_.pop_front();
}

double Series::latest() const {
  return values_.empty() ? std::numeric_limits<double>::quiet_NaN() : values_.back().value;
}

std::vector<double> Series::even_values() const {
  std::vector<double> newest;
  for (std::size_t k = values_.size(); k-- > 0;) {
    if (!std::isfinite(values_[k].value)) break;
    if (k + 1 < values_.size() && std::abs(values_[k + 1].time - values_[k].time - spacing_) > 1e-6 * spacing_) break;
    newest.push_back(values_[k].value);
  }
  std::reverse(newest.begin(), newest.end());
  return newest;
}

std::vector<CurvePoint> Series::points(std::size_t most) const {
  std::vector<CurvePoint> points;
  const std::size_t stretch =
      std::max<std::size_t>(1, (2 * values_.size() + most - 1) / std::max<std::size_t>(1, most));
  if (stretch < 3) {
    for (const Reading& r : values_) points.push_back({r.time, r.value});
    return points;
  }
  for (std::size_t begin = 0; begin < values_.size(); begin += stretch) {
    const std::size_t end = std::min(begin + stretch, values_.size());
    const auto less = [](const Reading& a, const Reading& b) { return a.value < b.value; };
    const auto first = values_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = values_.begin() + static_cast<std::ptrdiff_t>(end);
    auto [low, high] = std::minmax_element(first, last, less);
    if (high < low) std::swap(low, high);
    points.push_back({low->time, low->value});
    if (high != low) points.push_back({high->time, high->value});
  }
  return points;
}

}  // namespace perturb
