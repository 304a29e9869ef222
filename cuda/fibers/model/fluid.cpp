#include "cuda/fibers/model/fluid.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/fibers/model/balance.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/nodes.h"

namespace perturb::fibers {

namespace {

// Parts into which the sum over the fibers is divided, on both backends: enough threads for a device, and bit-identical
// results.
constexpr int fluid_chunks = 16;

// Force of each node of a fiber: its density times the node's weight.
struct SpreadFluidForces {
  const double *coefficients, *half_length;
  double* forces;
  int terms;
  double weight[fluid_nodes][max_terms + 1];  // times P_n there
  PERTURB_HD void operator()(int m) const {
    const double* const a = coefficients + 3 * static_cast<std::size_t>(m) * terms;
    const double own = half_length ? -0.5 * half_length[m] : -0.5;
    for (int q = 0; q < fluid_nodes; ++q) {
      Vector3<double> f{0, 0, own * weight[q][0]};
      for (int n = 1; n <= terms; ++n) f = add_scaled(f, weight[q][n], load3(a + 3 * (n - 1)));
      store3(forces + 3 * (static_cast<std::size_t>(m) * fluid_nodes + q), f);
    }
  }
};

// A point within a fiber, moved to the fiber's surface. `r`: from its centre.
PERTURB_HD inline Vector3<double> outside_of_fiber(Vector3<double> r, Vector3<double> t, double radius, double half) {
  const double foot = dot(r, t), along = foot < -half ? -half : foot > half ? half : foot;
  Vector3<double> out = add_scaled(r, -along, t);
  const double distance = ::sqrt(dot(out, out));
  if (distance >= radius) return r;
  if (distance < 1e-9 * radius) {  // on the axis: any direction across it
    const Vector3<double> other = ::fabs(t.z) < 0.8 ? Vector3<double>{0, 0, 1} : Vector3<double>{1, 0, 0};
    out = add_scaled(other, -dot(other, t), t);
    return add_scaled(scaled(along, t), radius / ::sqrt(dot(out, out)), out);
  }
  return add_scaled(scaled(along, t), radius / distance, out);
}

// The flow of a chunk's fibers at one point, times d.
template <bool unequal>
struct SumFluid {
  Sources sources;
  const double *forces, *poses;
  double node[fluid_nodes];
  double doublet, radius, box;
  int terms, points;
  double* partial;
  PERTURB_HD Vector3<double> near(int l, Vector3<double> r, Vector3<double> t, double half, Vector3<double> sum) const {
    double g[max_terms + 1][tensor];
    const Vector3<double> outside = outside_of_fiber(r, t, radius, half);
    if constexpr (unequal)
      inner_integral<Starts::stable, max_terms>(outside, t, half, doublet, last_moment, g);
    else
      inner_integral<Starts::stable, max_terms>(outside, t, doublet, last_moment, g);
    const double* const a = sources.coefficients + 3 * static_cast<std::size_t>(l) * terms;
    sum = add_product(g[0], {0, 0, -0.5 * half}, sum);
    for (int n = 1; n <= terms; ++n) sum = add_product(g[n], load3(a + 3 * (n - 1)), sum);
    return sum;
  }
  PERTURB_HD void operator()(int point, int chunk) const {
    const double* const y = poses + 3 * static_cast<std::size_t>(point);
    const int first = static_cast<int>(static_cast<long long>(sources.fibers) * chunk / fluid_chunks);
    const int end = static_cast<int>(static_cast<long long>(sources.fibers) * (chunk + 1) / fluid_chunks);
    Vector3<double> sum{0, 0, 0};
    for (int l = first; l < end; ++l) {
      const std::size_t own = 3 * static_cast<std::size_t>(l);
      const Vector3<double> r = fiber_separation(y, sources.position + own, box), t = load3(sources.tangent + own);
      double half = 1;
      if constexpr (unequal) half = sources.half_length[l];
      const double foot = dot(r, t), along = foot < -half ? -half : foot > half ? half : foot;
      const Vector3<double> across = add_scaled(r, -along, t);
      if (dot(across, across) < fluid_reach * half * (fluid_reach * half)) {
        sum = near(l, r, t, half, sum);
        continue;
      }
      const double* const f = forces + 3 * static_cast<std::size_t>(l) * fluid_nodes;
      for (int q = 0; q < fluid_nodes; ++q)
        add_node_flow(add_scaled(r, -half * node[q], t), load3(f + 3 * q), doublet, -3 * doublet, sum);
    }
    store3(partial + 3 * (static_cast<std::size_t>(chunk) * points + point), sum);
  }
};

struct TotalFluid {
  const double *partial, *poses;
  Pull pull;
  bool pulled;
  double d, box;
  int points;
  double* velocity;
  PERTURB_HD void operator()(int point) const {
    const std::size_t own = 3 * static_cast<std::size_t>(point);
    Vector3<double> sum{0, 0, 0};
    for (int chunk = 0; chunk < fluid_chunks; ++chunk)
      sum = sum + load3(partial + 3 * static_cast<std::size_t>(chunk) * points + own);
    if (pulled) {
      const double at[3] = {pull.at.x, pull.at.y, pull.at.z};
      sum = sum + point_force(fiber_separation(poses + own, at, box), pull.force, pull.core);
    }
    store3(velocity + own, scaled(1 / d, sum));
  }
};

}  // namespace

std::size_t Fluid::bytes(int fibers, int points) {
  return points == 0 ? 0
                     : 3 * sizeof(double) *
                           (static_cast<std::size_t>(fibers) * fluid_nodes +
                            static_cast<std::size_t>(points) * static_cast<std::size_t>(fluid_chunks));
}

void Fluid::reserve(int fibers, int points) {
  const std::size_t forces = 3 * static_cast<std::size_t>(fibers) * fluid_nodes,
                    partial = 3 * static_cast<std::size_t>(points) * fluid_chunks;
  Array<double> more_forces, more_partial;
  if (forces_.size() < forces) more_forces = Array<double>(backend_, forces, "forces on the fluid");
  if (partial_.size() < partial) more_partial = Array<double>(backend_, partial, "flow at tracers");
  if (more_forces.size() > 0 || more_partial.size() > 0) backend_.synchronize();
  if (more_forces.size() > 0) forces_ = std::move(more_forces);
  if (more_partial.size() > 0) partial_ = std::move(more_partial);
}

void Fluid::velocity(const Parameters& p, const Sources& sources, const Pull& pull, const double* poses, int points,
                     double* velocity) {
  reserve(sources.fibers, points);
  const FiberConstants constants(p.slenderness, p.terms);
  const FiberRule rule = make_fiber_rule(1, fluid_nodes);
  SpreadFluidForces spread{sources.coefficients, sources.half_length, forces_.data(), p.terms, {}};
  for (int q = 0; q < fluid_nodes; ++q)
    for (int n = 0; n <= p.terms; ++n) spread.weight[q][n] = rule.weight[q][n];
  parallel_for(backend_, "fibers.fluid-forces", Range1D{sources.fibers}, spread);
  const auto add_up = [&](auto sum) {
    std::copy(rule.node, rule.node + fluid_nodes, sum.node);
    parallel_for(backend_, "fibers.fluid", Range2D{points, fluid_chunks}, sum);
  };
  const double radius = 2 * p.slenderness;
  if (sources.half_length)
    add_up(SumFluid<true>{
        sources, forces_.data(), poses, {}, constants.doublet, radius, p.box, p.terms, points, partial_.data()});
  else
    add_up(SumFluid<false>{
        sources, forces_.data(), poses, {}, constants.doublet, radius, p.box, p.terms, points, partial_.data()});
  parallel_for(backend_, "fibers.fluid-total", Range1D{points},
               TotalFluid{partial_.data(), poses, pull, pull.any(), constants.d, p.box, points, velocity});
}

namespace {

struct MoveTracer {
  double dt;
  double *position, *velocity, *age;  // velocity: of the previous step, then of this one
  const double* now;
  PERTURB_HD void operator()(int k) const {
    const std::size_t at = 3 * static_cast<std::size_t>(k);
    const double before = age[k] > 0 ? -0.5 : 0;
    for (std::size_t i = at; i < at + 3; ++i) {
      position[i] += dt * ((1 - before) * now[i] + before * velocity[i]);
      velocity[i] = now[i];
    }
    age[k] += 1;
  }
};

// The most even sequence known in the plane (lowest discrepancy): fractional parts of multiples of 1/g and 1/g², g³ = g
// + 1 (Roberts 2018, after Kronecker).
constexpr double even_g = 1.32471795724474602596;

struct ReturnTracer {
  TracerSquare square;
  double step;
  double *position, *age;
  PERTURB_HD bool wrap(double& x, double middle) const {
    const double away = x - middle;
    if (away <= square.half && away >= -square.half) return false;
    const double turns = ::floor((away + square.half) / (2 * square.half));
    x -= 2 * square.half * turns;
    return true;
  }
  PERTURB_HD void operator()(int k) const {
    double* const x = position + 3 * static_cast<std::size_t>(k);
    if (square.periodic) {
      wrap(x[0], square.middle.x);
      wrap(x[1], square.middle.y);
      wrap(x[2], square.middle.z);
      return;
    }
    const double across = x[1] - square.middle.y;
    bool entered = wrap(x[0], square.middle.x);
    if (wrap(x[2], square.middle.z)) {
      // The stream from below is even, whatever the cloud has changed in the stream that leaves above.
      const double share = (k + 0.5) / even_g + step / (even_g * even_g);
      x[0] = square.middle.x + square.half * (2 * (share - ::floor(share)) - 1);
      entered = true;
    }
    if (entered || across > square.half || across < -square.half) {
      x[1] = square.middle.y;
      age[k] = 0;
    }
  }
};

}  // namespace

std::size_t Tracers::bytes(int fibers, int count) {
  return Fluid::bytes(fibers, count) + static_cast<std::size_t>(count) * (3 * 3 + 1 + 3 * 2 + 1) * sizeof(double);
}

void Tracers::spread(int count, const TracerSquare& square, int fibers) {
  Array<double> position, velocity, age, now, kept[3];
  if (count > 0) {
    const std::size_t size = static_cast<std::size_t>(count);
    fluid_.reserve(fibers, count);
    for (Array<double>* array : {&position, &velocity, &now, &kept[0], &kept[1]})
      *array = Array<double>(backend_, 3 * size, "tracers");
    for (Array<double>* array : {&age, &kept[2]}) *array = Array<double>(backend_, size, "tracers");
  }
  backend_.synchronize();  // a frame in flight may still read the old ones
  position_ = std::move(position);
  velocity_ = std::move(velocity);
  age_ = std::move(age);
  now_ = std::move(now);
  for (int k = 0; k < 3; ++k) kept_[k] = std::move(kept[k]);
  count_ = count;
  spread(square);
}

void Tracers::spread(const TracerSquare& square) {
  if (count_ == 0) return;
  const std::size_t size = static_cast<std::size_t>(count_);
  std::vector<double> poses(3 * size);
  for (std::size_t k = 0; k < size; ++k) {
    const double n = static_cast<double>(k) + 0.5, u = n / even_g - std::floor(n / even_g),
                 v = n / (even_g * even_g) - std::floor(n / (even_g * even_g));
    poses[3 * k] = square.middle.x + square.half * (2 * u - 1);
    poses[3 * k + 1] = square.middle.y;
    poses[3 * k + 2] = square.middle.z + square.half * (2 * v - 1);
  }
  position_.upload(poses);
  velocity_.fill_zero();
  age_.fill_zero();
}

void Tracers::step(const Parameters& p, const Sources& sources, const Pull& pull) {
  if (count_ == 0) return;
  fluid_.velocity(p, sources, pull, position_.data(), count_, now_.data());
  parallel_for(backend_, "fibers.tracers", Range1D{count_},
               MoveTracer{p.time_step, position_.data(), velocity_.data(), age_.data(), now_.data()});
}

void Tracers::return_tracers(const TracerSquare& square, std::int64_t step) {
  if (count_ == 0) return;
  parallel_for(backend_, "fibers.tracers-back", Range1D{count_},
               ReturnTracer{square, static_cast<double>(step), position_.data(), age_.data()});
}

void Tracers::begin_again() { age_.fill_zero(); }

void Tracers::keep() {
  if (count_ == 0) return;
  kept_[0].copy_from(position_);
  kept_[1].copy_from(velocity_);
  kept_[2].copy_from(age_);
}
void Tracers::restore() {
  if (count_ == 0) return;
  position_.copy_from(kept_[0]);
  velocity_.copy_from(kept_[1]);
  age_.copy_from(kept_[2]);
}

TracersSaved Tracers::save() const {
  if (count_ == 0) return {};
  return {position_.download(), velocity_.download(), age_.download()};
}

void Tracers::load(const TracersSaved& saved) {
  if (count_ == 0) return;
  position_.upload(saved.position);
  velocity_.upload(saved.velocity);
  age_.upload(saved.age);
}

}  // namespace perturb::fibers
