#include "cuda/wave/model/surface.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/math/elementary.h"
#include "cuda/core/simulation/edited_pass.h"
#include "cuda/wave/model/edit.h"
#include "cuda/wave/setup.h"

namespace perturb::wave {

namespace {

// Cells of one axis, from `first` on.
struct Cells {
  int first, count;
};

// The cells within `reach` of the cell `center`, clipped to the axis's `count` cells; on a periodic axis no cell is
// covered twice.
Cells patch_of(int center, int reach, int count, bool wraps) {
  if (wraps) {
    const int size = 2 * reach + 1;
    return size > count ? Cells{center - count / 2, count} : Cells{center - reach, size};
  }
  const int first = std::max(center - reach, 0), last = std::min(center + reach, count - 1);
  return {first, last - first + 1};
}

// The mean of a droplet's exp(-r²/s²) along one axis, over all cells of the axis.
double mean_along(Cells cells, int center, double radius, int count, Boundary low, Boundary high) {
  const auto weight = [&](int i) {
    const bool half = (i == 0 && low == Boundary::absorbing) || (i == count - 1 && high == Boundary::absorbing);
    return half ? 0.5 : 1.0;
  };
  double sum = 0;
  for (int i = cells.first; i < cells.first + cells.count; ++i) {
    const double x = (i - center) / radius;
    sum += weight(i) * exponential(-x * x);
  }
  return sum / (count - (1 - weight(0)) - (count > 1 ? 1 - weight(count - 1) : 0));
}

}  // namespace

template <class Real>
Surface<Real>::Surface(Backend& backend, int width, int height)
    : backend_(backend),
      u_(backend, width, height, "wave height"),
      u_previous_(backend, width, height, "wave height of the last step"),
      drift_(backend) {
  if (!backend.is_cuda()) return;
  spare_ = Field<Real>(backend, width, height, "spare wave height");
  spare_previous_ = Field<Real>(backend, width, height, "spare wave height of the last step");
}

template <class Real>
void Surface<Real>::share(const EditedKernel& kernel) {
  if (spare_.empty()) {
    const SharedAllocations shared;
    Field<Real> spare(backend_, u_.width(), u_.height(), "spare wave height");
    spare_previous_ = Field<Real>(backend_, u_.width(), u_.height(), "spare wave height of the last step");
    spare_ = std::move(spare);
  }
  share_fields(backend_, kernel, u_, u_previous_);
}

template <class Real>
void Surface<Real>::unshare() {
  if (backend_.is_cuda() || spare_.empty()) return;
  unshare_fields(backend_, u_, u_previous_);
  spare_ = {};
  spare_previous_ = {};
}

template <class Real>
double Surface<Real>::add_droplet(const Droplet& droplet, const Grid& grid, const Parameters& sides,
                                  View2D<const Real> medium) {
  const double cells = droplet.radius / grid.cell_size;
  // Up to three cells the square of the paper, two radii to each side: its edge has 2 % of the depth, which is seen in
  // a larger droplet. At four radii it has 1e-7 of it.
  constexpr double radius_of_paper = 3;
  const double radii = cells > radius_of_paper + 1e-9 ? 4 : 2;
  AddDroplet<Real> body{};
  body.u = u_.view();
  body.medium = medium;
  body.center_i = grid.column(droplet.x);
  body.center_j = grid.row(droplet.y);
  body.reach = static_cast<int>(std::min(std::ceil(radii * cells - 1e-9), 4.0 * largest_side));
  body.radius = static_cast<Real>(cells);
  body.amplitude = static_cast<Real>(droplet.amplitude);
  body.wrap_x = grid.periodic_x;
  body.wrap_y = grid.periodic_y;
  const Cells columns = patch_of(body.center_i, body.reach, grid.width, body.wrap_x);
  const Cells rows = patch_of(body.center_j, body.reach, grid.height, body.wrap_y);
  body.first_i = columns.first;
  body.first_j = rows.first;
  if (columns.count <= 0 || rows.count <= 0) return 0;
  parallel_for(backend_, "wave.droplet", Range2D{columns.count, rows.count}, body);
  return -droplet.amplitude *
         mean_along(columns, body.center_i, cells, grid.width, sides.boundary_left, sides.boundary_right) *
         mean_along(rows, body.center_j, cells, grid.height, sides.boundary_bottom, sides.boundary_top);
}

template <class Real>
void Surface<Real>::raise(double height, View2D<const Real> medium) {
  parallel_for(backend_, "wave.raise", whole(), RaiseSurface<Real>{u_.view(), medium, static_cast<Real>(height)});
}

template <class Real>
void Surface<Real>::stop_drift() {
  drift_.start("wave.drift", whole(), DriftSum<Real>{u(), u_previous()});
  drift_.wait();
  const double mean = drift_.result().sum / (static_cast<double>(u_.width()) * u_.height());
  parallel_for(backend_, "wave.stop_drift", whole(), TakeDrift<Real>{u_previous_.view(), static_cast<Real>(mean)});
}

template <class Real>
void Surface<Real>::add_mode(const Mode& mode, View2D<const Real> medium) {
  Array<double> x(backend_, mode.x.size(), "mode"), y(backend_, mode.y.size(), "mode");
  x.upload(mode.x);
  y.upload(mode.y);
  parallel_for(backend_, "wave.mode", whole(),
               AddMode<Real>{u_.view(), u_previous_.view(), medium, x.view(), y.view(), mode.previous});
  backend_.synchronize();  // x and y are released here
}

template <class Real>
void Surface<Real>::hold(const HeldCells<Real>& held) {
  // Of two that hold a cell the first decides, so it comes last.
  for (auto steps = held.list.rbegin(); steps != held.list.rend(); ++steps)
    parallel_for(backend_, "wave.hold", whole(), HoldSurface<Real>{u_.view(), steps->front()});
}

template <class Real>
void Surface<Real>::zero_in_walls(View2D<const Real> medium) {
  parallel_for(backend_, "wave.calm_walls", whole(), ZeroWalls<Real>{medium, u_.view(), u_previous_.view()});
}

template <class Real>
void Surface<Real>::keep_velocity(double ratio) {
  parallel_for(backend_, "wave.keep_velocity", whole(),
               KeepVelocity<Real>{u_.view(), u_previous_.view(), static_cast<Real>(ratio)});
}

template <class Real>
void Surface<Real>::save_to(State& state) const {
  const std::vector<std::size_t> grid = {static_cast<std::size_t>(u_.height()), static_cast<std::size_t>(u_.width())};
  state.put<Real>("u", grid, "height", u_.download());
  state.put<Real>("u_previous", grid, "height", u_previous_.download());
}

template class Surface<float>;
template class Surface<double>;

}  // namespace perturb::wave
