#include "cuda/lbm/model/turning.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuda/lbm/model/dragged_body.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

bool TurningCylinders::turn(const std::vector<PlacedBody>& bodies) {
  return std::any_of(bodies.begin(), bodies.end(), [](const PlacedBody& body) { return body.surface_speed != 0; });
}

void TurningCylinders::follow(const std::vector<PlacedBody>& bodies, const StepParams& flow,
                              const BoundaryLinks& boundary_links) {
  if (walls_ == boundary_links.walls()) return;
  walls_ = 0;
  cylinders_.clear();
  annulus_.reset();
  if (turn(bodies) && boundary_links.has_walls()) {
    const std::vector<std::uint8_t> wall = boundary_links.wall_bytes();
    const RepeatingGrid grid = repeating(flow);
    std::vector<std::uint8_t> taken(wall.size());  // where bodies overlap, the last one is outside
    for (auto body = bodies.rbegin(); body != bodies.rend(); ++body) {
      std::vector<Cell> cells = cells_of(repeated(body->shape, grid), flow.width, flow.height);
      std::erase_if(cells, [&](const Cell& cell) {
        const auto at = static_cast<std::size_t>(cell.second) * static_cast<std::size_t>(flow.width) +
                        static_cast<std::size_t>(cell.first);
        return std::exchange(taken[at], std::uint8_t{1}) != 0;
      });
      if (body->surface_speed == 0) continue;
      const float x = body->shape.line.x0, y = body->shape.line.y0;
      Cylinder cylinder;
      RigidMotion& motion = cylinder.motion;
      motion.rotation = static_cast<float>(body->surface_speed / static_cast<double>(body->shape.radius));
      motion.i = static_cast<int>(std::floor(x));
      motion.j = static_cast<int>(std::floor(y));
      motion.x = x - std::floor(x);
      motion.y = y - std::floor(y);
      motion.width = grid.along_x ? flow.width : 0;
      motion.height = grid.along_y ? flow.height : 0;
      cylinder.rim = rim_of(cells, wall, flow);
      if (cylinder.rim.empty()) continue;
      cylinder.rims = Array<RimCell>(backend_, cylinder.rim.size(), "cells beside a turning cylinder");
      cylinder.rims.upload(cylinder.rim);
      cylinders_.push_back(std::move(cylinder));
      annulus_ = cylinders_.size() == 1 ? find_annulus(*body, flow, boundary_links) : std::nullopt;
    }
  }
  walls_ = boundary_links.walls();
}

std::optional<Annulus> TurningCylinders::find_annulus(const PlacedBody& body, const StepParams& flow,
                                                      const BoundaryLinks& boundary_links) const {
  // Outlines are known to within a cell where they were not drawn as shapes.
  constexpr double roundness = 1.5, min_gap = 4;
  Annulus found{static_cast<double>(body.shape.line.x0), static_cast<double>(body.shape.line.y0),
                static_cast<double>(body.shape.radius), 0, body.surface_speed};
  const std::vector<std::uint8_t> links = boundary_links.bytes();
  const std::vector<std::int16_t> outline = boundary_links.outline_values();
  const auto from_axis = [&](int i, int j) { return std::hypot(i + 0.5 - found.x, j + 0.5 - found.y); };
  double low = 1e30, high = 0, sum = 0;
  int count = 0;
  for (int j = 0; j < flow.height; ++j)
    for (int i = 0; i < flow.width; ++i) {
      const auto at = static_cast<std::size_t>(j) * static_cast<std::size_t>(flow.width) + static_cast<std::size_t>(i);
      if (links[at] == 0 || links[at] == all_links) continue;
      for (int q = 1; q < lbm_links; ++q) {
        if ((links[at] & (1 << (q - 1))) == 0) continue;
        if (lbm_crossing(flow, q, i, j).any) return std::nullopt;
        const double there = from_axis(i - lbm_ex(q), j - lbm_ey(q)), here = from_axis(i, j);
        if (there < here) continue;  // the cylinder
        const bool known = outline[at] < outline_far;
        const double radius =
            known ? here + static_cast<double>(static_cast<float>(outline[at]) * outline_unit) : 0.5 * (here + there);
        low = std::min(low, radius);
        high = std::max(high, radius);
        sum += radius;
        ++count;
      }
    }
  if (count == 0 || high - low > roundness) return std::nullopt;
  found.outer = sum / count;
  return found.outer - found.inner >= min_gap ? std::optional(found) : std::nullopt;
}

void TurningCylinders::push(const StepParams& flow, const WallCurve& curve, const Lattice& lattice) const {
  for (const Cylinder& cylinder : cylinders_)
    push_rim(backend_, flow, curve, lattice, cylinder.rims, static_cast<int>(cylinder.rim.size()), cylinder.motion);
}

void TurningCylinders::add_rotation(const Body& body, RigidMotion& motion) const {
  for (const Cylinder& cylinder : cylinders_) {
    if (body.rim.size() != cylinder.rim.size()) continue;
    const RimCell &a = body.rim.front(), &b = cylinder.rim.front();
    if (a.i != b.i || a.j != b.j || a.links != b.links) continue;
    const float ux = motion.ux, uy = motion.uy;
    motion = cylinder.motion;
    motion.ux = ux;
    motion.uy = uy;
  }
}

}  // namespace perturb::lbm
