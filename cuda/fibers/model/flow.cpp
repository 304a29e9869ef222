#include "cuda/fibers/model/flow.h"

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/fibers/model/balance.h"
#include "cuda/fibers/model/interaction.h"

namespace perturb::fibers {

namespace {

constexpr int vectors_of_flow = 3;

// Fills a vector with the weights: f^0 = F/2, each in proportion to the fiber's length.
struct SetWeights {
  const double* half_length;  // null: all are 1
  double* f;
  int values;
  PERTURB_HD void operator()(int m) const {
    const double weight = half_length ? half_length[m] : 1.0;
    for (int v = 0; v < values; ++v) f[static_cast<std::size_t>(m) * values + v] = v == 2 ? -0.5 * weight : 0.0;
  }
};

struct StretchTangents {
  const double *tangent, *half_length;
  double* half_axis;
  PERTURB_HD void operator()(int m) const {
    for (std::size_t k = 3 * static_cast<std::size_t>(m), end = k + 3; k < end; ++k)
      half_axis[k] = half_length[m] * tangent[k];
  }
};

// Adds the effect of a point force along each fiber: int V P_n ds by the outer rule.
struct AddPull {
  const double *position, *half_axis;
  Pull pull;
  FiberRule rule;
  double box;
  double* sums;
  int values;
  PERTURB_HD void operator()(int m) const {
    const double* const t = half_axis + 3 * static_cast<std::size_t>(m);
    const double at[3] = {pull.at.x, pull.at.y, pull.at.z};
    const Vector3<double> d = fiber_separation(position + 3 * static_cast<std::size_t>(m), at, box);
    for (int q = 0; q < rule.points; ++q) {
      const Vector3<double> u =
          point_force(add_scaled(d, rule.node[q], Vector3<double>{t[0], t[1], t[2]}), pull.force, pull.core);
      for (int n = 0; n < values / 3; ++n) {
        double* const to = sums + static_cast<std::size_t>(m) * values + 3 * n;
        to[0] += rule.weight[q][n] * u.x;
        to[1] += rule.weight[q][n] * u.y;
        to[2] += rule.weight[q][n] * u.z;
      }
    }
  }
};

// Equations (10) and (12) of README.md.
template <class Constants>
struct Motion {
  const double *weight_sums, *force_sums, *tangent, *half_length, *x;
  double d;  // of fibers of half-length 1
  Constants constants;
  double *velocity, *spin, *coefficients;
  int values, terms;
  PERTURB_HD void operator()(int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values, own = 3 * static_cast<std::size_t>(m);
    const Vector3<double> t = load3(tangent + own);
    const Vector3<double> v0 = load3(weight_sums + at) + load3(force_sums + at);
    const Vector3<double> v1 = load3(weight_sums + at + 3) + load3(force_sums + at + 3);
    Vector3<double> alone = lone_velocity(t, {0, 0, -1}, constants.of(m).d);
    double turns = 1.5 / d;
    if constexpr (Constants::unequal) {
      alone = scaled(constants.of(m).d / d, alone);
      turns /= half_length[m];
    }
    store3(velocity + own, add_scaled(alone, 1 / (2 * d), v0));
    store3(spin + own, scaled(turns, add_scaled(v1, -dot(t, v1), t)));
    for (int v = 0; v < 3 * terms; ++v) coefficients[static_cast<std::size_t>(m) * terms * 3 + v] = x[at + 3 + v];
  }
};

Layout layout_of(int fibers, const Parameters& p, int tile) {
  Layout layout(fibers, tile, p.pairing == Pairing::mirrored, fiber_order(p.terms));
  constexpr long long multiprocessors = 132;  // of the largest devices: fewer blocks leave some without work
  if (tile == device_tile && layout.tile_pairs() < multiprocessors) layout.splits = device_splits;
  return layout;
}

}  // namespace

std::size_t Flow::bytes(int fibers, const Parameters& p, int tile, Kernel kernel, bool stored) {
  const Layout layout = layout_of(fibers, p, tile);
  const std::size_t vector = static_cast<std::size_t>(fibers) * 3 * (layout.order + 1) * sizeof(double);
  const std::size_t axes = p.length_spread > 0 ? static_cast<std::size_t>(fibers) * 3 * sizeof(double) : 0;
  const std::size_t common = vectors_of_flow * vector + axes + Solver::bytes(layout) + (std::size_t{192} << 10);
  if (kernel == Kernel::nodes) return Nodes::bytes(fibers, p) + common;
  if (kernel == Kernel::levels) return LevelSums::bytes(fibers, p) + common;
  return Matrix::bytes(layout, p, kernel, stored) + common;
}

Flow::Flow(Backend& backend, int fibers, const Parameters& p, Kernel kernel, bool stored)
    : backend_(backend),
      layout_(layout_of(fibers, p, fiber_tile(backend))),
      terms_(p.terms),
      rule_(make_fiber_rule(p.subintervals, p.points_per_subinterval)),
      nodes_(kernel == Kernel::nodes ? std::make_unique<Nodes>(backend, fibers, p) : nullptr),
      levels_(kernel == Kernel::levels ? std::make_unique<LevelSums>(backend, fibers, p) : nullptr),
      matrix_(nodes_ || levels_ ? nullptr : std::make_unique<Matrix>(backend, layout_, rule_, p, kernel, stored)),
      solver_(backend, layout_) {
  const std::size_t values = static_cast<std::size_t>(fibers) * 3 * (layout_.order + 1);
  for (Array<double>* vector : {&weights_, &sums_, &weight_sums_})
    *vector = Array<double>(backend, values, "vector of force coefficients");
  set_lengths(nullptr);
}

void Flow::set_lengths(Lengths* lengths) {
  lengths_ = lengths && lengths->unequal() ? lengths : nullptr;
  if (lengths_ && half_axis_.empty())
    half_axis_ = Array<double>(backend_, 3 * static_cast<std::size_t>(layout_.fibers), "half-axes of the fibers");
  parallel_for(backend_, "fibers.weights", Range1D{layout_.fibers},
               SetWeights{lengths_ ? lengths_->device() : nullptr, weights_.data(), 3 * (layout_.order + 1)});
}

void Flow::release_matrix() {
  backend_.synchronize();
  if (matrix_) matrix_->release();
}

double Flow::closed_pairs() const {
  if (nodes_) return nodes_->close_pairs();
  if (levels_) return levels_->close_pairs();
  return (layout_.mirrored ? 0.5 : 1) * layout_.fibers * (layout_.fibers - 1.0);
}

void Flow::prepare(const Poses& poses) {
  if (matrix_) matrix_->take();
  if (alone_) return;
  if (nodes_)
    nodes_->prepare(poses, rule_, balance_.all.doublet);
  else if (levels_)
    levels_->prepare(poses, rule_, balance_.all.doublet, lengths_ ? lengths_->longest() : 1);
  else
    matrix_->prepare(poses, balance_.all.doublet);
}

void Flow::product(Product product, const double* f, double* sums) {
  if (alone_)
    backend_.fill_zero(sums, weights_.size() * sizeof(double));
  else if (nodes_)
    nodes_->product(product, f, sums);
  else if (levels_)
    levels_->product(product, f, sums);
  else
    matrix_->product(product, f, sums);
}

Solve Flow::evaluate(const Parameters& parameters, const double* position, const double* tangent, const Pull& pull,
                     double* velocity, double* spin, double* coefficients) {
  const int values = 3 * (layout_.order + 1), fibers = layout_.fibers;
  balance_.all = FiberConstants(parameters.slenderness, terms_);
  balance_.own = lengths_ ? lengths_->constants(parameters.slenderness, terms_) : nullptr;
  alone_ = parameters.alone;
  Poses poses{position, tangent, parameters.box};
  if (lengths_) {
    poses.half_length = lengths_->device();
    poses.half_axis = half_axis_.data();
    parallel_for(backend_, "fibers.stretch", Range1D{fibers},
                 StretchTangents{tangent, poses.half_length, half_axis_.data()});
  }
  prepare(poses);
  product(Product::weights, weights_.data(), weight_sums_.data());
  if (pull.any())
    parallel_for(backend_, "fibers.pull", Range1D{fibers},
                 AddPull{position, poses.half_axes(), pull, rule_, parameters.box, weight_sums_.data(), values});
  const auto interaction = [this](const double* f) -> const double* {
    product(Product::forces, f, sums_.data());
    return sums_.data();
  };
  const Solve solve = solver_.solve(balance_, tangent, weight_sums_.data(), interaction, parameters.tolerance);
  product(Product::velocities, solver_.solution(), sums_.data());
  balance_.with([&](auto constants) {
    parallel_for(
        backend_, "fibers.motion", Range1D{fibers},
        Motion<decltype(constants)>{weight_sums_.data(), sums_.data(), tangent, poses.half_length, solver_.solution(),
                                    balance_.all.d, constants, velocity, spin, coefficients, values, terms_});
  });
  return solve;
}

std::vector<double> Flow::tensors(int m, int l) const {
  PERTURB_ASSERT(matrix_ != nullptr);
  return matrix_->tensors(m, l);
}

}  // namespace perturb::fibers
