#include "cuda/lbm/lbm_setup.h"

#include <algorithm>
#include <string>

#include "cuda/core/check.h"
#include "cuda/core/field.h"
#include "cuda/core/half.h"
#include "cuda/lbm/lbm_planes.h"

namespace perturb {

namespace {

constexpr int least_side = 2;  // cells

// Periodic sides come in pairs: a side follows its opposite where it has not been asked for something else itself.
void pair_given(LbmBoundary& a, bool a_given, LbmBoundary& b, bool b_given, const char* a_id, const char* b_id) {
  if (lbm_is_periodic(a) == lbm_is_periodic(b)) return;
  if (a_given && b_given)
    throw InputError(std::string(lbm_is_periodic(a) ? a_id : b_id) + " is periodic, so " +
                     (lbm_is_periodic(a) ? b_id : a_id) + " must be periodic too: set both, or neither.");
  if (a_given)
    b = lbm_partner(a);
  else
    a = lbm_partner(b);
}

std::size_t bytes_of(const Backend& backend, GridSize size, LbmStorage storage, bool marked, bool walls, bool dye) {
  const std::size_t populations = storage == LbmStorage::fp16
                                      ? LbmPlanes<Half>::bytes_of(backend, size.width, size.height)
                                      : LbmPlanes<float>::bytes_of(backend, size.width, size.height);
  const std::size_t flags = Field<std::uint8_t>::bytes_of(size.width, size.height),
                    outline = Field<std::int16_t>::bytes_of(size.width, size.height);
  // Walls live in the marks and their outline; while some are drawn they need as much again.
  return 2 * populations + (marked || walls ? flags : 0) + (walls ? flags + 2 * outline : 0) +
         (dye ? 2 * Field<float>::bytes_of(size.width, size.height) : 0) + (std::size_t{256} << 10);
}

bool uses(const Setup& setup, const char* prefix) {
  return std::any_of(setup.actions.begin(), setup.actions.end(),
                     [&](const Action& action) { return action.kind.rfind(prefix, 0) == 0; });
}

}  // namespace

LbmBoundary lbm_partner(LbmBoundary b) {
  return b == LbmBoundary::inlet ? LbmBoundary::outlet : b == LbmBoundary::outlet ? LbmBoundary::inlet : b;
}

void lbm_pair_changed(LbmBoundary& a, LbmBoundary& b, LbmBoundary a_before) {
  if (lbm_is_periodic(a) == lbm_is_periodic(b)) return;
  if (a != a_before)
    b = lbm_partner(a);
  else
    a = lbm_partner(b);
}

void lbm_check_balance(const LbmParameters& p) {
  const LbmBoundary sides[] = {p.boundary_left, p.boundary_right, p.boundary_bottom, p.boundary_top};
  const auto has = [&](LbmBoundary kind) {
    return std::find(std::begin(sides), std::end(sides), kind) != std::end(sides);
  };
  if (has(LbmBoundary::inlet) && !has(LbmBoundary::outlet))
    throw InputError("Fluid enters at an inlet and leaves nowhere: make another side an outlet, or the inlet a wall.");
}

LbmParameters lbm_parameters_of(const Setup& setup) {
  auto p = parameters_from<LbmParameters>(setup, lbm_parameter_table());
  const auto given = [&](const char* id) { return setup.parameters.count(id) != 0; };
  pair_given(p.boundary_left, given("boundary_left"), p.boundary_right, given("boundary_right"), "boundary_left",
             "boundary_right");
  pair_given(p.boundary_bottom, given("boundary_bottom"), p.boundary_top, given("boundary_top"), "boundary_bottom",
             "boundary_top");
  lbm_check_balance(p);
  return p;
}

GridSize lbm_size_of(const Setup& setup) {
  return grid_size_of(setup, {768, 256}, least_side, lbm_largest_side, "A flow");
}

bool lbm_has_sides(const LbmParameters& p) {
  return !lbm_is_periodic(p.boundary_left) || !lbm_is_periodic(p.boundary_bottom);
}
std::size_t lbm_bytes_of(const Backend& backend, const Setup& setup) {
  const LbmParameters p = lbm_parameters_of(setup);
  return bytes_of(backend, lbm_size_of(setup), p.storage, lbm_has_sides(p), uses(setup, "wall-"), uses(setup, "dye"));
}

}  // namespace perturb
