#include "cuda/membrane/model/modes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cuda/core/backend/stop.h"
#include "cuda/core/math/random.h"
#include "cuda/membrane/model/theory.h"

namespace perturb::membrane {

namespace {

constexpr double converged_modes = 1e-5;  // residual of the vectors; the relative error of the values is its square
constexpr double same_frequency = 1e-8;   // relative difference of two values that count as equal

}  // namespace

void dense_modes(std::vector<double> h, std::vector<double> g, int n, std::vector<double>& values,
                 std::vector<double>& columns) {
  const auto at = [n](std::vector<double>& a, int i, int j) -> double& {
    return a[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)];
  };
  // g = l lᵀ, and h becomes l⁻¹ h l⁻ᵀ.
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = at(g, i, j);
      for (int k = 0; k < j; ++k) sum -= at(g, i, k) * at(g, j, k);
      at(g, i, j) = i == j ? std::sqrt(std::max(sum, 1e-300)) : sum / at(g, j, j);
    }
  for (int side = 0; side < 2; ++side) {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) at(h, i, j) -= at(g, i, k) * at(h, k, j);
        at(h, i, j) /= at(g, i, i);
      }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) std::swap(at(h, i, j), at(h, j, i));
  }
  std::vector<double> v(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) at(v, i, i) = 1;
  for (int sweep = 0; sweep < 30; ++sweep) {
    double off = 0, all = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) (i == j ? all : off) += at(h, i, j) * at(h, i, j);
    if (off <= 1e-30 * all) break;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        if (at(h, p, q) == 0) continue;
        const double theta = (at(h, q, q) - at(h, p, p)) / (2 * at(h, p, q));
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < n; ++k) {
          const double a = at(h, k, p), b = at(h, k, q);
          at(h, k, p) = c * a - s * b;
          at(h, k, q) = s * a + c * b;
        }
        for (int k = 0; k < n; ++k) {
          const double a = at(h, p, k), b = at(h, q, k);
          at(h, p, k) = c * a - s * b;
          at(h, q, k) = s * a + c * b;
        }
        for (int k = 0; k < n; ++k) {
          const double a = at(v, k, p), b = at(v, k, q);
          at(v, k, p) = c * a - s * b;
          at(v, k, q) = s * a + c * b;
        }
      }
  }
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return at(h, a, a) < at(h, b, b); });
  values.resize(static_cast<std::size_t>(n));
  columns.assign(v.size(), 0);
  for (int j = 0; j < n; ++j) {
    const int from = order[static_cast<std::size_t>(j)];
    values[static_cast<std::size_t>(j)] = at(h, from, from);
    // Back substitution: lᵀ x = v.
    for (int i = n - 1; i >= 0; --i) {
      double sum = at(v, i, from);
      for (int k = i + 1; k < n; ++k) sum -= at(g, k, i) * at(columns, k, j);
      at(columns, i, j) = sum / at(g, i, i);
    }
  }
}

void Modes::make_room(const Discretisation& d) {
  const auto n = static_cast<std::size_t>(d.structure().unknowns);
  // More vectors than unknowns would not be independent.
  const std::size_t vector_count = std::min(static_cast<std::size_t>(Modes::vectors), n);
  if (block_.size() == vector_count * n && size_ == vector_count) return;
  size_ = vector_count;
  block_ = {};
  next_ = {};
  spare_ = {};
  block_ = Array<double>(backend_, vector_count * n, "modes");
  next_ = Array<double>(backend_, vector_count * n, "next modes");
  spare_ = Array<double>(backend_, 2 * n, "products of modes");
  std::vector<double> random(vector_count * n);
  for (std::size_t k = 0; k < random.size(); ++k) {
    const Random4 r = philox(11, 5, k);
    random[k] = uniform_double(r.v[0], r.v[1]) - 0.5;
  }
  block_.upload(random);
  values_.clear();
  residuals_.clear();
}

