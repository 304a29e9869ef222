// The surface of the water: the height of every cell at the two time levels that a step needs.
#pragma once

#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/wave/model/disturbances.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/levels.h"
#include "cuda/wave/model/medium_sums.h"
#include "cuda/wave/model/source.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

// The parameter `medium` is that of model/cell.h, and may be empty: walls stay at zero.
template <class Real>
class Surface {
 public:
  // Creates a flat surface at rest; on CUDA with two more fields, for kernels that cannot work in place. Throws Error
  // if memory runs out.
  Surface(Backend& backend, int width, int height);

  View2D<const Real> u() const { return u_.view(); }                    // level t
  View2D<const Real> u_previous() const { return u_previous_.view(); }  // level t-1

  // For kernels. After a pass the levels t and t-1 are in other fields; call the matching swap function.
  Levels<Real> levels() { return {u_.view(), u_previous_.view(), spare_.view(), spare_previous_.view()}; }
  void swap_levels() { u_.swap(u_previous_); }  // level t was written over level t-1
  void swap_spares() {
    u_.swap(spare_);
    u_previous_.swap(spare_previous_);
  }
  // Level t was written into the spare field.
  void swap_spare() {
    u_previous_.swap(spare_);
    swap_levels();
  }
  // Moves the fields to where an edited kernel sees them, with two spare ones; and back.
  void share(const EditedKernel& kernel);
  void unshare();

  // Calls use(a, b) with two fields of this shape that it may write to: the spare ones, whose contents are not needed
  // between passes, or new ones. Throws Error if memory runs out.
  template <class Use>
  void with_scratch(const char* label, const Use& use) const {
    if (!spare_.empty()) {
      use(spare_.view(), spare_previous_.view());
      return;
    }
    Field<Real> a(backend_, u_.width(), u_.height(), label), b(backend_, u_.width(), u_.height(), label);
    use(a.view(), b.view());
  }

  // Adds a droplet to level t only, as in the paper; this also gives the water a velocity. The part outside the tank is
  // dropped, or wrapped around at a periodic side. Returns the mean of the added heights, as if there were no walls.
  // Cells at absorbing sides count half (model/limit.h).
  double add_droplet(const Droplet& droplet, const Grid& grid, const Parameters& sides, View2D<const Real> medium);
  // Raises all water at level t. This compensates droplets, so that the mean height and the mean velocity stay
  // constant.
  void raise(double height, View2D<const Real> medium);
  // Removes the mean velocity of a tank without walls. Waits for the device.
  void stop_drift();
  // Waits for the device.
  void add_mode(const Mode& mode, View2D<const Real> medium);
  // Sets level t where the sources hold it in the step just taken.
  void hold(const HeldCells<Real>& held);
  void set_zero() {
    u_.fill_zero();
    u_previous_.fill_zero();
  }
  // Sets the surface in new walls to zero. `medium` is not empty.
  void zero_in_walls(View2D<const Real> medium);
  // Every cell keeps its velocity (u - u_previous)/dt when dt becomes ratio·dt.
  void keep_velocity(double ratio);

  // "u" and "u_previous" [height, width].
  void save_to(State& state) const;
  void load(const std::vector<Real>& u, const std::vector<Real>& u_previous) {
    u_.upload(u);
    u_previous_.upload(u_previous);
  }
  void visit_members(MemberCopier& copy) { copy(u_, u_previous_); }

 private:
  Range2D whole() const { return {u_.width(), u_.height()}; }

  Backend& backend_;
  Field<Real> u_, u_previous_;
  mutable Field<Real> spare_, spare_previous_;  // only on CUDA and while a kernel is edited
  Reduction<Drift> drift_;
};

extern template class Surface<float>;
extern template class Surface<double>;

}  // namespace perturb::wave
