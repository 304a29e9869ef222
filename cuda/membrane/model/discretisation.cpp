#include "cuda/membrane/model/discretisation.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/math/elementary.h"
#include "cuda/membrane/model/integrals.h"
#include "cuda/membrane/model/theory.h"

namespace perturb::membrane {

namespace {

// Gauss points per direction of cells near the tip. It is 1.4 half widths or more away from the centre of one that does
// not have it as a corner: errors of products of s fall at least as (1.4 + sqrt(0.96))^(-2n), to 1e-9.
constexpr int near_points = 12;

// The error over the integration cells assigned to a patch: its own piece and those to the right and the top, or the
// pieces of its leaf.
struct Errors {
  SolutionField field;
  Known known;
  Rule rule, near;
  CellError* to;

  void task(int i) const { (*this)(i, 0); }
  PERTURB_HD void operator()(int i, int) const {
    CellError sum;
    const SpaceView& view = field.view;
    if (view.uniform) {
      const int n = view.per_side, px = 2 * (i % n), py = 2 * (i / n), most = 2 * n - 2;
      for (int y = py; y <= (py < most ? py + 1 : py); ++y)
        for (int x = px; x <= (px < most ? px + 1 : px); ++x) add(view.uniform_cell(x, y), sum);
    } else {
      for (int k = view.patch_begin[i]; k < view.patch_begin[i + 1]; ++k)
        if (view.cells[view.patch_cells[k]].owner == i) add(view.cut_cell(view.patch_cells[k]), sum);
    }
    to[i] = sum;
  }

