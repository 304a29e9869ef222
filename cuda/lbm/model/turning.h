// Cylinders that turn about their axes: their walls carry the fluid round.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/lbm/model/boundary_links.h"
#include "cuda/lbm/model/forces.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/placed_body.h"

namespace perturb::lbm {

// The fluid between a turning cylinder and a round wall at rest about its axis (Taylor and Couette). Lengths in cells.
struct Annulus {
  double x = 0, y = 0;          // the axis
  double inner = 0, outer = 0;  // radii
  double speed = 0;             // of the inner cylinder's surface, counterclockwise; cell/step
};

// The velocity is given to the fluid as by a dragged body (model/dragged_body.h). The walls themselves stay: a round
// outline does not change when it turns.
class TurningCylinders {
 public:
  explicit TurningCylinders(Backend& backend) : backend_(backend) {}

  // Whether one of these bodies turns.
  static bool turn(const std::vector<PlacedBody>& bodies);

  // To be called before what follows, with the bodies among these walls. Finds the cells next to those that turn, once
  // per change of walls, on the host; throws Error when memory runs out.
  void follow(const std::vector<PlacedBody>& bodies, const StepParams& flow, const BoundaryLinks& boundary_links);
  // Before a step, after Curved::correct_boundaries.
  void push(const StepParams& flow, const WallCurve& curve, const Lattice& lattice) const;
  // Adds the rotation of this body, if it turns and touches no other wall.
  void add_rotation(const Body& body, RigidMotion& motion) const;
  // The fluid's domain, if it is one.
  const std::optional<Annulus>& annulus() const { return annulus_; }

 private:
  struct Cylinder {
    RigidMotion motion;
    std::vector<RimCell> rim;
    Array<RimCell> rims;  // the same
  };
  std::optional<Annulus> find_annulus(const PlacedBody& body, const StepParams& flow,
                                      const BoundaryLinks& boundary_links) const;

  Backend& backend_;
  std::vector<Cylinder> cylinders_;
  std::optional<Annulus> annulus_;
  std::uint64_t walls_ = 0;  // the walls they belong to, as BoundaryLinks counts them; 0: none
};

}  // namespace perturb::lbm
