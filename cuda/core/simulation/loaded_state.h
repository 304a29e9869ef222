// What a simulation asks of a saved state before it takes any of it. Each function throws InputError: what is wrong, in
// which dataset and where in it, and what to do. A simulation states all that its states must be in one file of its
// own, with these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "cuda/core/simulation/start.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// Steps that a state may have behind it: up to here they are whole numbers as double too, and counting on cannot
// overflow.
constexpr std::int64_t max_saved_steps = std::int64_t{1} << 53;

// Where the number with this index stands, in words: "column 3, row 5", "disc 7".
using IndexFormatter = std::function<std::string(std::size_t)>;
// A field of cells, row by row from the bottom; with `layers` of them one after the other.
IndexFormatter grid_index_formatter(GridSize size);
// Things with `numbers` numbers each.
IndexFormatter list_index_formatter(const std::string& thing, std::size_t numbers = 1);

// What a simulation finds wrong in a state. A state may also have been made from a text: the caller then names the text
// instead.
class InvalidStateError : public InputError {
 public:
  // `what_is_wrong` ("\"u\" is not finite") with "In the saved state, " before it and a remedy behind it.
  explicit InvalidStateError(const std::string& what_is_wrong);
  const std::string& what_is_wrong() const { return what_is_wrong_; }

 private:
  std::string what_is_wrong_;
};
[[noreturn]] void reject_state(const std::string& what_is_wrong);

// Throws unless the state's width and height are these; `what` is "a tank".
void require_grid(const State& state, GridSize size, const std::string& what);
// The first extent of a dataset of two indices (or of one, where `columns` is 0): how many `things` it holds. Throws
// when there is no such dataset, or not from `least` to `most` of them.
std::size_t require_rows(const State& state, const std::string& name, std::size_t columns, std::size_t least,
                         std::size_t most, const std::string& things);
// Throws unless every value is finite.
template <class Real>
void require_finite(const std::string& name, std::span<const Real> values, const IndexFormatter& place);
// Throws unless every value is from `least` to `most`; no NaN is.
template <class Real>
void require_within(const std::string& name, std::span<const Real> values, double least, double most,
                    const IndexFormatter& place);

extern template void require_finite(const std::string&, std::span<const float>, const IndexFormatter&);
extern template void require_finite(const std::string&, std::span<const double>, const IndexFormatter&);
extern template void require_within(const std::string&, std::span<const float>, double, double, const IndexFormatter&);
extern template void require_within(const std::string&, std::span<const double>, double, double, const IndexFormatter&);

}  // namespace perturb
