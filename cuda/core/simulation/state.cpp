#include "cuda/core/simulation/state.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perturb {

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::float32:
    case ElementType::uint32:
      return 4;
    case ElementType::float64:
    case ElementType::int64:
      return 8;
    case ElementType::uint8:
      return 1;
  }
  return 0;
}

const char* name_of(ElementType type) {
  switch (type) {
    case ElementType::float32:
      return "float32";
    case ElementType::float64:
      return "float64";
    case ElementType::uint8:
      return "uint8";
    case ElementType::uint32:
      return "uint32";
    case ElementType::int64:
      return "int64";
  }
  return "";
}

namespace {

std::string format_shape(const std::vector<std::size_t>& shape) {
  std::string text = "[";
  for (std::size_t k = 0; k < shape.size(); ++k) text += (k ? ", " : "") + std::to_string(shape[k]);
  return text + "]";
}

template <class T>
double largest_difference_of(const Dataset& a, const Dataset& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.count(); ++k) {
    T x, y;
    std::memcpy(&x, a.bytes.data() + k * sizeof(T), sizeof(T));
    std::memcpy(&y, b.bytes.data() + k * sizeof(T), sizeof(T));
    const double difference = std::abs(static_cast<double>(x) - static_cast<double>(y));
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace

const Dataset& State::require(const std::string& name, ElementType type, const std::vector<std::size_t>& shape) const {
  const auto found = datasets.find(name);
  if (found == datasets.end()) throw InputError("The saved state has no \"" + name + "\": it is not complete.");
  const Dataset& d = found->second;
  if (d.type != type)
    throw InputError("\"" + name + "\" in the saved state holds " + name_of(d.type) + " where " + name_of(type) +
                     " is needed.");
  if (d.shape != shape)
    throw InputError("\"" + name + "\" in the saved state is " + format_shape(d.shape) + " where " +
                     format_shape(shape) + " is needed.");
  return d;
}

double largest_difference(const State& a, const State& b) {
  double largest = 0;
  for (const auto& [name, first] : a.datasets) {
    const auto found = b.datasets.find(name);
    if (found == b.datasets.end()) continue;
    const Dataset& second = found->second;
    if (first.type != second.type || first.shape != second.shape) return std::numeric_limits<double>::infinity();
    if (first.type == ElementType::float32) largest = std::max(largest, largest_difference_of<float>(first, second));
    if (first.type == ElementType::float64) largest = std::max(largest, largest_difference_of<double>(first, second));
  }
  return largest;
}

}  // namespace perturb
