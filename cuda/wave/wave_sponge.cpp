#include "cuda/wave/wave_sponge.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuda/wave/wave_scheme.h"

namespace perturb::wave {

template <class Real>
std::vector<Real> Sponge<Real>::factors(const Parameters& p, int count, Boundary low, Boundary high) const {
  std::vector<Real> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    double extra = 0;  // damping, 1/time
    const auto side = [&](Boundary boundary, int cells_away) {
      if (boundary != Boundary::absorbing || p.sponge_width <= 0) return;
      const double depth = 1 - (cells_away + 0.5) * p.cell_size / p.sponge_width;
      if (depth > 0) extra += p.sponge_strength * depth * depth * std::sqrt(depth);
    };
    side(low, i), side(high, count - 1 - i);
    values[static_cast<std::size_t>(i)] = static_cast<Real>(1 / (1 + 0.5 * extra * p.time_step / damping_divisor(p)));
  }
  return values;
}

template <class Real>
void Sponge<Real>::prepare(const Parameters& p) {
  std::vector<Real> x = factors(p, width_, p.boundary_left, p.boundary_right);
  std::vector<Real> y = factors(p, height_, p.boundary_bottom, p.boundary_top);
  const auto damps = [](const std::vector<Real>& values) {
    return std::any_of(values.begin(), values.end(), [](Real v) { return v != Real(1); });
  };
  const bool any = damps(x) || damps(y);
  if (any && x_.empty()) {
    Array<Real> column(backend_, x.size(), "sponge"), row(backend_, y.size(), "sponge");
    x_ = std::move(column), y_ = std::move(row);
  }
  any_ = any;
  if (!any_) return;
  if (x != x_values_) x_.upload(x);
  if (y != y_values_) y_.upload(y);
  x_values_ = std::move(x), y_values_ = std::move(y);
}

template <class Real>
void Sponge<Real>::add_to(Pass<Real>& pass) const {
  if (any_) pass.sponge_x = x_.view(), pass.sponge_y = y_.view();
}

template class Sponge<float>;
template class Sponge<double>;

}  // namespace perturb::wave
