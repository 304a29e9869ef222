#include "cuda/core/paint/orbit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <glm/gtc/matrix_transform.hpp>
#include <glm/mat4x4.hpp>
#include <glm/vec3.hpp>

namespace perturb {

OrbitAxes orbit_axes(double yaw, double pitch) {
  // Matrices instead of quaternions: without half angles, quarter turns and the views straight from above and from the
  // front are as exact as their sines and cosines.
  const glm::dmat4 turned = glm::rotate(glm::dmat4(1), yaw, glm::dvec3(0, 0, 1));
  const glm::dmat4 eye = glm::rotate(turned, -pitch, glm::dvec3(1, 0, 0));
  const auto axis = [&](glm::length_t column) { return Vector3<double>{eye[column].x, eye[column].y, eye[column].z}; };
  return {axis(0), axis(2), axis(1)};
}

void turn_orbit(Camera& camera, double yaw, double pitch) {
  camera.yaw = std::remainder(camera.yaw + yaw, 2 * std::numbers::pi);
  camera.pitch = std::clamp(camera.pitch + pitch, -highest_pitch, highest_pitch);
}

}  // namespace perturb
