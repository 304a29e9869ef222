// Checks of the solver: the residual that its gauge reports, compared with the residual computed from the matrix
// itself, and its solution, compared with a direct one.
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/verify/checks.h"

namespace perturb::membrane {

namespace {

// (K + shift·M) u = F with a dense matrix.
struct DenseSystem {
  std::vector<std::vector<double>> rows;
  std::vector<double> load;

  std::vector<double> rest(const std::vector<double>& u) const {
    std::vector<double> r = load;
    for (std::size_t i = 0; i < r.size(); ++i)
      for (std::size_t j = 0; j < r.size(); ++j) r[i] -= rows[i][j] * u[j];
    return r;
  }

  // By Cholesky factorisation.
  std::vector<double> solved() const {
    std::vector<std::vector<double>> l = rows;
    std::vector<double> x = load;
    const std::size_t n = x.size();
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < j; ++k) l[j][j] -= l[j][k] * l[j][k];
      l[j][j] = std::sqrt(l[j][j]);
      for (std::size_t i = j + 1; i < n; ++i) {
        for (std::size_t k = 0; k < j; ++k) l[i][j] -= l[i][k] * l[j][k];
        l[i][j] /= l[j][j];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= l[i][k] * x[k];
      x[i] /= l[i][i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= l[k][i] * x[k];
      x[i] /= l[i][i];
    }
    return x;
  }
};

DenseSystem dense(Backend& backend, Discretisation& d, double shift) {
  DenseSystem system;
  system.load = d.load().download();
  const std::size_t n = system.load.size();
  system.rows.assign(n, std::vector<double>(n));
  Array<double> product(backend, n, "column");
  std::vector<double> unit(n);
  for (std::size_t j = 0; j < n; ++j) {
    unit[j] = 1;
    d.solution().upload(unit);
    unit[j] = 0;
    d.solver().apply(d.matrix(shift), d.solution().data(), product.data());
    const std::vector<double> column = product.download();
    for (std::size_t i = 0; i < n; ++i) system.rows[i][j] = column[i];
  }
  return system;
}

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

// The square root of x·(P⁻¹ x).
double norm_of_preconditioner(Backend& backend, Discretisation& d, Preconditioner kind, const std::vector<double>& x) {
  Array<double> in(backend, x.size(), "residual"), out(backend, x.size(), "preconditioned");
  in.upload(x);
  d.solver().precondition(kind, in.data(), out.data());
  return std::sqrt(d.solver().dot(in.data(), out.data()));
}

TheoryCheck relative(std::string name, std::string unit, double expected, double got, double tolerance,
                     std::string note) {
  double error = std::abs(got / expected - 1);
  if (!std::isfinite(error)) error = 1e30;
  return {std::move(name), std::move(unit), expected, got, error, tolerance, std::move(note)};
}

}  // namespace

void verify_solver(Backend& backend, std::vector<TheoryCheck>& checks) {
  Parameters p;
  p.level = 3, p.degree = 2, p.sigma = 10, p.frequency = 0;
  Discretisation d(backend, Cover(p.level, p.degree), p);
  const Form form = membrane_form(p, p.degree);
  d.assemble(Kernel::tensor, form, true, true);
  d.solver().prepare(d.matrix(p.sigma), form, Preconditioner::multilevel);
  const DenseSystem system = dense(backend, d, p.sigma);

  std::vector<double> solution;
  const auto gauge_of = [&](Preconditioner kind, double tolerance) {
    Setup setup;
    setup.simulation = "membrane";
    setup.parameters = {{"level", p.level},
                        {"degree", p.degree},
                        {"sigma", p.sigma},
                        {"frequency", p.frequency},
                        {"preconditioner", static_cast<double>(kind)},
                        {"tolerance", tolerance}};
    const auto membrane = membrane_simulation().create(backend, setup);
    const State state = membrane->save();
    solution = state.get<double>("coefficients", state.datasets.at("coefficients").shape);
    for (const Gauge& gauge : membrane->gauges())
      if (gauge.id == "residual") return gauge.value;
    return std::nan("");
  };
  const double plain = gauge_of(Preconditioner::none, 1e-3);
  checks.push_back(relative("residual, by the gauge, no preconditioner", "of the load",
                            norm(system.rest(solution)) / norm(system.load), plain, 1e-6,
                            "|F - A u|/|F|, with A in full and the u that was left at a tolerance of 1e-3; relative"));
  const double multilevel = gauge_of(Preconditioner::multilevel, 1e-3);
  const auto size = [&](const std::vector<double>& x) {
    return norm_of_preconditioner(backend, d, Preconditioner::multilevel, x);
  };
  checks.push_back(relative("residual, by the gauge, multilevel", "of the load",
                            size(system.rest(solution)) / size(system.load), multilevel, 1e-6,
                            "the same in the preconditioner's norm, in which the solver measures; relative"));
  gauge_of(Preconditioner::multilevel, 1e-12);
  const std::vector<double> direct = system.solved();
  std::vector<double> off = direct;
  for (std::size_t k = 0; k < off.size(); ++k) off[k] -= solution[k];
  checks.push_back({"solution at a tolerance of 1e-12 beside Cholesky's", "", 0, norm(off) / norm(direct),
                    norm(off) / norm(direct), 1e-9, "of the coefficients, relative to their size"});
}

}  // namespace perturb::membrane
