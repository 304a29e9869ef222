#include "cuda/core/simulation/state.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

std::string format_size(GridSize size) {
  return std::to_string(size.width) + " x " + std::to_string(size.height) + " cells";
}

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

template <class A, class B>
double largest_difference_of(const Dataset& a, const Dataset& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.count(); ++k) {
    A x;
    B y;
    std::memcpy(&x, a.bytes.data() + k * sizeof(A), sizeof(A));
    std::memcpy(&y, b.bytes.data() + k * sizeof(B), sizeof(B));
    const double difference = std::abs(static_cast<double>(x) - static_cast<double>(y));
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

bool is_real(const Dataset& data) { return data.type == ElementType::float32 || data.type == ElementType::float64; }

double largest_difference_of_reals(const Dataset& a, const Dataset& b) {
  const bool single_a = a.type == ElementType::float32, single_b = b.type == ElementType::float32;
  if (single_a)
    return single_b ? largest_difference_of<float, float>(a, b) : largest_difference_of<float, double>(a, b);
  return single_b ? largest_difference_of<double, float>(a, b) : largest_difference_of<double, double>(a, b);
}

}  // namespace

State State::header() const {
  State copy;
  copy.simulation = simulation;
  copy.preset = preset;
  copy.steps = steps;
  copy.time = time;
  copy.seed = seed;
  copy.width = width;
  copy.height = height;
  copy.kernel = kernel;
  copy.parameters = parameters;
  for (const auto& [name, dataset] : datasets) copy.datasets[name] = {dataset.type, dataset.shape, dataset.unit, {}};
  return copy;
}

ReadRows State::row_reader() const {
  return [this](const std::string& name, std::size_t first, std::span<std::byte> rows) {
    const Dataset& dataset = datasets.at(name);
    if (!rows.empty()) std::memcpy(rows.data(), dataset.bytes.data() + first * dataset.row_bytes(), rows.size());
  };
}

WriteRows State::row_writer() {
  for (auto& [name, dataset] : datasets) dataset.bytes.resize(dataset.rows() * dataset.row_bytes());
  return [this](const std::string& name, std::size_t first, std::span<const std::byte> rows) {
    Dataset& dataset = datasets.at(name);
    if (!rows.empty()) std::memcpy(dataset.bytes.data() + first * dataset.row_bytes(), rows.data(), rows.size());
  };
}

const Dataset& State::require(const std::string& name, ElementType type, const std::vector<std::size_t>& shape) const {
  const auto found = datasets.find(name);
  if (found == datasets.end())
    throw InputError("The saved state is incomplete: it lacks \"{}\". Use another copy or an earlier state.", name);
  const Dataset& d = found->second;
  if (d.type != type)
    throw InputError("\"{}\" in the saved state holds {} where {} is needed.", name, name_of(d.type), name_of(type));
  if (d.shape != shape)
    throw InputError("\"{}\" in the saved state is {} where {} is needed.", name, format_shape(d.shape),
                     format_shape(shape));
  return d;
}

double largest_difference(const State& a, const State& b) {
  double largest = 0;
  for (const auto& [name, first] : a.datasets) {
    const auto found = b.datasets.find(name);
    if (found == b.datasets.end()) continue;
    const Dataset& second = found->second;
    const bool are_real = is_real(first) && is_real(second);
    if ((first.type != second.type && !are_real) || first.shape != second.shape)
      return std::numeric_limits<double>::infinity();
    if (are_real) largest = std::max(largest, largest_difference_of_reals(first, second));
  }
  return largest;
}

namespace {

bool fits(const Extent& extent, std::size_t length, const State& header) {
  switch (extent.kind) {
    case Extent::Kind::exactly:
      return length == extent.number;
    case Extent::Kind::up_to:
      return length <= extent.number;
    case Extent::Kind::width:
      return header.width >= 0 && length == static_cast<std::size_t>(header.width);
    case Extent::Kind::height:
      return header.height >= 0 && length == static_cast<std::size_t>(header.height);
  }
  return false;
}

std::string format_extent(const Extent& extent, const State& header) {
  switch (extent.kind) {
    case Extent::Kind::exactly:
      return std::to_string(extent.number);
    case Extent::Kind::up_to:
      return "up to " + std::to_string(extent.number);
    case Extent::Kind::width:
      return std::to_string(header.width);
    case Extent::Kind::height:
      return std::to_string(header.height);
  }
  return "";
}

template <class List, class InWords>
std::string joined(const List& list, const char* between, const InWords& words) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : between) + words(item);
  return text;
}

}  // namespace

