#include "cuda/fibers/view/view.h"

#include <algorithm>
#include <cmath>

#include "cuda/fibers/model/balance.h"
#include "cuda/fibers/model/core.h"

namespace perturb::fibers {

Vector3<double> ViewState::middle(const Array<double>& position) const {
  return fiber_middle(position.download(), start_half_);
}

void ViewState::set_camera(const Camera& camera, const FiberParameters& p, const Array<double>& position) {
  yaw_ = camera.yaw, pitch_ = camera.pitch;
  center_ = p.follow ? middle(position) : Vector3<double>{0, 0, 0};
  depth_ = views(p).half * std::max(1.0, 1 / camera.zoom);
}

PictureViews ViewState::views(const FiberParameters& p) const {
  PictureViews views;
  views.views = p.views == FiberViews::side_and_top ? 2 : 1;
  views.half = p.view_size > 0 ? p.view_size : start_half_;
  const double yaw = yaw_ + p.yaw * M_PI / 180;
  // Limited at the pole: farther on, up would be down.
  const double pitch = std::clamp(pitch_ + p.pitch * M_PI / 180, -highest_pitch, highest_pitch);
  views.axes[0] = orbit_axes(yaw, pitch);
  views.axes[1] = orbit_axes(yaw, highest_pitch);
  return views;
}

int ViewState::fiber_at(double x, double y, const Placement& fibers, const FiberParameters& p) const {
  const PictureViews seen = views(p);
  const int view = seen.view_at(x);
  const OrbitAxes& e = seen.axes[view];
  const double a = x * seen.domain_width() - (2 * view + 1) * seen.half, b = (y - 0.5) * seen.domain_height();
  int nearest = -1;
  double least = 0.03 * seen.half + 2 * p.slenderness * p.drawn_radius;
  for (int m = 0; m < fibers.count(); ++m) {
    const double *at = &fibers.position[static_cast<std::size_t>(3 * m)],
                 *t = &fibers.tangent[static_cast<std::size_t>(3 * m)];
    const Vector3<double> own{at[0] - center_.x, at[1] - center_.y, at[2] - center_.z},
        axis = scaled(fibers.half_of(m), {t[0], t[1], t[2]});
    if (std::abs(dot(own, e.away)) > depth_) continue;  // not visible
    const double px = a - dot(own, e.right), py = b - dot(own, e.up), tx = dot(axis, e.right), ty = dot(axis, e.up);
    const double length2 = tx * tx + ty * ty;
    const double s = length2 > 0 ? std::clamp((px * tx + py * ty) / length2, -1.0, 1.0) : 0;
    const double distance = std::hypot(px - s * tx, py - s * ty);
    if (distance < least) least = distance, nearest = m;
  }
  return nearest;
}

}  // namespace perturb::fibers
