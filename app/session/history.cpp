#include "app/session/history.h"

#include <algorithm>

#include "cuda/core/math/optional_value.h"

namespace perturb {

void History::clear() {
  series_.clear();
  last_step_ = -1;
  last_time_ = spacing_ = 0;
}

void History::add(const Diagnostics& diagnostics) {
  if (diagnostics.scalars.empty() || diagnostics.step == last_step_) return;
  if (diagnostics.step < last_step_) clear();
  if (last_step_ >= 0 && diagnostics.time < last_time_ + spacing_) return;
  last_step_ = diagnostics.step, last_time_ = diagnostics.time;

  bool full = false;
  for (const Scalar& scalar : diagnostics.scalars) {
    if (!has_value(scalar.value)) continue;
    auto found = std::find_if(series_.begin(), series_.end(), [&](const Series& s) { return s.id == scalar.id; });
    if (found == series_.end())
      found = series_.insert(series_.end(), {scalar.id, scalar.label, scalar.unit, {}, scalar.meaning});
    found->points.push_back({diagnostics.time, scalar.value});
    full = full || found->points.size() >= most_points;
  }
  if (!full) return;
  for (Series& s : series_) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < s.points.size(); i += 2) s.points[kept++] = s.points[i];
    s.points.resize(kept);
  }
  // Use the scalar with the longest history.
  const std::vector<CurvePoint>& points =
      std::max_element(series_.begin(), series_.end(), [](const Series& a, const Series& b) {
        return a.points.size() < b.points.size();
      })->points;
  if (points.size() > 1)
    spacing_ = (points.back().x - points.front().x) / static_cast<double>(points.size() - 1) * 0.999;
}

}  // namespace perturb
