// Periodic sides come in pairs. For grids whose parameters have boundary_left, boundary_right, boundary_bottom and
// boundary_top, of an enum with the value `periodic`; ids of parameters are the members' names.
//
// `partner(side)`: the kind that stands opposite a side of this kind when nothing else is asked for.
#pragma once

#include <string>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/setup.h"

namespace perturb {

namespace detail {

// Calls `pair(a, b, a_id, b_id)` for two members that lie opposite each other and are not both periodic or both not.
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

// At a start: a side follows its opposite where it has not been asked for something else itself. Throws InputError
// where both were asked for and only one is periodic.
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

// In a run: a side that becomes periodic, or no longer is, takes its opposite along. `before`: the parameters that one
// change made into `p`.
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
