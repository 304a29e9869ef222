// Search methods, and the selection of those that may be the fastest.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "cuda/particles/model/grid.h"

namespace perturb::particles {

// The space-time table has about this many entries at most, unless that leaves too few slices: memory stays linear in
// N.
constexpr int usual_entries = 1 << 21;
constexpr int fewest_slices = 4, greatest_slices = 256;

inline int max_slices(int count) {
  int slices = fewest_slices;
  while (slices < greatest_slices && 2LL * slices * count <= usual_entries) slices *= 2;
  return slices;
}

// Cells of all slices together.
inline std::size_t max_cells_of(std::size_t count, int slices) {
  const std::size_t cells = count * static_cast<std::size_t>(slices);
  return 64 * static_cast<std::size_t>(slices) + cells + cells / 4;
}

// Method of the neighbour search.
struct SearchPlan {
  int slices = 1;
  bool by_tiles = false;  // all pairs on tensor cores (kernels/kernels.h) instead of cells
  bool operator==(const SearchPlan&) const = default;
};

// All methods by number: cells in 1, 2, 4 ... 256 slices, then tiles.
constexpr std::size_t tiles_way = 9;
static_assert(1 << (tiles_way - 1) == greatest_slices);
inline SearchPlan search_plan(std::size_t way) { return way == tiles_way ? SearchPlan{1, true} : SearchPlan{1 << way}; }
inline std::vector<std::string> search_way_names() {
  std::vector<std::string> names;
  for (std::size_t way = 0; way < tiles_way; ++way) names.push_back("cells-" + std::to_string(1 << way));
  names.push_back("tiles");
  return names;
}

// Pairs that a disc is tested against in a step by cells in `slices` slices; none has a velocity component above
// `fastest`.
template <class Real>
double pairs_tested(double width, double height, double radius, double fastest, int count, int slices) {
  const Cells cells = make_cells<Real>(width, height, radius, fastest, slices,
                                       static_cast<int>(max_cells_of(static_cast<std::size_t>(count), slices)));
  const double share = static_cast<double>(std::min(cells.nx, 3)) / cells.nx * std::min(cells.ny, 3) / cells.ny;
  return slices * share * count;
}
// The least by any number of slices.
template <class Real>
double fewest_pairs_tested(double width, double height, double radius, double fastest, int count) {
  double fewest = std::numeric_limits<double>::infinity();
  for (int slices = 1; slices <= max_slices(count); slices *= 2)
    fewest = std::min(fewest, pairs_tested<Real>(width, height, radius, fastest, count, slices));
  return fewest;
}

// Methods worth measuring, the one with the least estimated cost first. All give the same result; the fastest is found
// by measurement (core/timing/kernel_choice.h). Omitted are methods that cannot win: more slices that test no fewer
// pairs; and those with many times the estimated cost of the best one. The cost counts the pairs tested, the entries
// sorted and the cells visited, each with a weight that was measured on an H200 and on two cores of a Xeon and is right
// within a factor of a few.
template <class Real>
std::vector<std::size_t> search_candidates(double width, double height, double radius, double fastest, int count,
                                           bool cuda, bool tiles) {
  constexpr double max_cost_ratio = 8;
  // Roughly in units of a pair's test. On a GPU the tests of a warp run in parallel, but a sort needs several launches
  // of its own, in addition to those of any step.
  const double per_entry = cuda ? 6 : 12, per_row = cuda ? 3 : 4;
  constexpr double per_launch = 6e4, launches = 10, launches_more = 7;
  const double any_step = cuda ? launches * per_launch / count : 0;
  std::array<double, tiles_way + 1> cost;
  cost.fill(std::numeric_limits<double>::infinity());
  double fewest_pairs = std::numeric_limits<double>::infinity();
  for (std::size_t way = 0; way < tiles_way && 1 << way <= max_slices(count); ++way) {
    const int slices = 1 << way;
    const double pairs = pairs_tested<Real>(width, height, radius, fastest, count, slices);
    if (pairs < fewest_pairs) cost[way] = any_step + slices * (per_entry + 3 * per_row) + pairs;
    fewest_pairs = std::min(fewest_pairs, pairs);
  }
  if (tiles) {
    // Of all pairs, those whose lines of motion pass within reach are tested one by one.
    const double extent = std::max(width, height), reach = 2 * radius + search_margin<Real>(radius, fastest, extent);
    const double passing = std::min(1.0, 4.5 * reach / std::min(width, height));
    constexpr double per_pair = 0.004, per_passing = 0.5;
    cost[tiles_way] = any_step + 0.5 * count * (per_pair + passing * per_passing);
    for (std::size_t way = 0; way < tiles_way; ++way) cost[way] += launches_more * per_launch / count;
  }
  const double min_cost = *std::min_element(cost.begin(), cost.end());
  std::vector<std::size_t> candidates;
  for (std::size_t way = 0; way < cost.size(); ++way)
    if (cost[way] <= max_cost_ratio * min_cost) candidates.push_back(way);
  std::sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) { return cost[a] < cost[b]; });
  return candidates;
}

// Values that determine the time of a search, in half octaves (the sides' ratio and the speed in octaves): a scene that
// changes a little is the same kind of work.
inline std::string search_kind(const std::string& variant, double width, double height, double radius, double fastest,
                               int count) {
  const auto level = [](double value, double each) {
    const double octaves = std::log2(std::clamp(value, 1e-6, 1e12));
    return octaves == octaves ? static_cast<int>(std::lround(octaves * each)) : 0;  // NaN: discs are lost
  };
  const double area = width * height, reach = 2 * radius;
  return variant + " N 2^" + std::to_string(level(count, 2)) + "/2 room 2^" +
         std::to_string(level(area / (count * reach * reach), 2)) + "/2 sides 2^" +
         std::to_string(level(width / height, 1)) + " speed 2^" +
         std::to_string(level(std::max(fastest, 0.25 * reach) / reach, 1));
}

}  // namespace perturb::particles
