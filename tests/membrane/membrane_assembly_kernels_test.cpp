// The matrices are symmetric, have the constants in the kernel of K, and agree for all kernels and with a plain
// quadrature.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/membrane/membrane_cases.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"

namespace perturb::membrane {
namespace {

class MembraneAssembly : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(MembraneAssembly);

struct Assembled {
  std::vector<double> stiffness, mass, load;
};
Assembled assemble(Backend& backend, const Cover& cover, const Parameters& p, Kernel kernel) {
  Discretisation d(backend, cover, p);
  d.assemble(kernel, membrane_form(p, cover.highest_degree()), true, true);
  return {d.stiffness().download(), d.mass().download(), d.load().download()};
}
double largest(const std::vector<double>& v) {
  double most = 0;
  for (const double x : v) most = std::max(most, std::abs(x));
  return most;
}
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return 1e300;
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most / largest(b);
}

// Different orders of the same sums, relative to the largest entry.
constexpr double same_numbers = 1e-12;

TEST_P(MembraneAssembly, KernelsAgree) {
  SKIP_AT_SMALL_REACH("the largest of several sizes");
  for (const Side side : {Side::fixed, Side::free})
    for (const Basis basis : {Basis::legendre, Basis::monomial})
      for (int degree = 1; degree <= membrane_max_degree; ++degree)
        for (const int level : {0, 1, 3}) {
          Parameters p = sides(side);
          p.basis = basis;
          p.overlap = 1.4;
          if (degree == 2) p.integration_level = 10;
          const Cover cover(level, degree);
          const Assembled rows = assemble(backend(), cover, p, Kernel::rows);
          for (const Kernel kernel : {Kernel::cells, Kernel::tensor}) {
            const Assembled other = assemble(backend(), cover, p, kernel);
            EXPECT_LT(difference(other.stiffness, rows.stiffness), same_numbers) << degree << ' ' << level;
            EXPECT_LT(difference(other.mass, rows.mass), same_numbers);
            EXPECT_LT(difference(other.load, rows.load), same_numbers);
          }
        }
}

TEST_P(MembraneAssembly, KernelsAgreeWhereDegreesDiffer) {
  SKIP_AT_SMALL_REACH("the largest of several sizes");
  Cover cover(3, 1);
  for (int k = 0; k < cover.count(); ++k) cover.change_degree(k, k % 5);
  const Parameters p;
  const Assembled rows = assemble(backend(), cover, p, Kernel::rows);
  for (const Kernel kernel : {Kernel::cells, Kernel::tensor}) {
    const Assembled other = assemble(backend(), cover, p, kernel);
    EXPECT_LT(difference(other.stiffness, rows.stiffness), same_numbers);
    EXPECT_LT(difference(other.mass, rows.mass), same_numbers);
    EXPECT_LT(difference(other.load, rows.load), same_numbers);
  }
}

// The same integrals without cells, lists of patches or formulas of weights: Gauss points on a grid fine enough to
// contain every cut, shape functions by differences.
TEST(MembraneAssemblyReference, APlainQuadratureGivesTheSameMatrices) {
  SKIP_UNDER_SANITIZERS("digits of solutions; smaller tests run the same kernels");
  const auto cpu = Backend::make_cpu(2);
  for (const bool mixed : {false, true}) {
    Parameters p = sides(Side::free);
    p.overlap = 1.5;  // cuts at quarters of a cell
    p.integration_level = 12;
    const Cover cover = mixed ? hp_cover() : Cover(2, 2);
    const Structure s(cover, p.overlap);
    const Assembled got = assemble(*cpu, cover, p, Kernel::tensor);
    const std::vector<double> mass = dense(s, got.mass), stiffness = dense(s, got.stiffness);
    const auto shape = [&](int i, int n, double x, double y) {
      double sum = 0, own = 0;
      for (const Patch& q : s.patches) sum += hat((x - q.x) / q.half) * hat((y - q.y) / q.half);
      const Patch& q = s.patches[static_cast<std::size_t>(i)];
      own = hat((x - q.x) / q.half) * hat((y - q.y) / q.half) / sum;
      const Powers w = membrane_powers(n);
      return own * std::legendre(static_cast<unsigned>(w.a), (x - q.x) / q.half) *
             std::legendre(static_cast<unsigned>(w.b), (y - q.y) / q.half);
    };
    // std::legendre requires arguments in [-1, 1]: outside the patch the weight is 0 anyway.
    const auto safe = [&](int i, int n, double x, double y) {
      return s.patches[static_cast<std::size_t>(i)].covers(x, y) ? shape(i, n, x, y) : 0.0;
    };
    // Cuts are at multiples of 1/(8·finest): quarters of the finest cells, and their middles.
    const int strips = 8 * s.per_side;
    const Rule rule = membrane_gauss_rule(8);
    // A few pairs, near and far.
    int compared = 0;
    for (std::uint64_t k = 0; compared < (mixed ? 6 : 6) && k < 400; ++k) {
      const int i = static_cast<int>(uniform_number(4 * k) * s.count()),
                j = static_cast<int>(uniform_number(4 * k + 1) * s.count());
      const Patch &a = s.patches[static_cast<std::size_t>(i)], &b = s.patches[static_cast<std::size_t>(j)];
      if (std::abs(a.x - b.x) >= a.half + b.half || std::abs(a.y - b.y) >= a.half + b.half) continue;
      ++compared;
      const int n = static_cast<int>(uniform_number(4 * k + 2) * membrane_functions(a.degree));
      const int m = static_cast<int>(uniform_number(4 * k + 3) * membrane_functions(b.degree));
      double sum = 0, slopes = 0;
      for (int sy = 0; sy < strips; ++sy)
        for (int sx = 0; sx < strips; ++sx) {
          const double cx = (sx + 0.5) / strips, cy = (sy + 0.5) / strips;
          if (!a.covers(cx, cy) || !b.covers(cx, cy)) continue;
          for (int gy = 0; gy < rule.count; ++gy)
            for (int gx = 0; gx < rule.count; ++gx) {
              const double x = cx + 0.5 * rule.point[gx] / strips, y = cy + 0.5 * rule.point[gy] / strips;
              const double w = 0.25 * rule.weight[gx] * rule.weight[gy] / strips / strips, h = 1e-6 / strips;
              sum += w * safe(i, n, x, y) * safe(j, m, x, y);
              const auto slope = [&](int q, int f, double dx, double dy) {
                return (safe(q, f, x + dx, y + dy) - safe(q, f, x - dx, y - dy)) / (2 * h);
              };
              slopes += w * (slope(i, n, h, 0) * slope(j, m, h, 0) + slope(i, n, 0, h) * slope(j, m, 0, h));
            }
        }
      const auto at = static_cast<std::size_t>(a.first + n) * static_cast<std::size_t>(s.unknowns) +
                      static_cast<std::size_t>(b.first + m);
      EXPECT_NEAR(mass[at], sum, 1e-9 * largest(mass)) << i << ' ' << j << ' ' << n << ' ' << m;
      EXPECT_NEAR(stiffness[at], slopes, 1e-6 * largest(stiffness)) << "differences of step 1e-6 of a cell";
    }
    EXPECT_EQ(compared, 6);
  }
}

TEST_P(MembraneAssembly, MatricesAreExactlySymmetric) {
  for (const Cover& cover : {Cover(2, 3), hp_cover()})
    for (const Kernel kernel : {Kernel::rows, Kernel::cells, Kernel::tensor}) {
      const Parameters p = sides(Side::fixed);
      const Structure s(cover, p.overlap);
      const Assembled m = assemble(backend(), cover, p, kernel);
      const auto n = static_cast<std::size_t>(s.unknowns);
      for (const auto& values : {m.stiffness, m.mass}) {
        const std::vector<double> full = dense(s, values);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(full[i * n + j], full[j * n + i]) << i << ' ' << j;
      }
    }
}

TEST_P(MembraneAssembly, ConstantsCostNothingAndTheMassOfOneIsTheArea) {
  for (const Cover& cover : {Cover(3, 2), hp_cover()}) {
    Parameters p = sides(Side::free);
    p.integration_level = 12;
    const Structure s(cover, p.overlap);
    const Assembled m = assemble(backend(), cover, p, Kernel::tensor);
    const std::vector<double> stiffness = dense(s, m.stiffness), mass = dense(s, m.mass);
    const auto n = static_cast<std::size_t>(s.unknowns);
    double area = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (const Patch& q : s.patches) sum += stiffness[i * n + static_cast<std::size_t>(q.first)];
      EXPECT_NEAR(sum, 0, 1e-12 * largest(stiffness));
    }
    for (const Patch& q : s.patches)
      for (const Patch& r : s.patches)
        area += mass[static_cast<std::size_t>(q.first) * n + static_cast<std::size_t>(r.first)];
    EXPECT_NEAR(area, 1, 1e-11);  // rational integrands of the mixed cover, by 13 points per direction
  }
}

