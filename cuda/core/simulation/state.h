// The complete state of a simulation as plain data, for transfer to or from a file (or another instance); its allowed
// contents, and checks before a simulation loads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/backend/check.h"

namespace perturb {

struct GridSize {
  int width, height;  // cells
};
// "512 x 256 cells"
std::string format_size(GridSize size);

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

// An array with its shape (slowest index first) and unit. Files are written and read by its rows: all values of the
// last index, in the order of storage.
struct Dataset {
  ElementType type = ElementType::float32;
  std::vector<std::size_t> shape;
  std::string unit;
  std::vector<std::byte> bytes;  // empty in a header, which describes a state without holding its fields

  std::size_t count() const {
    std::size_t n = 1;
    for (const std::size_t extent : shape) n *= extent;
    return n;
  }
  std::size_t row_bytes() const { return size_of(type) * (shape.empty() ? 1 : shape.back()); }
  std::size_t rows() const { return shape.empty() ? 1 : shape.back() == 0 ? 0 : count() / shape.back(); }
};

// Copies rows of a dataset from number `first` on: as many as fill `rows`. So a state can be larger than memory, or its
// fields be in parts.
using ReadRows = std::function<void(const std::string& dataset, std::size_t first, std::span<std::byte> rows)>;
using WriteRows = std::function<void(const std::string& dataset, std::size_t first, std::span<const std::byte> rows)>;

struct State {
  std::string simulation, preset;
  std::int64_t steps = 0;
  double time = 0;
  std::uint32_t seed = 1;
  int width = 0, height = 0;
  std::string kernel;  // id of the built-in kernel that the user chose; empty: automatic, or an edited one (a dataset)
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
    if (d.count() != values.size()) throw Error("internal: dataset {} does not fill its shape", name);
    datasets[name] = std::move(d);
  }
  template <class T>
  void put(const std::string& name, std::vector<std::size_t> shape, std::string unit, const std::vector<T>& values) {
    put(name, std::move(shape), std::move(unit), std::span<const T>(values));
  }

  // The same state without the bytes of its datasets.
  State header() const;
  // From and to the bytes of the datasets. The state must outlive the function; a header gets its bytes by the writer.
  ReadRows row_reader() const;
  WriteRows row_writer();

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

// The largest absolute difference between the floating-point datasets of two states that share names and shapes, in
// single or double precision; infinite if a value is not finite or the shapes differ.
double largest_difference(const State& a, const State& b);

// ---- allowed contents: a table, so that reading a file needs nothing else

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

// ---- checks before a simulation loads any of it
//
// Each function throws InputError: what is wrong, in which dataset and where in it, and what to do. A simulation states
// all requirements on its states in one file, using these.

// Maximum number of steps of a saved state: up to here they are exact as double, and further counting cannot overflow.
constexpr std::int64_t max_saved_steps = std::int64_t{1} << 53;

// The location of the number with this index as text: "column 3, row 5", "disc 7".
using IndexFormatter = std::function<Message(std::size_t)>;
// For a field of cells, row by row from the bottom; several layers follow one another.
IndexFormatter grid_index_formatter(GridSize size);
// For things with `numbers` numbers each.
IndexFormatter list_index_formatter(const Message& thing, std::size_t numbers = 1);

// A fault that a simulation finds in a state. A state may also come from a text: the caller then names the text
// instead.
class InvalidStateError : public InputError {
 public:
  // `what_is_wrong` ("\"u\" is not finite") is preceded by "Cannot load the saved state: " and followed by a remedy.
  explicit InvalidStateError(const Message& what_is_wrong);
  const Message& what_is_wrong() const { return what_is_wrong_; }

 private:
  Message what_is_wrong_;
};
[[noreturn]] void reject_state(const Message& what_is_wrong);

// Throws unless the state belongs to this simulation and has a valid number of steps and time.
void require_state_of(const State& state, const std::string& simulation);
// Throws unless the state has this width and height; `what` is "a tank".
void require_grid(const State& state, GridSize size, const Message& what);
// The first extent of a dataset with two indices (or one, if `columns` is 0): the number of `things`. Throws if there
// is not such a dataset, or if the number is not from `least` to `most`.
std::size_t require_rows(const State& state, const std::string& name, std::size_t columns, std::size_t least,
                         std::size_t most, const Message& things);
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
