#include "cuda/wave/measure/screen.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/format.h"

namespace perturb::wave {

namespace {

// Running mean of u²: its accuracy does not decrease with time, whereas a sum would lose small contributions.
template <class Real>
struct AddSquare {
  View2D<const Real> u;
  View2D<Real> mean;
  Real share;  // 1/samples
  PERTURB_HD void operator()(int i, int j) const {
    const Real value = u(i, j), before = mean(i, j);
    mean(i, j) = multiply_add(share, multiply_add(value, value, -before), before);
  }
};

template <class Real>
struct AddPhases {
  View2D<const Real> u;
  View1D<double> phases;
  int plane, height;
  double share, cosine, sine;
  PERTURB_HD void operator()(int j, int) const {
    const auto value = static_cast<double>(u(plane, j));
    phases[j] += share * (2 * cosine * value - phases[j]);
    phases[j + height] += share * (2 * sine * value - phases[j + height]);
  }
};

template <class Real>
struct Gather {
  View2D<const Real> mean;
  View1D<const double> phases;
  View1D<double> gathered;
  int column, height;
  PERTURB_HD void operator()(int j, int) const {
    gathered[j] = static_cast<double>(mean(column, j));
    gathered[j + height] = phases[j];
    gathered[j + 2 * height] = phases[j + height];
  }
};

// The last column before the screen that is a wall with openings, with only water between it and the screen, and all
// sources beyond it; -1: none. `walls` [height, width]; sources' columns from `first` to `last`.
int plane_with_apertures(const std::vector<std::uint8_t>& walls, int width, int height, int screen, int first,
                         int last) {
  const bool rightwards = last < screen;
  if (walls.empty() || (!rightwards && first <= screen)) return -1;
  const int step = rightwards ? -1 : 1;
  for (int i = screen; i != (rightwards ? last : first); i += step) {
    int count = 0;
    for (int j = 0; j < height; ++j) count += walls[static_cast<std::size_t>(j) * width + i];
    if (count == 0) continue;
    // A column with more openings than wall does not count: the integral ignores waves that pass around it.
    return 2 * count >= height && count < height && i != screen ? i : -1;
  }
  return -1;
}

}  // namespace

template <class Real>
void Screen<Real>::place(double x) {
  if (mean_.empty()) {
    Field<Real> mean(backend_, width_, height_, "mean intensity");
    const auto rows = static_cast<std::size_t>(height_);
    Array<double> phases(backend_, 2 * rows, "openings"), gathered(backend_, 3 * rows, "screen");
    auto reading = std::make_unique<AsyncReadback>(backend_, 3 * rows * sizeof(double));
    mean.fill_zero();
    phases.fill_zero();
    mean_ = std::move(mean);
    phases_ = std::move(phases);
    gathered_ = std::move(gathered);
    reading_ = std::move(reading);
    samples_ = 0;
  }
  place_ = x;
  is_stale_ = true;  // a different wall may be in front of it
}

template <class Real>
int Screen<Real>::column() const {
  return std::clamp(static_cast<int>(std::floor(place_ * width_)), 0, width_ - 1);
}

template <class Real>
void Screen<Real>::prepare(const Medium<Real>& medium, const Sources& sources, const Grid& grid, double speed,
                           double time) {
  if (!is_stale_) return;
  is_stale_ = false;
  samples_ = 0;
  plane_ = -1;
  frequency_ = wavelength_ = 0;
  // Time for the first waves to travel the length and the height of the tank.
  from_ = speed > 0 ? time + (width_ + height_) * grid.cell_size / speed : time;
  if (sources.empty() || sources.has_trains() || medium.has_speed_map() || !medium.has_walls() || !(speed > 0)) return;
  int first = width_, last = -1;
  for (std::size_t s = 0; s < sources.count(); ++s) {
    const Source& source = sources[s];
    if (source.frequency != sources[0].frequency || source.velocity_x != 0 || source.velocity_y != 0) return;
    const double reach = source.radius / grid.cell_size + 1;
    first = std::min(first, static_cast<int>(std::floor(std::min(source.x0, source.x1) * width_ - reach)));
    last = std::max(last, static_cast<int>(std::ceil(std::max(source.x0, source.x1) * width_ + reach)));
  }
  frequency_ = sources[0].frequency;
  if (!(frequency_ > 0)) return;
  wavelength_ = speed / frequency_ / grid.cell_size;
  plane_ = plane_with_apertures(medium.walls(), width_, height_, column(), first, last);
}

template <class Real>
void Screen<Real>::sample(View2D<const Real> u, double time) {
  if (time < from_) return;
  ++samples_;
  const double share = 1 / static_cast<double>(samples_);
  parallel_for(backend_, "wave.intensity", Range2D{width_, height_},
               AddSquare<Real>{u, mean_.view(), static_cast<Real>(share)});
  if (plane_ < 0) return;
  const double angle = 2 * std::numbers::pi * std::fmod(frequency_ * time, 1.0);
  parallel_for(backend_, "wave.openings", Range2D{height_, 1},
               AddPhases<Real>{u, phases_.view(), plane_, height_, share, std::cos(angle), std::sin(angle)});
}

template <class Real>
void Screen<Real>::start_reading(double time) {
  if (gathered_.empty()) {  // the screen was restored from a state copy or a saved state
    const auto rows = static_cast<std::size_t>(height_);
    gathered_ = Array<double>(backend_, 3 * rows, "screen");
    reading_ = std::make_unique<AsyncReadback>(backend_, 3 * rows * sizeof(double));
  }
  parallel_for(backend_, "wave.screen", Range2D{height_, 1},
               Gather<Real>{mean(), std::as_const(phases_).view(), gathered_.view(), column(), height_});
  reading_->start(gathered_.data());
  const std::int64_t samples = is_stale_ ? 0 : samples_;
  started_ = {place_, samples, column(), plane_, wavelength_, samples > 0 ? (time - from_) * frequency_ : 0, {}, {}};
}

template <class Real>
ScreenReading Screen<Real>::take_reading() const {
  ScreenReading reading = started_;
  const auto rows = static_cast<std::size_t>(height_);
  const std::span<const double> values(static_cast<const double*>(reading_->data()), 3 * rows);
  reading.intensity.assign(values.begin(), values.begin() + height_);
  // u = Re(U exp(-iwt)): the mean of 2 u cos(wt) is U's real part, that of 2 u sin(wt) is its imaginary part.
  for (std::size_t j = 0; j < rows; ++j) reading.in_plane.emplace_back(values[rows + j], values[2 * rows + j]);
  return reading;
}

template <class Real>
void Screen<Real>::save_to(State& state) const {
  if (!is_active()) return;
  state.put<Real>("intensity", {static_cast<std::size_t>(height_), static_cast<std::size_t>(width_)}, "height²",
                  mean_.download());
  save_tables_to(state);
}

template <class Real>
void Screen<Real>::save_tables_to(State& state) const {
  if (!is_active()) return;
  state.put<double>("screen", {screen_columns}, "",
                    std::vector<double>{place_, is_stale_ ? -1 : from_, is_stale_ ? 0 : static_cast<double>(samples_),
                                        is_stale_ ? -1 : static_cast<double>(plane_), frequency_, wavelength_});
  state.put<double>("openings", {2, static_cast<std::size_t>(height_)}, "height", phases_.download());
}

template <class Real>
void Screen<Real>::load(const std::vector<double>& screen, const std::vector<Real>& mean,
                        const std::vector<double>& phases) {
  if (screen.empty()) {
    remove();
    return;
  }
  place(screen[0]);
  mean_.upload(mean);
  phases_.upload(phases);
  is_stale_ = screen[1] < 0;
  from_ = screen[1];
  samples_ = static_cast<std::int64_t>(screen[2]);
  plane_ = static_cast<int>(screen[3]);
  frequency_ = screen[4];
  wavelength_ = screen[5];
}

template class Screen<float>;
template class Screen<double>;

}  // namespace perturb::wave
