// Checks of a saved state before a simulation loads any of it. Each function throws InputError: what is wrong, in which
// dataset and where in it, and what to do. A simulation states all requirements on its states in one file, using these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "cuda/core/simulation/start.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// Maximum number of steps of a saved state: up to here they are exact as double, and further counting cannot overflow.
constexpr std::int64_t max_saved_steps = std::int64_t{1} << 53;

// The location of the number with this index as text: "column 3, row 5", "disc 7".
using IndexFormatter = std::function<std::string(std::size_t)>;
// For a field of cells, row by row from the bottom; several layers follow one another.
IndexFormatter grid_index_formatter(GridSize size);
// For things with `numbers` numbers each.
IndexFormatter list_index_formatter(const std::string& thing, std::size_t numbers = 1);

// A fault that a simulation finds in a state. A state may also come from a text: the caller then names the text
// instead.
class InvalidStateError : public InputError {
 public:
  // `what_is_wrong` ("\"u\" is not finite") is preceded by "In the saved state, " and followed by a remedy.
  explicit InvalidStateError(const std::string& what_is_wrong);
  const std::string& what_is_wrong() const { return what_is_wrong_; }

 private:
  std::string what_is_wrong_;
};
[[noreturn]] void reject_state(const std::string& what_is_wrong);

// Throws unless the state has this width and height; `what` is "a tank".
void require_grid(const State& state, GridSize size, const std::string& what);
// The first extent of a dataset with two indices (or one, if `columns` is 0): the number of `things`. Throws if there
// is no such dataset, or if the number is not from `least` to `most`.
std::size_t require_rows(const State& state, const std::string& name, std::size_t columns, std::size_t least,
                         std::size_t most, const std::string& things);
// Throws unless every value is finite.
template <class Real>
void require_finite(const std::string& name, std::span<const Real> values, const IndexFormatter& place);
// Throws unless every value is from `least` to `most`; NaN is not.
template <class Real>
void require_within(const std::string& name, std::span<const Real> values, double least, double most,
                    const IndexFormatter& place);

extern template void require_finite(const std::string&, std::span<const float>, const IndexFormatter&);
extern template void require_finite(const std::string&, std::span<const double>, const IndexFormatter&);
extern template void require_within(const std::string&, std::span<const float>, double, double, const IndexFormatter&);
extern template void require_within(const std::string&, std::span<const double>, double, double, const IndexFormatter&);

}  // namespace perturb
