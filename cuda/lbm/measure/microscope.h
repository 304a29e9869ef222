// Values that a step computes in one cell of a flow, for the microscope.
#pragma once

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/inspection.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// A cell's populations through a step, each minus its weight.
struct CellUpdate {
  int links = 0;              // boundary links (all_links: a wall)
  float stored[lbm_links];    // after the last collision
  float streamed[lbm_links];  // arrived from the neighbours; invalid along boundary links
  float bounced[lbm_links];   // with those of boundary links
  float collided[lbm_links];  // after the collision, as they will be stored
};

class Microscope {
 public:
  explicit Microscope(Backend& backend) : backend_(backend) {}

  // `features`: a Feature sum. `corrects`: the next step first changes populations next to walls. Waits for the device.
  Inspection inspect(const StepParams& flow, int features, const Lattice& lattice, bool corrects, int i, int j);

 private:
  Backend& backend_;
  Array<CellUpdate> update_;  // one, made when it is first needed
};

}  // namespace perturb::lbm
