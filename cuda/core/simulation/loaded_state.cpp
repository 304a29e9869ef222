#include "cuda/core/simulation/loaded_state.h"

#include <cmath>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

IndexFormatter grid_index_formatter(GridSize size) {
  const auto width = static_cast<std::size_t>(size.width), height = static_cast<std::size_t>(size.height);
  return [width, height](std::size_t k) {
    return "column " + std::to_string(k % width) + ", row " + std::to_string(k / width % height);
  };
}

IndexFormatter list_index_formatter(const std::string& thing, std::size_t numbers) {
  return [thing, numbers](std::size_t k) { return thing + " " + std::to_string(k / numbers); };
}

InvalidStateError::InvalidStateError(const std::string& what_is_wrong)
    : InputError("In the saved state, " + what_is_wrong +
                 ". The file is damaged, or was not written by Perturb: use another copy of it, or a state that was "
                 "saved earlier."),
      what_is_wrong_(what_is_wrong) {}

void reject_state(const std::string& what_is_wrong) { throw InvalidStateError(what_is_wrong); }

void require_grid(const State& state, GridSize size, const std::string& what) {
  if (state.width != size.width || state.height != size.height)
    throw InputError("This state is of " + format_size({state.width, state.height}) + ", and " + what + " has " +
                     format_size(size) + ": open it with its own size.");
}

std::size_t require_rows(const State& state, const std::string& name, std::size_t columns, std::size_t least,
                         std::size_t most, const std::string& things) {
  const auto found = state.datasets.find(name);
  if (found == state.datasets.end()) reject_state("there is no \"" + name + "\"");
  const std::vector<std::size_t>& shape = found->second.shape;
  if (columns > 0 ? shape.size() != 2 || shape[1] != columns : shape.size() != 1)
    reject_state("\"" + name + "\" is no table of " +
                 (columns > 0 ? std::to_string(columns) + " columns" : "one column"));
  if (shape[0] < least || shape[0] > most)
    reject_state("\"" + name + "\" tells of " + std::to_string(shape[0]) + " " + things + " where from " +
                 std::to_string(least) + " to " + std::to_string(most) + " can be");
  return shape[0];
}

namespace {

template <class Real>
[[noreturn]] void reject_value(const std::string& name, Real value, const std::string& where,
                               const std::string& needed) {
  const auto number = static_cast<double>(value);
  const std::string what = std::isnan(number)   ? "a value that is not a number"
                           : std::isinf(number) ? "an infinite value"
                                                : format_number(number);
  reject_state("\"" + name + "\" holds " + what + " at " + where + ", where " + needed + " is needed");
}

}  // namespace

template <class Real>
void require_finite(const std::string& name, std::span<const Real> values, const IndexFormatter& place) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k])) reject_value(name, values[k], place(k), "a finite number");
}

template <class Real>
void require_within(const std::string& name, std::span<const Real> values, double least, double most,
                    const IndexFormatter& place) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto value = static_cast<double>(values[k]);
    if (!(value >= least && value <= most))
      reject_value(name, value, place(k), "a number from " + format_number(least) + " to " + format_number(most));
  }
}

template void require_finite(const std::string&, std::span<const float>, const IndexFormatter&);
template void require_finite(const std::string&, std::span<const double>, const IndexFormatter&);
template void require_within(const std::string&, std::span<const float>, double, double, const IndexFormatter&);
template void require_within(const std::string&, std::span<const double>, double, double, const IndexFormatter&);

}  // namespace perturb
