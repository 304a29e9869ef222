// The allowed contents of a simulation's saved state: a table, so that reading a file needs nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cuda/core/simulation/state.h"

namespace perturb {

// The allowed length of a dataset along one index.
struct Extent {
  enum class Kind { exactly, up_to, width, height };
  Kind kind;
  std::size_t number = 0;
};
constexpr Extent exactly(std::size_t n) { return {Extent::Kind::exactly, n}; }
constexpr Extent up_to(std::size_t n) { return {Extent::Kind::up_to, n}; }
// Equal to the state's width and height.
constexpr Extent grid_width{Extent::Kind::width}, grid_height{Extent::Kind::height};

struct SavedField {
  std::string name;
  std::vector<ElementType> types;  // any of these
  std::vector<Extent> shape;       // slowest index first
};

inline std::vector<ElementType> any_real() { return {ElementType::float32, ElementType::float64}; }

// Throws InputError unless `fields` has an entry `name` that allows this type and shape. `header`: the state that the
// dataset will become part of; its width, height and simulation are used.
void require_expected(const std::vector<SavedField>& fields, const State& header, const std::string& name,
                      ElementType type, const std::vector<std::size_t>& shape);

}  // namespace perturb
