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

GroundView::GroundView(const Camera& camera, double domain_width, double domain_height)
    : width_(domain_width), height_(domain_height) {
  const double pitch = std::clamp(camera.pitch, min_ground_pitch, highest_pitch);
  const OrbitAxes axes = orbit_axes(camera.yaw, pitch);
  right_x_ = axes.right.x;
  right_y_ = axes.right.y;
  sine_ = std::sin(pitch);
  cosine_ = std::cos(pitch);
  scale_ = domain_width / std::hypot(domain_width, domain_height);
}

Camera::Point GroundView::to_picture(Camera::Point place, double height) const {
  const double x = (place.x - 0.5) * width_, y = (place.y - 0.5) * height_;
  const double across = x * right_x_ + y * right_y_, along = y * right_x_ - x * right_y_;
  return {0.5 + scale_ * across / width_, 0.5 + scale_ * (along * sine_ + height * cosine_) / height_};
}

Camera::Point GroundView::to_ground(Camera::Point picture) const {
  const double across = (picture.x - 0.5) * width_ / scale_, along = (picture.y - 0.5) * height_ / scale_ / sine_;
  return {0.5 + (across * right_x_ - along * right_y_) / width_,
          0.5 + (across * right_y_ + along * right_x_) / height_};
}

void raise_camera(Camera& camera) {
  if (camera.yaw == 0 && camera.pitch == 0) {
    camera.yaw = 25 * radians_per_degree;
    camera.pitch = 35 * radians_per_degree;
  }
}

}  // namespace perturb
