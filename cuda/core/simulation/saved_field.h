// What a saved state of a simulation may hold: a table, so that whoever reads a file asks for nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cuda/core/simulation/state.h"

namespace perturb {

// How long a dataset may be along one of its directions.
struct Extent {
  enum class Kind { exactly, up_to, width, height };
  Kind kind;
  std::size_t number = 0;
};
constexpr Extent exactly(std::size_t n) { return {Extent::Kind::exactly, n}; }
constexpr Extent up_to(std::size_t n) { return {Extent::Kind::up_to, n}; }
// As the state's own width and height.
constexpr Extent grid_width{Extent::Kind::width}, grid_height{Extent::Kind::height};

struct SavedField {
  std::string name;
  std::vector<ElementType> types;  // any of these
  std::vector<Extent> shape;       // slowest index first
};

inline std::vector<ElementType> any_real() { return {ElementType::float32, ElementType::float64}; }

// Throws InputError unless `fields` has one called `name` that may be of this type and shape. `header` is the state
// that the dataset is to become part of; its width, height and simulation are read.
void require_expected(const std::vector<SavedField>& fields, const State& header, const std::string& name,
                      ElementType type, const std::vector<std::size_t>& shape);

}  // namespace perturb
