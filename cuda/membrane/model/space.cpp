#include "cuda/membrane/model/space.h"

#include <cstring>

namespace perturb::membrane {

namespace {

constexpr std::size_t alignment = 256;

std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// Calls `visit(vector)` for each part of a structure that kernels read, in memory order.
template <class Visit>
void for_each_part(const Structure& s, const Visit& visit) {
  visit(s.patches), visit(s.row), visit(s.column), visit(s.offset), visit(s.colored), visit(s.raster);
  visit(s.leaf_begin), visit(s.leaf_patches), visit(s.cells), visit(s.cell_patches), visit(s.patch_begin);
  visit(s.patch_cells);
}

template <class T>
std::size_t bytes_of(const std::vector<T>& values) {
  return rounded(values.size() * sizeof(T));
}

}  // namespace

std::size_t Space::bytes(const Structure& structure) {
  std::size_t sum = 0;
  for_each_part(structure, [&](const auto& values) { sum += bytes_of(values); });
  return sum;
}

std::size_t Space::uniform_bytes(int level) {
  const std::size_t patches = std::size_t{1} << (2 * level), along = 3 * (std::size_t{1} << level) - 2;
  return rounded(patches * sizeof(Patch)) + rounded((patches + 1) * sizeof(std::int64_t)) +
         rounded(along * along * sizeof(int)) + rounded(along * along * sizeof(std::int64_t)) +
         rounded(patches * sizeof(int));
}

Space::Space(Backend& backend, const Structure& structure) : memory_(backend, bytes(structure), "cover") {
  std::size_t at = 0;
  const auto put = [&](const auto& values) -> const void* {
    std::byte* to = memory_.data() + at;
    if (!values.empty()) backend.copy_from_host(to, values.data(), values.size() * sizeof(values[0]));
    at += bytes_of(values);
    return values.empty() ? nullptr : to;
  };
  std::vector<const void*> parts;
  for_each_part(structure, [&](const auto& values) { parts.push_back(put(values)); });
  view_.uniform = structure.uniform, view_.per_side = structure.per_side, view_.count = structure.count();
  view_.highest_degree = structure.highest_degree, view_.overlap = structure.overlap;
  view_.patches = static_cast<const Patch*>(parts[0]);
  view_.row = static_cast<const std::int64_t*>(parts[1]);
  view_.column = static_cast<const int*>(parts[2]);
  view_.offset = static_cast<const std::int64_t*>(parts[3]);
  colored_ = static_cast<const int*>(parts[4]);
  view_.raster = static_cast<const int*>(parts[5]);
  view_.leaf_begin = static_cast<const int*>(parts[6]);
  view_.leaf_patches = static_cast<const int*>(parts[7]);
  view_.cells = static_cast<const CutCell*>(parts[8]);
  view_.cell_patches = static_cast<const int*>(parts[9]);
  view_.patch_begin = static_cast<const int*>(parts[10]);
  view_.patch_cells = static_cast<const int*>(parts[11]);
}

}  // namespace perturb::membrane
