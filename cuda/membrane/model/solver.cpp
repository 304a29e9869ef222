#include "cuda/membrane/model/solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace perturb::membrane {

namespace {

constexpr int work_vectors = 8;

// An iteration that may be replaced ends when this many steps have not halved the residual. Without this, the highest
// limit of the iterations would keep it going for minutes.
class Progress {
 public:
  explicit Progress(bool watched) : watched_(watched) {}
  bool stalled(double residual) {
    if (!watched_) return false;
    if (residual < 0.5 * best_) {
      best_ = residual;
      since_ = 0;
    }
    return ++since_ > max_steps;
  }

 private:
  static constexpr int max_steps = 1000;
  bool watched_;
  double best_ = std::numeric_limits<double>::infinity();
  int since_ = 0;
};

}  // namespace

Solved solve_directly(Spectrum& spectrum, double shift, double coupling, const double* load, double* u, double* q) {
  spectrum.solve(shift, coupling, load, u, q);
  Solved solved;
  solved.direct = true;
  solved.residual = spectrum.residual(shift, coupling);
  return solved;
}

Solver::Solver(Backend& backend, const Cover& cover, const Structure& finest, const Space& space)
    : backend_(backend),
      structure_(finest),
      space_(space),
      unknowns_(finest.unknowns),
      work_(backend, static_cast<std::size_t>(work_vectors * finest.unknowns), "solver's vectors"),
      vectors_(backend),
      hierarchy_(backend, cover, finest, space) {}

std::size_t Solver::bytes(const Cover& cover, const Structure& finest) {
  return Hierarchy::bytes(cover, finest) + static_cast<std::size_t>(work_vectors * finest.unknowns) * sizeof(double);
}
std::size_t Solver::uniform_bytes(int level, int degree) {
  return Hierarchy::uniform_bytes(level, degree) +
         static_cast<std::size_t>(work_vectors * uniform_unknowns(level, degree)) * sizeof(double);
}

Solved Solver::solve(const Matrix& matrix, bool definite, const double* load, double* u, const SolveOptions& options) {
  const System system{matrix, {}};
  return solve_or_factor(system, load, u, options, [&](const SolveOptions& allowed) {
    return definite ? solve_definite(matrix, load, u, allowed) : minres(system, load, u, work_.data(), allowed);
  });
}

template <class Iterate>
Solved Solver::solve_or_factor(const System& system, const double* load, double* u, const SolveOptions& options,
                               const Iterate& iterate) {
  SolveOptions allowed = options;
  allowed.may_factor = options.may_factor && Factorization::fits(structure_, system.pair);
  std::optional<Solved> iterated;
  if (!allowed.may_factor || !factors_) iterated = iterate(allowed);
  if (!allowed.may_factor || (iterated && iterated->converged)) return *iterated;
  factors_ = true;
  const Solved solved = solve_factored(system, load, u);
  if (solved.converged) return solved;
  return iterated ? *iterated : iterate(allowed);
}

Solved Solver::solve_factored(const System& system, const double* load, double* u) {
  const auto same = [&](const Kept& one) {
    return one.matrix.a == system.matrix.a && one.matrix.b == system.matrix.b &&
           one.matrix.shift == system.matrix.shift && one.coupling == system.coupling && one.pair == system.pair;
  };
  const auto found = std::find_if(kept_.begin(), kept_.end(), same);
  if (found != kept_.end()) {
    std::rotate(found, found + 1, kept_.end());
  } else {
    const auto values = [&](const double* from) {
      std::vector<double> to(from ? static_cast<std::size_t>(structure_.values) : 0);
      if (from) backend_.copy_to_host(to.data(), from, to.size() * sizeof(double));
      return to;
    };
    Kept made{system.matrix, system.coupling, system.pair, {}};
    made.factorization.compute(structure_, values(system.matrix.a), values(system.matrix.b), system.matrix.shift,
                               system.coupling, system.pair);
    if (kept_.size() == max_kept) kept_.erase(kept_.begin());
    kept_.push_back(std::move(made));
  }
  std::vector<double> numbers(static_cast<std::size_t>(system.pair ? 2 * unknowns_ : unknowns_));
  backend_.copy_to_host(numbers.data(), load, numbers.size() * sizeof(double));
  Solved solved;
  solved.factored = true;
  solved.tolerance = exact_to_rounding;
  solved.residual = kept_.back().factorization.solve(numbers);
  solved.converged = solved.residual <= solved.tolerance;
  if (solved.converged) backend_.copy_from_host(u, numbers.data(), numbers.size() * sizeof(double));
  return solved;
}

Solved Solver::solve_definite(const Matrix& matrix, const double* load, double* u, const SolveOptions& options) {
  const std::int64_t n = unknowns_;
  double *r = work_.data(), *z = r + n, *p = z + n, *q = p + n;
  Solved solved;
  // Norm of the load, in the norm of the residuals.
  precondition(options.preconditioner, load, z);
  const double scale = std::sqrt(std::max(dot(load, z), 0.0));
  if (!(scale > 0)) {
    backend_.fill_zero(u, static_cast<std::size_t>(n) * sizeof(double));
    return solved;
  }
  product(matrix, load, u, r);
  precondition(options.preconditioner, r, z);
  double rz = dot(r, z);
  combine(1, z, 0, nullptr, 0, nullptr, p);
  const auto residual = [&] { return std::sqrt(std::max(rz, 0.0)) / scale; };
  solved.history.push_back(residual());
  Progress progress(options.may_factor);
  while (solved.history.back() > options.tolerance && solved.iterations < options.max_iterations &&
         !progress.stalled(solved.history.back())) {
    product(matrix, nullptr, p, q);
    const double pq = dot(p, q);
    if (!(pq > 0) || !std::isfinite(pq)) break;  // indefinite after all, or converged to rounding
    const double alpha = rz / pq;
    combine(1, u, alpha, p, 0, nullptr, u);
    combine(1, r, -alpha, q, 0, nullptr, r);
    precondition(options.preconditioner, r, z);
    const double before = rz;
    rz = dot(r, z);
    combine(1, z, rz / before, p, 0, nullptr, p);
    ++solved.iterations;
    solved.history.push_back(residual());
    if (!std::isfinite(solved.history.back())) break;
  }
  solved.residual = solved.history.back();
  solved.converged = solved.residual <= options.tolerance;
  return solved;
}

