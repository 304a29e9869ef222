#include "cuda/membrane/model/cover.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
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

std::string center_text(const Leaf& leaf) {
  const double side = std::ldexp(1.0, -leaf.level);
  return "(" + std::to_string((leaf.i + 0.5) * side) + ", " + std::to_string((leaf.j + 0.5) * side) + ")";
}

[[noreturn]] void throw_not_a_tiling(const Message& why) {
  throw InputError(
      "These patches do not cover the square: {}. Their cells must tile it, each a power of two smaller than the "
      "square.",
      why);
}

}  // namespace

Cover::Cover(int level, int degree) : finest_(level) {
  const int n = 1 << level;
  leaves_.reserve(static_cast<std::size_t>(n) * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) leaves_.push_back({level, i, j, degree});
}

Cover::Cover(std::vector<Leaf> leaves) : leaves_(std::move(leaves)) {
  if (leaves_.empty()) throw_not_a_tiling("there are none");
  if (leaves_.size() > std::size_t{1} << (2 * max_level))
    throw_not_a_tiling(Message("there are {} of them", leaves_.size()));
  for (const Leaf& leaf : leaves_) {
    if (leaf.level < 0 || leaf.level > max_level) throw_not_a_tiling(Message("one is of level {}", leaf.level));
    const int n = 1 << leaf.level;
    if (leaf.i < 0 || leaf.j < 0 || leaf.i >= n || leaf.j >= n) throw_not_a_tiling("one is outside of it");
    if (leaf.degree < 1 || leaf.degree > membrane_max_degree)
      throw_not_a_tiling(Message("one is of degree {}", leaf.degree));
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
        if (taken[at]) throw_not_a_tiling(Message("the cell at {} overlaps another", center_text(leaf)));
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
          throw_not_a_tiling(Message("the cell at {} is more than twice as small as a neighbour", center_text(leaf)));
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
  for (const Leaf& leaf : leaves_) {
    finest_ = std::max(finest_, leaf.level);
    coarsest = std::min(coarsest, leaf.level);
  }
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
    throw InputError(
        "Cannot change the degree of the patch at {}: it is {}, and degrees go from 1 to {}. Split it instead.",
        center_text(l), l.degree, membrane_max_degree);
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
    throw InputError("Cannot split the patch at {}: level {} is the finest. Raise its degree instead.", center_text(l),
                     l.level);
  split_leaf(l.level, l.i, l.j);
  sort();
}

void Cover::merge(int leaf) {
  const Leaf l = leaves_[static_cast<std::size_t>(leaf)];
  const std::string where = center_text(l);
  if (l.level == 0) throw InputError("Cannot merge the patch at {}: it covers the whole square.", where);
  const int pi = l.i / 2, pj = l.j / 2, n = 1 << (l.level - 1);
  const auto is_sibling = [&](const Leaf& other) {
    return other.level == l.level && other.i / 2 == pi && other.j / 2 == pj;
  };
  if (std::count_if(leaves_.begin(), leaves_.end(), is_sibling) != 4)
    throw InputError(
        "Cannot merge the patch at {}: one of its siblings is split. Merge the parts of that sibling first.", where);
  for (const Leaf& other : leaves_) {
    // The neighbours of the coarser cell may not be finer than the cells that are merged.
    if (other.level <= l.level) continue;
    const int down = other.level - (l.level - 1), oi = other.i >> down, oj = other.j >> down;
    if (std::abs(oi - pi) > 1 || std::abs(oj - pj) > 1 || oi >= n || oj >= n) continue;
    const double side = std::ldexp(1.0, -(l.level - 1)), fine = std::ldexp(1.0, -other.level);
    const bool touches = (other.i + 1) * fine >= pi * side && other.i * fine <= (pi + 1) * side &&
                         (other.j + 1) * fine >= pj * side && other.j * fine <= (pj + 1) * side;
    if (touches)
      throw InputError("Cannot merge the patch at {}: it has neighbours a quarter of its size. Merge those first.",
                       where);
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

int membrane_number(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw InputError(
        "Cannot build this cover: it has too many pairs of integration cells and patches (limit {}). Choose a lower "
        "level or a smaller overlap.",
        count);
  return static_cast<int>(count);
}

std::int64_t uniform_values(int level, int degree) {
  const std::int64_t along = 3 * (std::int64_t{1} << level) - 2, functions = membrane_functions(degree);
  return along * along * functions * functions;
}
std::int64_t uniform_unknowns(int level, int degree) {
  return (std::int64_t{1} << (2 * level)) * membrane_functions(degree);
}

bool Structure::is_over(int patch, int leaf) const {
  const Patch &p = patches[static_cast<std::size_t>(patch)], &own = patches[static_cast<std::size_t>(leaf)];
  constexpr double tip = Domain::tip;
  if (p.degree < 0 || own.degree < 0) return false;
  return domain.shape != DomainShape::slit || p.x < tip || own.x < tip || (p.y < tip) == (own.y < tip) ||
         p.covers(tip, tip);
}

std::int64_t Structure::cell_count() const {
  if (!uniform) return static_cast<std::int64_t>(cells.size());
  const std::int64_t along = 2 * std::int64_t{per_side} - 1;
  return along * along;
}

namespace {

bool boxes_intersect(const Patch& a, const Patch& b) {
  // More than rounding: patches that only touch have no integral in common.
  const double room = 1e-12;
  return std::abs(a.x - b.x) < a.half + b.half - room && std::abs(a.y - b.y) < a.half + b.half - room;
}

void make_uniform_rows(Structure& s) {
  const int n = s.per_side;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      for (int dj = -1; dj <= 1; ++dj)
        for (int di = -1; di <= 1; ++di)
          if (i + di >= 0 && i + di < n && j + dj >= 0 && j + dj < n) s.column.push_back((j + dj) * n + i + di);
      s.row.push_back(static_cast<std::int64_t>(s.column.size()));
    }
  // Two by two colours.
  const int steps = n > 1 ? 2 : 1;
  s.colored.reserve(s.patches.size());
  for (int c = 0; c < steps * steps; ++c) {
    for (int j = c / 2; j < n; j += steps)
      for (int i = c % 2; i < n; i += steps) s.colored.push_back(j * n + i);
    s.color_begin.push_back(membrane_number(s.colored.size()));
  }
}

// The patches over each leaf's cell.
void find_patches_over_leaves(Structure& s, const Cover& cover) {
  const int n = s.per_side, count = s.count();
  s.raster.resize(static_cast<std::size_t>(n) * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      s.raster[static_cast<std::size_t>(j) * n + i] = cover.find((i + 0.5) / n, (j + 0.5) / n);
  std::vector<std::vector<int>> over(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    const Patch& p = s.patches[static_cast<std::size_t>(k)];
    const auto from = [&](double at) { return std::clamp(static_cast<int>(std::floor(at * n + 1e-9)), 0, n - 1); };
    const auto to = [&](double at) { return std::clamp(static_cast<int>(std::ceil(at * n - 1e-9)) - 1, 0, n - 1); };
    for (int j = from(p.y - p.half); j <= to(p.y + p.half); ++j)
      for (int i = from(p.x - p.half); i <= to(p.x + p.half); ++i) {
        std::vector<int>& list = over[static_cast<std::size_t>(s.raster[static_cast<std::size_t>(j) * n + i])];
        if (list.empty() || list.back() != k) list.push_back(k);
      }
  }
  s.leaf_begin.push_back(0);
  for (int leaf = 0; leaf < count; ++leaf) {
    std::vector<int>& list = over[static_cast<std::size_t>(leaf)];
    list.erase(std::remove_if(list.begin(), list.end(), [&](int k) { return !s.is_over(k, leaf); }), list.end());
    // A patch may overlap a leaf in several rows of the raster.
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    s.leaf_patches.insert(s.leaf_patches.end(), list.begin(), list.end());
    s.leaf_begin.push_back(membrane_number(s.leaf_patches.size()));
  }
}

void make_general_rows(Structure& s) {
  const int count = s.count();
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(count));
  for (int leaf = 0; leaf < count; ++leaf)
    for (int a = s.leaf_begin[leaf]; a < s.leaf_begin[leaf + 1]; ++a)
      for (int b = s.leaf_begin[leaf]; b < s.leaf_begin[leaf + 1]; ++b) {
        const int i = s.leaf_patches[a], j = s.leaf_patches[b];
        if (boxes_intersect(s.patches[i], s.patches[j])) rows[static_cast<std::size_t>(i)].push_back(j);
      }
  std::vector<int> color(static_cast<std::size_t>(count), -1);
  int colors = 0;
  for (int i = 0; i < count; ++i) {
    std::vector<int>& list = rows[static_cast<std::size_t>(i)];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (list.empty()) list.push_back(i);  // outside of the domain: a block without numbers
    s.column.insert(s.column.end(), list.begin(), list.end());
    s.row.push_back(static_cast<std::int64_t>(s.column.size()));
    // The first colour that no neighbour has.
    std::set<int> taken;
    for (const int j : list) taken.insert(color[static_cast<std::size_t>(j)]);
    int c = 0;
    while (taken.count(c)) ++c;
    color[static_cast<std::size_t>(i)] = c;
    colors = std::max(colors, c + 1);
  }
  for (int c = 0; c < colors; ++c) {
    for (int i = 0; i < count; ++i)
      if (color[static_cast<std::size_t>(i)] == c) s.colored.push_back(i);
    s.color_begin.push_back(membrane_number(s.colored.size()));
  }
}

// Cuts each leaf's cell along the boundaries of the patches over it.
void cut_cells(Structure& s) {
  const int count = s.count();
  std::vector<std::vector<int>> of_patch(static_cast<std::size_t>(count));
  for (int leaf = 0; leaf < count; ++leaf) {
    const Patch& own = s.patches[static_cast<std::size_t>(leaf)];
    if (own.degree < 0) continue;
    const double side = std::ldexp(1.0, -own.level), room = 1e-9 * side;
    const double x0 = own.x - 0.5 * side, y0 = own.y - 0.5 * side;
    std::vector<double> xs = {x0, x0 + side}, ys = {y0, y0 + side};
    if (s.domain.has_tip()) {
      xs.push_back(Domain::tip);
      ys.push_back(Domain::tip);
    }
    bool even = true;
    for (int a = s.leaf_begin[leaf]; a < s.leaf_begin[leaf + 1]; ++a)
      even = even && s.patches[s.leaf_patches[a]].level == own.level;
    for (int a = s.leaf_begin[leaf]; a < s.leaf_begin[leaf + 1]; ++a) {
      const Patch& p = s.patches[s.leaf_patches[a]];
      for (const double cut : {p.x - p.half, p.x + p.half}) xs.push_back(cut);
      for (const double cut : {p.y - p.half, p.y + p.half}) ys.push_back(cut);
      // Among patches of one size the kinks of the hats cancel in Shepard's quotient.
      if (!even) {
        xs.push_back(p.x);
        ys.push_back(p.y);
      }
    }
    const auto merge_close_cuts = [&](std::vector<double>& cuts, double low) {
      std::sort(cuts.begin(), cuts.end());
      std::vector<double> kept;
      for (const double cut : cuts) {
        if (cut < low - room || cut > low + side + room) continue;
        if (kept.empty() || cut - kept.back() > room) kept.push_back(cut);
      }
      kept.front() = low;
      kept.back() = low + side;
      cuts = kept;
    };
    merge_close_cuts(xs, x0);
    merge_close_cuts(ys, y0);
    for (std::size_t j = 0; j + 1 < ys.size(); ++j)
      for (std::size_t i = 0; i + 1 < xs.size(); ++i) {
        CutCell cell{xs[i], ys[j], xs[i + 1], ys[j + 1], leaf, membrane_number(s.cell_patches.size()), 0};
        const double x = 0.5 * (cell.x0 + cell.x1), y = 0.5 * (cell.y0 + cell.y1);
        if (!s.domain.contains(x, y)) continue;
        for (int a = s.leaf_begin[leaf]; a < s.leaf_begin[leaf + 1]; ++a) {
          const int k = s.leaf_patches[a];
          if (!s.patches[static_cast<std::size_t>(k)].covers(x, y)) continue;
          s.cell_patches.push_back(k);
          of_patch[static_cast<std::size_t>(k)].push_back(membrane_number(s.cells.size()));
          ++cell.over;
        }
        if (cell.over > max_patches_over_point)
          throw InputError("More than {} patches overlap at one point of this cover. Lower the overlap.",
                           max_patches_over_point);
        s.cells.push_back(cell);
      }
  }
  s.patch_begin.push_back(0);
  for (const std::vector<int>& list : of_patch) {
    s.patch_cells.insert(s.patch_cells.end(), list.begin(), list.end());
    s.patch_begin.push_back(membrane_number(s.patch_cells.size()));
  }
}

}  // namespace

Structure::Structure(const Cover& cover, double overlap_of_patches, const Domain& of_membrane)
    : uniform(cover.uniform() && !of_membrane.has_tip()),
      same_degree(cover.same_degree()),
      per_side(cover.per_side()),
      highest_degree(cover.highest_degree()),
      overlap(overlap_of_patches),
      domain(of_membrane) {
  patches.reserve(static_cast<std::size_t>(cover.count()));
  for (const Leaf& leaf : cover.leaves()) {
    const double side = std::ldexp(1.0, -leaf.level);
    const double x = (leaf.i + 0.5) * side, y = (leaf.j + 0.5) * side, half = 0.5 * overlap * side;
    const bool inside = leaf.level == 0 || domain.contains(x, y);
    patches.push_back({x, y, half, inside ? leaf.degree : -1, leaf.level, unknowns,
                       inside && domain.enriches(x, y, half, leaf.degree)});
    unknowns += patches.back().functions();
  }
  row.reserve(patches.size() + 1);
  row.push_back(0);
  color_begin.push_back(0);
  if (uniform) {
    make_uniform_rows(*this);
  } else {
    find_patches_over_leaves(*this, cover);
    make_general_rows(*this);
    cut_cells(*this);
  }
  offset.reserve(column.size());
  for (std::size_t i = 0; i < patches.size(); ++i)
    for (std::int64_t k = row[i]; k < row[i + 1]; ++k) {
      offset.push_back(values);
      values += static_cast<std::int64_t>(patches[i].functions()) *
                patches[static_cast<std::size_t>(column[static_cast<std::size_t>(k)])].functions();
    }
}

namespace {

constexpr std::size_t alignment = 256;

std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// Calls `visit(vector)` for each part of a structure that kernels read, in memory order.
template <class Visit>
void for_each_part(const Structure& s, const Visit& visit) {
  visit(s.patches);
  visit(s.row);
  visit(s.column);
  visit(s.offset);
  visit(s.colored);
  visit(s.raster);
  visit(s.leaf_begin);
  visit(s.leaf_patches);
  visit(s.cells);
  visit(s.cell_patches);
  visit(s.patch_begin);
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
  view_.uniform = structure.uniform;
  view_.per_side = structure.per_side;
  view_.count = structure.count();
  view_.highest_degree = structure.highest_degree;
  view_.overlap = structure.overlap;
  view_.domain = structure.domain;
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
