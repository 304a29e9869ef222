// The complete state of a simulation as plain data, for transfer to or from a file (or another instance).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/backend/check.h"

namespace perturb {

enum class ElementType { float32, float64, uint8, uint32, int64 };

std::size_t size_of(ElementType type);
const char* name_of(ElementType type);

namespace detail {
template <class T>
struct ElementTypeOf;
template <>
struct ElementTypeOf<float> {
  static constexpr ElementType value = ElementType::float32;
};
template <>
struct ElementTypeOf<double> {
  static constexpr ElementType value = ElementType::float64;
};
template <>
struct ElementTypeOf<std::uint8_t> {
  static constexpr ElementType value = ElementType::uint8;
};
template <>
struct ElementTypeOf<std::uint32_t> {
  static constexpr ElementType value = ElementType::uint32;
};
template <>
struct ElementTypeOf<std::int64_t> {
  static constexpr ElementType value = ElementType::int64;
};
}  // namespace detail

// An array with its shape (slowest index first) and unit.
struct Dataset {
  ElementType type = ElementType::float32;
  std::vector<std::size_t> shape;
  std::string unit;
  std::vector<std::byte> bytes;

  std::size_t count() const {
    std::size_t n = 1;
    for (const std::size_t extent : shape) n *= extent;
    return n;
  }
};

struct State {
  std::string simulation, preset;
  std::int64_t steps = 0;
  double time = 0;
  std::uint32_t seed = 1;
  int width = 0, height = 0;
  std::map<std::string, std::string> parameters;  // by id, as written by ValueInfo::format
  std::map<std::string, Dataset> datasets;

  template <class T>
  void put(const std::string& name, std::vector<std::size_t> shape, std::string unit, std::span<const T> values) {
    Dataset d;
    d.type = detail::ElementTypeOf<T>::value;
    d.shape = std::move(shape);
    d.unit = std::move(unit);
    // Pointers, so that the bytes are copied as a block, even in a build optimised for size.
    const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
    d.bytes.assign(bytes, bytes + values.size_bytes());
    if (d.count() != values.size()) throw Error("internal: dataset " + name + " does not fill its shape");
    datasets[name] = std::move(d);
  }
  template <class T>
  void put(const std::string& name, std::vector<std::size_t> shape, std::string unit, const std::vector<T>& values) {
    put(name, std::move(shape), std::move(unit), std::span<const T>(values));
  }

  bool has(const std::string& name) const { return datasets.count(name) != 0; }

  // Throws InputError if there is no dataset with this name, type and shape; the message gives what there is instead.
  template <class T>
  std::vector<T> get(const std::string& name, const std::vector<std::size_t>& shape) const {
    const Dataset& d = require(name, detail::ElementTypeOf<T>::value, shape);
    std::vector<T> values(d.count());
    if (!values.empty()) std::memcpy(values.data(), d.bytes.data(), d.bytes.size());
    return values;
  }

 private:
  const Dataset& require(const std::string& name, ElementType type, const std::vector<std::size_t>& shape) const;
};

// The largest absolute difference between the floating-point datasets of two states that share names and shapes;
// infinite if a value is not finite or the shapes differ.
double largest_difference(const State& a, const State& b);

}  // namespace perturb