Solved Modes::improve(Discretisation& d, const Parameters& p) {
  const auto n = static_cast<std::size_t>(d.structure().unknowns);
  const std::size_t vector_count = size_;
  Solver& solver = d.solver();
  const auto x = [&](std::size_t j) { return block_.data() + j * n; };
  const auto y = [&](std::size_t j) { return next_.data() + j * n; };
  std::vector<double> residuals(vector_count), columns, values;
  Solved worst;
  {
    const InterruptibleScope here(backend_);
    for (std::size_t j = 0; j < vector_count; ++j) {
      solver.apply(d.mass_matrix(), x(j), spare_.data());
      // The closer the vector is to a mode, the better the first guess, and the more accurately it is solved.
      const double guess = values_.empty() ? 0 : 1 / (values_[j] + shift);
      solver.combine(guess, x(j), 0, nullptr, 0, nullptr, y(j));
      const double tolerance = residuals_.empty() ? 1e-2 : std::max(p.tolerance, 0.05 * residuals_[j]);
      Solved solved = solver.solve(d.matrix(shift), true, spare_.data(), y(j),
                                   {p.preconditioner, tolerance, p.max_iterations, p.may_factor()});
      if (solved.factored) {
        residuals[j] = residual_of_guess(d, guess, x(j), y(j));
      } else {
        solved.tolerance = tolerance;
        residuals[j] = solved.history.empty() ? 0 : solved.history.front();
      }
      if (!solved.converged) return solved;
      if (solved.iterations >= worst.iterations) worst = solved;
    }
    std::vector<double> h(vector_count * vector_count), g(h.size());
    for (std::size_t j = 0; j < vector_count; ++j) {
      solver.apply({d.stiffness().data(), nullptr, 0}, y(j), spare_.data());
      solver.apply(d.mass_matrix(), y(j), spare_.data() + n);
      for (std::size_t i = 0; i <= j; ++i) {
        h[i * vector_count + j] = h[j * vector_count + i] = solver.dot(y(i), spare_.data());
        g[i * vector_count + j] = g[j * vector_count + i] = solver.dot(y(i), spare_.data() + n);
      }
    }
    dense_modes(h, g, static_cast<int>(vector_count), values, columns);
  }
  values_ = values;
  residuals_ = residuals;
  for (std::size_t j = 0; j < vector_count; ++j) {
    const double sign = columns[j * vector_count + j] < 0 ? -1 : 1;  // a mode keeps its sign from step to step
    spare_.fill_zero();
    for (std::size_t i = 0; i < vector_count; ++i)
      solver.combine(1, spare_.data(), sign * columns[i * vector_count + j], y(i), 0, nullptr, spare_.data());
    backend_.copy_within(x(j), spare_.data(), n * sizeof(double));
  }
  align(d, p);
  return worst;
}

// In the norm of the inverse matrix A⁻¹, with e = y - guess x: r = A e, r·A⁻¹ r = e·A e, and the load's is y·M x.
double Modes::residual_of_guess(Discretisation& d, double guess, const double* x, const double* y) {
  Solver& solver = d.solver();
  double *load = spare_.data(), *error = load + d.structure().unknowns;
  const double scale = solver.dot(load, y);
  solver.combine(1, y, -guess, x, 0, nullptr, error);
  solver.apply(d.matrix(shift), error, load);
  return scale > 0 ? std::sqrt(std::max(solver.dot(load, error), 0.0) / scale) : 0;
}

bool Modes::can_take(const Spectrum& spectrum) {
  for (std::size_t k = 0; k < std::min(static_cast<std::size_t>(vectors), spectrum.count()); ++k)
    if (!(spectrum.residual_of(k) <= converged_modes)) return false;
  return true;
}

Solved Modes::take(Discretisation& d, const Parameters& p) {
  const auto n = static_cast<std::size_t>(d.structure().unknowns);
  Spectrum& spectrum = d.spectrum();
  Solved solved;
  solved.direct = true;
  solved.tolerance = converged_modes;
  values_.resize(size_);
  residuals_.resize(size_);
  for (std::size_t k = 0; k < size_; ++k) {
    spectrum.vector(k, block_.data() + k * n);
    values_[k] = spectrum.value(k);
    residuals_[k] = spectrum.residual_of(k);
    solved.residual = std::max(solved.residual, residuals_[k]);
  }
  align(d, p);
  return solved;
}

