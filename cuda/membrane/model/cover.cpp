#include "cuda/membrane/model/cover.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "cuda/core/backend/check.h"

namespace perturb::membrane {

namespace {

// Interleaves the bits (Morton order): leaves that are close in space get close indices.
std::uint64_t morton(const Leaf& leaf) {
  const int up = max_level - leaf.level;
  std::uint64_t key = 0;
  for (int b = 0; b < max_level; ++b) {
    key |= static_cast<std::uint64_t>(((leaf.i << up) >> b) & 1) << (2 * b);
    key |= static_cast<std::uint64_t>(((leaf.j << up) >> b) & 1) << (2 * b + 1);
  }
  return key;
}

std::string place_of(const Leaf& leaf) {
  const double side = std::ldexp(1.0, -leaf.level);
  return "(" + std::to_string((leaf.i + 0.5) * side) + ", " + std::to_string((leaf.j + 0.5) * side) + ")";
}

[[noreturn]] void throw_not_a_tiling(const std::string& why) {
  throw InputError("These patches are no cover of the square: " + why +
                   ". Their cells must tile it, each a power of two smaller than the square.");
}

}  // namespace

Cover::Cover(int level, int degree) : finest_(level) {
  const int n = 1 << level;
  leaves_.reserve(static_cast<std::size_t>(n) * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) leaves_.push_back({level, i, j, degree});
}

Cover::Cover(std::vector<Leaf> leaves) : leaves_(std::move(leaves)) {
  if (leaves_.empty()) throw_not_a_tiling("there is none");
  if (leaves_.size() > std::size_t{1} << (2 * max_level))
    throw_not_a_tiling("there are " + std::to_string(leaves_.size()) + " of them");
  for (const Leaf& leaf : leaves_) {
    if (leaf.level < 0 || leaf.level > max_level) throw_not_a_tiling("one is of level " + std::to_string(leaf.level));
    const int n = 1 << leaf.level;
    if (leaf.i < 0 || leaf.j < 0 || leaf.i >= n || leaf.j >= n) throw_not_a_tiling("one lies outside of it");
    if (leaf.degree < 1 || leaf.degree > membrane_max_degree)
      throw_not_a_tiling("one is of degree " + std::to_string(leaf.degree));
  }
  // A valid tiling has no cell twice, and its areas add up to the square's.
  finest_ = 0;
  for (const Leaf& leaf : leaves_) finest_ = std::max(finest_, leaf.level);
  std::int64_t area = 0;
  for (const Leaf& leaf : leaves_) area += std::int64_t{1} << (2 * (finest_ - leaf.level));
  if (area != std::int64_t{1} << (2 * finest_)) throw_not_a_tiling("their cells' areas do not sum up to 1");
  std::vector<bool> taken(static_cast<std::size_t>(area));
  for (const Leaf& leaf : leaves_) {
    const int up = finest_ - leaf.level, size = 1 << up;
    for (int j = leaf.j << up; j < (leaf.j << up) + size; ++j)
      for (int i = leaf.i << up; i < (leaf.i << up) + size; ++i) {
        const std::size_t at = (static_cast<std::size_t>(j) << finest_) + static_cast<std::size_t>(i);
        if (taken[at]) throw_not_a_tiling("the cell at " + place_of(leaf) + " lies over another");
        taken[at] = true;
      }
  }
  sort();
  for (const Leaf& leaf : leaves_)
    for (int dj = -1; dj <= 1; ++dj)
      for (int di = -1; di <= 1; ++di) {
        const double side = std::ldexp(1.0, -leaf.level), x = (leaf.i + 0.5 + di) * side,
                     y = (leaf.j + 0.5 + dj) * side;
        if (x < 0 || y < 0 || x > 1 || y > 1) continue;
        if (leaves_[static_cast<std::size_t>(find(x, y))].level < leaf.level - 1)
          throw_not_a_tiling("the cell at " + place_of(leaf) + " is more than twice as small as a neighbour");
      }
}

bool Cover::same_degree() const {
  return std::all_of(leaves_.begin(), leaves_.end(),
                     [&](const Leaf& leaf) { return leaf.degree == leaves_.front().degree; });
}

int Cover::highest_degree() const {
  int highest = 1;
  for (const Leaf& leaf : leaves_) highest = std::max(highest, leaf.degree);
  return highest;
}

void Cover::sort() {
  finest_ = 0;
  int coarsest = max_level;
  for (const Leaf& leaf : leaves_) finest_ = std::max(finest_, leaf.level), coarsest = std::min(coarsest, leaf.level);
  uniform_ = finest_ == coarsest;
  if (uniform_)
    std::sort(leaves_.begin(), leaves_.end(),
              [](const Leaf& a, const Leaf& b) { return a.j != b.j ? a.j < b.j : a.i < b.i; });
  else
    std::sort(leaves_.begin(), leaves_.end(), [](const Leaf& a, const Leaf& b) { return morton(a) < morton(b); });
  index();
}

void Cover::index() {
  raster_.clear();
  if (uniform_) return;
  const std::size_t n = std::size_t{1} << finest_;
  raster_.assign(n * n, -1);
  for (std::size_t k = 0; k < leaves_.size(); ++k) {
    const Leaf& leaf = leaves_[k];
    const int up = finest_ - leaf.level;
    for (std::size_t j = static_cast<std::size_t>(leaf.j) << up; j < static_cast<std::size_t>(leaf.j + 1) << up; ++j)
      for (std::size_t i = static_cast<std::size_t>(leaf.i) << up; i < static_cast<std::size_t>(leaf.i + 1) << up; ++i)
        raster_[j * n + i] = static_cast<int>(k);
  }
}

int Cover::find(double x, double y) const {
  const int n = 1 << finest_;
  const auto cell = [&](double at) { return std::clamp(static_cast<int>(std::floor(at * n)), 0, n - 1); };
  const std::size_t at = static_cast<std::size_t>(cell(y)) * n + static_cast<std::size_t>(cell(x));
  return uniform_ ? static_cast<int>(at) : raster_[at];
}

void Cover::change_degree(int leaf, int by) {
  Leaf& l = leaves_[static_cast<std::size_t>(leaf)];
  const int degree = l.degree + by;
  if (degree < 1 || degree > membrane_max_degree)
    throw InputError("The patch at " + place_of(l) + " has degree " + std::to_string(l.degree) +
                     ": degrees go from 1 to " + std::to_string(membrane_max_degree) + ". Split it instead.");
  l.degree = degree;
}

void Cover::split_leaf(int level, int i, int j) {
  // Splits neighbours first if they would be more than twice as wide as the new cells.
  for (int dj = -1; dj <= 1; ++dj)
    for (int di = -1; di <= 1; ++di) {
      const int n = 1 << level;
      if ((di == 0 && dj == 0) || i + di < 0 || j + dj < 0 || i + di >= n || j + dj >= n) continue;
      for (int up = 1; up <= level; ++up) {
        const int pi = (i + di) >> up, pj = (j + dj) >> up;
        const auto coarse = std::find_if(leaves_.begin(), leaves_.end(), [&](const Leaf& leaf) {
          return leaf.level == level - up && leaf.i == pi && leaf.j == pj;
        });
        if (coarse != leaves_.end()) split_leaf(level - up, pi, pj);
      }
    }
  const auto found = std::find_if(leaves_.begin(), leaves_.end(),
                                  [&](const Leaf& leaf) { return leaf.level == level && leaf.i == i && leaf.j == j; });
  if (found == leaves_.end()) return;
  const Leaf parent = *found;
  leaves_.erase(found);
  for (int c = 0; c < 4; ++c) leaves_.push_back({level + 1, 2 * i + c % 2, 2 * j + c / 2, parent.degree});
}

void Cover::split(int leaf) {
  const Leaf l = leaves_[static_cast<std::size_t>(leaf)];
  if (l.level >= max_level)
    throw InputError("The patch at " + place_of(l) + " is of level " + std::to_string(l.level) +
                     " and cannot be split further. Raise its degree instead.");
  split_leaf(l.level, l.i, l.j);
  sort();
}

void Cover::merge(int leaf) {
  const Leaf l = leaves_[static_cast<std::size_t>(leaf)];
  const std::string where = "The patch at " + place_of(l);
  if (l.level == 0) throw InputError(where + " covers the whole square: there is nothing to put it together with.");
  const int pi = l.i / 2, pj = l.j / 2, n = 1 << (l.level - 1);
  const auto is_sibling = [&](const Leaf& other) {
    return other.level == l.level && other.i / 2 == pi && other.j / 2 == pj;
  };
  if (std::count_if(leaves_.begin(), leaves_.end(), is_sibling) != 4)
    throw InputError(where + " has a sibling that is split: put that one's parts together first.");
  for (const Leaf& other : leaves_) {
    // The neighbours of the coarser cell may not be finer than the cells that are merged.
    if (other.level <= l.level) continue;
    const int down = other.level - (l.level - 1), oi = other.i >> down, oj = other.j >> down;
    if (std::abs(oi - pi) > 1 || std::abs(oj - pj) > 1 || oi >= n || oj >= n) continue;
    const double side = std::ldexp(1.0, -(l.level - 1)), fine = std::ldexp(1.0, -other.level);
    const bool touches = (other.i + 1) * fine >= pi * side && other.i * fine <= (pi + 1) * side &&
                         (other.j + 1) * fine >= pj * side && other.j * fine <= (pj + 1) * side;
    if (touches) throw InputError(where + " has a neighbour of a quarter its size: put those together first.");
  }
  int degree = 1;
  for (const Leaf& other : leaves_)
    if (is_sibling(other)) degree = std::max(degree, other.degree);
  leaves_.erase(std::remove_if(leaves_.begin(), leaves_.end(), is_sibling), leaves_.end());
  leaves_.push_back({l.level - 1, pi, pj, degree});
  sort();
}

Cover Cover::coarser() const {
  PERTURB_ASSERT(finest_ > 0);
  Cover cover;
  std::map<std::array<int, 2>, int> parents;  // with the lowest degree below them, which all four can represent
  for (const Leaf& leaf : leaves_) {
    if (leaf.level < finest_) {
      cover.leaves_.push_back(leaf);
      continue;
    }
    const auto [place, is_new] = parents.try_emplace({leaf.j / 2, leaf.i / 2}, leaf.degree);
    if (!is_new) place->second = std::min(place->second, leaf.degree);
  }
  for (const auto& [place, degree] : parents) cover.leaves_.push_back({finest_ - 1, place[1], place[0], degree});
  cover.sort();
  return cover;
}

}  // namespace perturb::membrane
