#include "cuda/fibers/model/solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/fibers/model/balance.h"

namespace perturb::fibers {

namespace {

constexpr int max_iterations = 600;
constexpr int max_basis = 120;  // of GMRES between restarts
constexpr int vectors_of_solver = 6;

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

struct DotRows {
  const double *a, *b;
  long long size;
  static constexpr int width = 256;
  PERTURB_HD void operator()(int i, int j, Dot& into) const {
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
  PERTURB_HD void operator()(int i, int j, Dots& into) const {
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
  Dots parts;
  double* z;
  PERTURB_HD void operator()(int v, int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values + v;
    double rest = z[at];
    for (int k = 0; k < count; ++k) rest = multiply_add(-parts.sum[k], basis[k * length + at], rest);
    z[at] = rest;
  }
};

}  // namespace

Solver::Solver(Backend& backend, const Layout& layout)
    : backend_(backend), layout_(layout), dot_(backend), curvature_(backend), dots_(backend) {
  for (Array<double>* vector : {&x_, &r_, &z_, &p_, &q_, &g_})
    *vector = Array<double>(backend, length(), "vector of force coefficients");
  if (!layout_.mirrored) basis_ = Array<double>(backend, length() * (max_basis + 1), "basis of GMRES");
}

std::size_t Solver::bytes(const Layout& layout) {
  const std::size_t vector = static_cast<std::size_t>(layout.fibers) * 3 * (layout.order + 1) * sizeof(double);
  return vectors_of_solver * vector + (max_basis + 1) * vector;
}

Solve Solver::solve(const Balance& balance, const double* tangent, const double* weight_sums,
                    const Interaction& interaction, double tolerance) {
  balance_ = balance;
  tangent_ = tangent;
  const Dot rz = sum_over_fibers("fibers.start", [&](auto constants) {
    return StartSolve<decltype(constants)>{weight_sums, tangent,   constants, g_.data(), x_.data(),
                                           r_.data(),   z_.data(), p_.data(), values()};
  });
  if (!layout_.mirrored) return gmres(interaction, tolerance);
  Solve solve = conjugate_gradients(interaction, tolerance, rz.sum);
  if (!solve.indefinite) return solve;
  const int wasted = solve.iterations;
  solve = gmres(interaction, tolerance);
  solve.iterations += wasted;
  solve.indefinite = true;
  return solve;
}

template <class Make>
void Solver::start_sum(const char* label, Reduction<Dot>& dot, bool read_back, const Make& make) {
  balance_.with([&](auto constants) {
    const OverDegrees<decltype(make(constants))> all{make(constants), layout_.fibers, layout_.order + 1};
    dot.start(label, all.range(), all, read_back);
  });
}
template <class Make>
Dot Solver::sum_over_fibers(const char* label, const Make& make) {
  start_sum(label, dot_, true, make);
  dot_.wait();
  return dot_.result();
}

// Queued, with p.q.
void Solver::apply_operator(const Interaction& interaction, const double* p, double* q) {
  const double* const sums = interaction(p);
  start_sum("fibers.balance", curvature_, false, [&](auto constants) {
    return ApplyBalance<decltype(constants)>{sums, p, tangent_, constants, q, values()};
  });
}

double Solver::dot(const double* a, const double* b) {
  const auto size = static_cast<long long>(length());
  dot_.start("fibers.dot", Range2D{DotRows::width, static_cast<int>((size + DotRows::width - 1) / DotRows::width)},
             DotRows{a, b, size});
  dot_.wait();
  return dot_.result().sum;
}

// Classical Gram-Schmidt against the first `size` vectors of the basis, eight at a time; adds the removed parts to
// `overlaps`.
void Solver::orthogonalise(int size, double* z, std::vector<double>& overlaps) {
  const std::size_t length = this->length();
  const int rows = static_cast<int>((length + DotsRows::width - 1) / DotsRows::width);
  std::vector<Dots> parts;
  for (int first = 0; first < size; first += Dots::max_rows) {
    const double* const basis = basis_.data() + static_cast<std::size_t>(first) * length;
    dots_.start("fibers.dot", Range2D{DotsRows::width, rows},
                DotsRows{basis, length, std::min(Dots::max_rows, size - first), z});
    dots_.wait();
    parts.push_back(dots_.result());
  }
  for (int first = 0; first < size; first += Dots::max_rows) {
    const Dots& part = parts[static_cast<std::size_t>(first / Dots::max_rows)];
    const int count = std::min(Dots::max_rows, size - first);
    parallel_for(backend_, "fibers.combine", Range2D{values(), layout_.fibers},
                 Subtract{basis_.data() + static_cast<std::size_t>(first) * length, length, count, values(), part, z});
    for (int k = 0; k < count; ++k) overlaps[static_cast<std::size_t>(first + k)] += part.sum[k];
  }
}

// Hestenes & Stiefel (1952), preconditioned with the fibers' own balance B; `rz`: r.z at the start. Stops if p.Ap is
// not positive: the system is not definite then, which overlapping fibers can cause.
Solve Solver::conjugate_gradients(const Interaction& interaction, double tolerance, double rz) {
  Solve solve;
  const double start = rz;
  if (start == 0) return solve;
  solve.residual = 1;
  while (solve.residual > tolerance) {
    if (solve.iterations == max_iterations || !std::isfinite(rz)) {
      solve.converged = false;
      return solve;
    }
    apply_operator(interaction, p_.data(), q_.data());
    // Uses p.Ap on the backend, so that the host waits once per iteration.
    const Dot next = sum_over_fibers("fibers.advance", [&](auto constants) {
      return Advance<decltype(constants)>{p_.data(), q_.data(), tangent_,  constants, rz, curvature_.on_backend(),
                                          x_.data(), r_.data(), z_.data(), values()};
    });
    if (!(next.curvature > 0)) {
      solve.indefinite = true;
      solve.converged = false;
      return solve;
    }
    solve.residual = std::sqrt(std::abs(next.sum / start));
    ++solve.iterations;
    if (solve.residual > tolerance)
      parallel_for(backend_, "fibers.direction", Range2D{values(), layout_.fibers},
                   Combine{z_.data(), p_.data(), 1, next.sum / rz, values()});
    rz = next.sum;
  }
  return solve;
}

// Saad & Schultz (1986), restarted, on B^-1 (B + T) x = B^-1 g: for systems that are not symmetric or not definite.
Solve Solver::gmres(const Interaction& interaction, double tolerance) {
  const int values = this->values(), fibers = layout_.fibers;
  const std::size_t length = this->length();
  if (basis_.empty()) basis_ = Array<double>(backend_, length * (max_basis + 1), "basis of GMRES");
  const auto basis = [&](int k) { return basis_.data() + static_cast<std::size_t>(k) * length; };
  const auto combine = [&](const double* x, double* y, double a, double b) {
    parallel_for(backend_, "fibers.combine", Range2D{values, fibers}, Combine{x, y, a, b, values});
  };
  const auto precondition = [&](const double* from, double* to) {
    balance_.with([&](auto constants) {
      parallel_for(backend_, "fibers.precondition", Range2D{layout_.order + 1, fibers},
                   Precondition<decltype(constants)>{from, tangent_, constants, to, values});
    });
  };
  Solve solve;
  x_.fill_zero();
  precondition(g_.data(), z_.data());
  const double start = std::sqrt(dot(z_.data(), z_.data()));
  if (start == 0) return solve;
  double norm = start;
  solve.residual = 1;
  while (solve.residual > tolerance) {
    if (solve.iterations >= max_iterations || !std::isfinite(norm)) {
      solve.converged = false;
      return solve;
    }
    combine(z_.data(), basis(0), 1 / norm, 0);
    std::vector<std::vector<double>> h;
    std::vector<double> cosine, sine, rhs{norm};
    int size = 0;
    while (size < max_basis && solve.residual > tolerance && solve.iterations < max_iterations) {
      apply_operator(interaction, basis(size), q_.data());
      precondition(q_.data(), z_.data());
      std::vector<double> column(static_cast<std::size_t>(size) + 2);
      for (int pass = 0; pass < 2; ++pass) orthogonalise(size + 1, z_.data(), column);  // twice is enough
      const double rest = std::sqrt(dot(z_.data(), z_.data()));
      column[static_cast<std::size_t>(size) + 1] = rest;
      if (rest > 0) combine(z_.data(), basis(size + 1), 1 / rest, 0);
      for (std::size_t k = 0; k < cosine.size(); ++k) {
        const double a = column[k], b = column[k + 1];
        column[k] = cosine[k] * a + sine[k] * b;
        column[k + 1] = cosine[k] * b - sine[k] * a;
      }
      const auto last = static_cast<std::size_t>(size);
      const double length2 = std::sqrt(column[last] * column[last] + column[last + 1] * column[last + 1]);
      cosine.push_back(length2 > 0 ? column[last] / length2 : 1);
      sine.push_back(length2 > 0 ? column[last + 1] / length2 : 0);
      column[last] = length2;
      rhs.push_back(-sine.back() * rhs[last]);
      rhs[last] *= cosine.back();
      h.push_back(std::move(column));
      ++size;
      ++solve.iterations;
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
    // The residual, for the next cycle.
    apply_operator(interaction, x_.data(), q_.data());
    combine(g_.data(), q_.data(), 1, -1);
    precondition(q_.data(), z_.data());
    norm = std::sqrt(dot(z_.data(), z_.data()));
    solve.residual = norm / start;
  }
  return solve;
}

}  // namespace perturb::fibers
