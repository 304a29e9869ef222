#include "cuda/fibers/view/view.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "cuda/fibers/model/balance.h"
#include "cuda/fibers/model/core.h"

namespace perturb::fibers {

namespace {

constexpr double half_length = 1;

double farthest_from(Vector3<double> center, const std::vector<double>& x) {
  double farthest = 0;
  for (std::size_t k = 0; k + 2 < x.size(); k += 3) {
    const Vector3<double> own = Vector3<double>{x[k], x[k + 1], x[k + 2]} - center;
    farthest = std::max(farthest, std::sqrt(dot(own, own)));
  }
  return farthest;
}

}  // namespace

Vector3<double> ViewState::middle(const Array<double>& position) const {
  return fiber_middle(position.download(), start_half_);
}

ViewState::Followed ViewState::follow(const Parameters& p, const Array<double>& position) const {
  Followed followed;
  if (!p.follow) return followed;
  const std::vector<double> x = position.download();
  followed.middle = fiber_middle(x, start_half_);
  if (are_few_fibers(x)) followed.farthest = farthest_from(followed.middle, x);
  return followed;
}

double ViewState::half_of(const Parameters& p, double farthest) const {
  constexpr double around_all = 1.15;
  return p.view_size > 0 ? p.view_size : std::max(start_half_, around_all * (farthest + half_length));
}

ViewState::Extent ViewState::extent(const Parameters& p, const Array<double>& position) const {
  const Followed followed = follow(p, position);
  return {followed.middle, half_of(p, followed.farthest)};
}

void ViewState::set_camera(const Camera& camera, const Parameters& p, const Array<double>& position) {
  yaw_ = camera.yaw;
  pitch_ = camera.pitch;
  const Followed followed = follow(p, position);
  center_ = followed.middle;
  farthest_ = followed.farthest;
  depth_ = views(p).half * std::max(1.0, 1 / camera.zoom);
}

PictureViews ViewState::views(const Parameters& p) const {
  PictureViews views;
  views.views = p.views == Views::side_and_top ? 2 : 1;
  views.half = half_of(p, farthest_);
  const double yaw = yaw_ + p.yaw * M_PI / 180;
  // Limited at the pole: farther on, up would be down.
  const double pitch = std::clamp(pitch_ + p.pitch * M_PI / 180, -highest_pitch, highest_pitch);
  views.axes[0] = orbit_axes(yaw, pitch);
  views.axes[1] = orbit_axes(yaw, highest_pitch);
  return views;
}

PointerLine ViewState::pointer_line(double x, double y, const Parameters& p) const {
  const PictureViews seen = views(p);
  const int view = seen.view_at(x);
  return {seen.axes[view], center_, x * seen.domain_width() - (2 * view + 1) * seen.half,
          (y - 0.5) * seen.domain_height(), depth_};
}

int ViewState::fiber_at(double x, double y, const Placement& fibers, const Parameters& p) const {
  const PointerLine pointer = pointer_line(x, y, p);
  int nearest = -1;
  double min_distance = 0.03 * views(p).half + 2 * p.slenderness * p.drawn_radius;
  for (int m = 0; m < fibers.count(); ++m) {
    const double *at = &fibers.position[static_cast<std::size_t>(3 * m)],
                 *t = &fibers.tangent[static_cast<std::size_t>(3 * m)];
    const double distance =
        pointer.distance({at[0], at[1], at[2]}, scaled(fibers.half_of(m), Vector3<double>{t[0], t[1], t[2]}));
    if (distance < min_distance) {
      min_distance = distance;
      nearest = m;
    }
  }
  return nearest;
}

}  // namespace perturb::fibers
