// The discs as they were before a step of the rule `exact`, for a step that is given up in its middle. For files under
// cuda/ only, like reduce.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/core/backend/backend.h"
#include "cuda/particles/model/storage.h"

namespace perturb::particles {

// Takes no memory of its own: the discs are kept in scratch of the rule `one`. Copies are queued.
template <class Real>
class DiscsBefore {
 public:
  // A step begins: so far nothing has changed.
  void forget() { kept_ = false; }
  bool kept() const { return kept_; }

  // Before the first change of a step that may yet be given up. `impulse`: what walls gave until then.
  void keep(Backend& backend, DiscStorage<Real>& discs, std::int64_t impulse) {
    if (kept_) return;
    const std::size_t n = discs.discs.size();
    backend.copy_within(discs.next.data(), discs.discs.data(), n * sizeof(Disc<Real>));
    backend.copy_within(discs.claims.data(), discs.wall_collisions.data(), n * sizeof(int));
    backend.copy_within(discs.others.data(), discs.disc_collisions.data(), n * sizeof(int));
    impulse_ = impulse, kept_ = true;
  }
  // Gives the discs back; returns the walls' impulse of then.
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
