#include "cuda/lbm/model/dragged_body.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

namespace {

// Largest mass, as a density, that one cell next to the body takes or gives at once; all fluid shares any excess.
constexpr double max_given = 0.02;

template <class T>
struct PushRim {
  Populations<T> g;
  Walls walls;
  WallCurve curve;
  View1D<const RimCell> rims;
  RigidMotion motion;

  PERTURB_HD void operator()(int k) const {
    const RimCell rim = rims[static_cast<std::size_t>(k)];
    if (walls.at(rim.i, rim.j)) return;  // a hole that was filled
    // With half-way walls a closed body adds no mass (moving_density). The excess of curved ones is taken from the
    // cell's population at rest, as in Curved::correct_boundaries.
    float more = 0.f;
    for (int q = 1; q < lbm_links; ++q) {
      if (!(rim.links & (1u << (q - 1)))) continue;
      const int o = lbm_opposite(q);
      const float plain = motion.momentum_term(curve, q, rim.i, rim.j), before = g.at(o, rim.i, rim.j);
      g.set(o, rim.i, rim.j, before + curve.push_factor(q, rim.i, rim.j) * plain);
      more += (g.at(o, rim.i, rim.j) - before) - plain;
    }
    if (!curve.empty()) g.set(0, rim.i, rim.j, g.at(0, rim.i, rim.j) - more);
  }
};

// Adds the same density to each cell, at rest.
template <class T>
struct AddToRim {
  Populations<T> g;
  Walls walls;
  View1D<const RimCell> rims;
  float density;
  PERTURB_HD void operator()(int k) const {
    const RimCell rim = rims[static_cast<std::size_t>(k)];
    if (walls.at(rim.i, rim.j)) return;
    for (int q = 0; q < lbm_links; ++q) g.set(q, rim.i, rim.j, g.at(q, rim.i, rim.j) + lbm_weight(q) * density);
  }
};
template <class T>
struct AddToAll {
  Populations<T> g;
  Walls walls;
  float density;
  PERTURB_HD void operator()(int i, int j) const {
    if (walls.at(i, j)) return;
    for (int q = 0; q < lbm_links; ++q) g.set(q, i, j, g.at(q, i, j) + lbm_weight(q) * density);
  }
};

template <class T>
struct SumMass {
  Populations<T> g;
  Walls walls;
  PERTURB_HD void operator()(int i, int j, Mass& into) const {
    if (walls.at(i, j)) return;
    float cell[lbm_links];
    g.load(i, j, cell);
    double over = 0;
    for (int q = 0; q < lbm_links; ++q) over += static_cast<double>(cell[q]);
    into.over += over;
    into.cells += 1;
    into.momentum_x += static_cast<double>(lbm_momentum_x(cell));
    into.momentum_y += static_cast<double>(lbm_momentum_y(cell));
  }
};

}  // namespace

std::vector<RimCell> rim_of(const std::vector<Cell>& body, const std::vector<std::uint8_t>& wall,
                            const StepParams& sides) {
  std::map<std::pair<int, int>, std::uint32_t> links;  // row, column
  // Replaces cell (a, b) by its periodic image if needed; returns whether there is one.
  const auto reach = [&](int& a, int& b) {
    if (lbm_wraps_x(sides)) a = wrap(a, sides.width);
    if (lbm_wraps_y(sides)) b = wrap(b, sides.height);
    return a >= 0 && a < sides.width && b >= 0 && b < sides.height;
  };
  const auto is_wall = [&](int a, int b) {
    return wall[static_cast<std::size_t>(b) * static_cast<std::size_t>(sides.width) + static_cast<std::size_t>(a)] != 0;
  };
  for (const auto& [i, j] : body)
    for (int q = 1; q < lbm_links; ++q) {
      int a = i + lbm_ex(q), b = j + lbm_ey(q);
      if (!reach(a, b)) continue;
      if (!is_wall(a, b)) {
        links[{b, a}] |= 1u << (q - 1);
      } else if (q > 4 && !is_wall(a, j) && !is_wall(i, b)) {
        // Two walls that touch at a corner: the links between the fluid cells on both sides.
        for (const int o : {5, 6, 7, 8})
          if (lbm_ex(o) * lbm_ey(o) != lbm_ex(q) * lbm_ey(q)) {
            const bool upper = lbm_ey(o) == lbm_ey(q);  // in the row of the other wall
            links[{upper ? b : j, upper ? i : a}] |= 1u << (o - 1);
          }
      }
    }
  std::vector<RimCell> rim;
  rim.reserve(links.size());
  for (const auto& [at, bits] : links) rim.push_back({at.second, at.first, bits});
  return rim;
}

void DraggedBody::reserve_rim(const std::vector<Cell>& body, const std::vector<std::uint8_t>& wall,
                              const StepParams& sides) {
  std::vector<RimCell> rim = rim_of(body, wall, sides);
  if (rims_.size() < rim.size()) {
    Array<RimCell> more(backend_, rim.size() + rim.size() / 2, "cells beside a moving body");
    if (!rims_.empty()) {
      const std::vector<RimCell> kept = rims_.download();
      more.upload(kept);
    }
    rims_ = std::move(more);
  }
  next_rim_ = std::move(rim);
}

