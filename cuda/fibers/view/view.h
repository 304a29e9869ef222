// Views of the fibers: one from the side and one from above, side by side in one image.
//
//   +-----------+-----------+     The domain of the image is 4 x 2 half-heights (2 x 2 with one view). Each view
//   |   side    |    top    |     shows the space around the centre that it follows, `half` to each side.
//   +-----------+-----------+
#pragma once

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/math/geometry.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/orbit.h"
#include "cuda/fibers/model/start.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

struct PictureViews {
  int views = 2;
  double half = 10;
  OrbitAxes axes[2];

  PERTURB_HD double domain_width() const { return 2 * half * views; }
  PERTURB_HD double domain_height() const { return 2 * half; }
  // View of a point of the domain (fractions), and its position in space, in the plane through the followed centre.
  int view_at(double x) const { return views == 2 && x >= 0.5 ? 1 : 0; }
  Vector3<double> point_at(int view, double x, double y) const {
    const double a = x * domain_width() - (2 * view + 1) * half, b = (y - 0.5) * domain_height();
    const OrbitAxes& e = axes[view];
    return {a * e.right.x + b * e.up.x, a * e.right.y + b * e.up.y, a * e.right.z + b * e.up.z};
  }
};

// A point of a view, as the line along which the image looks there.
struct PointerLine {
  OrbitAxes axes;
  Vector3<double> center;  // of the view
  double right, up;        // of the point, from the centre
  double depth;            // farther in front of or behind the centre nothing is visible

  // In the view, from the axis of a fiber from `at - axis` to `at + axis`; 1e300 if it is not visible.
  PERTURB_HD double distance(Vector3<double> at, Vector3<double> axis) const {
    const Vector3<double> own = at - center;
    if (::fabs(dot(own, axes.away)) > depth) return 1e300;
    const double px = right - dot(own, axes.right), py = up - dot(own, axes.up), tx = dot(axis, axes.right),
                 ty = dot(axis, axes.up);
    const double length2 = tx * tx + ty * ty, foot = length2 > 0 ? (px * tx + py * ty) / length2 : 0;
    const double s = foot < -1 ? -1 : foot > 1 ? 1 : foot, dx = px - s * tx, dy = py - s * ty;
    return ::sqrt(dx * dx + dy * dy);
  }
};

enum class Shown { speed, fall, orientation, index, length };

// View in which the fibers were last drawn. Gestures refer to that image, even if the fibers have moved since.
class ViewState {
 public:
  // `half`: half the height of an image that shows the start, with a margin for motion.
  explicit ViewState(double half) : start_half_(half) {}

  // Sets the camera, centred on the middle of fibers at `position` ([fibers][3]) if the image follows them. Views of
  // automatic size grow with few fibers that part, so that all stay visible. Waits.
  void set_camera(const Camera& camera, const Parameters& parameters, const Array<double>& position);
  // Middle of these fibers; `reach` of model/core.h is the extent of an image of the start.
  Vector3<double> middle(const Array<double>& position) const;
  // View of these fibers before an image has been drawn: the middle that it follows, and half its height.
  struct Extent {
    Vector3<double> middle;
    double half;
  };
  Extent extent(const Parameters& parameters, const Array<double>& position) const;
  double start_half() const { return start_half_; }
  void set_start_half(double half) { start_half_ = half; }
  // Position in space of the middle of each view.
  Vector3<double> center() const { return center_; }
  // Farther in front of or behind the middle nothing is drawn: it would hide the middle from above.
  double depth() const { return depth_; }
  PictureViews views(const Parameters& parameters) const;
  PointerLine pointer_line(double x, double y, const Parameters& parameters) const;
  // The fiber nearest to a point of the domain (fractions), within a short reach; -1: none.
  int fiber_at(double x, double y, const Placement& fibers, const Parameters& parameters) const;

 private:
  // The middle that an image follows, and the distance of the farthest of few fibers from it; 0 for many.
  struct Followed {
    Vector3<double> middle{0, 0, 0};
    double farthest = 0;
  };
  Followed follow(const Parameters& parameters, const Array<double>& position) const;
  double half_of(const Parameters& parameters, double farthest) const;

  double start_half_;
  double yaw_ = 0, pitch_ = 0;  // of the camera
  double depth_ = 1e300;
  Vector3<double> center_{0, 0, 0};
  double farthest_ = 0;  // Followed
};

}  // namespace perturb::fibers
