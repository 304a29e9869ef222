// The domain as ground that is looked at from the orbit: for quantities that are drawn in space, over a flat domain.
#pragma once

#include "cuda/core/paint/camera.h"

namespace perturb {

// The eye stays above the ground: lower, the first hill would hide all behind it.
inline constexpr double min_ground_pitch = 8 * radians_per_degree;

// How the ground lies in the picture: parallel lines stay parallel, and all of the ground fits into the domain's width
// however it is turned. Between the ground and the plane of the picture, whose fractions Camera maps to pixels, with
// centre and zoom as for a flat scene.
class GroundView {
 public:
  GroundView(const Camera& camera, double domain_width, double domain_height);

  // A place of the domain (fractions), at a height over it (length units), in the picture's plane.
  Camera::Point to_picture(Camera::Point place, double height = 0) const;
  // The place on the ground (fractions; it may lie outside of the domain) that is seen there.
  Camera::Point to_ground(Camera::Point picture) const;

  // To the right of the picture, along the ground, of length 1; (-right_y, right_x) points away from the eye.
  double right_x() const { return right_x_; }
  double right_y() const { return right_y_; }
  // Of the angle from which the ground is looked down at.
  double sine() const { return sine_; }
  double cosine() const { return cosine_; }
  // Length units in the picture's plane, for one in space.
  double scale() const { return scale_; }

 private:
  double width_, height_, right_x_, right_y_, sine_, cosine_, scale_;
};

// An eye that has not been turned looks along the ground, or straight down at a flat scene: this raises it to where one
// sees a ground's relief.
void raise_camera(Camera& camera);

}  // namespace perturb
