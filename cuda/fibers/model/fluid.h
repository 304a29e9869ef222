// Fluid between the fibers: its velocity at any points, u(y) = (1/d) sum over the fibers of int G(y - x - s t) f ds,
// with the force densities f of the balance. The only additional approximation is the rule below.
#pragma once

#include "cuda/core/backend/field.h"
#include "cuda/fibers/model/flow.h"

namespace perturb::fibers {

// Farther than this, times its half-length, from a fiber its integral is a sum over `fluid_nodes` Gauss points,
// accurate to (1 + sqrt 2)^(-2 fluid_nodes + N) = 6e-5 of the highest term's share; nearer, it is the closed form of
// `stable`.
constexpr double fluid_reach = 1;
constexpr int fluid_nodes = 8;

// Fibers that cause the flow: centres and unit tangents [fibers][3], force coefficients [fibers][terms][3], as in
// FiberFlow::evaluate. All pointers are the backend's.
struct FiberSources {
  int fibers = 0;
  const double *position = nullptr, *tangent = nullptr, *coefficients = nullptr;
  const double* half_length = nullptr;  // [fibers]; null: all are 1
};

class FiberFluid {
 public:
  explicit FiberFluid(Backend& backend) : backend_(backend) {}

  // Allocates memory for these numbers. Throws Error when it is short, and is unchanged then.
  void reserve(int fibers, int points);
  // Velocities [points][3] at `places` [points][3], queued. Within a fiber, that of its surface nearest to the point.
  // In a periodic box every point uses each fiber's nearest image, as fibers do.
  void velocity(const FiberParameters& parameters, const FiberSources& sources, const FiberPull& pull,
                const double* poses, int points, double* velocity);

  static std::size_t bytes(int fibers, int points);

 private:
  Backend& backend_;
  Array<double> forces_;   // [fibers][fluid_nodes][3]
  Array<double> partial_;  // [chunks][points][3]
};

}  // namespace perturb::fibers
