#include "cuda/membrane/setup.h"

#include <algorithm>
#include <string>

#include "cuda/core/simulation/format.h"
#include "cuda/membrane/actions.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/modes.h"
#include "cuda/membrane/model/motion.h"
#include "cuda/membrane/model/solution.h"

namespace perturb::membrane {

namespace {

constexpr int default_samples = 256, max_samples = 16384;

// Above, the tables of the cover take minutes.
constexpr int max_level_with_tip = 8;

bool refines(const Setup& setup) { return std::any_of(setup.actions.begin(), setup.actions.end(), changes_cover); }

}  // namespace

void check_membrane_parameters(const Parameters& p) {
  // Rejected here instead of showing an empty view.
  if (p.sweep != 0 && !(p.sweep_to > p.sweep_from))
    throw InputError("Cannot sweep: {} ({}) must be below {} ({}).", parameter_name("sweep_from"),
                     with_unit(format_number(p.sweep_from), "1/length"), parameter_name("sweep_to"),
                     with_unit(format_number(p.sweep_to), "1/length"));
  if (p.domain != DomainShape::square && p.level > max_level_with_tip)
    throw InputError("With an L or a slit the level is {} at most, not {}. Choose a lower level, and split patches.",
                     max_level_with_tip, p.level);
}

GridSize membrane_samples(const Setup& setup) {
  const GridSize s{setup.width > 0 ? setup.width : default_samples, setup.height > 0 ? setup.height : default_samples};
  if (s.width > max_samples || s.height > max_samples)
    throw InputError(
        "The field of a membrane is sampled on at most 16384 x 16384 points for files, not {} x {}. Choose a smaller "
        "size.",
        s.width, s.height);
  return s;
}

Cover cover_of(const Setup& setup, const Parameters& p) {
  Cover cover(p.level, p.degree);
  Parameters parameters = p;
  for (const Action& given : setup.actions) {
    const Action action = complete_action(given, action_kinds(), [&](const std::string& id) {
      return ParameterSet(parameter_table(), &parameters).get(id);
    });
    if (changes_cover(action)) membrane_change_cover(cover, action);
    if (action.kind == "even") cover = Cover(p.level, p.degree);
  }
  return cover;
}

Parameters parameters_of(const Setup& setup) {
  const auto p = parameters_from<Parameters>(setup, parameter_table());
  check_membrane_parameters(p);
  return p;
}

std::size_t memory_needed(const Backend&, const Setup& setup) {
  const Parameters p = parameters_of(setup);
  const GridSize points = membrane_samples(setup);
  const std::size_t samples = Field<double>::bytes_of(points.width, points.height) + 4096;
  const auto motion = [&](std::int64_t unknowns) {
    return (p.modal() ? Modes::bytes(unknowns) : 0) + (p.in_time() ? Motion::bytes(unknowns) : 0) +
           (p.may_be_complex() ? Discretisation::quadrature_bytes(unknowns) : 0) +
           (membrane_wants_spectrum(p) ? Spectrum::bytes(unknowns) : 0);
  };
  if (!refines(setup) && p.domain == DomainShape::square)
    return samples + Discretisation::uniform_bytes(p.level, p.degree) + motion(uniform_unknowns(p.level, p.degree));
  const Cover cover = cover_of(setup, p);
  return samples + Discretisation::bytes(cover, p.overlap, membrane_domain(p)) +
         motion(Structure(cover, p.overlap, membrane_domain(p)).unknowns);
}

}  // namespace perturb::membrane
