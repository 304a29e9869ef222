// Where a scene with depth is seen from. The vertical is z; angles are radians, as in Camera.
#pragma once

#include "cuda/core/math/vector3.h"
#include "cuda/core/paint/camera.h"

namespace perturb {

// Three axes of the eye, of length 1 and at right angles: to the right of the picture, up, and away from the eye.
// Right, away and up are turned as x, y and z are.
struct OrbitAxes {
  Vector3<double> right, up, away;
};

inline constexpr double highest_pitch = 90 * radians_per_degree;  // straight above; below, straight beneath

// The eye turned by `yaw` about the vertical, then raised by `pitch`. At 0, 0 it looks along y with x to its right; at
// a pitch of a right angle it looks down, with what lay before it now above. Every angle has its axes, and neighbours
// have near ones. Computed with GLM on the host; exact to a few roundings of an angle's sine and cosine.
OrbitAxes orbit_axes(double yaw, double pitch);

// Turns the camera's orbit by these angles. The yaw comes back into [-pi, pi]; the pitch stops above and beneath, for
// farther on the scene would stand on its head.
void turn_orbit(Camera& camera, double yaw, double pitch);

}  // namespace perturb