 private:
  PERTURB_HD void add(const Cell& c, CellError& sum) const {
    for_each_point(field.view, c, rule, near, [&](double x, double y, double weight) {
      const FieldValue v = field.in_cell(c, x, y);
      const double d = v.u - known.value(x, y), dx = v.x - known.slope_x(x, y), dy = v.y - known.slope_y(x, y);
      sum.value2 += weight * d * d;
      sum.slope2 += weight * (dx * dx + dy * dy);
    });
  }
};

}  // namespace

Form membrane_form(const Parameters& p, int highest_degree) {
  Form form;
  form.rule = membrane_gauss_rule((p.integration_level > 0 ? p.integration_level : highest_degree) + 1);
  form.near = membrane_gauss_rule(near_points);
  for (int side = 0; side < 4; ++side) form.fixed[side] = p.side_of(side) == static_cast<int>(Side::fixed);
  form.nitsche = p.nitsche;
  form.source = membrane_source(p);
  form.rim = membrane_rim(p);
  return form;
}

Discretisation::Discretisation(Backend& backend, const Cover& cover, const Parameters& parameters)
    : backend_(backend),
      cover_(cover),
      structure_(cover, parameters.overlap, membrane_domain(parameters)),
      space_(backend, structure_),
      stiffness_(backend, static_cast<std::size_t>(structure_.values), "stiffness matrix"),
      mass_(backend, static_cast<std::size_t>(structure_.values), "mass matrix"),
      load_(backend, static_cast<std::size_t>(structure_.unknowns), "load"),
      solution_(backend, static_cast<std::size_t>(structure_.unknowns), "solution"),
      kept_(backend, static_cast<std::size_t>(structure_.unknowns), "last solution"),
      product_(backend, static_cast<std::size_t>(structure_.unknowns), "product"),
      errors_(backend, static_cast<std::size_t>(structure_.count()), "errors by patch"),
      assembler_(backend),
      solver_(backend, cover_, structure_, space_),
      spectrum_(backend) {
  space_.set_basis(parameters.basis);
}

namespace {
std::size_t own_bytes(std::int64_t values, std::int64_t unknowns, std::int64_t patches, int per_side) {
  return static_cast<std::size_t>(2 * values + 4 * unknowns) * sizeof(double) +
         static_cast<std::size_t>(patches) * sizeof(CellError) + Assembler::bytes(per_side) + 4096;
}
}  // namespace

std::size_t Discretisation::bytes(const Cover& cover, double overlap, const Domain& domain) {
  const Structure s(cover, overlap, domain);
  return own_bytes(s.values, s.unknowns, s.count(), s.per_side) + Space::bytes(s) + Solver::bytes(cover, s);
}

std::size_t Discretisation::uniform_bytes(int level, int degree) {
  return own_bytes(uniform_values(level, degree), uniform_unknowns(level, degree), std::int64_t{1} << (2 * level),
                   1 << level) +
         Space::uniform_bytes(level) + Solver::uniform_bytes(level, degree);
}

void Discretisation::assemble(Kernel kernel, const Form& form, bool matrices, bool load) {
  Targets targets;
  if (matrices) {
    spectrum_.invalidate();
    solver_.forget_factorizations();
    targets.stiffness = stiffness_.data();
    targets.mass = mass_.data();
  }
  if (load) targets.load = load_.data();
  assembler_.run(kernel, structure_, space_, form, targets);
}

void Discretisation::assemble_load(Kernel kernel, const Form& form, double* to) {
  Targets targets;
  targets.load = to;
  assembler_.run(kernel, structure_, space_, form, targets);
}

void Discretisation::enable_time_stepping() {
  if (moves()) return;
  enable_scratch();
  velocity_ = Array<double>(backend_, static_cast<std::size_t>(structure_.unknowns), "velocity");
  velocity_.fill_zero();
}

void Discretisation::enable_scratch() {
  if (spare_products_.empty())
    spare_products_ =
        Array<double>(backend_, spare_vectors * static_cast<std::size_t>(structure_.unknowns), "products");
}

double* Discretisation::scratch(int which) {
  if (which == 0) return product_.data();
  PERTURB_ASSERT(which <= spare_vectors && !spare_products_.empty());
  return spare_products_.data() + static_cast<std::size_t>(which - 1) * static_cast<std::size_t>(structure_.unknowns);
}

void Discretisation::enable_quadrature() {
  if (has_quadrature()) return;
  const auto n = static_cast<std::size_t>(structure_.unknowns);
  enable_scratch();
  pair_ = Array<double>(backend_, (2 + Solver::pair_vectors) * n, "solver vectors of a damped vibration");
  moment_ = Array<double>(backend_, n, "current vibration");
  quadrature_ = Array<double>(backend_, n, "lag");
  quadrature_.fill_zero();
}

SolutionField Discretisation::field_at(double phase) {
  solver_.combine(cosine(phase), solution_.data(), -sine(phase), quadrature_.data(), 0, nullptr, moment_.data());
  return {space_.view(), moment_.data()};
}

Solved Discretisation::solve_complex(double shift, double coupling, const SolveOptions& options) {
  const std::int64_t n = structure_.unknowns;
  const auto bytes = static_cast<std::size_t>(n) * sizeof(double);
  double* pair = pair_.data();
  backend_.copy_within(pair, solution_.data(), bytes);
  backend_.copy_within(pair + n, quadrature_.data(), bytes);
  const Solved solved =
      solver_.solve_pair(matrix(shift), mass_matrix(), coupling, load_.data(), pair, pair + 2 * n, options);
  if (!solved.converged) return solved;
  backend_.copy_within(solution_.data(), pair, bytes);
  backend_.copy_within(quadrature_.data(), pair + n, bytes);
  return solved;
}

Solved Discretisation::solve(double shift, bool definite, const SolveOptions& options) {
  kept_.copy_from(solution_);
  try {
    const Solved solved = solver_.solve(matrix(shift), definite, load_.data(), solution_.data(), options);
    if (!solved.converged) solution_.copy_from(kept_);
    return solved;
  } catch (const Stopped&) {
    solution_.copy_from(kept_);
    throw;
  }
}

double Discretisation::work() { return solver_.dot(load_.data(), solution_.data()); }

double Discretisation::product_of(const Matrix& matrix, const double* x) {
  solver_.apply(matrix, x, product_.data());
  return solver_.dot(x, product_.data());
}

double Discretisation::mean() { return std::sqrt(std::max(product_of(mass_matrix(), solution_.data()), 0.0)); }

CellError Discretisation::error(const Known& known, int points) {
  const SpaceView& view = space_.view();
  parallel_tasks(backend_, "membrane.errors", Tasks{view.count, 1, 40.0 * points * points * view.most_functions()},
                 Errors{field(), known, membrane_gauss_rule(points), membrane_gauss_rule(near_points), errors_.data()});
  CellError sum;
  for (const CellError& e : errors_.download()) {
    sum.value2 += e.value2;
    sum.slope2 += e.slope2;
  }
  return sum;
}

void Discretisation::guess_from(const Discretisation& other) {
  // Monomials would require a small system for each patch: they start from zero.
  if (space_.view().basis != Basis::legendre || other.space_.view().basis != Basis::legendre) return;
  solution_.upload(taken_from(other, other.solution_.download()));
  if (has_quadrature() && other.has_quadrature()) quadrature_.upload(taken_from(other, other.quadrature_.download()));
  if (moves() && other.moves()) velocity_.upload(taken_from(other, other.velocity_.download()));
}

std::vector<double> Discretisation::taken_from(const Discretisation& other, const std::vector<double>& old) const {
  std::vector<double> guess(static_cast<std::size_t>(structure_.unknowns));
  // Wider patches are enriched farther from the tip: with as many unknowns the same ones are.
  if (other.cover_.leaves() == cover_.leaves() && other.structure_.domain == structure_.domain &&
      other.structure_.unknowns == structure_.unknowns) {
    // The same patches, slightly wider or narrower: each power scales with the width, up to terms of lower order.
    const double ratio = structure_.overlap / other.structure_.overlap;
    for (const Patch& p : structure_.patches)
      for (int total = 0, n = 0; total <= p.degree; ++total)
        for (int b = 0; b <= total; ++b, ++n) {
          const auto at = static_cast<std::size_t>(p.first + n);
          guess[at] = old[at] * std::pow(ratio, total);
        }
    for (const Patch& p : structure_.patches)
      if (p.enriched) {
        const auto at = static_cast<std::size_t>(p.first + p.functions() - 1);
        guess[at] = old[at];
      }
    return guess;
  }
  const Rule rule = membrane_gauss_rule(max_powers);
  for (const Patch& p : structure_.patches)
    for (int b = 0; b < rule.count; ++b)
      for (int a = 0; a < rule.count; ++a) {
        const double x = p.x + p.half * rule.point[a], y = p.y + p.half * rule.point[b];
        const Patch& from =
            other.structure_
                .patches[static_cast<std::size_t>(other.cover_.find(std::clamp(x, 0.0, 1.0), std::clamp(y, 0.0, 1.0)))];
        double vx[max_powers], vy[max_powers], value = 0;
        polynomial_values(Basis::legendre, from.degree, (x - from.x) / from.half, vx);
        polynomial_values(Basis::legendre, from.degree, (y - from.y) / from.half, vy);
        for (int n = 0; n < membrane_functions(from.degree); ++n) {
          const Powers powers = membrane_powers(n);
          value += old[static_cast<std::size_t>(from.first + n)] * vx[powers.a] * vy[powers.b];
        }
        if (from.enriched) {
          const double of_singular = old[static_cast<std::size_t>(from.first + from.functions() - 1)];
          if (p.enriched)
            guess[static_cast<std::size_t>(p.first + p.functions() - 1)] = of_singular;
          else
            value += of_singular * structure_.domain.singular(x, y).value;
        }
        polynomial_values(Basis::legendre, p.degree, rule.point[a], vx);
        polynomial_values(Basis::legendre, p.degree, rule.point[b], vy);
        for (int n = 0; n < membrane_functions(p.degree); ++n) {
          const Powers powers = membrane_powers(n);
          guess[static_cast<std::size_t>(p.first + n)] += 0.25 * (2 * powers.a + 1) * (2 * powers.b + 1) *
                                                          rule.weight[a] * rule.weight[b] * value * vx[powers.a] *
                                                          vy[powers.b];
        }
      }
  return guess;
}

}  // namespace perturb::membrane
