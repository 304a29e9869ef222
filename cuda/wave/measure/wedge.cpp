#include "cuda/wave/measure/wedge.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "cuda/core/loops/parallel_for.h"

namespace perturb::wave {

namespace {

template <class Real>
struct FindFront {
  View2D<const Real> u;
  int low, high;  // rows
  View1D<float> fronts;
  PERTURB_HD void operator()(int i) const {
    Real most = 0;
    for (int j = low; j < high; ++j) {
      const Real size = u(i, j) < 0 ? -u(i, j) : u(i, j);
      most = size > most ? size : most;
    }
    const Real least = static_cast<Real>(front_share) * most;
    const auto is_wave = [&](int j) { return !(u(i, j) < least && -u(i, j) < least); };
    int first = low, last = high - 1;
    while (first < last && !is_wave(first)) ++first;
    while (last > first && !is_wave(last)) --last;
    const bool whole = most > 0 && first > low && last < high - 1;
    fronts[static_cast<std::size_t>(i)] = whole ? 0.5f * static_cast<float>(last - first + 1) : 0.f;
  }
};

}  // namespace

template <class Real>
void WaveFronts<Real>::start(View2D<const Real> u, int margin) {
  if (!readback_) {
    fronts_ = Array<float>(backend_, static_cast<std::size_t>(u.width), "wave fronts");
    readback_ = std::make_unique<AsyncReadback>(backend_, static_cast<std::size_t>(u.width) * sizeof(float));
  }
  parallel_for(backend_, "wave.fronts", Range1D{u.width},
               FindFront<Real>{u, std::min(margin, u.height), std::max(u.height - margin, 0), fronts_.view()});
  readback_->start(fronts_.data());
}

template <class Real>
std::vector<float> WaveFronts<Real>::take() const {
  const auto* values = static_cast<const float*>(readback_->data());
  return {values, values + fronts_.size()};
}

template class WaveFronts<float>;
template class WaveFronts<double>;

bool makes_wedge(const Sources& sources, const Grid& tank, double speed) {
  if (sources.count() != 1 || tank.periodic_x || tank.periodic_y) return false;
  const Source& source = sources[0];
  return source.velocity_y == 0 && std::abs(source.velocity_x) > speed && speed > 0 && source.y0 == source.y1 &&
         source.frequency > 0 && !(source.waves > 0);
}

Wedge wedge_of(std::span<const float> fronts, const Source& source, const Grid& tank, double speed, double time) {
  const double mach = speed / std::abs(source.velocity_x);
  Wedge wedge{0, std::asin(mach) * 180 / std::numbers::pi};
  // In cells. The wedge touches the ring that was sent at the start; behind this point is the ring.
  const double step = source.velocity_x / tank.cell_size, way = step * (time - source.start),
               here = source.x0 * tank.width + way;
  if (here < 0 || here > tank.width) return wedge;
  constexpr double near = 20, clear = 0.8;
  constexpr int fewest = 20;
  const double far = clear * std::abs(way) * (1 - mach * mach);
  double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < fronts.size(); ++i) {
    const double behind = (here - static_cast<double>(i) - 0.5) * (step > 0 ? 1 : -1);
    if (behind < near || behind > far || !(fronts[i] > 0)) continue;
    const auto front = static_cast<double>(fronts[i]);
    count += 1;
    x += behind;
    y += front;
    xx += behind * behind;
    xy += behind * front;
  }
  if (count < fewest) return wedge;
  wedge.angle = std::atan((count * xy - x * y) / (count * xx - x * x)) * 180 / std::numbers::pi;
  return wedge;
}

}  // namespace perturb::wave