void DraggedBody::prepare(std::int64_t step, std::optional<By> by, const std::vector<Cell>& before,
                          const std::vector<Cell>& body, const std::vector<std::uint8_t>& wall,
                          const StepParams& sides) {
  reserve_rim(body, wall, sides);
  const bool continues_drag =
      by && !rim_.empty() && std::find(before.begin(), before.end(), Cell{motion_.i, motion_.j}) != before.end();
  next_motion_ = continues_drag ? motion_ : Motion{};
  next_motion_.move(step, by ? by->x : 0, by ? by->y : 0);
  next_distance_ = by && by->curved ? static_cast<float>(0.5 * std::min(std::hypot(by->x, by->y), 1.)) : 0.5f;
  next_motion_.i = body.front().first;
  next_motion_.j = body.front().second;
}

// The middle of an uncovered cell's neighbours lies about a cell farther from the wall. It lies half a cell from it
// after a move by a cell; after a shorter one of curved walls, half the move.
WallVelocity DraggedBody::wall_velocity() const {
  const bool moves = next_motion_.since > 0;
  return {static_cast<float>(next_motion_.ux), static_cast<float>(next_motion_.uy),
          moves ? 1.f / (1.f + next_distance_) : 0.f};
}

void DraggedBody::follow() {
  motion_ = next_motion_;
  rim_ = std::move(next_rim_);
  next_rim_.clear();
  if (!rim_.empty()) rims_.upload(rim_);
}

Mass DraggedBody::mass_of(const StepParams& flow, const Lattice& lattice) {
  lattice.with_populations([&]<class T>(const Populations<T>& g) {
    mass_.start("lbm.mass", Range2D{flow.width, flow.height}, SumMass<T>{g, lbm_velocity(flow, g).walls});
  });
  mass_.wait();
  return mass_.result();
}

void DraggedBody::correct_mass(const Mass& before, const StepParams& flow, const Lattice& lattice) {
  if (rim_.empty()) return;
  const Mass after = mass_of(flow, lattice);
  motion_.took(before.momentum_x - after.momentum_x, before.momentum_y - after.momentum_y);
  const double missing = before.over - after.over + static_cast<double>(before.cells - after.cells);
  const auto count = static_cast<double>(rim_.size());
  const double each = std::clamp(missing / count, -max_given, max_given);
  const double rest = (missing - each * count) / static_cast<double>(std::max<std::int64_t>(after.cells, 1));
  lattice.with_populations([&]<class T>(const Populations<T>& g) {
    const Walls walls = lbm_velocity(flow, g).walls;
    parallel_for(backend_, "lbm.add_to_rim", Range1D{static_cast<int>(rim_.size())},
                 AddToRim<T>{g, walls, std::as_const(rims_).view(), static_cast<float>(each)});
    if (std::abs(missing - each * count) > 1e-9)
      parallel_for(backend_, "lbm.add_to_all", Range2D{flow.width, flow.height},
                   AddToAll<T>{g, walls, static_cast<float>(rest)});
  });
}

void DraggedBody::push(const StepParams& flow, const WallCurve& curve, const Lattice& lattice) const {
  RigidMotion motion;
  motion.ux = static_cast<float>(motion_.ux);
  motion.uy = static_cast<float>(motion_.uy);
  push_rim(backend_, flow, curve, lattice, rims_, static_cast<int>(rim_.size()), motion);
}

void push_rim(Backend& backend, const StepParams& flow, const WallCurve& curve, const Lattice& lattice,
              const Array<RimCell>& rims, int count, const RigidMotion& motion) {
  lattice.with_populations([&]<class T>(const Populations<T>& g) {
    parallel_for(backend, "lbm.push_rim", Range1D{count},
                 PushRim<T>{g, lbm_velocity(flow, g).walls, curve, rims.view(), motion});
  });
}

WallMotion DraggedBody::motion_of(const Body& body, std::int64_t step) const {
  if (!moves_at(step) || body.rim.size() != rim_.size()) return {};
  const RimCell &a = body.rim.front(), &b = rim_.front();
  if (a.i != b.i || a.j != b.j || a.links != b.links) return {};
  WallMotion motion{{}, motion_.force_x, motion_.force_y};
  motion.rigid.ux = static_cast<float>(motion_.ux);
  motion.rigid.uy = static_cast<float>(motion_.uy);
  return motion;
}

void DraggedBody::save_to(State& state, std::int64_t step) const {
  if (rim_.empty() || step - motion_.before[1].step > Motion::longest_pause) return;
  const std::vector<double> values = motion_.numbers();
  state.put("moving_body", {values.size()}, "", values);
}

void DraggedBody::load(const Motion& motion, const std::vector<std::uint8_t>& wall, const StepParams& sides) {
  const std::vector<Cell> body = body_at(wall, repeating(sides), motion.i, motion.j);
  forget();
  if (body.empty()) return;
  reserve_rim(body, wall, sides);
  motion_ = motion;
  rim_ = std::move(next_rim_);
  next_rim_.clear();
  if (!rim_.empty()) rims_.upload(rim_);
}

}  // namespace perturb::lbm