// If the cover gives several modes one frequency, any mixture of them is a mode, and each sign is arbitrary: rounding
// would decide. Chooses the mixture nearest to theory's sin(m pi x) sin(n pi y), in theory's order.
void Modes::align(Discretisation& d, const Parameters& p) {
  if (!membrane_knows_modes(p)) return;
  const auto n = static_cast<std::size_t>(d.structure().unknowns);
  Solver& solver = d.solver();
  const std::vector<Mode> theory = lowest_modes(p, static_cast<int>(size_));
  for (std::size_t first = 0, end = 1; first < size_; first = end, end = first + 1) {
    // The cover splits some of theory's pairs: (1, 3) and (3, 1) into their sum and their difference.
    while (end < size_ && theory[end].eigenvalue - theory[first].eigenvalue < 1e-9 * theory[end].eigenvalue &&
           values_[end] - values_[first] < same_frequency * values_[end])
      ++end;
    const std::size_t size = end - first;
    // Theory's modes expressed in the computed ones, orthonormalised.
    std::vector<double> rows(size * size);
    bool nearly = true;
    for (std::size_t i = 0; i < size; ++i) {
      Form form = membrane_form(p, d.structure().highest_degree);
      form.rim = {};
      form.source = mode_shape(p, theory[first + i]);
      d.assemble_load(Kernel::tensor, form, spare_.data());
      double* row = rows.data() + i * size;
      for (std::size_t j = 0; j < size; ++j) row[j] = solver.dot(spare_.data(), block_.data() + (first + j) * n);
      for (std::size_t k = 0; k < i; ++k) {
        double along = 0;
        for (std::size_t j = 0; j < size; ++j) along += row[j] * rows[k * size + j];
        for (std::size_t j = 0; j < size; ++j) row[j] -= along * rows[k * size + j];
      }
      double length = 0;
      for (std::size_t j = 0; j < size; ++j) length += row[j] * row[j];
      length = std::sqrt(length);
      nearly = nearly && length > 0.05;  // otherwise these modes are not found yet; a complete one has 1/2
      for (std::size_t j = 0; j < size; ++j) row[j] /= length > 0 ? length : 1;
    }
    if (!nearly) continue;
    for (std::size_t i = 0; i < size; ++i) {
      double* to = next_.data() + (first + i) * n;
      backend_.fill_zero(to, n * sizeof(double));
      for (std::size_t j = 0; j < size; ++j)
        solver.combine(1, to, rows[i * size + j], block_.data() + (first + j) * n, 0, nullptr, to);
    }
    backend_.copy_within(block_.data() + first * n, next_.data() + first * n, size * n * sizeof(double));
  }
}

bool Modes::settled() const {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(residuals_.size(), static_cast<std::size_t>(count)));
  return shown > 0 && *std::max_element(residuals_.begin(), residuals_.begin() + shown) <= converged_modes;
}

void Modes::invalidate() {
  for (double& r : residuals_) r = std::max(r, rough);
}

void Modes::clear() {
  size_ = 0;
  block_ = {};
  next_ = {};
  spare_ = {};
  values_.clear();
  residuals_.clear();
}

// The function sin sin has norm 1/2: normalised it is 2 sin sin.
void Modes::show(Discretisation& d, int number) {
  const auto n = static_cast<std::size_t>(d.structure().unknowns);
  if (block_.size() != size_ * n) return;
  if (static_cast<std::size_t>(number) > size_) {
    d.solution().fill_zero();
    return;
  }
  d.solver().combine(0.5, block_.data() + static_cast<std::size_t>(number - 1) * n, 0, nullptr, 0, nullptr,
                     d.solution().data());
}

void Modes::take(const std::vector<double>& block, const std::vector<double>& values,
                 const std::vector<double>& residuals) {
  size_ = values.size();
  if (block_.size() != block.size()) {
    block_ = {};
    next_ = {};
    spare_ = {};
    block_ = Array<double>(backend_, block.size(), "modes");
    next_ = Array<double>(backend_, block.size(), "next modes");
    spare_ = Array<double>(backend_, 2 * block.size() / size_, "products of modes");
  }
  block_.upload(block);
  values_ = values;
  residuals_ = residuals;
}

}  // namespace perturb::membrane
