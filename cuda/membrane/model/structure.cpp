#include "cuda/membrane/model/structure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "cuda/core/backend/check.h"

namespace perturb::membrane {

int membrane_number(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw InputError("This cover has more integration cells and patches over them than can be numbered (" +
                     std::to_string(count) + "): choose a lower level, or a smaller overlap.");
  return static_cast<int>(count);
}

std::int64_t uniform_values(int level, int degree) {
  const std::int64_t along = 3 * (std::int64_t{1} << level) - 2, functions = membrane_functions(degree);
  return along * along * functions * functions;
}
std::int64_t uniform_unknowns(int level, int degree) {
  return (std::int64_t{1} << (2 * level)) * membrane_functions(degree);
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
  for (std::vector<int>& list : over) {
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
    const double side = std::ldexp(1.0, -own.level), room = 1e-9 * side;
    const double x0 = own.x - 0.5 * side, y0 = own.y - 0.5 * side;
    std::vector<double> xs = {x0, x0 + side}, ys = {y0, y0 + side};
    bool even = true;
    for (int a = s.leaf_begin[leaf]; a < s.leaf_begin[leaf + 1]; ++a)
      even = even && s.patches[s.leaf_patches[a]].level == own.level;
    for (int a = s.leaf_begin[leaf]; a < s.leaf_begin[leaf + 1]; ++a) {
      const Patch& p = s.patches[s.leaf_patches[a]];
      for (const double cut : {p.x - p.half, p.x + p.half}) xs.push_back(cut);
      for (const double cut : {p.y - p.half, p.y + p.half}) ys.push_back(cut);
      // Among patches of one size the kinks of the hats cancel in Shepard's quotient.
      if (!even) xs.push_back(p.x), ys.push_back(p.y);
    }
    const auto merge_close_cuts = [&](std::vector<double>& cuts, double low) {
      std::sort(cuts.begin(), cuts.end());
      std::vector<double> kept;
      for (const double cut : cuts) {
        if (cut < low - room || cut > low + side + room) continue;
        if (kept.empty() || cut - kept.back() > room) kept.push_back(cut);
      }
      kept.front() = low, kept.back() = low + side;
      cuts = kept;
    };
    merge_close_cuts(xs, x0), merge_close_cuts(ys, y0);
    for (std::size_t j = 0; j + 1 < ys.size(); ++j)
      for (std::size_t i = 0; i + 1 < xs.size(); ++i) {
        CutCell cell{xs[i], ys[j], xs[i + 1], ys[j + 1], leaf, membrane_number(s.cell_patches.size()), 0};
        const double x = 0.5 * (cell.x0 + cell.x1), y = 0.5 * (cell.y0 + cell.y1);
        for (int a = s.leaf_begin[leaf]; a < s.leaf_begin[leaf + 1]; ++a) {
          const int k = s.leaf_patches[a];
          if (!s.patches[static_cast<std::size_t>(k)].covers(x, y)) continue;
          s.cell_patches.push_back(k);
          of_patch[static_cast<std::size_t>(k)].push_back(membrane_number(s.cells.size()));
          ++cell.over;
        }
        if (cell.over > max_patches_over_point)
          throw InputError("More than " + std::to_string(max_patches_over_point) +
                           " patches lie over one place of this cover: lower the overlap.");
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

Structure::Structure(const Cover& cover, double overlap_of_patches)
    : uniform(cover.uniform()),
      same_degree(cover.same_degree()),
      per_side(cover.per_side()),
      highest_degree(cover.highest_degree()),
      overlap(overlap_of_patches) {
  patches.reserve(static_cast<std::size_t>(cover.count()));
  for (const Leaf& leaf : cover.leaves()) {
    const double side = std::ldexp(1.0, -leaf.level);
    patches.push_back(
        {(leaf.i + 0.5) * side, (leaf.j + 0.5) * side, 0.5 * overlap * side, leaf.degree, leaf.level, unknowns});
    unknowns += membrane_functions(leaf.degree);
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
      values += static_cast<std::int64_t>(membrane_functions(patches[i].degree)) *
                membrane_functions(patches[static_cast<std::size_t>(column[static_cast<std::size_t>(k)])].degree);
    }
}

}  // namespace perturb::membrane
