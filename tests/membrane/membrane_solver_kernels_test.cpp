// The solver and its solutions: exact for polynomials, convergent otherwise.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/membrane/membrane_cases.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"

namespace perturb::membrane {
namespace {

class MembraneSolve : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(MembraneSolve);

Solved solve(Discretisation& d, const Parameters& p, double tolerance = 1e-12) {
  const Form form = membrane_form(p, d.structure().highest_degree);
  d.assemble(Kernel::tensor, form, true, true);
  const bool definite = p.shift() > 0 || (p.shift() == 0 && lowest_eigenvalue(p) > 0);
  d.solver().prepare(d.matrix(definite ? p.shift() : std::abs(p.shift())), form, p.preconditioner);
  return d.solve(p.shift(), definite, {p.preconditioner, tolerance, p.max_iterations});
}

struct ErrorNorms {
  double value, slope;
};
ErrorNorms errors_of(Backend& backend, const Cover& cover, const Parameters& p) {
  Discretisation d(backend, cover, p);
  EXPECT_TRUE(solve(d, p).converged);
  const CellError e = d.error(membrane_known(p), std::min(cover.highest_degree() + 4, max_points));
  return {std::sqrt(e.value2), std::sqrt(e.slope2)};
}

// The patch test: -div grad u + u = f with a polynomial u of degree p is solved exactly. Fixed and free sides have
// homogeneous conditions that the polynomial does not satisfy. So the test is that A applied to its coefficients is the
// load of f plus the boundary terms. Inside the square, without boundary terms, that is A u = F.
TEST_P(MembraneSolve, PolynomialsAreReproduced) {
  SKIP_UNDER_SANITIZERS("digits of solutions; smaller tests run the same kernels");
  for (const Cover& cover : {Cover(3, 1), Cover(3, 2), Cover(2, 3), Cover(2, 4), Cover(2, 5), mixed_cover(1),
                             mixed_cover(2), mixed_cover(3), hp_cover()})
    for (const double overlap : {1.2, 1.6}) {
      int degree = membrane_max_degree;
      for (const Leaf& leaf : cover.leaves()) degree = std::min(degree, leaf.degree);
      Parameters p = sides(Side::free);
      p.overlap = overlap;
      p.integration_level = 12;
      Discretisation d(backend(), cover, p);
      d.assemble(Kernel::tensor, membrane_form(p, degree), true, false);
      const auto u = [&](double x, double y) {
        return std::pow(x, degree) + (degree > 1 ? x * std::pow(y, degree - 1) : y) + 0.5;
      };
      const auto f = [&](double x, double y) {
        double laplace = degree > 1 ? degree * (degree - 1) * std::pow(x, degree - 2) : 0;
        if (degree > 2) laplace += (degree - 1) * (degree - 2) * x * std::pow(y, degree - 3);
        return -laplace + u(x, y);
      };
      const Structure& s = d.structure();
      d.solution().upload(interpolate(s, Basis::legendre, u));
      // The coefficients represent the polynomial everywhere.
      const std::vector<double> samples = d.solution().download();
      const auto cpu = Backend::make_cpu(1);
      Discretisation host(*cpu, cover, p);
      host.solution().upload(samples);
      for (std::uint64_t k = 0; k < 100; ++k) {
        const double x = uniform_number(2 * k), y = uniform_number(2 * k + 1);
        ASSERT_NEAR(host.field().value(x, y), u(x, y), 1e-12);
      }
      // A u against the integrals of f with every shape function of patches that touch no side.
      Array<double> product(backend(), static_cast<std::size_t>(s.unknowns), "product");
      d.solver().apply(d.matrix(1), d.solution().data(), product.data());
      const std::vector<double> got = product.download();
      std::vector<double> want(got.size());
      const SpaceView view = host.space().view();
      const Rule rule = membrane_gauss_rule(13);
      for (int i = 0; i < s.count(); ++i)
        for (int which = 0; which < view.cells_of(i); ++which) {
          const Cell c = view.cell_of(i, which);
          const int self = c.index_of(i);
          for (int b = 0; b < rule.count; ++b)
            for (int a = 0; a < rule.count; ++a) {
              const double x = 0.5 * (c.x0 + c.x1) + 0.5 * (c.x1 - c.x0) * rule.point[a];
              const double y = 0.5 * (c.y0 + c.y1) + 0.5 * (c.y1 - c.y0) * rule.point[b];
              Weights w;
              w.at(x, y, c.over, PatchesOf{s.patches.data(), c.patches});
              Shapes v;
              v.at(s.patches[static_cast<std::size_t>(i)], p.basis, x, y, w.phi[self], 0, 0);
              for (int n = 0; n < view.functions(i); ++n)
                want[static_cast<std::size_t>(s.patches[static_cast<std::size_t>(i)].first + n)] +=
                    0.25 * (c.x1 - c.x0) * (c.y1 - c.y0) * rule.weight[a] * rule.weight[b] * f(x, y) * v.value[n];
            }
        }
      int compared = 0;
      for (const Patch& q : s.patches) {
        if (q.x - q.half < 0 || q.x + q.half > 1 || q.y - q.half < 0 || q.y + q.half > 1) continue;
        for (int n = 0; n < membrane_functions(q.degree); ++n, ++compared)
          ASSERT_NEAR(got[static_cast<std::size_t>(q.first + n)], want[static_cast<std::size_t>(q.first + n)], 2e-11);
      }
      EXPECT_GT(compared, 0);
    }
}

// Manufactured solutions: cos(pi x) cos(2 pi y) with free sides, sin(pi x) sin(2 pi y) with fixed ones. Order p + 1 in
// L² and p in H¹ over four levels; the observed order may be lower than the theoretical one by this.
constexpr double order_room = 0.25;

void expect_orders(Backend& backend, Side side, int degree, int integration, int finest) {
  Parameters p = sides(side);
  p.load = Load::mode;
  p.mode_x = 1;
  p.mode_y = 2;
  p.sigma = 1;
  p.integration_level = integration;
  std::vector<ErrorNorms> errors;
  for (int level = finest - 3; level <= finest; ++level) errors.push_back(errors_of(backend, Cover(level, degree), p));
  for (std::size_t k = 1; k < errors.size(); ++k) {
    // The coarsest pair may not have reached the asymptotic order yet; the last two must have.
    const double value = std::log2(errors[k - 1].value / errors[k].value),
                 slope = std::log2(errors[k - 1].slope / errors[k].slope);
    const double room = k == 1 ? 3 * order_room : order_room;
    EXPECT_GT(value, degree + 1 - room) << "degree " << degree << ", step " << k;
    EXPECT_GT(slope, degree - room) << "degree " << degree << ", step " << k;
  }
}

TEST_P(MembraneSolve, ConvergesInTheOrderOfItsDegreeWithFreeSides) {
  for (int degree = 1; degree <= 4; ++degree) expect_orders(backend(), Side::free, degree, 10, degree > 2 ? 4 : 5);
}
TEST_P(MembraneSolve, ConvergesInTheOrderOfItsDegreeWithFixedSides) {
  for (int degree = 1; degree <= 4; ++degree) expect_orders(backend(), Side::fixed, degree, 10, degree > 2 ? 4 : 5);
}
// q = p loses no order: p + 1 points are exact up to degree 2p + 1, and only the mass of the overlaps needs more.
TEST_P(MembraneSolve, TheIntegrationLevelOfTheDegreeKeepsTheOrder) {
  for (int degree = 1; degree <= 3; ++degree) expect_orders(backend(), Side::free, degree, 0, degree > 2 ? 4 : 5);
}

TEST_P(MembraneSolve, ManualRefinementReducesError) {
  Parameters p = sides(Side::fixed);
  p.load = Load::mode;
  p.sigma = 0;
  Cover cover(2, 1);
  const ErrorNorms before = errors_of(backend(), cover, p);
  Cover raised = cover, split = cover;
  for (int k = 0; k < cover.count(); ++k) raised.change_degree(k, 1);
  for (double y = 0.125; y < 1; y += 0.25)
    for (double x = 0.125; x < 1; x += 0.25) split.split(split.find(x, y));
  EXPECT_LT(errors_of(backend(), raised, p).value, 0.3 * before.value);
  EXPECT_LT(errors_of(backend(), split, p).value, 0.4 * before.value);
  // Only some of them: not worse.
  Cover some = cover;
  some.split(some.find(0.5, 0.2));
  some.change_degree(some.find(0.6, 0.8), 1);
  EXPECT_LT(errors_of(backend(), some, p).value, 1.02 * before.value);
}

TEST_P(MembraneSolve, RandomRightHandSides) {
  SKIP_UNDER_SANITIZERS("digits of solutions; smaller tests run the same kernels");
  for (const Cover& cover : {Cover(3, 2), hp_cover()})
    for (const double shift : {10.0, 0.0, -30.0, -333.0})
      for (const Preconditioner kind : {Preconditioner::none, Preconditioner::patch, Preconditioner::multilevel}) {
        Parameters p;
        p.sigma = shift;
        Discretisation d(backend(), cover, p);
        const Form form = membrane_form(p, cover.highest_degree());
        d.assemble(Kernel::tensor, form, true, false);
        std::vector<double> right(static_cast<std::size_t>(d.structure().unknowns));
        for (std::size_t k = 0; k < right.size(); ++k) right[k] = uniform_number(k) - 0.5;
        Array<double> load(backend(), right.size(), "load"), rest(backend(), right.size(), "rest");
        load.upload(right);
        d.solver().prepare(d.matrix(std::abs(shift)), form, kind);
        const Solved solved =
            d.solver().solve(d.matrix(shift), shift >= 0, load.data(), d.solution().data(), {kind, 1e-12, 20000});
        EXPECT_TRUE(solved.converged) << shift << ' ' << static_cast<int>(kind);
        EXPECT_EQ(solved.minres, shift < 0);
        // The true residual, not the one that the recursion computes.
        d.solver().apply(d.matrix(shift), d.solution().data(), rest.data());
        const std::vector<double> product = rest.download();
        double away = 0, size = 0;
        for (std::size_t k = 0; k < right.size(); ++k) {
          away += std::pow(product[k] - right[k], 2);
          size += right[k] * right[k];
        }
        EXPECT_LT(std::sqrt(away / size), 1e-8) << shift << ' ' << static_cast<int>(kind) << ' ' << solved.iterations;
      }
}

TEST_P(MembraneSolve, ThePreconditionerIsSymmetric) {
  for (const Cover& cover : {Cover(3, 2), hp_cover()})
    for (const Preconditioner kind : {Preconditioner::patch, Preconditioner::multilevel}) {
      const Parameters p;
      Discretisation d(backend(), cover, p);
      const Form form = membrane_form(p, cover.highest_degree());
      d.assemble(Kernel::tensor, form, true, false);
      d.solver().prepare(d.matrix(1), form, kind);
      const auto n = static_cast<std::size_t>(d.structure().unknowns);
      std::vector<double> x(n), y(n);
      for (std::size_t k = 0; k < n; ++k) {
        x[k] = uniform_number(k) - 0.5;
        y[k] = uniform_number(k + n) - 0.5;
      }
      Array<double> a(backend(), n, "a"), b(backend(), n, "b"), pa(backend(), n, "pa"), pb(backend(), n, "pb");
      a.upload(x);
      b.upload(y);
      d.solver().precondition(kind, a.data(), pa.data());
      d.solver().precondition(kind, b.data(), pb.data());
      const double one = d.solver().dot(b.data(), pa.data()), other = d.solver().dot(a.data(), pb.data());
      const double size = std::sqrt(d.solver().dot(a.data(), pa.data()) * d.solver().dot(b.data(), pb.data()));
      EXPECT_GT(d.solver().dot(a.data(), pa.data()), 0);
      EXPECT_NEAR(one, other, 1e-12 * size);
    }
}

// The iterations of the multilevel preconditioner do not grow with the level.
TEST_P(MembraneSolve, IterationsDoNotGrowWithTheLevel) {
  for (const int degree : {1, 2}) {
    std::vector<int> iterations;
    for (const int level : {3, 4, 5, 6}) {
      Parameters p;
      p.sigma = 1;
      p.source_x = 0.3;
      Discretisation d(backend(), Cover(level, degree), p);
      iterations.push_back(solve(d, p, 1e-8).iterations);
    }
    EXPECT_LT(iterations.back(), 1.5 * iterations.front()) << degree;
    EXPECT_LT(iterations.back(), 40);
  }
}

// The response has its peaks at k² = pi²(m² + n²): its sign changes between two frequencies around a mode.
TEST_P(MembraneSolve, TheResponseTurnsAtTheModes) {
  const Cover cover(3, 3);
  for (const auto& [m, n] : {std::pair{1, 1}, std::pair{1, 2}, std::pair{2, 2}}) {
    const double mode = std::numbers::pi * std::numbers::pi * (m * m + n * n);
    double sides_of_mode[2];
    for (const int side : {0, 1}) {
      Parameters p;
      p.sigma = -mode * (side == 0 ? 1 - 1e-3 : 1 + 1e-3);
      p.source_x = 0.3;
      p.source_y = 0.4;
      Discretisation d(backend(), cover, p);
      ASSERT_TRUE(solve(d, p, 1e-9).converged);
      sides_of_mode[side] = d.work();
    }
    // Load·u = sum of f_mn²/(lambda - k²): large and positive just below, large and negative just above.
    EXPECT_GT(sides_of_mode[0], 0);
    EXPECT_LT(sides_of_mode[1], 0);
  }
}

TEST_P(MembraneSolve, TheResponseIsTheModesSum) {
  Parameters p;
  p.sigma = 0;
  p.source_x = 0.3;
  p.source_y = 0.4;
  p.source_width = 0.15;
  for (const double k : {3.0, 6.0, 9.5}) {
    p.frequency = k;
    Discretisation d(backend(), Cover(4, 3), p);
    ASSERT_TRUE(solve(d, p).converged);
    const double exact = exact_response_at(p, k);
    EXPECT_NEAR(d.mean(), exact, 1e-4 * exact) << k;
  }
}

TEST_P(MembraneSolve, StopsWithResidualAndKeepsLastSolution) {
  Parameters p;
  p.preconditioner = Preconditioner::none;
  p.max_iterations = 3;
  Discretisation d(backend(), Cover(4, 2), p);
  std::vector<double> before(static_cast<std::size_t>(d.structure().unknowns), 0.25);
  d.solution().upload(before);
  const Solved solved = solve(d, p);
  EXPECT_FALSE(solved.converged);
  EXPECT_EQ(solved.iterations, 3);
  EXPECT_GT(solved.residual, 1e-12);
  EXPECT_EQ(d.solution().download(), before);
}

}  // namespace
}  // namespace perturb::membrane
