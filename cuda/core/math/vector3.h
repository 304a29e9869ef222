// A vector in three dimensions.
#pragma once

#include "cuda/core/backend/host_device.h"

namespace perturb {

template <class Real>
struct Vector3 {
  Real x, y, z;
};
template <class Real>
PERTURB_HD inline Real dot(Vector3<Real> a, Vector3<Real> b) {
  return multiply_add(a.x, b.x, multiply_add(a.y, b.y, a.z * b.z));
}
template <class Real>
PERTURB_HD inline Vector3<Real> operator+(Vector3<Real> a, Vector3<Real> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
PERTURB_HD inline Vector3<Real> operator-(Vector3<Real> a, Vector3<Real> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
// a + s b
template <class Real>
PERTURB_HD inline Vector3<Real> add_scaled(Vector3<Real> a, Real s, Vector3<Real> b) {
  return {multiply_add(s, b.x, a.x), multiply_add(s, b.y, a.y), multiply_add(s, b.z, a.z)};
}

}  // namespace perturb
