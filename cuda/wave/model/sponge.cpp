#include "cuda/wave/model/sponge.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

namespace {

// The sponge's damping in a cell at this distance (cells) from an absorbing side, 1/time.
double sponge_damping(const Parameters& p, int cells_away) {
  if (p.sponge_width <= 0) return 0;
  const double depth = 1 - (cells_away + 0.5) * p.cell_size / p.sponge_width;
  return depth > 0 ? p.sponge_strength * depth * depth * std::sqrt(depth) : 0;
}
// Factor of both weights of a step.
double sponge_factor(const Parameters& p, double damping) {
  return 1 / (1 + 0.5 * damping * p.time_step / damping_divisor(p));
}

}  // namespace

double sponge_reflection(const Parameters& p, double frequency) {
  using Complex = std::complex<double>;
  const StepParams<double> params = step_params_of<double>(p, 1, 1);
  if (params.courant2 <= 0 || frequency <= 0) return 0;
  const Complex z = std::polar(1.0, 2 * std::numbers::pi * frequency * p.time_step);
  // (u(i+1) + u(i-1)) / u(i), in a cell where the sponge multiplies the weights by `factor`.
  const auto middle = [&](double factor) {
    const double inertia = factor * params.inertia;
    return (z - inertia - (1 - inertia) / z) / (factor * params.courant2) + 2.0;
  };
  // The cell at the side: its outer neighbour has the value of the inner one, and `absorb` adds its share.
  const double edge = sponge_factor(p, sponge_damping(p, 0)), share = std::sqrt(params.courant2);
  Complex before = 1, now = 0.5 * (middle(edge) + share * (z - 1.0 / z) / (edge * params.courant2));
  int i = 1;
  for (; sponge_damping(p, i) > 0; ++i) {
    const Complex next = middle(sponge_factor(p, sponge_damping(p, i))) * now - before;
    before = now;
    now = next;
    if (const double size = std::abs(now); size > 1e100) {
      before /= size;
      now /= size;
    }
  }
  // In open water there are two waves, r^i and r^-i with r + 1/r = middle. The one that travels inwards is the
  // reflected wave.
  const Complex half = 0.5 * middle(1), root = std::sqrt(half * half - 1.0);
  Complex back = half - root;
  if (std::abs(std::abs(back) - 1) > 0.5) return 0;  // too short for the grid
  if (back.imag() > 0) back = 1.0 / back;
  const Complex came = 1.0 / back;
  return std::abs((now - came * before) / (now - back * before));
}

template <class Real>
double Sponge<Real>::reflection(const Parameters& p, const Sources& sources) const {
  std::vector<double> of = {
      p.wave_speed,   p.cell_size,      p.time_step, p.damping, static_cast<double>(p.damping_form),
      p.sponge_width, p.sponge_strength};
  for (std::size_t k = 0; k < sources.count(); ++k) {
    if (sources[k].amplitude == 0) continue;
    const double speed = std::hypot(sources[k].velocity_x, sources[k].velocity_y);
    of.push_back(sources[k].frequency);
    if (speed > 0) of.push_back(sources[k].frequency / (1 + speed / p.wave_speed));
  }
  if (of == reflected_of_) return reflected_;
  reflected_ = 0;
  constexpr std::size_t parameters = 7;
  for (std::size_t k = parameters; k < of.size(); ++k) reflected_ = std::max(reflected_, sponge_reflection(p, of[k]));
  reflected_of_ = std::move(of);
  return reflected_;
}

template <class Real>
std::vector<Real> Sponge<Real>::factors(const Parameters& p, int count, Boundary low, Boundary high) const {
  std::vector<Real> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    double extra = 0;  // damping, 1/time
    if (low == Boundary::absorbing) extra += sponge_damping(p, i);
    if (high == Boundary::absorbing) extra += sponge_damping(p, count - 1 - i);
    values[static_cast<std::size_t>(i)] = static_cast<Real>(sponge_factor(p, extra));
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
    x_ = std::move(column);
    y_ = std::move(row);
  }
  any_ = any;
  if (!any_) return;
  if (x != x_values_) x_.upload(x);
  if (y != y_values_) y_.upload(y);
  x_values_ = std::move(x);
  y_values_ = std::move(y);
}

template <class Real>
void Sponge<Real>::add_to(StepParams<Real>& params) const {
  if (any_) {
    params.sponge_x = x_.view();
    params.sponge_y = y_.view();
  }
}

template class Sponge<float>;
template class Sponge<double>;

}  // namespace perturb::wave
