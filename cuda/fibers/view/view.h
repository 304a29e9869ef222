// How fibers are seen: a view from the side and one from above, side by side in one picture.
//
//   +-----------+-----------+     The domain of the picture is 4 x 2 half-heights (2 x 2 with one view). Each view
//   |   side    |    top    |     shows the space around the centre that it follows, `half` to each side.
//   +-----------+-----------+
#pragma once

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/math/vector3.h"
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
  // Which view a point of the domain (fractions) lies in, and where in space, in the plane through the followed centre.
  int view_at(double x) const { return views == 2 && x >= 0.5 ? 1 : 0; }
  Vector3<double> point_at(int view, double x, double y) const {
    const double a = x * domain_width() - (2 * view + 1) * half, b = (y - 0.5) * domain_height();
    const OrbitAxes& e = axes[view];
    return {a * e.right.x + b * e.up.x, a * e.right.y + b * e.up.y, a * e.right.z + b * e.up.z};
  }
};

enum class FiberShown { speed, fall, orientation, index, length };

// From where fibers were seen last. Gestures mean what was seen, whatever has moved since.
class ViewState {
 public:
  // `half`: half the height of a picture that shows the start, with room to move.
  explicit ViewState(double half) : start_half_(half) {}

  // Looks with this camera, at the middle of fibers at `position` ([fibers][3]) where the picture follows them. Waits.
  void set_camera(const Camera& camera, const FiberParameters& parameters, const Array<double>& position);
  // The middle of these fibers; `reach` of model/middle.h is what a picture of the start shows.
  Vector3<double> middle(const Array<double>& position) const;
  double start_half() const { return start_half_; }
  // The place in space that is the middle of each view.
  Vector3<double> center() const { return center_; }
  // What lies farther before or behind the middle is not drawn: it would hide the middle from above.
  double depth() const { return depth_; }
  PictureViews views(const FiberParameters& parameters) const;
  // The fiber nearest to a point of the domain (fractions), within a short reach; -1: none.
  int fiber_at(double x, double y, const Placement& fibers, const FiberParameters& parameters) const;

 private:
  double start_half_;
  double yaw_ = 0, pitch_ = 0;  // of the camera
  double depth_ = 1e300;
  Vector3<double> center_{0, 0, 0};
};

}  // namespace perturb::fibers
