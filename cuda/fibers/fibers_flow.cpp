#include "cuda/fibers/fibers_flow.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/parallel_for.h"
#include "cuda/fibers/fibers_pair.h"

namespace perturb {

namespace {

constexpr int most_iterations = 600;
constexpr int most_basis = 120;  // of GMRES between restarts
constexpr std::size_t scratch_bytes = std::size_t{192} << 20;
constexpr int vectors = 9;

// Fills a vector with the weights: f^0 = F/2.
struct SetWeights {
  double* f;
  int values;
  PERTURB_HD void operator()(int m) const {
    for (int v = 0; v < values; ++v) f[static_cast<std::size_t>(m) * values + v] = v == 2 ? -0.5 : 0.0;
  }
};

// Sums the partial products of a fiber, in the order of the tiles.
struct GatherSums {
  FiberLayout layout;
  const double* partials;
  double* sums;
  int values;
  PERTURB_HD void operator()(int v, int m) const {
    const int own = m / layout.tile, place = m % layout.tile;
    double sum = 0;
    for (int other = 0; other < layout.tiles; ++other) {
      if (!layout.mirrored || other >= own)
        sum += partials[layout.partial(layout.tile_pair(own, other), false, place) + v];
      if (layout.mirrored && other <= own)
        sum += partials[layout.partial(layout.tile_pair(other, own), true, place) + v];
    }
    sums[static_cast<std::size_t>(m) * values + v] = sum;
  }
};

// Adds what a point force does to the fluid along each fiber: int V P_n ds by the outer rule.
struct AddPull {
  const double *position, *tangent;
  FiberPull pull;
  FiberRule rule;
  double box;
  double* sums;
  int values;
  PERTURB_HD void operator()(int m) const {
    const double* const t = tangent + 3 * static_cast<std::size_t>(m);
    const double at[3] = {pull.at.x, pull.at.y, pull.at.z};
    const Vector3<double> d = fiber_separation(position + 3 * static_cast<std::size_t>(m), at, box);
    for (int q = 0; q < rule.points; ++q) {
      const Vector3<double> u =
          fiber_point_force(add_scaled(d, rule.node[q], Vector3<double>{t[0], t[1], t[2]}), pull.force, pull.core);
      for (int n = 0; n < values / 3; ++n) {
        double* const to = sums + static_cast<std::size_t>(m) * values + 3 * n;
        to[0] += rule.weight[q][n] * u.x, to[1] += rule.weight[q][n] * u.y, to[2] += rule.weight[q][n] * u.z;
      }
    }
  }
};

PERTURB_HD inline Vector3<double> load3(const double* from) { return {from[0], from[1], from[2]}; }
PERTURB_HD inline void store3(double* to, Vector3<double> v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }
PERTURB_HD inline Vector3<double> scaled(double s, Vector3<double> v) { return {s * v.x, s * v.y, s * v.z}; }

// B^-1 v: the maps (11) and (13) of README.md without their sign.
PERTURB_HD inline void balance_inverse(const FiberConstants& c, Vector3<double> t, const double* v, double* to,
                                       int values) {
  store3(to, {0, 0, 0});
  store3(to + 3, scaled(c.along_inverse * dot(t, load3(v + 3)), t));
  for (int n = 2; n < values / 3; ++n) {
    const Vector3<double> own = load3(v + 3 * n);
    store3(to + 3 * n, scaled(c.gamma[n], add_scaled(own, -c.e[n] * dot(t, own), t)));
  }
}

// The right-hand side from the sums of the weights; the start of the iteration.
struct StartSolve {
  const double *sums, *tangent;
  FiberConstants constants;
  double *g, *x, *r, *z, *p;
  int values;
  PERTURB_HD void operator()(int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values;
    const Vector3<double> t = load3(tangent + 3 * static_cast<std::size_t>(m));
    store3(g + at, {0, 0, 0});
    store3(g + at + 3, scaled(-dot(t, load3(sums + at + 3)), t));
    for (int n = 2; n < values / 3; ++n)
      store3(g + at + 3 * n, constants.gamma[n] != 0 ? scaled(-1, load3(sums + at + 3 * n)) : Vector3<double>{0, 0, 0});
    for (int v = 0; v < values; ++v) x[at + v] = 0, r[at + v] = g[at + v];
    balance_inverse(constants, t, r + at, z + at, values);
    for (int v = 0; v < values; ++v) p[at + v] = z[at + v];
  }
};

// q = (B + T) p from the gathered T p: the torque-free part along t for n = 1, and nothing above the last term.
struct ApplyBalance {
  const double *sums, *p, *tangent;
  FiberConstants constants;
  double* q;
  int values;
  PERTURB_HD void operator()(int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values;
    const Vector3<double> t = load3(tangent + 3 * static_cast<std::size_t>(m));
    store3(q + at, {0, 0, 0});
    store3(q + at + 3, add_scaled(scaled(dot(t, load3(sums + at + 3)), t), constants.along, load3(p + at + 3)));
    for (int n = 2; n < values / 3; ++n) {
      if (constants.gamma[n] == 0) {
        store3(q + at + 3 * n, {0, 0, 0});
        continue;
      }
      const Vector3<double> own = load3(p + at + 3 * n);
      const Vector3<double> b = add_scaled(scaled(constants.across_of[n], own), constants.axial_of[n] * dot(t, own), t);
      store3(q + at + 3 * n, b + load3(sums + at + 3 * n));
    }
  }
};

struct Advance {
  const double *p, *q, *tangent;
  FiberConstants constants;
  double alpha;
  double *x, *r, *z;
  int values;
  PERTURB_HD void operator()(int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values;
    for (int v = 0; v < values; ++v) {
      x[at + v] = multiply_add(alpha, p[at + v], x[at + v]);
      r[at + v] = multiply_add(-alpha, q[at + v], r[at + v]);
    }
    balance_inverse(constants, load3(tangent + 3 * static_cast<std::size_t>(m)), r + at, z + at, values);
  }
};

// y = a x + b y
struct Combine {
  const double* x;
  double* y;
  double a, b;
  int values;
  PERTURB_HD void operator()(int v, int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values + v;
    y[at] = a * x[at] + b * y[at];
  }
};

struct Precondition {
  const double *r, *tangent;
  FiberConstants constants;
  double* z;
  int values;
  PERTURB_HD void operator()(int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values;
    balance_inverse(constants, load3(tangent + 3 * static_cast<std::size_t>(m)), r + at, z + at, values);
  }
};

// (10), (12) of README.md.
struct Motion {
  const double *weight_sums, *force_sums, *tangent, *x;
  FiberConstants constants;
  double *velocity, *spin, *coefficients;
  int values, terms;
  PERTURB_HD void operator()(int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values, own = 3 * static_cast<std::size_t>(m);
    const Vector3<double> t = load3(tangent + own);
    const Vector3<double> v0 = load3(weight_sums + at) + load3(force_sums + at);
    const Vector3<double> v1 = load3(weight_sums + at + 3) + load3(force_sums + at + 3);
    const double d = constants.d;
    store3(velocity + own, add_scaled(fiber_lone_velocity(t, {0, 0, -1}, d), 1 / (2 * d), v0));
    store3(spin + own, scaled(1.5 / d, add_scaled(v1, -dot(t, v1), t)));
    for (int v = 0; v < 3 * terms; ++v) coefficients[static_cast<std::size_t>(m) * terms * 3 + v] = x[at + 3 + v];
  }
};

struct DotRows {
  const double *a, *b;
  long long size;
  static constexpr int width = 256;
  PERTURB_HD void operator()(int i, int j, FiberDot& into) const {
    const long long at = static_cast<long long>(j) * width + i;
    if (at < size) into.sum += a[at] * b[at];
  }
};

// Several vectors of a basis with one.
struct DotsRows {
  const double* basis;
  std::size_t length;
  int count;
  const double* z;
  static constexpr int width = 256;
  PERTURB_HD void operator()(int i, int j, FiberDots& into) const {
    const std::size_t at = static_cast<std::size_t>(j) * width + i;
    if (at >= length) return;
    for (int k = 0; k < count; ++k) into.sum[k] += basis[k * length + at] * z[at];
  }
};

// z minus its parts along those vectors.
struct Subtract {
  const double* basis;
  std::size_t length;
  int count, values;
  FiberDots parts;
  double* z;
  PERTURB_HD void operator()(int v, int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values + v;
    double rest = z[at];
    for (int k = 0; k < count; ++k) rest = multiply_add(-parts.sum[k], basis[k * length + at], rest);
    z[at] = rest;
  }
};

std::size_t pair_numbers(const FiberLayout& layout) {
  return static_cast<std::size_t>(layout.tile) * layout.tile * layout.components();
}

int rule_points(const FiberParameters& p) { return p.subintervals * p.points_per_subinterval; }

FiberLayout layout_of(int fibers, const FiberParameters& p, int tile) {
  return FiberLayout(fibers, tile, p.pairing == FiberPairing::mirrored, fiber_order(p.terms));
}

// Tile pairs that the buffer of recomputed interaction holds.
long long scratch_pairs(const FiberLayout& layout, std::size_t real) {
  const auto fit = static_cast<long long>(scratch_bytes / (pair_numbers(layout) * real));
  return std::clamp<long long>(fit, 1, layout.tile_pairs());
}

}  // namespace

std::size_t FiberFlow::bytes(int fibers, const FiberParameters& p, int tile, FiberKernel kernel, bool stored) {
  const FiberLayout layout = layout_of(fibers, p, tile);
  const std::size_t real = p.precision == FiberPrecision::fp32 ? sizeof(float) : sizeof(double);
  const std::size_t vector = static_cast<std::size_t>(fibers) * 3 * (layout.order + 1) * sizeof(double);
  const std::size_t common = vectors * vector + (most_basis + 1) * vector + (std::size_t{192} << 10);
  if (kernel == FiberKernel::nodes) return FiberNodes::bytes(fibers, p) + common;
  const auto pairs = static_cast<std::size_t>(stored ? layout.tile_pairs() : scratch_pairs(layout, real));
  return pairs * pair_numbers(layout) * real + layout.partials() * sizeof(double) + common +
         (kernel == FiberKernel::recursion && tile == 32 ? fiber_recursion_numbers(layout, rule_points(p)) * real : 0);
}

FiberFlow::FiberFlow(Backend& backend, int fibers, const FiberParameters& p, FiberKernel kernel, bool stored)
    : backend_(backend),
      layout_(layout_of(fibers, p, fiber_tile(backend))),
      terms_(p.terms),
      fp32_(p.precision == FiberPrecision::fp32),
      stored_(stored),
      rule_(make_fiber_rule(p.subintervals, p.points_per_subinterval)),
      kernel_(kernel),
      dot_(backend),
      dots_(backend) {
  if (kernel_ == FiberKernel::nodes) {
    nodes_ = std::make_unique<FiberNodes>(backend, fibers, p);
  } else {
    const std::size_t real = fp32_ ? sizeof(float) : sizeof(double);
    scratch_ = {0, stored_ ? layout_.tile_pairs() : scratch_pairs(layout_, real)};
    take_matrix();
    partials_ = Array<double>(backend, layout_.partials(), "partial sums over fibers");
    if (kernel_ == FiberKernel::recursion && backend.is_cuda()) {
      const std::size_t numbers = fiber_recursion_numbers(layout_, rule_.points);
      if (fp32_)
        points32_ = Array<float>(backend, numbers, "inner integrals of the fibers");
      else
        points64_ = Array<double>(backend, numbers, "inner integrals of the fibers");
    }
  }
  const std::size_t values = static_cast<std::size_t>(fibers) * 3 * (layout_.order + 1);
  for (Array<double>* vector : {&weights_, &sums_, &weight_sums_, &x_, &r_, &z_, &p_, &q_, &g_})
    *vector = Array<double>(backend, values, "vector of force coefficients");
  if (!layout_.mirrored) basis_ = Array<double>(backend, values * (most_basis + 1), "basis of GMRES");
  parallel_for(backend, "fibers.weights", Range1D{fibers}, SetWeights{weights_.data(), 3 * (layout_.order + 1)});
}

void FiberFlow::take_matrix() {
  if (kernel_ == FiberKernel::nodes || !theta64_.empty() || !theta32_.empty()) return;
  const std::size_t numbers = static_cast<std::size_t>(scratch_.count) * pair_numbers(layout_);
  if (fp32_)
    theta32_ = Array<float>(backend_, numbers, "interaction of the fibers");
  else
    theta64_ = Array<double>(backend_, numbers, "interaction of the fibers");
}

void FiberFlow::release_matrix() {
  backend_.synchronize();
  theta32_ = Array<float>(), theta64_ = Array<double>();
}

std::size_t FiberFlow::matrix_bytes() const {
  return stored_ ? theta64_.size() * sizeof(double) + theta32_.size() * sizeof(float) : 0;
}

double FiberFlow::closed_pairs() const {
  if (nodes_) return nodes_->close_pairs();
  return (layout_.mirrored ? 0.5 : 1) * layout_.fibers * (layout_.fibers - 1.0);
}

void FiberFlow::interaction_of_part(FiberPart part, const FiberPlaces& places) {
  if (fp32_)
    fiber_interaction(backend_, kernel_, layout_, part, places, rule_, constants_.doublet, points32_.view(),
                      theta32_.data());
  else
    fiber_interaction(backend_, kernel_, layout_, part, places, rule_, constants_.doublet, points64_.view(),
                      theta64_.data());
}

void FiberFlow::product_of_part(FiberProduct product, FiberPart part, const double* f) {
  if (fp32_)
    fiber_product(backend_, product, layout_, part, theta32_.data(), f, partials_.data());
  else
    fiber_product(backend_, product, layout_, part, theta64_.data(), f, partials_.data());
}

void FiberFlow::interaction(const FiberPlaces& places) {
  places_ = places;
  if (alone_) return;
  if (nodes_)
    nodes_->prepare(places, rule_, constants_.doublet);
  else if (stored_)
    interaction_of_part(scratch_, places);
}

void FiberFlow::product(FiberProduct product, const double* f, double* sums) {
  if (alone_) {
    backend_.fill_zero(sums, x_.size() * sizeof(double));
    return;
  }
  if (nodes_) {
    nodes_->product(product, f, sums);
    return;
  }
  const long long pairs = layout_.tile_pairs();
  for (FiberPart part{0, scratch_.count}; part.first < pairs; part.first += part.count) {
    part.count = std::min(part.count, pairs - part.first);
    if (!stored_) {
      // Other pairs lay here before: places that this part does not hold must be zero again.
      if (fp32_)
        theta32_.fill_zero();
      else
        theta64_.fill_zero();
      interaction_of_part(part, places_);
    }
    product_of_part(product, part, f);
  }
  const int values = 3 * (layout_.order + 1);
  parallel_for(backend_, "fibers.gather", Range2D{values, layout_.fibers},
               GatherSums{layout_, partials_.data(), sums, values});
}

double FiberFlow::dot(const double* a, const double* b) {
  const long long size = static_cast<long long>(layout_.fibers) * 3 * (layout_.order + 1);
  dot_.start("fibers.dot", Range2D{DotRows::width, static_cast<int>((size + DotRows::width - 1) / DotRows::width)},
             DotRows{a, b, size});
  dot_.wait();
  return dot_.result().sum;
}

// Classical Gram-Schmidt against the first `size` vectors of the basis, eight at a time; adds to
// `overlaps` what it took.
void FiberFlow::orthogonalise(int size, double* z, std::vector<double>& overlaps) {
  const int values = 3 * (layout_.order + 1);
  const std::size_t length = static_cast<std::size_t>(layout_.fibers) * static_cast<std::size_t>(values);
  const int rows = static_cast<int>((length + DotsRows::width - 1) / DotsRows::width);
  std::vector<FiberDots> parts;
  for (int first = 0; first < size; first += FiberDots::most) {
    const double* const basis = basis_.data() + static_cast<std::size_t>(first) * length;
    dots_.start("fibers.dot", Range2D{DotsRows::width, rows},
                DotsRows{basis, length, std::min(FiberDots::most, size - first), z});
    dots_.wait();
    parts.push_back(dots_.result());
  }
  for (int first = 0; first < size; first += FiberDots::most) {
    const FiberDots& part = parts[static_cast<std::size_t>(first / FiberDots::most)];
    const int count = std::min(FiberDots::most, size - first);
    parallel_for(backend_, "fibers.combine", Range2D{values, layout_.fibers},
                 Subtract{basis_.data() + static_cast<std::size_t>(first) * length, length, count, values, part, z});
    for (int k = 0; k < count; ++k) overlaps[static_cast<std::size_t>(first + k)] += part.sum[k];
  }
}

void FiberFlow::apply_operator(const double* p, double* q) {
  product(FiberProduct::forces, p, sums_.data());
  parallel_for(backend_, "fibers.balance", Range1D{layout_.fibers},
               ApplyBalance{sums_.data(), p, places_.tangent, constants_, q, 3 * (layout_.order + 1)});
}

// Hestenes & Stiefel (1952), preconditioned with the fibers' own balance B. Stops where p.Ap is not positive: the
// system is not definite then, which fibers that lie in each other can cause.
FiberSolve FiberFlow::conjugate_gradients(double tolerance) {
  const int values = 3 * (layout_.order + 1);
  FiberSolve solve;
  double rz = dot(r_.data(), z_.data());
  const double start = rz;
  if (start == 0) return solve;
  solve.residual = 1;
  while (solve.residual > tolerance) {
    if (solve.iterations == most_iterations || !std::isfinite(rz)) {
      solve.converged = false;
      return solve;
    }
    apply_operator(p_.data(), q_.data());
    const double curvature = dot(p_.data(), q_.data());
    if (!(curvature > 0)) {
      solve.indefinite = true, solve.converged = false;
      return solve;
    }
    parallel_for(backend_, "fibers.advance", Range1D{layout_.fibers},
                 Advance{p_.data(), q_.data(), places_.tangent, constants_, rz / curvature, x_.data(), r_.data(),
                         z_.data(), values});
    const double next = dot(r_.data(), z_.data());
    solve.residual = std::sqrt(std::abs(next / start));
    ++solve.iterations;
    if (solve.residual > tolerance)
      parallel_for(backend_, "fibers.direction", Range2D{values, layout_.fibers},
                   Combine{z_.data(), p_.data(), 1, next / rz, values});
    rz = next;
  }
  return solve;
}

// Saad & Schultz (1986), restarted, on B^-1 (B + T) x = B^-1 g: for systems that are not symmetric or not definite.
FiberSolve FiberFlow::gmres(double tolerance) {
  const int values = 3 * (layout_.order + 1), fibers = layout_.fibers;
  const std::size_t length = static_cast<std::size_t>(fibers) * static_cast<std::size_t>(values);
  if (basis_.empty()) basis_ = Array<double>(backend_, length * (most_basis + 1), "basis of GMRES");
  const auto basis = [&](int k) { return basis_.data() + static_cast<std::size_t>(k) * length; };
  const auto combine = [&](const double* x, double* y, double a, double b) {
    parallel_for(backend_, "fibers.combine", Range2D{values, fibers}, Combine{x, y, a, b, values});
  };
  const auto precondition = [&](const double* from, double* to) {
    parallel_for(backend_, "fibers.precondition", Range1D{fibers},
                 Precondition{from, places_.tangent, constants_, to, values});
  };
  FiberSolve solve;
  x_.fill_zero();
  precondition(g_.data(), z_.data());
  const double start = std::sqrt(dot(z_.data(), z_.data()));
  if (start == 0) return solve;
  double norm = start;
  solve.residual = 1;
  while (solve.residual > tolerance) {
    if (solve.iterations >= most_iterations || !std::isfinite(norm)) {
      solve.converged = false;
      return solve;
    }
    combine(z_.data(), basis(0), 1 / norm, 0);
    std::vector<std::vector<double>> h;
    std::vector<double> cosine, sine, rhs{norm};
    int size = 0;
    while (size < most_basis && solve.residual > tolerance && solve.iterations < most_iterations) {
      apply_operator(basis(size), q_.data());
      precondition(q_.data(), z_.data());
      std::vector<double> column(static_cast<std::size_t>(size) + 2);
      for (int pass = 0; pass < 2; ++pass) orthogonalise(size + 1, z_.data(), column);  // twice is enough
      const double rest = std::sqrt(dot(z_.data(), z_.data()));
      column[static_cast<std::size_t>(size) + 1] = rest;
      if (rest > 0) combine(z_.data(), basis(size + 1), 1 / rest, 0);
      for (std::size_t k = 0; k < cosine.size(); ++k) {
        const double a = column[k], b = column[k + 1];
        column[k] = cosine[k] * a + sine[k] * b, column[k + 1] = cosine[k] * b - sine[k] * a;
      }
      const auto last = static_cast<std::size_t>(size);
      const double length2 = std::hypot(column[last], column[last + 1]);
      cosine.push_back(length2 > 0 ? column[last] / length2 : 1),
          sine.push_back(length2 > 0 ? column[last + 1] / length2 : 0);
      column[last] = length2;
      rhs.push_back(-sine.back() * rhs[last]);
      rhs[last] *= cosine.back();
      h.push_back(std::move(column));
      ++size, ++solve.iterations;
      solve.residual = std::abs(rhs.back()) / start;
      if (rest == 0) break;
    }
    std::vector<double> y(static_cast<std::size_t>(size));
    for (int k = size - 1; k >= 0; --k) {
      const auto row = static_cast<std::size_t>(k);
      double sum = rhs[row];
      for (std::size_t c = row + 1; c < y.size(); ++c) sum -= h[c][row] * y[c];
      y[row] = h[row][row] != 0 ? sum / h[row][row] : 0;
    }
    for (int k = 0; k < size; ++k) combine(basis(k), x_.data(), y[static_cast<std::size_t>(k)], 1);
    if (solve.residual <= tolerance) break;
    // What is left, for the next round.
    apply_operator(x_.data(), q_.data());
    combine(g_.data(), q_.data(), 1, -1);
    precondition(q_.data(), z_.data());
    norm = std::sqrt(dot(z_.data(), z_.data()));
    solve.residual = norm / start;
  }
  return solve;
}

FiberSolve FiberFlow::evaluate(const FiberParameters& parameters, const double* position, const double* tangent,
                               const FiberPull& pull, double* velocity, double* spin, double* coefficients) {
  const int values = 3 * (layout_.order + 1), fibers = layout_.fibers;
  constants_ = FiberConstants(parameters.slenderness, terms_);
  alone_ = parameters.alone;
  take_matrix();
  interaction({position, tangent, parameters.box});
  product(FiberProduct::weights, weights_.data(), weight_sums_.data());
  if (pull.any())
    parallel_for(backend_, "fibers.pull", Range1D{fibers},
                 AddPull{position, tangent, pull, rule_, parameters.box, weight_sums_.data(), values});
  parallel_for(backend_, "fibers.start", Range1D{fibers},
               StartSolve{weight_sums_.data(), tangent, constants_, g_.data(), x_.data(), r_.data(), z_.data(),
                          p_.data(), values});
  FiberSolve solve;
  if (layout_.mirrored) {
    solve = conjugate_gradients(parameters.tolerance);
    if (solve.indefinite) {
      const int wasted = solve.iterations;
      solve = gmres(parameters.tolerance);
      solve.iterations += wasted, solve.indefinite = true;
    }
  } else {
    solve = gmres(parameters.tolerance);
  }
  product(FiberProduct::velocities, x_.data(), sums_.data());
  parallel_for(backend_, "fibers.motion", Range1D{fibers},
               Motion{weight_sums_.data(), sums_.data(), tangent, x_.data(), constants_, velocity, spin, coefficients,
                      values, terms_});
  return solve;
}

std::vector<double> FiberFlow::tensors(int m, int l) const {
  PERTURB_ASSERT(stored_ && !nodes_ && layout_.holds(m, l));
  const std::size_t begin = layout_.row(layout_.tile_pair(m / layout_.tile, l / layout_.tile), m % layout_.tile) +
                            static_cast<std::size_t>(l % layout_.tile);
  std::vector<double> result(static_cast<std::size_t>(layout_.components()));
  for (std::size_t c = 0; c < result.size(); ++c) {
    const std::size_t at = begin + c * static_cast<std::size_t>(layout_.tile);
    if (fp32_) {
      float value = 0;
      backend_.copy_to_host(&value, theta32_.data() + at, sizeof value);
      result[c] = value;
    } else {
      backend_.copy_to_host(&result[c], theta64_.data() + at, sizeof(double));
    }
  }
  return result;
}

}  // namespace perturb
