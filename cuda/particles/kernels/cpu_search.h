// Search and filter of model/collisions.h for CPUs: one time slice, equal discs, as in a slow gas. The collisions found
// are bit-identical.
//
// Discs of neighbouring cells are stored one after the other. Vector instructions test eight of them at once against
// the disc before them. The few that may touch it are gathered without a branch and then tested exactly. The result is
// a list of candidates, one edge each, without per-disc lists and without branches that a processor would have to
// predict. The rounds of the filter run over the edges.
#pragma once

#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/field.h"
#include "cuda/particles/model/collisions.h"

namespace perturb::particles {

// Candidate. `p` and `q` are positions in the order of the cells; q < 0: a wall.
template <class Real>
struct CpuEdge {
  Real time;
  int p, q;
};

// Memory of the search: positions and velocities in the order of the cells, one array each, padded so that a block can
// be read beyond the end; the candidates; and the least candidate of each disc.
template <class Real>
class CpuSearch {
 public:
  static constexpr int block = 8;  // discs tested at once
  CpuSearch() = default;
  CpuSearch(Backend& backend, std::size_t count);
  static std::size_t bytes_for(std::size_t count);

  bool empty() const { return x_.empty(); }

  // Copies discs to their positions in the order of the cells; CellBins calls it for each disc.
  struct Copy {
    const Disc<Real>* discs;
    Real *x, *y, *vx, *vy;
    int* least;
    Claim* claims;
    PERTURB_HD void operator()(int i, int place) const {
      const Disc<Real> d = discs[i];
      x[place] = d.x;
      y[place] = d.y;
      vx[place] = d.vx;
      vy[place] = d.vy;
      least[place] = -1;
      claims[i] = claim_of(no_partner);
    }
  };
  Copy copy(const Disc<Real>* discs, Claim* claims) {
    return {discs, x_.data(), y_.data(), vx_.data(), vy_.data(), least_.data(), claims};
  }

  // Marks in `claims` which discs collide, and with which partner. Call `copy` for all discs of `world` first. `starts`
  // and `entries` belong to the bins, `control.cells` are the cells. Throws Error when memory for all candidates is
  // short; then only `claims` has changed.
  void run(Backend& backend, const Grid<Real>& grid, const StepControl& control, const int* starts, const int* entries,
           Claim* claims, bool contract);

 private:
  // Consecutive discs in the order of the cells, for one thread. Their edges start at `first`, `count` of them.
  struct Band {
    int first = 0, room = 0, count = 0;
  };
  static std::size_t usual_edges(std::size_t count) { return 2 * count + 1024; }
  void run_timed(std::size_t room, int bands);
  void find(Backend& backend, const Grid<Real>& grid, const StepControl& control, const int* starts, bool contract);
  void filter(Backend& backend, const Grid<Real>& grid, const int* entries, Claim* claims);

  Array<Real> x_, y_, vx_, vy_;
  Array<int> least_;
  Array<CpuEdge<Real>> edges_;
  std::vector<Band> bands_;
};

}  // namespace perturb::particles
