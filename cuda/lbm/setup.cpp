#include "cuda/lbm/setup.h"

#include <algorithm>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/math/half.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/lbm/actions.h"
#include "cuda/lbm/model/lattice.h"

namespace perturb::lbm {

namespace {

constexpr int min_side = 2;  // cells

std::size_t bytes_of(const Backend& backend, GridSize size, Storage storage, bool marked, bool walls, bool layers,
                     bool dye) {
  const std::size_t populations = storage == Storage::fp16 ? Planes<Half>::bytes_of(backend, size.width, size.height)
                                                           : Planes<float>::bytes_of(backend, size.width, size.height);
  const std::size_t flags = Field<std::uint8_t>::bytes_of(size.width, size.height),
                    outline = Field<std::int16_t>::bytes_of(size.width, size.height);
  // Walls are stored as boundary links and their outline; drawing needs as much again temporarily. Walls that belong to
  // no object are kept separately from those that do.
  return 2 * populations + (marked || walls ? flags : 0) + (walls ? flags + 2 * outline : 0) +
         (layers ? 2 * (flags + outline) : 0) + (dye ? 2 * Field<float>::bytes_of(size.width, size.height) : 0) +
         (std::size_t{256} << 10);
}

bool uses(const Setup& setup, const char* prefix) {
  return std::any_of(setup.actions.begin(), setup.actions.end(),
                     [&](const Action& action) { return action.kind.rfind(prefix, 0) == 0; });
}

// Whether it draws bodies that are objects, and other walls.
bool has_bodies_and_walls(const Setup& setup) {
  bool bodies = false, others = false;
  for (const Action& action : setup.actions) {
    const ActionKind* kind = find_kind(action_kinds(), action.kind);
    if (action.kind.rfind("wall-", 0) != 0 || !kind) continue;
    (kind->creates_object ? bodies : others) = true;
  }
  return bodies && others;
}

}  // namespace

Boundary partner(Boundary b) {
  return b == Boundary::inlet ? Boundary::outlet : b == Boundary::outlet ? Boundary::inlet : b;
}

void check_balance(const Parameters& p) {
  const Boundary sides[] = {p.boundary_left, p.boundary_right, p.boundary_bottom, p.boundary_top};
  const auto has = [&](Boundary kind) {
    return std::find(std::begin(sides), std::end(sides), kind) != std::end(sides);
  };
  if (has(Boundary::inlet) && !has(Boundary::outlet))
    throw InputError("Fluid enters at an inlet but cannot leave. Make another side an outlet, or the inlet a wall.");
}

Parameters parameters_of(const Setup& setup) {
  auto p = parameters_from<Parameters>(setup, parameter_table());
  pair_sides_given(p, setup, partner);
  check_balance(p);
  return p;
}

GridSize lbm_size_of(const Setup& setup) { return grid_size_of(setup, {768, 256}, min_side, largest_side, "A flow"); }

bool has_sides(const Parameters& p) { return !is_periodic(p.boundary_left) || !is_periodic(p.boundary_bottom); }
std::size_t lbm_bytes_of(const Backend& backend, const Setup& setup) {
  const Parameters p = parameters_of(setup);
  return bytes_of(backend, lbm_size_of(setup), p.storage, has_sides(p), uses(setup, "wall-"),
                  has_bodies_and_walls(setup), uses(setup, "dye"));
}

}  // namespace perturb::lbm