void require_expected(const std::vector<SavedField>& fields, const State& header, const std::string& name,
                      ElementType type, const std::vector<std::size_t>& shape) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const SavedField& field) { return field.name == name; });
  if (found == fields.end())
    throw InputError("it has a field \"{}\", which {} does not use. Remove the field from the file", name,
                     header.simulation);
  if (std::find(found->types.begin(), found->types.end(), type) == found->types.end())
    throw InputError("its field \"{}\" holds {} where {} is needed", name, name_of(type),
                     joined(found->types, " or ", [](ElementType t) { return std::string(name_of(t)); }));
  bool right = shape.size() == found->shape.size();
  for (std::size_t k = 0; right && k < shape.size(); ++k) right = fits(found->shape[k], shape[k], header);
  if (!right)
    throw InputError("its field \"{}\" is [{}] where [{}] is needed", name,
                     joined(shape, ", ", [](std::size_t n) { return std::to_string(n); }),
                     joined(found->shape, ", ", [&](const Extent& e) { return format_extent(e, header); }));
}

IndexFormatter grid_index_formatter(GridSize size) {
  const auto width = static_cast<std::size_t>(size.width), height = static_cast<std::size_t>(size.height);
  return [width, height](std::size_t k) { return Message("column {}, row {}", k % width, k / width % height); };
}

IndexFormatter list_index_formatter(const Message& thing, std::size_t numbers) {
  return [thing, numbers](std::size_t k) { return Message("{} {}", thing, k / numbers); };
}

InvalidStateError::InvalidStateError(const Message& what_is_wrong)
    : InputError(
          "Cannot load the saved state: {}. The file is damaged or was not written by Perturb. Use another copy or an "
          "earlier state.",
          what_is_wrong),
      what_is_wrong_(what_is_wrong) {}

void reject_state(const Message& what_is_wrong) { throw InvalidStateError(what_is_wrong); }

void require_state_of(const State& state, const std::string& simulation) {
  if (state.simulation != simulation)
    throw InputError("This state is of \"{}\", not of \"{}\".", state.simulation, simulation);
  if (state.steps < 0 || state.steps > max_saved_steps)
    reject_state(Message("the number of steps is {}, and must be from 0 to {}", state.steps, max_saved_steps));
  if (!(state.time >= 0) || !std::isfinite(state.time))
    reject_state(Message("the time is {}, and must be finite and not negative", format_number(state.time)));
}

void require_grid(const State& state, GridSize size, const Message& what) {
  if (state.width != size.width || state.height != size.height)
    throw InputError("This state is of {} x {} cells, and {} has {} x {} cells. Open it with its own size.",
                     state.width, state.height, what, size.width, size.height);
}

std::size_t require_rows(const State& state, const std::string& name, std::size_t columns, std::size_t least,
                         std::size_t most, const Message& things) {
  const auto found = state.datasets.find(name);
  if (found == state.datasets.end()) reject_state(Message("it lacks \"{}\"", name));
  const std::vector<std::size_t>& shape = found->second.shape;
  if (columns > 0 ? shape.size() != 2 || shape[1] != columns : shape.size() != 1)
    reject_state(columns > 0 ? Message("\"{}\" is not a table of {} columns", name, columns)
                             : Message("\"{}\" is not a table of one column", name));
  if (shape[0] < least || shape[0] > most)
    reject_state(Message("\"{}\" has {} {}, and from {} to {} are allowed", name, shape[0], things, least, most));
  return shape[0];
}

namespace {

template <class Real>
[[noreturn]] void reject_value(const std::string& name, Real value, const Message& where, const Message& needed) {
  const auto number = static_cast<double>(value);
  const Message what = std::isnan(number)   ? Message("a value that is not a number")
                       : std::isinf(number) ? Message("an infinite value")
                                            : Message::value(format_number(number));
  reject_state(Message("\"{}\" holds {} at {}, where {} is needed", name, what, where, needed));
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
      reject_value(name, value, place(k), Message("a number from {} to {}", format_number(least), format_number(most)));
  }
}

template void require_finite(const std::string&, std::span<const float>, const IndexFormatter&);
template void require_finite(const std::string&, std::span<const double>, const IndexFormatter&);
template void require_within(const std::string&, std::span<const float>, double, double, const IndexFormatter&);
template void require_within(const std::string&, std::span<const double>, double, double, const IndexFormatter&);

}  // namespace perturb
