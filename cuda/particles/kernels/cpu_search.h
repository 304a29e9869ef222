// The search and the filter of model/find.h and model/decide.h for CPUs: one slice of time, discs that are all
// alike, as in a slow gas. The same discs collide, to the bit.
//
// Discs of neighbouring cells lie one after the other. Eight of them are tested at once in vector instructions against
// the disc before them; the few that may meet it are gathered without a branch and then looked at exactly. So comes a
// list of candidates, an edge each, with no lists of discs and nothing that a processor would have to guess. The
// filter's rounds run over the edges.
#pragma once

#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/field.h"
#include "cuda/particles/model/find.h"

namespace perturb::particles {

// A candidate by places in the order of the cells; q < 0: with a wall.
template <class Real>
struct CpuEdge {
  Real time;
  int p, q;
};

// What the search keeps: places and velocities in the order of the cells, an array each, with room to read a block
// beyond the end; the candidates; and for each disc which of them is its least.
template <class Real>
class CpuSearch {
 public:
  static constexpr int block = 8;  // discs that are tested at once
  CpuSearch() = default;
  CpuSearch(Backend& backend, std::size_t count);
  static std::size_t bytes_for(std::size_t count);

  bool empty() const { return x_.empty(); }

  // Copies discs to where they lie in the order of the cells: what CellBins calls for each.
  struct Copy {
    const Disc<Real>* discs;
    Real *x, *y, *vx, *vy;
    int* least;
    Claim* claims;
    PERTURB_HD void operator()(int i, int place) const {
      const Disc<Real> d = discs[i];
      x[place] = d.x, y[place] = d.y, vx[place] = d.vx, vy[place] = d.vy;
      least[place] = -1, claims[i] = claim_of(no_partner);
    }
  };
  Copy copy(const Disc<Real>* discs, Claim* claims) {
    return {discs, x_.data(), y_.data(), vx_.data(), vy_.data(), least_.data(), claims};
  }

  // After `copy` has been called for all discs of `world`: marks in `claims` who collides, and with whom. `starts` and
  // `entries` are those of the bins, `control.cells` the cells. Throws Error when there is no memory for all
  // candidates; then nothing but `claims` has changed.
  void run(Backend& backend, const DiscGrid<Real>& grid, const StepControl& control, const int* starts,
           const int* entries, Claim* claims, bool contract);

 private:
  // A run of discs in the order of the cells, for one thread: its edges lie from `first` on, `count` of them.
  struct Band {
    int first = 0, room = 0, count = 0;
  };
  static std::size_t usual_edges(std::size_t count) { return 2 * count + 1024; }
  void run_timed(std::size_t room, int bands);
  void find(Backend& backend, const DiscGrid<Real>& grid, const StepControl& control, const int* starts, bool contract);
  void filter(Backend& backend, const DiscGrid<Real>& grid, const int* entries, Claim* claims);

  Array<Real> x_, y_, vx_, vy_;
  Array<int> least_;
  Array<CpuEdge<Real>> edges_;
  std::vector<Band> bands_;
};

}  // namespace perturb::particles
