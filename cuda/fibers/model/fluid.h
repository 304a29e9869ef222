// The fluid between the fibers: its velocity at any points, u(y) = (1/d) sum over the fibers of
// int G(y - x - s t) f ds, with the force densities f that the balance gave. No
// other approximation than the fibers' own, but for the rule below.
#pragma once

#include "cuda/core/backend/field.h"
#include "cuda/fibers/model/flow.h"

namespace perturb::fibers {

// Farther than this, times its half-length, from a fiber its integral is a sum over `fluid_nodes` Gauss points, right
// to (1 + sqrt 2)^(-2 fluid_nodes + N) = 6e-5 of the highest term's share; nearer, it is the closed form of `stable`.
constexpr double fluid_reach = 1;
constexpr int fluid_nodes = 8;

// The fibers whose flow it is: centres and unit tangents [fibers][3], force coefficients [fibers][terms][3], as
// FiberFlow::evaluate takes and gives them. All pointers are the backend's.
struct FiberSources {
  int fibers = 0;
  const double *position = nullptr, *tangent = nullptr, *coefficients = nullptr;
  const double* half_length = nullptr;  // [fibers]; null: all are 1
};

class FiberFluid {
 public:
  explicit FiberFluid(Backend& backend) : backend_(backend) {}

  // Takes memory for so many; throws Error when it is short, and is then as it was.
  void reserve(int fibers, int points);
  // Velocities [points][3] at `places` [points][3], queued. Within a fiber, that of its surface nearest to the point.
  // In a periodic box every point feels each fiber's nearest image, as fibers do.
  void velocity(const FiberParameters& parameters, const FiberSources& sources, const FiberPull& pull,
                const double* poses, int points, double* velocity);

  static std::size_t bytes(int fibers, int points);

 private:
  Backend& backend_;
  Array<double> forces_;   // [fibers][fluid_nodes][3]
  Array<double> partial_;  // [chunks][points][3]
};

}  // namespace perturb::fibers
