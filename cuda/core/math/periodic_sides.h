// Periodic sides come in pairs. For grids whose parameters have boundary_left, boundary_right, boundary_bottom and
// boundary_top, of an enum with the value `periodic`; ids of parameters are the members' names.
//
// `partner(side)`: the default kind of the side opposite a side of this kind.
#pragma once

#include <string>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/setup.h"

namespace perturb {

namespace detail {

// Calls `pair(a, b, a_id, b_id)` for two opposite members of which exactly one is periodic.
template <class Parameters, class Pair>
void for_unlike_sides(Parameters& p, const Pair& pair) {
  using Side = decltype(p.boundary_left);
  const auto check = [&](Side Parameters::*a, Side Parameters::*b, const char* a_id, const char* b_id) {
    if ((p.*a == Side::periodic) != (p.*b == Side::periodic)) pair(a, b, a_id, b_id);
  };
  check(&Parameters::boundary_left, &Parameters::boundary_right, "boundary_left", "boundary_right");
  check(&Parameters::boundary_bottom, &Parameters::boundary_top, "boundary_bottom", "boundary_top");
}

}  // namespace detail

// At the start: a side that was not given follows its opposite. Throws InputError if both were given and only one is
// periodic.
template <class Parameters, class Partner>
void pair_sides_given(Parameters& p, const Setup& setup, const Partner& partner) {
  const auto given = [&](const char* id) { return setup.parameters.contains(id); };
  detail::for_unlike_sides(p, [&](auto a, auto b, const std::string& a_id, const std::string& b_id) {
    if (given(a_id.c_str()) && given(b_id.c_str())) {
      const bool a_leads = p.*a == decltype(p.boundary_left)::periodic;
      throw InputError((a_leads ? a_id : b_id) + " is periodic, so " + (a_leads ? b_id : a_id) +
                       " must be periodic too: set both, or neither.");
    }
    if (given(a_id.c_str()))
      p.*b = partner(p.*a);
    else
      p.*a = partner(p.*b);
  });
}

// During a run: when a side becomes periodic, or stops being periodic, its opposite follows. `before`: the parameters
// before the change that led to `p`.
template <class Parameters, class Partner>
void pair_sides_changed(Parameters& p, const Parameters& before, const Partner& partner) {
  detail::for_unlike_sides(p, [&](auto a, auto b, const char*, const char*) {
    if (p.*a != before.*a)
      p.*b = partner(p.*a);
    else
      p.*a = partner(p.*b);
  });
}

}  // namespace perturb
