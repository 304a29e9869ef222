#include "cuda/lbm/model/bodies.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "cuda/core/loops/atomic.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

namespace {

// A run of wall cells in one row.
struct Piece {
  int row, begin, end;
};

// The walls of all rows as pieces, grouped into connected sets.
class Pieces {
 public:
  Pieces(const std::vector<std::uint8_t>& boundary_links, const StepParams& sides)
      : boundary_links_(boundary_links), width_(sides.width), height_(sides.height) {
    find();
    links_.resize(pieces_.size());
    std::iota(links_.begin(), links_.end(), 0);
    for (int j = 1; j < height_; ++j) unite_rows(j, j - 1, 0);
    if (lbm_wraps_y(sides) && height_ > 1) unite_rows(0, height_ - 1, 0);
    if (lbm_wraps_x(sides))
      for (int j = 0; j < height_; ++j)
        for (int b = j - 1; b <= j + 1; ++b) {
          if (!lbm_wraps_y(sides) && (b < 0 || b >= height_)) continue;
          unite_rows(j, wrap(b, height_), width_);
        }
  }

  const std::vector<Piece>& all() const { return pieces_; }
  int set_of(std::size_t piece) { return find_set(links_.data(), static_cast<int>(piece)); }
  // The piece that contains wall (i, j).
  std::size_t at(int i, int j) const {
    const auto first = pieces_.begin() + rows_[j], last = pieces_.begin() + rows_[j + 1];
    const auto after = std::upper_bound(first, last, i, [](int column, const Piece& p) { return column < p.begin; });
    return static_cast<std::size_t>(after - pieces_.begin()) - 1;
  }

 private:
  void find() {
    const auto is_wall = [](std::uint8_t mark) { return mark == all_links; };
    for (int j = 0; j < height_; ++j) {
      rows_.push_back(static_cast<std::ptrdiff_t>(pieces_.size()));
      const auto row = boundary_links_.begin() + static_cast<std::ptrdiff_t>(j) * width_, end = row + width_;
      for (auto at = std::find(row, end, all_links); at != end; at = std::find(at, end, all_links)) {
        const auto from = at;
        at = std::find_if_not(at, end, is_wall);
        pieces_.push_back({j, static_cast<int>(from - row), static_cast<int>(at - row)});
      }
    }
    rows_.push_back(static_cast<std::ptrdiff_t>(pieces_.size()));
  }
  // Unites pieces of rows a and b that touch, if only at a corner, with row b shifted `shift` columns to the right.
  void unite_rows(int a, int b, int shift) {
    std::ptrdiff_t k = rows_[a], n = rows_[b];
    while (k < rows_[a + 1] && n < rows_[b + 1]) {
      const Piece& p = pieces_[static_cast<std::size_t>(k)];
      const Piece& q = pieces_[static_cast<std::size_t>(n)];
      if (p.begin <= q.end + shift && q.begin + shift <= p.end)
        unite_sets(links_.data(), static_cast<int>(k), static_cast<int>(n));
      (p.end < q.end + shift ? k : n) += 1;
    }
  }

  const std::vector<std::uint8_t>& boundary_links_;
  int width_, height_;
  std::vector<Piece> pieces_;
  std::vector<std::ptrdiff_t> rows_;  // index of the first piece of each row; and the end
  std::vector<int> links_;            // disjoint sets of pieces
};

// Properties of a body, accumulated over its pieces row by row.
struct Growing {
  Body body;
  Piece first{};
  int last_row = -1, left = INT32_MAX, right = -1;
  bool on_seam = false;  // touches the left or right edge of the grid, which is periodic
  double x = 0, y = 0;   // sums over its cells, from its first one
};

// The distance by the shorter path, across the periodic side if there is one.
double nearest(double distance, int count, bool wraps) {
  return wraps ? distance - count * std::round(distance / count) : distance;
}

void grow(Growing& g, const Piece& p, const StepParams& sides) {
  const bool wraps_x = lbm_wraps_x(sides), wraps_y = lbm_wraps_y(sides);
  if (g.body.cells == 0) g.first = p;
  const int cells = p.end - p.begin;
  g.body.cells += cells;
  g.x += cells * nearest(0.5 * (p.begin + p.end - 1) - g.first.begin, sides.width, wraps_x);
  g.y += cells * nearest(p.row - g.first.row, sides.height, wraps_y);
  if (g.last_row != p.row) {
    g.body.rows += 1;
    g.last_row = p.row;
  }
  g.left = std::min(g.left, p.begin);
  g.right = std::max(g.right, p.end - 1);
  const bool at_end = p.begin == 0 || p.end == sides.width;
  g.on_seam = g.on_seam || (wraps_x && at_end);
  if ((!wraps_x && at_end) || (!wraps_y && (p.row == 0 || p.row == sides.height - 1))) g.body.free = false;
}

// Number of columns that the pieces of one body cover.
int columns_of(std::vector<std::pair<int, int>> spans) {
  std::sort(spans.begin(), spans.end());
  int columns = 0, reached = 0;
  for (const auto& [begin, end] : spans) {
    columns += std::max(0, end - std::max(begin, reached));
    reached = std::max(reached, end);
  }
  return columns;
}

// Whether the wall lies on a circle of the body's area round its centre. A cell belongs to a drawn disc when its centre
// does, so the point half-way between a cell inside and one outside lies within √2/2 of the circle. A quarter of a cell
// is added for the area, which the grid does not reproduce exactly.
class Roundness {
 public:
  Roundness(const Body& body, const StepParams& sides)
      : body_(body), sides_(sides), radius_(std::sqrt(static_cast<double>(body.cells) / std::numbers::pi)) {}
  void look(int q, int i, int j) {
    const double x = nearest(i + 0.5 - 0.5 * lbm_ex(q) - body_.x, sides_.width, lbm_wraps_x(sides_)),
                 y = nearest(j + 0.5 - 0.5 * lbm_ey(q) - body_.y, sides_.height, lbm_wraps_y(sides_));
    farthest_ = std::max(farthest_, std::abs(std::hypot(x, y) - radius_));
  }
  bool is_disc() const {
    constexpr double tolerance = std::numbers::sqrt2 / 2 + 0.25, min_radius = 4;
    return body_.free && radius_ >= min_radius && farthest_ <= tolerance;
  }

