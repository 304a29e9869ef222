// The contact of a disc with the one that it will touch next, for the microscope. For files under cuda/ only, like
// reduce.h.
#pragma once

#include <cstdint>
#include <optional>

#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/inspection.h"
#include "cuda/particles/measure/sums.h"
#include "cuda/particles/model/cell.h"
#include "cuda/particles/model/discs.h"
#include "cuda/particles/model/editor.h"

namespace perturb::particles {

// The disc that another one touches first if both move on straight: after `delay` steps. If it will touch none, the
// nearest one, with a larger number.
struct NextPair {
  static constexpr double never_from = 1e200;
  double delay = 1e300;
  int slot = -1, id = INT32_MAX;
  PERTURB_HD void merge(const NextPair& o) {
    if (o.delay < delay || (o.delay == delay && o.id < id)) *this = o;
  }
};

template <class Real>
class Microscope {
 public:
  explicit Microscope(Backend& backend) : backend_(backend) {}

  // `contract`: how the run computes products. `gravity`: lengths per step². Waits for the device.
  Inspection inspect(const DiscRun<Real>& now, const NearestDisc& disc, bool contract, Real gravity);

 private:
  Backend& backend_;
  std::optional<Reduction<NextPair>> next_;  // made when it is first needed
};

extern template class Microscope<float>;
extern template class Microscope<double>;

}  // namespace perturb::particles