void Solver::apply_system(const System& system, const double* right, const double* x, double* y) {
  if (!system.pair) return product(system.matrix, right, x, y);
  const std::int64_t n = unknowns_;
  product(system.matrix, nullptr, x, y);
  product(system.mass, nullptr, x + n, system.spare);
  combine(1, y, -system.coupling, system.spare, 0, nullptr, y);
  product(system.matrix, nullptr, x + n, y + n);
  product(system.mass, nullptr, x, system.spare);
  combine(-1, y + n, -system.coupling, system.spare, 0, nullptr, y + n);
  if (right) vectors_.combine(2 * n, 1, right, -1, y, 0, nullptr, y);
}

void Solver::precondition_system(const System& system, Preconditioner kind, const double* x, double* y) {
  precondition(kind, x, y);
  if (system.pair) precondition(kind, x + unknowns_, y + unknowns_);
}

Solved Solver::solve_pair(const Matrix& matrix, const Matrix& mass, double coupling, const double* load, double* pair,
                          double* work, const SolveOptions& options) {
  const std::int64_t n = unknowns_;
  double *right = work, *spare = right + 2 * n;
  const auto bytes = static_cast<std::size_t>(n) * sizeof(double);
  backend_.copy_within(right, load, bytes);
  backend_.fill_zero(right + n, bytes);
  const System system{matrix, mass, coupling, true, spare};
  return solve_or_factor(system, right, pair, options,
                         [&](const SolveOptions& allowed) { return minres(system, right, pair, spare + n, allowed); });
}

Solved Solver::minres(const System& system, const double* load, double* u, double* work, const SolveOptions& options) {
  const std::int64_t n = system.pair ? 2 * unknowns_ : unknowns_;
  const auto dot = [&](const double* x, const double* y) { return vectors_.dot(n, x, y); };
  const auto combine = [&](double a, const double* x, double b, const double* y, double c, const double* other,
                           double* to) { vectors_.combine(n, a, x, b, y, c, other, to); };
  const auto precondition = [&](const double* x, double* y) {
    precondition_system(system, options.preconditioner, x, y);
  };
  double *v0 = work, *v1 = v0 + n, *q = v1 + n, *z = q + n, *z_next = z + n, *w0 = z_next + n, *w1 = w0 + n,
         *w = w1 + n;
  Solved solved;
  solved.minres = true;
  precondition(load, z);
  const double scale = std::sqrt(std::max(dot(load, z), 0.0));
  if (!(scale > 0)) {
    backend_.fill_zero(u, static_cast<std::size_t>(n) * sizeof(double));
    return solved;
  }
  for (double* vector : {v0, w0, w1}) backend_.fill_zero(vector, static_cast<std::size_t>(n) * sizeof(double));
  apply_system(system, load, u, v1);
  precondition(v1, z);
  double gamma0 = 1, gamma1 = std::sqrt(std::max(dot(v1, z), 0.0)), eta = gamma1;
  double s0 = 0, s1 = 0, c0 = 1, c1 = 1;
  solved.history.push_back(eta / scale);
  Progress progress(options.may_factor);
  while (solved.history.back() > options.tolerance && solved.iterations < options.max_iterations &&
         !progress.stalled(solved.history.back())) {
    combine(1 / gamma1, z, 0, nullptr, 0, nullptr, z);
    apply_system(system, nullptr, z, q);
    const double delta = dot(q, z);
    combine(1, q, -delta / gamma1, v1, -gamma1 / gamma0, v0, v0);
    std::swap(v0, v1);  // v1 is now the new vector, v0 the previous one
    precondition(v1, z_next);
    const double gamma2 = std::sqrt(std::max(dot(v1, z_next), 0.0));
    const double a0 = c1 * delta - c0 * s1 * gamma1, a1 = std::sqrt(a0 * a0 + gamma2 * gamma2);
    const double a2 = s1 * delta + c0 * c1 * gamma1, a3 = s0 * gamma1;
    if (!(a1 > 0) || !std::isfinite(a1)) break;
    c0 = c1;
    s0 = s1;
    c1 = a0 / a1;
    s1 = gamma2 / a1;
    combine(1 / a1, z, -a3 / a1, w0, -a2 / a1, w1, w);
    combine(1, u, c1 * eta, w, 0, nullptr, u);
    eta = -s1 * eta;
    double* oldest = w0;
    w0 = w1;
    w1 = w;
    w = oldest;
    std::swap(z, z_next);
    gamma0 = gamma1;
    gamma1 = gamma2;
    ++solved.iterations;
    solved.history.push_back(std::abs(eta) / scale);
    if (!(gamma1 > 0)) break;  // the space is exhausted
  }
  solved.residual = solved.history.back();
  solved.converged = solved.residual <= options.tolerance;
  return solved;
}

}  // namespace perturb::membrane
