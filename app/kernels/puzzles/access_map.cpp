#include "app/kernels/puzzles/access_map.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "cuda/core/launch/launch_map.h"

namespace perturb {

namespace {

// An index that is just outside is drawn next to the end that it passed, and not in the row where memory continues.
constexpr std::int64_t next_to_end = 2;

AccessMap::Array shared_array(const SharedArray& shared) {
  AccessMap::Array array;
  array.name.assign(shared.name, strnlen(shared.name, sizeof shared.name));
  array.role = AccessMap::Role::shared;
  array.size = 1;
  const int dimensions = std::clamp(shared.dimensions, 1, puzzle::max_dimensions);
  for (int d = 0; d < dimensions; ++d) array.size *= shared.size[d];
  array.columns = shared.size[dimensions - 1];
  array.element_bytes = shared.element_bytes;
  return array;
}

ArrayCell cell_of(const AccessMap::Array& array, const PuzzleReport& report) {
  const std::int64_t* index = report.index;
  if (report.dimensions > 1) {
    const std::int64_t plane = report.dimensions == 3 ? index[0] * report.size[1] : 0;
    return {index[report.dimensions - 1], plane + index[report.dimensions - 2]};
  }
  const std::int64_t n = index[0], columns = array.columns, rows = (array.size + columns - 1) / columns;
  if (n < 0 && (rows == 1 || n >= -next_to_end)) return {n, 0};
  if (n >= array.size && (rows == 1 || n < array.size + next_to_end)) return {columns + n - rows * columns, rows - 1};
  const std::int64_t row = n >= 0 ? n / columns : -((columns - 1 - n) / columns);
  return {n - row * columns, row};
}

int number_of(const AccessMap& map, const puzzle::Dim& thread) {
  return static_cast<int>(thread.y * map.block_size.x + thread.x);
}

std::optional<AccessMap::Fault> fault_of(const AccessMap& map, const PuzzleReport& report) {
  const PuzzleFault kind = report.fault;
  if (kind != PuzzleFault::index && kind != PuzzleFault::unwritten && kind != PuzzleFault::race) return {};
  AccessMap::Fault fault;
  fault.array = report.array;
  if (report.array < 0) {
    const std::string name(report.shared_name, strnlen(report.shared_name, sizeof report.shared_name));
    const auto found = std::find_if(map.arrays.begin(), map.arrays.end(), [&](const AccessMap::Array& array) {
      return array.role == AccessMap::Role::shared && array.name == name;
    });
    fault.array = static_cast<int>(found - map.arrays.begin());
  }
  if (fault.array >= static_cast<int>(map.arrays.size())) return {};
  fault.cell = cell_of(map.arrays[static_cast<std::size_t>(fault.array)], report);
  fault.thread = number_of(map, report.thread);
  fault.writes = report.writes;
  const bool is_same_block = report.block.x == report.other_block.x && report.block.y == report.other_block.y;
  if (kind == PuzzleFault::race && is_same_block) {
    fault.other_thread = number_of(map, report.other_thread);
    fault.other_writes = report.other_writes;
  }
  return fault;
}

}  // namespace

AccessMap access_map_of(const Puzzle& puzzle, const PuzzleCase& one, const PuzzleRun& run) {
  const BlockAccesses& record = *run.record;
  AccessMap map;
  map.block = record.block;
  map.block_size = one.block;
  map.complete = record.complete;
  map.finished = run.report.finished;
  for (const PuzzleArgument& argument : puzzle.arguments) {
    const bool is_input = argument.kind == PuzzleArgument::Kind::input;
    if (!is_input && argument.kind != PuzzleArgument::Kind::output) continue;
    AccessMap::Array& array = map.arrays.emplace_back();
    array.name = argument.name;
    array.role = is_input ? AccessMap::Role::input : AccessMap::Role::output;
    array.size = std::ssize((is_input ? one.inputs : one.expected).at(argument.name));
    const auto columns = one.columns.find(argument.name);
    array.columns = columns == one.columns.end() ? one.width : columns->second;
  }
  // A kernel that writes through pointers of its own may have changed the record.
  for (int k = 0; k < std::clamp(record.shared_arrays, 0, BlockAccesses::max_shared_arrays); ++k) {
    AccessMap::Array array = shared_array(record.shared[k]);
    if (array.columns < 1 || array.size < 1 || array.size > max_shared_bytes) break;
    map.arrays.push_back(std::move(array));
  }
  for (int k = 0; k < std::clamp(record.count, 0, BlockAccesses::max_accesses); ++k) {
    const PuzzleAccess& access = record.accesses[k];
    if (access.thread < 0 || access.thread >= map.threads() || access.array < 0 ||
        access.array >= std::ssize(map.arrays) || access.element < 0 ||
        access.element >= map.arrays[static_cast<std::size_t>(access.array)].size)
      continue;
    map.accesses.push_back(access);
  }
  map.fault = fault_of(map, run.report);
  const int thread = map.finished ? record.watched_thread : number_of(map, run.report.thread);
  if (thread >= 0 && thread < map.threads()) map.thread = thread;
  return map;
}

AccessMap access_map_of(const Puzzle& puzzle, const PuzzleCase& one, const PuzzleRun& run,
                        const WatchedElement& different) {
  AccessMap map = access_map_of(puzzle, one, run);
  AccessMap::Fault fault;
  fault.array = different.array;
  fault.writes = true;
  fault.cell = map.arrays[static_cast<std::size_t>(different.array)].cell_of(different.element);
  fault.thread = run.record->watched_thread;
  map.fault = fault;
  return map;
}

std::vector<ThreadUse> uses_of(const AccessMap& map, int thread) {
  struct Use {
    ThreadUse use;
    std::set<std::int64_t> elements, elements_of_warp, moved;
  };
  std::map<std::pair<bool, int>, Use> uses;
  std::map<std::tuple<std::int64_t, int, bool>, std::vector<std::size_t>> instructions;  // addresses of the warp
  for (const PuzzleAccess& access : map.accesses) {
    if (access.thread != thread) continue;
    Use& one = uses[{access.writes, access.array}];
    one.elements.insert(access.element);
    ++one.use.accesses;
    instructions[{access.instruction, access.array, access.writes}];
  }
  for (const PuzzleAccess& access : map.accesses) {
    if (access.thread / threads_of_warp != thread / threads_of_warp) continue;
    const auto instruction = instructions.find({access.instruction, access.array, access.writes});
    if (instruction == instructions.end()) continue;
    const AccessMap::Array& array = map.arrays[static_cast<std::size_t>(access.array)];
    instruction->second.push_back(static_cast<std::size_t>(access.element * array.element_bytes));
    Use& one = uses[{access.writes, access.array}];
    one.elements_of_warp.insert(access.element);
    if (array.role == AccessMap::Role::shared) continue;
    const std::int64_t in_sector = sector_bytes / array.element_bytes, first = access.element / in_sector * in_sector;
    for (std::int64_t n = first; n < std::min(first + in_sector, array.size); ++n) one.moved.insert(n);
  }
  for (auto& [key, addresses] : instructions) {
    const auto& [instruction, array, writes] = key;
    ThreadUse& use = uses[{writes, array}].use;
    const AccessMap::Array& of = map.arrays[static_cast<std::size_t>(array)];
    const bool is_shared = of.role == AccessMap::Role::shared;
    std::vector<std::size_t> distinct = addresses;
    std::sort(distinct.begin(), distinct.end());
    const auto bytes = (std::unique(distinct.begin(), distinct.end()) - distinct.begin()) * of.element_bytes;
    const std::int64_t unit_bytes = is_shared ? threads_of_warp * std::int64_t{sizeof(float)} : sector_bytes;
    use.units += count_warp_units(is_shared, addresses);
    use.min_units += (bytes + unit_bytes - 1) / unit_bytes;
  }
  std::vector<ThreadUse> all;
  for (auto& [key, one] : uses) {
    one.use.writes = key.first;
    one.use.array = key.second;
    one.use.elements.assign(one.elements.begin(), one.elements.end());
    one.use.elements_of_warp.assign(one.elements_of_warp.begin(), one.elements_of_warp.end());
    one.use.moved.assign(one.moved.begin(), one.moved.end());
    all.push_back(std::move(one.use));
  }
  return all;
}

}  // namespace perturb
