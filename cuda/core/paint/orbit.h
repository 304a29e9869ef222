// The orbit camera of a scene with depth, and the domain as a ground plane seen from it. The vertical is z; angles are
// radians, as in Camera.
#pragma once

#include "cuda/core/math/geometry.h"
#include "cuda/core/paint/camera.h"

namespace perturb {

// The three orthonormal axes of the camera: to the right of the image, up, and away from the camera. Right, away and up
// have the same orientation as x, y and z.
struct OrbitAxes {
  Vector3<double> right, up, away;
};

inline constexpr double highest_pitch = 90 * radians_per_degree;  // straight above; the negative is straight below

// The camera rotated by `yaw` about the vertical, then raised by `pitch`. At 0, 0 it looks along y with x to its right;
// at a pitch of a right angle it looks down, and what was in front of it is now up. Every angle has axes, and they vary
// continuously. Computed with GLM on the host; exact to a few roundings of an angle's sine and cosine.
OrbitAxes orbit_axes(double yaw, double pitch);

// Rotates the camera's orbit by these angles. The yaw is wrapped to [-pi, pi]; the pitch stops straight above and
// below, because beyond that the scene would be upside down.
void turn_orbit(Camera& camera, double yaw, double pitch);

// The camera stays above the ground: at a lower pitch the first hill would hide everything behind it.
inline constexpr double min_ground_pitch = 8 * radians_per_degree;

// The projection of the ground to the image, for quantities drawn in 3-D over a flat domain: parallel lines stay
// parallel, and for any rotation the whole ground fits into the domain's width. Maps between the ground and the image
// plane, whose fractions Camera maps to pixels, with centre and zoom as for a flat scene.
class GroundView {
 public:
  GroundView(const Camera& camera, double domain_width, double domain_height);

  // Image-plane position of a point of the domain (fractions) at a height above it (length units).
  Camera::Point to_picture(Camera::Point place, double height = 0) const;
  // The ground position (fractions, possibly outside the domain) that is visible there.
  Camera::Point to_ground(Camera::Point picture) const;

  // Unit vector along the ground to the right of the image; (-right_y, right_x) points away from the camera.
  double right_x() const { return right_x_; }
  double right_y() const { return right_y_; }
  // Sine and cosine of the camera's pitch.
  double sine() const { return sine_; }
  double cosine() const { return cosine_; }
  // Length in the image plane per length unit in space.
  double scale() const { return scale_; }

 private:
  double width_, height_, right_x_, right_y_, sine_, cosine_, scale_;
};

// A camera that has not been rotated looks along the ground, or straight down at a flat scene: raises it so that the
// relief of the ground is visible.
void raise_camera(Camera& camera);

}  // namespace perturb
