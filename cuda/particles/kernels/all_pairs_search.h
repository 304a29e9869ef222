// The paper's search: pairs on the device, order and filter on the host. Its time grows with the square of the number
// of discs. For files under cuda/ only, like reduce.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/loops/parallel_for_blocks.h"
#include "cuda/core/simulation/format.h"
#include "cuda/particles/kernels/all_pairs.h"
#include "cuda/particles/kernels/kernels.h"
#include "cuda/particles/model/find.h"
#include "cuda/particles/model/settle.h"
#include "cuda/particles/model/storage.h"

namespace perturb::particles {

template <class Real, bool contract>
class AllPairsSearch {
 public:
  explicit AllPairsSearch(Backend& backend) : backend_(backend), counter_(backend, 1, "number of candidates") {}

  // Allocates the smallest list of candidates for this number of discs. Throws InputError when memory is short; the
  // discs are unchanged then.
  void prepare(int count) {
    const std::size_t usual = 1024 + 4 * static_cast<std::size_t>(count);
    if (found_.size() < usual) make_room(count, usual);
  }

  // The collisions of the last search, and their number.
  const SettledCollision* collisions() const { return collisions_.data(); }
  int settled() const { return settled_; }

  // Fills the claims of the discs: which of them collide, and with which partner. Changes nothing else. May be
  // cancelled.
  void find(DiscStorage<Real>& discs, const DiscGrid<Real>& grid, const PairsLaunch& launch) {
    const InterruptibleScope here(backend_);
    prepare(grid.count);
    std::int64_t found = 0;
    for (;;) {
      counter_.fill_zero();
      const CheckPairs<Real, contract> check{grid, found_.data(), static_cast<std::int64_t>(found_.size()),
                                             counter_.data()};
      parallel_for_in_blocks(backend_, "particles.check_walls", Range1D{grid.count}, launch.discs_block,
                             CheckWalls<Real, contract>{check});
      if (backend_.is_cuda()) {
        check_all_pairs(backend_, check, launch);
      } else {
        const int columns = grid.count | 1;
        parallel_for(backend_, "particles.check_pairs", Range2D{columns, columns / 2}, check);
      }
      backend_.copy_to_host(&found, counter_.data(), sizeof found);
      const auto many = static_cast<std::size_t>(found);
      if (many <= found_.size()) break;
      // The list was too short: search again with a longer one.
      make_room(grid.count, many + many / 4);
    }
    filter(discs, static_cast<std::size_t>(grid.count), static_cast<std::size_t>(found));
  }

 private:
  void make_room(int count, std::size_t candidates) {
    found_ = {};  // scratch: nothing is lost if a later allocation fails
    try {
      found_ = Array<PairCandidate<Real>>(backend_, candidates, "candidates of all pairs");
      const auto most = static_cast<std::size_t>(count);
      if (collisions_.size() < most) collisions_ = Array<SettledCollision>(backend_, most, "collisions of a step");
    } catch (const Error&) {
      throw InputError("The kernel all-pairs lists the collisions that may come: of " + std::to_string(count) +
                       " discs that takes " + format_bytes(candidates * sizeof(PairCandidate<Real>)) + ", and " +
                       format_bytes(backend_.free_memory()) + " are free on " + backend_.device_name() +
                       ". Choose the kernel grid, fewer discs or lower speeds.");
    }
  }

  void filter(DiscStorage<Real>& discs, std::size_t count, std::size_t found) {
    std::vector<PairCandidate<Real>> candidates(found);
    found_.download(std::span<PairCandidate<Real>>(candidates));
    std::vector<int> best(count);
    std::vector<unsigned char> taken(count);
    {
      const KernelTimer timer(backend_, "particles.host_filter");
      filter_candidates(candidates, discs.ids.download(), best, taken);
    }
    std::vector<Claim> claims(count);
    std::vector<SettledCollision> collisions;
    for (std::size_t k = 0; k < claims.size(); ++k) {
      claims[k] = claim_of(best[k]) | (taken[k] ? taken_bit : 0);
      const int own = static_cast<int>(k);
      if (taken[k] && (best[k] < 0 || best[k] > own)) collisions.push_back({own, best[k] < 0 ? -1 : best[k]});
    }
    discs.claims.upload(claims);
    collisions_.upload(collisions);
    settled_ = static_cast<int>(collisions.size());
  }

  Backend& backend_;
  Array<std::int64_t> counter_;
  Array<PairCandidate<Real>> found_;
  Array<SettledCollision> collisions_;
  int settled_ = 0;
};

}  // namespace perturb::particles
