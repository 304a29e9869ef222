#include "cuda/core/simulation/saved_field.h"

#include <algorithm>

namespace perturb {

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
    throw InputError("it holds a field \"" + name + "\", and " + header.simulation +
                     " has none of that name: take it out of the file");
  if (std::find(found->types.begin(), found->types.end(), type) == found->types.end())
    throw InputError("its field \"" + name + "\" holds " + name_of(type) + " where " +
                     joined(found->types, " or ", [](ElementType t) { return std::string(name_of(t)); }) +
                     " is needed");
  bool right = shape.size() == found->shape.size();
  for (std::size_t k = 0; right && k < shape.size(); ++k) right = fits(found->shape[k], shape[k], header);
  if (!right)
    throw InputError("its field \"" + name + "\" is [" +
                     joined(shape, ", ", [](std::size_t n) { return std::to_string(n); }) + "] where [" +
                     joined(found->shape, ", ", [&](const Extent& e) { return format_extent(e, header); }) +
                     "] is needed");
}

}  // namespace perturb
