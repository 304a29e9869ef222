// Comparisons of `perturb verify membrane` with theory.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuda/core/math/random.h"
#include "cuda/core/simulation/format.h"
#include "cuda/membrane/measure/theory.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/model/integrals.h"
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
  p.load = Load::mode, p.mode_x = 1, p.mode_y = 2, p.sigma = 1;
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
    for (int i = 0; i < over; ++i) sum += w.phi[i], sum_x += w.phi_x[i], sum_y += w.phi_y[i];
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
  checks.push_back(at_most("row sums of K over its largest entry, " + name, "", 1e-12, most / largest,
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
                      "the even cover's, 16 patches of p = 2, " + std::to_string(even.unknowns) +
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
  p.sigma = 0, p.source_x = 0.31, p.source_y = 0.42;
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
      a = b, fa = fb;
      b = next, fb = inverse_response(b);
    }
    checks.push_back({"resonance (" + std::to_string(m) + ", " + std::to_string(n) + "), k²", "1/length²", exact, b,
                      std::abs(b / exact - 1), tolerance,
                      "pi²(m² + n²); relative, level " + std::to_string(level) + ", p = " + std::to_string(degree)});
  }
}

void check_response(Backend& backend, std::vector<TheoryCheck>& checks, int level, int degree) {
  Parameters p;
  p.sigma = 0, p.source_x = 0.3, p.source_y = 0.4;
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
  check_integration(backend, checks);
  check_refinement(backend, checks);
  // Wide patches of high degree are as accurate as narrow ones in half the time.
  const int level = with_long ? 4 : 3, degree = with_long ? 3 : 4;
  check_modes(backend, checks, level, degree, 1e-5);
  check_response(backend, checks, level, degree);
  check_iterations(backend, checks, with_long ? 5 : 4, with_long ? 9 : 6);
  verify_solver(backend, checks);
  verify_rim(backend, checks);
  verify_time(backend, checks, with_long);
  verify_damped(backend, checks);
  verify_estimate(backend, checks);
  verify_modes(backend, checks);
  return checks;
}

}  // namespace perturb::membrane
