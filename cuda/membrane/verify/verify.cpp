// Comparisons of `perturb verify membrane` with theory.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "cuda/core/math/random.h"
#include "cuda/core/simulation/format.h"
#include "cuda/membrane/measure/estimate.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/model/integrals.h"
#include "cuda/membrane/model/theory.h"
#include "cuda/membrane/verify/checks.h"

namespace perturb::membrane {

namespace {

// A cover of three sizes and several degrees.
Cover mixed_cover() {
  Cover cover(2, 2);
  cover.split(cover.find(0.3, 0.3));
  cover.split(cover.find(0.3, 0.3));
  cover.split(cover.find(0.9, 0.8));
  cover.change_degree(cover.find(0.6, 0.6), 2);
  cover.change_degree(cover.find(0.3, 0.3), 1);
  return cover;
}

Parameters known_problem(Side side) {
  Parameters p;
  p.load = Load::mode;
  p.mode_x = 1;
  p.mode_y = 2;
  p.sigma = 1;
  p.boundary_left = p.boundary_right = p.boundary_bottom = p.boundary_top = side;
  p.integration_level = 10;
  return p;
}

TheoryCheck at_most(std::string name, std::string unit, double limit, double got, std::string note) {
  return {std::move(name), std::move(unit), 0, got, std::abs(got), limit, std::move(note)};
}

void check_weights(std::vector<TheoryCheck>& checks, const Cover& cover, const std::string& name) {
  const auto cpu = Backend::make_cpu(1);
  const Structure s(cover, 1.3);
  const Space space(*cpu, s);
  double sum_off = 0, slope_off = 0;
  for (std::uint64_t k = 0; k < 10000; ++k) {
    const Random4 r = philox(1, 3, k);
    const double x = uniform_double(r.v[0], r.v[1]), y = uniform_double(r.v[2], r.v[3]);
    int list[max_patches_over_point];
    const int over = space.view().patches_over(x, y, list);
    Weights w;
    w.at(x, y, over, PatchesOf{s.patches.data(), list});
    double sum = 0, sum_x = 0, sum_y = 0;
    for (int i = 0; i < over; ++i) {
      sum += w.phi[i];
      sum_x += w.phi_x[i];
      sum_y += w.phi_y[i];
    }
    sum_off = std::max(sum_off, std::abs(sum - 1));
    slope_off = std::max({slope_off, std::abs(sum_x), std::abs(sum_y)});
  }
  checks.push_back(at_most("sum of the weights - 1, " + name, "", 1e-14, sum_off, "at 10000 random points"));
  checks.push_back(at_most("sum of the weights' gradients, " + name, "1/length", 1e-11, slope_off,
                           "at 10000 random points; single gradients reach 100"));
}

// Constants have no energy if all sides are free.
void check_row_sums(Backend& backend, std::vector<TheoryCheck>& checks, const Cover& cover, const std::string& name) {
  const Parameters p = known_problem(Side::free);
  Discretisation d(backend, cover, p);
  d.assemble(Kernel::tensor, membrane_form(p, cover.highest_degree()), true, false);
  const Structure& s = d.structure();
  std::vector<double> one(static_cast<std::size_t>(s.unknowns));
  for (const Patch& patch : s.patches) one[static_cast<std::size_t>(patch.first)] = 1;
  d.solution().upload(one);
  Array<double> product(backend, one.size(), "K times one");
  d.solver().apply({d.stiffness().data(), nullptr, 0}, d.solution().data(), product.data());
  double most = 0, largest = 0;
  for (const double v : product.download()) most = std::max(most, std::abs(v));
  for (const double v : d.stiffness().download()) largest = std::max(largest, std::abs(v));
  checks.push_back(at_most("row sums of K divided by its largest entry, " + name, "", 1e-12, most / largest,
                           "the gradient of a constant is zero"));
}

void check_known(Backend& backend, std::vector<TheoryCheck>& checks, Side side, int degree, int finest) {
  check_convergence(backend, checks,
                    side == Side::free ? "cos(pi x) cos(2 pi y), free" : "sin(pi x) sin(2 pi y), fixed",
                    known_problem(side), degree, finest);
}

// Error of the integration level q = p compared with q = 10.
void check_integration(Backend& backend, std::vector<TheoryCheck>& checks) {
  for (int degree = 1; degree <= 3; ++degree) {
    Parameters p = known_problem(Side::free);
    const double full = check_errors(backend, Cover(4, degree), p).value;
    p.integration_level = 0;
    const double low = check_errors(backend, Cover(4, degree), p).value;
    checks.push_back({"L² error with q = p, p = " + std::to_string(degree) + ", level 4", "", full, low,
                      std::abs(low / full - 1), 0.1, "the error with q = 10; relative"});
  }
}

// Convergence of manual refinement, with a known solution.
void check_refinement(Backend& backend, std::vector<TheoryCheck>& checks) {
  const Parameters p = known_problem(Side::fixed);
  const CheckErrors even = check_errors(backend, Cover(2, 2), p);
  Cover raised(2, 2), split(2, 2);
  for (int k = 0; k < raised.count(); ++k)
    if (k % 2 == 0) raised.change_degree(k, 1);
  for (const double x : {0.4, 0.6})
    for (const double y : {0.2, 0.8}) split.split(split.find(x, y));
  const auto add = [&](const char* name, const Cover& cover) {
    const CheckErrors now = check_errors(backend, cover, p);
    checks.push_back({std::string("L² error, ") + name + ", " + std::to_string(now.unknowns) + " unknowns", "",
                      even.value, now.value, std::max(now.value / even.value - 1, 0.0), 0.02,
                      "that of the uniform cover, 16 patches of p = 2, " + std::to_string(even.unknowns) +
                          " unknowns; relative, where it is more"});
  };
  add("every other patch raised to p = 3", raised);
  add("four patches split", split);
  add("cover of three sizes and degrees", mixed_cover());
}

// The response changes its sign where the frequency is that of a mode: the root of 1/(F·u) by secants. They stop before
// the matrix becomes singular to rounding: 1/(F·u) is so nearly linear there that the last step gains more digits than
// its length suggests.
void check_modes(Backend& backend, std::vector<TheoryCheck>& checks, int level, int degree, double tolerance) {
  Parameters p;
  p.sigma = 0;
  p.source_x = 0.31;
  p.source_y = 0.42;
  Discretisation d(backend, Cover(level, degree), p);
  const auto inverse_response = [&](double squared) {
    p.sigma = -squared;
    check_solve(d, p);
    return 1 / d.work();
  };
  for (const auto& [m, n] : {std::pair{1, 1}, std::pair{1, 2}, std::pair{2, 2}}) {
    const double exact = std::numbers::pi * std::numbers::pi * (m * m + n * n);
    double a = exact * 0.995, b = exact * 0.998, fa = inverse_response(a), fb = inverse_response(b);
    for (int turn = 0; turn < 8 && std::abs(b - a) > 1e-7 * exact; ++turn) {
      const double next = b - fb * (b - a) / (fb - fa);
      a = b;
      fa = fb;
      b = next;
      fb = inverse_response(b);
    }
    checks.push_back({"resonance (" + std::to_string(m) + ", " + std::to_string(n) + "), k²", "1/length²", exact, b,
                      std::abs(b / exact - 1), tolerance,
                      "pi²(m² + n²); relative, level " + std::to_string(level) + ", p = " + std::to_string(degree)});
  }
}

void check_response(Backend& backend, std::vector<TheoryCheck>& checks, int level, int degree) {
  Parameters p;
  p.sigma = 0;
  p.source_x = 0.3;
  p.source_y = 0.4;
  for (const double k : {3.0, 8.0, 12.0}) {
    p.frequency = k;
    Discretisation d(backend, Cover(level, degree), p);
    check_solve(d, p);
    const double exact = exact_response_at(p, k), got = d.mean();
    checks.push_back({"response at k = " + format_number(k), "height", exact, got, std::abs(got / exact - 1), 1e-3,
                      "the sum over modes f_mn/(lambda_mn - k²); relative"});
  }
}

void check_iterations(Backend& backend, std::vector<TheoryCheck>& checks, int coarse, int finest) {
  for (const int degree : {1, 2}) {
    double first = 0;
    for (const int level : {coarse, finest}) {
      Parameters p;
      Discretisation d(backend, Cover(level, degree), p);
      const Form form = membrane_form(p, degree);
      d.assemble(Kernel::tensor, form, true, true);
      d.solver().prepare(d.matrix(1), form, p.preconditioner);
      const double iterations = d.solve(1, true, {p.preconditioner, 1e-8, 1000}).iterations;
      if (level == coarse) {
        first = iterations;
        continue;
      }
      checks.push_back({"iterations at level " + std::to_string(finest) + ", p = " + std::to_string(degree), "", first,
                        iterations, std::max(iterations / first - 1, 0.0), 0.5,
                        "those at level " + std::to_string(coarse) + "; relative, where it is more"});
    }
  }
}

}  // namespace

std::vector<TheoryCheck> verify(Backend& backend, bool with_long) {
  std::vector<TheoryCheck> checks;
  check_weights(checks, Cover(4, 1), "even cover");
  check_weights(checks, mixed_cover(), "cover of three sizes");
  check_row_sums(backend, checks, Cover(3, 3), "even cover");
  check_row_sums(backend, checks, mixed_cover(), "cover of three sizes");
  for (int degree = 1; degree <= 4; ++degree) {
    const int finest = (degree < 3 ? 5 : 4) + (with_long ? 1 : 0);
    check_known(backend, checks, Side::free, degree, finest);
    check_known(backend, checks, Side::fixed, degree, finest);
  }
  // Some sides held, some free: quarter waves across.
  Parameters mixed = known_problem(Side::fixed);
  mixed.boundary_right = mixed.boundary_bottom = Side::free;
  check_convergence(backend, checks, "sin(pi x/2) cos(3 pi y/2), held at the left and the top", mixed, 2, 5);
  check_convergence(backend, checks, "sin(pi x/2) cos(3 pi y/2), held at the left and the top", mixed, 3, 4);
  check_integration(backend, checks);
  check_refinement(backend, checks);
  // Wide patches of high degree are as accurate as narrow ones in half the time.
  const int level = with_long ? 4 : 3, degree = with_long ? 3 : 4;
  check_modes(backend, checks, level, degree, 1e-5);
  check_response(backend, checks, level, degree);
  check_iterations(backend, checks, with_long ? 5 : 4, with_long ? 9 : 6);
  verify_solver(backend, checks);
  verify_rim(backend, checks);
  verify_formula(backend, checks);
  verify_corner(backend, checks);
  verify_time(backend, checks, with_long);
  verify_damped(backend, checks);
  verify_estimate(backend, checks);
  verify_modes(backend, checks);
  return checks;
}

// ---- boundary values
//
// Boundary values, compared with closed-form solutions.

namespace {

Parameters rim_problem(RimShape shape) {
  Parameters p;
  p.rim = shape;
  p.source_strength = 0;
  p.sigma = 0;
  p.corner_bottom_left = 0.3;
  p.corner_bottom_right = -1;
  p.corner_top_left = 0.5;
  p.corner_top_right = 2;
  p.integration_level = 10;
  return p;
}

}  // namespace

void verify_rim(Backend& backend, std::vector<TheoryCheck>& checks) {
  // a + b x + c y + d x y has no Laplacian and is in every local space from p = 2 on: it is reproduced exactly.
  Cover refined(2, 2);
  refined.split(refined.find(0.1, 0.9));
  refined.change_degree(refined.find(0.9, 0.1), 2);
  for (const bool free : {false, true}) {
    Parameters p = rim_problem(RimShape::frame);
    if (free) p.boundary_right = p.boundary_top = Side::free;
    const std::string sides = free ? ", free at the right and the top" : ", fixed";
    for (const bool even : {true, false}) {
      const CheckErrors e = check_errors(backend, even ? Cover(3, 3) : refined, p);
      checks.push_back({"L² error, bent frame" + sides + (even ? ", even cover" : ", refined cover"), "height", 0,
                        e.value, e.value, 1e-10,
                        "the frame's polynomial is the solution and is in the space; heights from -1 to 2"});
    }
  }
  Parameters p = rim_problem(RimShape::wave);
  check_convergence(backend, checks, "wave on the top side, fixed", p, 2, 5);
  p.boundary_left = p.boundary_top = Side::free;
  check_convergence(backend, checks, "wave, slopes given at the left and the top", p, 3, 4);
  // With a foundation the wave decays faster: sinh(q y)/sinh(q), q² = m² pi² + sigma.
  p = rim_problem(RimShape::wave);
  p.sigma = 30;
  p.load = Load::mode;
  p.source_strength = 0.5;
  check_convergence(backend, checks, "wave on the top side and a mode, sigma = 30", p, 3, 4);
}

// ---- a load by formula

// u = sin(pi x) sin(2 pi y) + sin(2 pi x) sinh(2 pi y)/sinh(2 pi): the second part is given on the top side and has no
// Laplacian. The load -div(grad u) + sigma u is no product of a function of x and one of y.
void verify_formula(Backend& backend, std::vector<TheoryCheck>& checks) {
  Parameters p = rim_problem(RimShape::wave);
  p.sigma = 10;
  p.load = Load::formula;
  p.source_strength = 1;
  p.load_formula = formula_number(
      "(5 * pi^2 + 10) * sin(pi * x) * sin(2 * pi * y)"
      " + 10 * sin(2 * pi * x) * (exp(2 * pi * y) - exp(-2 * pi * y)) / (exp(2 * pi) - exp(-2 * pi))");
  Known known;
  known.is_known = true;
  known.height = 1;
  known.wave_x = membrane_wave(Side::fixed, Side::fixed, 1);
  known.wave_y = membrane_wave(Side::fixed, Side::fixed, 2);
  known.rim = membrane_rim(p);
  check_convergence(backend, checks, "load by formula", p, 2, 5, &known);
  check_convergence(backend, checks, "load by formula", p, 3, 4, &known);
}

// ---- error estimate
//
// The estimated error compared with the true one, and the convergence of refinement by it.

namespace {

struct Estimated {
  double estimate = 0, slope = 0, unknowns = 0;
};
Estimated estimated(Backend& backend, const Parameters& p, Cover& cover, const Refinement* by) {
  Discretisation d(backend, cover, p);
  check_solve(d, p);
  const CellError error = d.error(membrane_known(p), std::min(cover.highest_degree() + 4, max_points));
  const Estimate estimate = membrane_estimate(backend, d, p);
  if (by) cover = membrane_refined(cover, estimate, *by, 0.6);
  return {estimate.total(), std::sqrt(error.slope2), static_cast<double>(d.structure().unknowns)};
}

}  // namespace

void verify_estimate(Backend& backend, std::vector<TheoryCheck>& checks) {
  Parameters p;
  p.load = Load::mode;
  p.mode_x = 2;
  p.mode_y = 1;
  p.integration_level = 8;
  for (const int degree : {1, 2, 3, 4}) {
    Cover cover(3, degree);
    const Estimated e = estimated(backend, p, cover, nullptr);
    checks.push_back(
        {"estimated error in the energy norm, p = " + std::to_string(degree), "height/length", e.slope, e.estimate,
         std::abs(std::log2(e.estimate / e.slope)), 1,
         "the true error in H¹, which is nearly all of it; within a factor of two: the error is log2 of the ratio"});
  }
  // Splitting alone has order N^(-1/2) for p = 1; the combination must exceed any order of splitting.
  const auto run = [&](Refinement by, double most) {
    Cover cover(2, 1);
    Estimated first, last;
    do {
      last = estimated(backend, p, cover, &by);
      if (first.unknowns == 0) first = last;
    } while (last.unknowns < most);
    return std::pair{first, last};
  };
  const auto [h0, h] = run(Refinement::h, 1500);
  const double order = std::log(h0.slope / h.slope) / std::log(h.unknowns / h0.unknowns);
  checks.push_back({"order of refining by splitting (h), p = 1", "", 0.5, order, std::abs(order - 0.5), 0.1,
                    "H¹ error over unknowns: N^(-p/2); absolute"});
  const auto [both0, both] = run(Refinement::hp, 800);
  checks.push_back(
      {"error refined by both (hp), " + std::to_string(static_cast<int>(both.unknowns)) + " unknowns", "height/length",
       h.slope, both.slope, both.slope / h.slope, 0.2,
       "by splitting alone with " + std::to_string(static_cast<int>(h.unknowns)) + "; at most a fifth of it"});
}

// ---- solver
//
// Checks of the solver: the residual that its gauge reports, compared with the residual computed from the matrix
// itself, and its solution, compared with a direct one.

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
  p.level = 3;
  p.degree = 2;
  p.sigma = 10;
  p.frequency = 0;
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
                            "|F - A u|/|F|, with the full A and the u at a tolerance of 1e-3; relative"));
  const double multilevel = gauge_of(Preconditioner::multilevel, 1e-3);
  const auto size = [&](const std::vector<double>& x) {
    return norm_of_preconditioner(backend, d, Preconditioner::multilevel, x);
  };
  checks.push_back(relative("residual, by the gauge, multilevel", "of the load",
                            size(system.rest(solution)) / size(system.load), multilevel, 1e-6,
                            "the same in the norm of the preconditioner, which the solver uses; relative"));
  gauge_of(Preconditioner::multilevel, 1e-12);
  const std::vector<double> direct = system.solved();
  std::vector<double> off = direct;
  for (std::size_t k = 0; k < off.size(); ++k) off[k] -= solution[k];
  checks.push_back({"solution at a tolerance of 1e-12, compared with Cholesky", "", 0, norm(off) / norm(direct),
                    norm(off) / norm(direct), 1e-9, "of the coefficients, relative to their size"});
}

}  // namespace perturb::membrane
