// A fiber and its nearest neighbour, for the microscope: the flow of the neighbour along the fiber, and what it adds to
// the fiber's velocity.
#pragma once

#include <climits>
#include <optional>

#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/inspection.h"
#include "cuda/fibers/model/state.h"
#include "cuda/fibers/parameters.h"
#include "cuda/fibers/view/view.h"

namespace perturb::fibers {

// The fiber at the smallest distance.
struct NearestFiber {
  double distance = 1e300;
  int fiber = INT_MAX;
  PERTURB_HD void merge(const NearestFiber& o) {
    if (o.distance < distance || (o.distance == distance && o.fiber < fiber)) *this = o;
  }
};

class Microscope {
 public:
  explicit Microscope(Backend& backend) : backend_(backend) {}

  // The fiber nearest to a point of the view (fractions). The velocities of `state` are known. Waits for the device.
  Inspection inspect(const Parameters& parameters, const FiberState& state, const ViewState& view, double x, double y);

 private:
  template <class Find>
  NearestFiber nearest(const Find& find, int fibers);

  Backend& backend_;
  std::optional<Reduction<NearestFiber>> nearest_;  // made when it is first needed
};

}  // namespace perturb::fibers
