// The collision of one cell compared with the papers' formulas, in double precision.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "cuda/lbm/model/cell.h"

namespace perturb::lbm {
namespace {

struct BookRates {
  double tau_even, tau_odd, force_x, force_y;
  double smagorinsky = 0;  // C; 0: no eddies
};

// Populations f_i in, f_i out. Two relaxation times (Ginzburg), each with the part of Guo's force of its parity; with
// `smagorinsky`, both times are those of Hou, Sterling, Chen & Doolen.
void collide_by_the_book(double (&f)[lbm_links], BookRates rates) {
  double rho = 0, jx = 0.5 * rates.force_x, jy = 0.5 * rates.force_y;
  for (int q = 0; q < lbm_links; ++q) {
    rho += f[q];
    jx += lbm_ex(q) * f[q];
    jy += lbm_ey(q) * f[q];
  }
  const double ux = jx / rho, uy = jy / rho;
  double equilibrium[lbm_links], source[lbm_links];
  for (int q = 0; q < lbm_links; ++q) {
    const double w = q == 0 ? 4. / 9 : q < 5 ? 1. / 9 : 1. / 36, ex = lbm_ex(q), ey = lbm_ey(q), eu = ex * ux + ey * uy;
    equilibrium[q] = w * rho * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * (ux * ux + uy * uy));
    source[q] = w * ((3 * (ex - ux) + 9 * eu * ex) * rates.force_x + (3 * (ey - uy) + 9 * eu * ey) * rates.force_y);
  }
  if (rates.smagorinsky > 0) {
    double xx = 0, yy = 0, xy = 0;
    for (int q = 0; q < lbm_links; ++q) {
      const double out = f[q] - equilibrium[q];
      xx += lbm_ex(q) * lbm_ex(q) * out;
      yy += lbm_ey(q) * lbm_ey(q) * out;
      xy += lbm_ex(q) * lbm_ey(q) * out;
    }
    const double stress = std::sqrt(xx * xx + yy * yy + 2 * xy * xy), c2 = rates.smagorinsky * rates.smagorinsky;
    rates.tau_even = rates.tau_odd =
        0.5 * (rates.tau_even + std::sqrt(rates.tau_even * rates.tau_even + 18 * std::sqrt(2.) * c2 * stress / rho));
  }
  double after[lbm_links];
  for (int q = 0; q < lbm_links; ++q) {
    const int o = lbm_opposite(q);
    const double even = 0.5 * (f[q] + f[o]) - 0.5 * (equilibrium[q] + equilibrium[o]),
                 odd = 0.5 * (f[q] - f[o]) - 0.5 * (equilibrium[q] - equilibrium[o]);
    after[q] = f[q] - even / rates.tau_even - odd / rates.tau_odd +
               (1 - 0.5 / rates.tau_even) * 0.5 * (source[q] + source[o]) +
               (1 - 0.5 / rates.tau_odd) * 0.5 * (source[q] - source[o]);
  }
  for (int q = 0; q < lbm_links; ++q) f[q] = after[q];
}

template <int Features>
void compare(const BookRates& rates) {
  Rates r;
  r.tau = static_cast<float>(rates.tau_even);
  const float plus = static_cast<float>(1 / rates.tau_even), minus = static_cast<float>(1 / rates.tau_odd);
  r.relaxation = lbm_relaxation(plus, minus);
  r.force_x = static_cast<float>(rates.force_x);
  r.force_y = static_cast<float>(rates.force_y);
  r.forcing = lbm_forcing(r.tau, minus, r.force_x, r.force_y);
  r.eddy = static_cast<float>(18 * std::sqrt(2.) * rates.smagorinsky * rates.smagorinsky);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> near(-0.01, 0.01);
  for (int cell = 0; cell < 200; ++cell) {
    float g[lbm_links];
    double f[lbm_links];
    double mass = 0, x = 0;
    for (int q = 0; q < lbm_links; ++q) {
      g[q] = static_cast<float>(near(random));
      const double w = q == 0 ? 4. / 9 : q < 5 ? 1. / 9 : 1. / 36;
      f[q] = w + static_cast<double>(g[q]);
      mass += static_cast<double>(g[q]);
      x += lbm_ex(q) * static_cast<double>(g[q]);
    }
    lbm_collide<Features>(g, r);
    collide_by_the_book(f, rates);
    for (int q = 0; q < lbm_links; ++q) {
      const double w = q == 0 ? 4. / 9 : q < 5 ? 1. / 9 : 1. / 36;
      // The tolerance covers a dozen rounding errors of numbers below 0.05.
      ASSERT_NEAR(static_cast<double>(g[q]), f[q] - w, 3e-8) << "link " << q << ", cell " << cell;
      mass -= static_cast<double>(g[q]);
      x -= lbm_ex(q) * static_cast<double>(g[q]);
    }
    ASSERT_NEAR(mass, 0, 5e-8);
    ASSERT_NEAR(-x, rates.force_x, 5e-8) << "a step adds the force to the momentum";
  }
}

TEST(LbmCell, CollidesByTheBook) {
  for (const double tau : {0.51, 0.8, 1.0, 4.0})
    for (const double odd : {tau, 0.5 + 0.1875 / (tau - 0.5)}) {
      SCOPED_TRACE("tau " + std::to_string(tau) + ", " + std::to_string(odd));
      compare<lbm_plain>({tau, odd, 0, 0});
      compare<lbm_forced>({tau, odd, 0.01, -0.004});
      compare<lbm_forced>({tau, odd, 0, 2e-3});
    }
  for (const double tau : {0.5001, 0.6}) {
    SCOPED_TRACE("eddies, tau " + std::to_string(tau));
    compare<lbm_eddies>({tau, tau, 0, 0, 0.17});
    compare<lbm_eddies | lbm_forced>({tau, tau, -0.006, 0.01, 0.17});
  }
}

}  // namespace
}  // namespace perturb::lbm
