// Values that a step computes in one cell of a tank, for the microscope.
#pragma once

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/inspection.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/step_params.h"
#include "cuda/wave/model/surface.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

// The numbers that a cell's update reads, and its result. Nine numbers: from the upper left to the lower right cell.
template <class Real>
struct CellUpdate {
  Real u[9];        // as the step reads them: outside the tank they depend on the sides
  Real previous;    // the cell's own height one step ago
  Real medium[9];   // model/cell.h; outside the tank 1
  Real sponge = 1;  // the factor of both weights
  Real next;        // the cell's new height
};

template <class Real>
class Microscope {
 public:
  explicit Microscope(Backend& backend) : backend_(backend) {}

  // `step`: the parameters of the next step. Waits for the device.
  Inspection inspect(const StepParams<Real>& step, const Surface<Real>& surface, const Grid& grid,
                     const Parameters& parameters, int i, int j);

 private:
  Backend& backend_;
  Array<CellUpdate<Real>> update_;  // one, made when it is first needed
};

extern template class Microscope<float>;
extern template class Microscope<double>;

}  // namespace perturb::wave