 private:
  const Body& body_;
  const StepParams& sides_;
  double radius_, farthest_ = 0;
};

}  // namespace

Stream stream_of(const Parameters& p) {
  if (p.boundary_left == Boundary::inlet) return {false, 1};
  if (p.boundary_right == Boundary::inlet) return {false, -1};
  if (p.boundary_bottom == Boundary::inlet) return {true, 1};
  if (p.boundary_top == Boundary::inlet) return {true, -1};
  const bool along_y = std::abs(p.force_y) > std::abs(p.force_x);
  return {along_y, (along_y ? p.force_y : p.force_x) < 0 ? -1 : 1};
}

int length_of(const Parameters& p, const Bodies& bodies, int height) {
  const auto chosen = static_cast<std::size_t>(p.body - 1);
  if (!has_side(p, Boundary::inlet) || chosen >= bodies.reported.size()) return height;
  return bodies.reported[chosen].length(stream_of(p));
}

Bodies lbm_bodies_of(const std::vector<std::uint8_t>& boundary_links, const StepParams& sides, Stream stream) {
  Pieces pieces(boundary_links, sides);
  const std::size_t count = pieces.all().size();
  // A set is named by its first piece, so bodies are ordered by their lowest, then leftmost cell.
  std::vector<int> body_of(count);
  std::vector<Growing> growing;
  for (std::size_t k = 0; k < count; ++k) {
    const auto set = static_cast<std::size_t>(pieces.set_of(k));
    if (set == k) {
      body_of[k] = static_cast<int>(growing.size());
      growing.emplace_back();
    }
    body_of[k] = body_of[set];
    grow(growing[static_cast<std::size_t>(body_of[k])], pieces.all()[k], sides);
  }
  std::vector<std::vector<std::pair<int, int>>> spans(growing.size());
  for (std::size_t k = 0; k < count; ++k)
    if (const auto n = static_cast<std::size_t>(body_of[k]); growing[n].on_seam)
      spans[n].emplace_back(pieces.all()[k].begin, pieces.all()[k].end);

  Bodies bodies;
  std::vector<std::size_t> order;
  for (std::size_t n = 0; n < growing.size(); ++n) {
    Growing& g = growing[n];
    g.body.columns = g.on_seam ? columns_of(std::move(spans[n])) : g.right - g.left + 1;
    const auto within = [](double at, int cells, bool wraps) {
      return wraps ? at - cells * std::floor(at / cells) : at;
    };
    g.body.x = within(g.first.begin + 0.5 + g.x / static_cast<double>(g.body.cells), sides.width, lbm_wraps_x(sides));
    g.body.y = within(g.first.row + 0.5 + g.y / static_cast<double>(g.body.cells), sides.height, lbm_wraps_y(sides));
    if (g.body.along(stream) == (stream.along_y ? sides.height : sides.width))
      bodies.sides = true;
    else
      order.push_back(n);
  }
  bodies.all = static_cast<std::int64_t>(order.size());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return growing[a].body.cells > growing[b].body.cells; });
  order.resize(std::min(order.size(), Bodies::max_reported));
  std::vector<int> place(growing.size(), -1);
  for (std::size_t k = 0; k < order.size(); ++k) {
    place[order[k]] = static_cast<int>(k);
    bodies.reported.push_back(growing[order[k]].body);
  }
  if (order.empty()) return bodies;

  std::vector<Roundness> round;
  for (const Body& body : bodies.reported) round.emplace_back(body, sides);
  for (int j = 0; j < sides.height; ++j)
    for (int i = 0; i < sides.width; ++i) {
      const int mask = boundary_links[static_cast<std::size_t>(j) * sides.width + i];
      if (mask == 0 || mask == all_links) continue;
      for (int q = 1; q < lbm_links; ++q) {
        if (!(mask & (1 << (q - 1))) || lbm_crossing(sides, q, i, j).any) continue;
        bodies.faces += q <= 4 ? 1 : 0;
        const int a = wrap(i - lbm_ex(q), sides.width), row = wrap(j - lbm_ey(q), sides.height);
        // A link between two walls of one body that touch at a corner comes from fluid.
        const bool from_wall = boundary_links[static_cast<std::size_t>(row) * sides.width + a] == all_links;
        const int b = from_wall ? row : j;
        const int k = place[static_cast<std::size_t>(body_of[pieces.at(a, b)])];
        if (k < 0) continue;
        std::vector<RimCell>& rim = bodies.reported[static_cast<std::size_t>(k)].rim;
        if (rim.empty() || rim.back().i != i || rim.back().j != j) rim.push_back({i, j, 0});
        rim.back().links |= 1u << (q - 1);
        if (from_wall) round[static_cast<std::size_t>(k)].look(q, i, j);
      }
    }
  for (std::size_t k = 0; k < round.size(); ++k) bodies.reported[k].disc = round[k].is_disc();
  return bodies;
}

}  // namespace perturb::lbm
