// Discs of a run, in the memory of the backend.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/particles/model/grid.h"
#include "cuda/particles/model/host.h"
#include "cuda/particles/model/piston.h"
#include "cuda/particles/model/storage.h"
#include "cuda/particles/parameters.h"

namespace perturb::particles {

// Indices are slots: a search may change the order in memory. Ids are constant and count from 0.
template <class Real>
class DiscSet {
 public:
  DiscSet() = default;
  // `usual_radius`: of equal discs. Throws Error when memory is short.
  DiscSet(Backend& backend, const HostDiscs<Real>& host, double usual_radius);

  int count() const { return count_; }
  bool alike() const { return storage_.kinds.empty(); }      // one radius, and mass 1
  double cell_radius() const { return cell_radius_; }        // of the largest disc in cells
  double largest_radius() const { return largest_radius_; }  // of all
  int heavy_slot() const { return heavy_slot_; }             // of the largest of the large discs; -1: there are none
  double radius(int slot) const;
  const Array<int>& large_discs() const { return large_discs_; }  // slots of the discs too large for the cells
  const Array<Disc<Real>>& origins() const { return origins_; }   // by id: where they came into the run

  DiscStorage<Real>& storage() { return storage_; }
  const DiscStorage<Real>& storage() const { return storage_; }
  DiscGrid<Real> grid(const PistonBox& box) const;

  // By id, on the host.
  HostDiscs<Real> download() const;
  // The largest velocity component, lengths per step.
  double fastest() const;

  // Members that a state copy holds. After it is restored, scratch memory may have another size.
  void visit_members(MemberCopier& copy);
  void make_scratch(Backend& backend) { storage_.make_scratch(backend, static_cast<std::size_t>(count_)); }

 private:
  int count_ = 0;
  double cell_radius_ = 1, largest_radius_ = 1;
  int heavy_slot_ = -1;
  DiscStorage<Real> storage_;
  Array<int> large_discs_;
  Array<Disc<Real>> origins_;
};

// The largest velocity component of these discs.
template <class Real>
double fastest_of(const std::vector<Disc<Real>>& discs);

// Current state of the run, for painting, measurement and edits.
template <class Real>
struct DiscRun {
  const ParticlesParameters& parameters;
  const DiscSet<Real>& discs;
  const PistonBox& box;
  const StepControl* control;
  std::int64_t steps;
  double impulse_unit;

  DiscGrid<Real> grid() const { return discs.grid(box); }
  double slow() const { return parameters.slow_factor; }  // steps per time unit
};

extern template class DiscSet<float>;
extern template class DiscSet<double>;
extern template double fastest_of(const std::vector<Disc<float>>&);
extern template double fastest_of(const std::vector<Disc<double>>&);

}  // namespace perturb::particles
