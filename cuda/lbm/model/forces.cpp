#include "cuda/lbm/model/forces.h"

#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"

namespace perturb::lbm {

namespace {

constexpr std::size_t cells_a_part = 16;

struct BodyMotions {
  int ends[Bodies::max_reported];  // of the cells of each body
  RigidMotion motions[Bodies::max_reported];
};

// Force on walls by momentum exchange (Ladd 1994; Mei, Yu, Shyy & Luo 2002): a population that hits a wall is reversed
// and transfers twice its momentum; at a curved outline, its own and that of the returning one. Shifted populations
// omit the pressure of fluid at rest, whose sum over a closed body is zero.
//
// A thread has one cell: with more, a GPU waits for one load of memory after the other.
template <class T>
struct CellForces {
  Populations<T> g;
  WallCurve curve;
  View1D<const RimCell> rims;
  View1D<double> forces;
  BodyMotions bodies;

  PERTURB_HD void operator()(int cell) const {
    double x = 0;
    double y = 0;
    const auto at = static_cast<std::size_t>(cell);
    const RimCell rim = rims[at];
    int body = 0;
    while (cell >= bodies.ends[body]) ++body;
    const RigidMotion& motion = bodies.motions[body];
    for (int q = 1; q < lbm_links; ++q) {
      if (!(rim.links & (1u << (q - 1)))) continue;
      const int o = lbm_opposite(q);
      const auto there = static_cast<double>(g.at(o, rim.i, rim.j));
      double both = curve.empty() ? 2. * there : there + static_cast<double>(curve.population(g, q, rim.i, rim.j));
      if (motion.moves())
        both += static_cast<double>(curve.push_factor(q, rim.i, rim.j) * motion.momentum_term(curve, q, rim.i, rim.j));
      x += lbm_ex(o) * both;
      y += lbm_ey(o) * both;
    }
    forces[3 * at] = x;
    forces[3 * at + 1] = y;
    // A force along its own link: the arm may end at the cell.
    const double arm_x = motion.columns_to(rim.i) + 0.5 - static_cast<double>(motion.x),
                 arm_y = motion.rows_to(rim.j) + 0.5 - static_cast<double>(motion.y);
    forces[3 * at + 2] = arm_x * y - arm_y * x;
  }
};

// Sums the cells of a part, so that the host reads and adds little.
struct SumForces {
  View1D<const double> forces;
  View1D<const int> begins;
  View1D<double> sums;
  PERTURB_HD void operator()(int part) const {
    double sum[3] = {0, 0, 0};
    const auto at = static_cast<std::size_t>(part);
    for (int k = begins[at]; k < begins[at + 1]; ++k)
      for (std::size_t n = 0; n < 3; ++n) sum[n] += forces[3 * static_cast<std::size_t>(k) + n];
    for (std::size_t n = 0; n < 3; ++n) sums[3 * at + n] = sum[n];
  }
};

}  // namespace

std::shared_ptr<const Bodies> Forces::find(const StepParams& flow, const BoundaryLinks& boundary_links, Stream stream) {
  if (has_found(boundary_links, stream)) return bodies_;
  wait();
  bodies_ = std::make_shared<const Bodies>(
      boundary_links.has_walls() ? lbm_bodies_of(boundary_links.bytes(), flow, stream) : Bodies{});
  walls_ = boundary_links.walls();
  stream_ = stream;
  try {
    make_lists();
  } catch (const Error&) {
    release();
  }
  return bodies_;
}

void Forces::release() {
  rims_ = {};
  begins_ = {};
  of_cells_ = {};
  for (Queued& queued : queued_) queued = {};
  ends_.clear();
}

void Forces::forget() {
  wait();
  release();
  bodies_.reset();
}

void Forces::make_lists() {
  std::vector<RimCell> rims;
  std::vector<int> begins;
  ends_.clear();
  for (const Body& body : bodies_->reported) {
    for (std::size_t k = 0; k < body.rim.size(); k += cells_a_part) begins.push_back(static_cast<int>(rims.size() + k));
    rims.insert(rims.end(), body.rim.begin(), body.rim.end());
    ends_.push_back({rims.size(), begins.size()});
  }
  if (begins.empty()) {
    for (Queued& queued : queued_) queued = {};
    return;
  }
  const std::size_t parts = begins.size();
  begins.push_back(static_cast<int>(rims.size()));
  if (rims_.size() < rims.size()) {
    rims_ = {};
    rims_ = Array<RimCell>(backend_, rims.size(), "cells beside bodies");
  }
  if (begins_.size() < begins.size()) {
    begins_ = {};
    begins_ = Array<int>(backend_, begins.size(), "parts of rims");
  }
  rims_.upload(rims);
  begins_.upload(begins);
  of_cells_ = {};
  of_cells_ = Array<double>(backend_, 3 * rims.size(), "forces beside bodies");
  for (Queued& queued : queued_) {
    queued = {};
    queued.sums = Array<double>(backend_, 3 * parts, "forces on parts of bodies");
    queued.readback = std::make_unique<AsyncReadback>(backend_, 3 * parts * sizeof(double));
  }
}

void Forces::start(Use use, const Lattice& lattice, const WallCurve& curve, const std::vector<WallMotion>& motions) {
  if (ends_.empty()) return;
  Queued& queued = this->queued(use);
  queued.motions = motions;
  BodyMotions bodies{};
  for (std::size_t k = 0; k < ends_.size(); ++k) {
    bodies.ends[k] = static_cast<int>(ends_[k].cell);
    bodies.motions[k] = motions[k].rigid;
  }
  queued.readback->wait();
  lattice.with_populations([&]<class T>(const Populations<T>& g) {
    parallel_for(backend_, "lbm.forces", Range1D{static_cast<int>(ends_.back().cell)},
                 CellForces<T>{g, curve, std::as_const(rims_).view(), of_cells_.view(), bodies});
  });
  parallel_for(backend_, "lbm.forces_of_parts", Range1D{static_cast<int>(ends_.back().part)},
               SumForces{std::as_const(of_cells_).view(), std::as_const(begins_).view(), queued.sums.view()});
  queued.readback->start(queued.sums.data());
}

std::vector<Force> Forces::result(Use use) const {
  const Queued& queued = this->queued(use);
  std::vector<Force> forces;
  if (!queued.readback) return forces;
  const auto* sums = static_cast<const double*>(queued.readback->data());
  std::size_t part = 0;
  for (const End& end : ends_) {
    Force force;
    for (; part < end.part; ++part) {
      force.x += sums[3 * part];
      force.y += sums[3 * part + 1];
      force.torque += sums[3 * part + 2];
    }
    const WallMotion& motion = queued.motions[forces.size()];
    force.x += motion.more_x;
    force.y += motion.more_y;
    force.turns = motion.rigid.rotation != 0;
    forces.push_back(force);
  }
  return forces;
}

}  // namespace perturb::lbm
