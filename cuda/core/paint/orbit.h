// The orbit camera of a scene with depth. The vertical is z; angles are radians, as in Camera.
#pragma once

#include "cuda/core/math/vector3.h"
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

}  // namespace perturb