// Whether the matrix has a Cholesky factorisation.
bool definite(std::vector<double> a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 0)) return false;
      a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
  }
  return true;
}

TEST_P(MembraneAssembly, MassAndFixedStiffnessArePositiveDefinite) {
  for (const double overlap : {1.05, 1.3, 1.9})
    for (const double nitsche : {2.5, 5.0})
      for (const Cover& cover : {Cover(0, 4), Cover(2, 1), Cover(2, 3), hp_cover()}) {
        Parameters p = sides(Side::fixed);
        p.overlap = overlap;
        p.nitsche = nitsche;
        const Structure s(cover, overlap);
        const Assembled m = assemble(backend(), cover, p, Kernel::tensor);
        EXPECT_TRUE(definite(dense(s, m.mass), static_cast<std::size_t>(s.unknowns))) << overlap;
        EXPECT_TRUE(definite(dense(s, m.stiffness), static_cast<std::size_t>(s.unknowns))) << overlap << ' ' << nitsche;
      }
}

TEST(MembraneAssemblyBackends, CpuAndCudaAgree) {
  if (!cuda_status().usable) GTEST_SKIP() << cuda_status().reason;
  const auto cpu = Backend::make_cpu(2), cuda = Backend::make_cuda();
  for (int degree = 1; degree <= membrane_max_degree; ++degree)
    for (const Kernel kernel : {Kernel::rows, Kernel::cells, Kernel::tensor}) {
      const Parameters p;
      const Assembled a = assemble(*cpu, Cover(4, degree), p, kernel), b = assemble(*cuda, Cover(4, degree), p, kernel);
      EXPECT_LT(difference(b.stiffness, a.stiffness), 1e-12);
      EXPECT_LT(difference(b.mass, a.mass), 1e-12);
      EXPECT_LT(difference(b.load, a.load), 1e-12);
    }
  const Parameters p;
  const Assembled a = assemble(*cpu, hp_cover(), p, Kernel::rows), b = assemble(*cuda, hp_cover(), p, Kernel::rows);
  EXPECT_LT(difference(b.stiffness, a.stiffness), 1e-12);
  EXPECT_LT(difference(b.mass, a.mass), 1e-12);
  EXPECT_LT(difference(b.load, a.load), 1e-12);
}

}  // namespace
}  // namespace perturb::membrane
