// Memory of the discs.
#pragma once

#include <cstdint>

#include "cuda/core/backend/field.h"
#include "cuda/particles/model/cell.h"

namespace perturb::particles {

// Linear in the number of discs. `next` and the members after `disc_collisions` are scratch of a step.
template <class Real>
struct DiscStorage {
  Array<Disc<Real>> discs, next;
  Array<DiscKind<Real>> kinds;  // empty if all discs are equal
  Array<int> ids;
  Array<std::uint32_t> wall_collisions, disc_collisions;
  Array<int> claims, others, list, other_list;

  DiscStorage() = default;
  DiscStorage(Backend& backend, std::size_t count, bool unequal)
      : discs(backend, count, "discs"),
        ids(backend, count, "ids of discs"),
        wall_collisions(backend, count, "wall collisions"),
        disc_collisions(backend, count, "disc collisions") {
    if (unequal) kinds = Array<DiscKind<Real>>(backend, count, "radii and masses");
    make_scratch(backend, count);
  }
  // Allocates scratch for this number of discs, unless it exists in this size.
  void make_scratch(Backend& backend, std::size_t count) {
    if (next.size() == count) return;
    next = Array<Disc<Real>>(backend, count, "discs after the step");
    claims = Array<int>(backend, count, "partners"), others = Array<int>(backend, count, "next partners");
    list = Array<int>(backend, count, "waiting discs"), other_list = Array<int>(backend, count, "waiting discs");
  }
  static std::size_t bytes_per_disc() { return 2 * sizeof(Disc<Real>) + sizeof(DiscKind<Real>) + 7 * sizeof(int); }
};

}  // namespace perturb::particles
