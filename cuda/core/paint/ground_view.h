// The domain as a ground plane seen from the orbit camera: for quantities drawn in 3-D over a flat domain.
#pragma once

#include "cuda/core/paint/camera.h"

namespace perturb {

// The camera stays above the ground: at a lower pitch the first hill would hide everything behind it.
inline constexpr double min_ground_pitch = 8 * radians_per_degree;

// The projection of the ground to the image: parallel lines stay parallel, and for any rotation the whole ground fits
// into the domain's width. Maps between the ground and the image plane, whose fractions Camera maps to pixels, with
// centre and zoom as for a flat scene.
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
