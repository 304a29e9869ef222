// Discs as they were before a step of the rule `exact`, for a step that is stopped before its end. For files under
// cuda/ only, like reduce.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/core/backend/backend.h"
#include "cuda/particles/model/storage.h"

namespace perturb::particles {

// Allocates no memory: the discs are kept in scratch of the rule `one`. Copies are queued.
template <class Real>
class DiscsBefore {
 public:
  // Call when a step begins: nothing has changed yet.
  void forget() { kept_ = false; }
  bool kept() const { return kept_; }

  // Call before the first change of a step that may still be stopped. `impulse`: the walls' impulse so far.
  void keep(Backend& backend, DiscStorage<Real>& discs, std::int64_t impulse) {
    if (kept_) return;
    const std::size_t n = discs.discs.size();
    backend.copy_within(discs.next.data(), discs.discs.data(), n * sizeof(Disc<Real>));
    backend.copy_within(discs.claims.data(), discs.wall_collisions.data(), n * sizeof(int));
    backend.copy_within(discs.others.data(), discs.disc_collisions.data(), n * sizeof(int));
    impulse_ = impulse, kept_ = true;
  }
  // Restores the discs; returns the walls' impulse of that time.
  std::int64_t restore(Backend& backend, DiscStorage<Real>& discs) {
    const std::size_t n = discs.discs.size();
    backend.copy_within(discs.discs.data(), discs.next.data(), n * sizeof(Disc<Real>));
    backend.copy_within(discs.wall_collisions.data(), discs.claims.data(), n * sizeof(int));
    backend.copy_within(discs.disc_collisions.data(), discs.others.data(), n * sizeof(int));
    kept_ = false;
    return impulse_;
  }

 private:
  bool kept_ = false;
  std::int64_t impulse_ = 0;
};

}  // namespace perturb::particles
