// The physics of one cell of the D2Q9 lattice: values in, values out.
//
//   f_i(x + e_i, t + 1) = f_i(x, t) - (f_i - feq_i)/tau,  feq_i = w_i rho (1 + 3 e_i·u + 9/2 (e_i·u)² - 3/2 u·u)
//
// Qian, d'Humieres & Lallemand (1992); Carrillo, Siegel & Li (2010) as the program's source. Populations are shifted by their
// weights, g_i = f_i - w_i, so that the small numbers which carry the flow keep all their digits. Links in the order
//
//   6 2 5
//   3 0 1
//   7 4 8
#pragma once

#include <cmath>

#include "cuda/core/host_device.h"

namespace perturb {

constexpr int lbm_links = 9;

PERTURB_HD constexpr int lbm_ex(int q) { return q == 1 || q == 5 || q == 8 ? 1 : q == 3 || q == 6 || q == 7 ? -1 : 0; }
PERTURB_HD constexpr int lbm_ey(int q) { return q == 2 || q == 5 || q == 6 ? 1 : q == 4 || q == 7 || q == 8 ? -1 : 0; }
PERTURB_HD constexpr int lbm_opposite(int q) { return q == 0 ? 0 : q < 5 ? (q + 1) % 4 + 1 : (q - 3) % 4 + 5; }
PERTURB_HD constexpr float lbm_weight(int q) { return q == 0 ? 4.f / 9.f : q < 5 ? 1.f / 9.f : 1.f / 36.f; }

// What the collision needs to know; the same for all cells.
struct LbmRates {
  float plus = 1, minus = 1;  // relaxation rates of the even and the odd moments; equal: BGK
  float force_x = 0, force_y = 0;
  float tau = 1;   // LES: the molecular relaxation time
  float eddy = 0;  // LES: 18 √2 C²
};

enum LbmFeature : int { lbm_plain = 0, lbm_forced = 1, lbm_eddies = 2 };

struct LbmMoments {
  float drho;  // rho - 1
  float ux, uy;
};

// Sums of shifted populations in a fixed order, in opposite pairs: what is symmetric stays so to the bit.
PERTURB_HD inline float lbm_density(const float (&g)[lbm_links]) {
  return g[0] + (((g[1] + g[3]) + (g[2] + g[4])) + ((g[5] + g[7]) + (g[6] + g[8])));
}
PERTURB_HD inline float lbm_momentum_x(const float (&g)[lbm_links]) {
  return (g[1] - g[3]) + ((g[5] - g[7]) + (g[8] - g[6]));
}
PERTURB_HD inline float lbm_momentum_y(const float (&g)[lbm_links]) {
  return (g[2] - g[4]) + ((g[5] - g[7]) + (g[6] - g[8]));
}

// `share` of the force belongs to the velocity: +1/2 before the collision, -1/2 after it (Guo).
PERTURB_HD inline LbmMoments lbm_moments(const float (&g)[lbm_links], float share_x, float share_y) {
  const float drho = lbm_density(g), inverse = 1.f / (1.f + drho);
  return {drho, (lbm_momentum_x(g) + share_x) * inverse, (lbm_momentum_y(g) + share_y) * inverse};
}

PERTURB_HD inline float lbm_equilibrium(int q, LbmMoments m) {
  const float eu = static_cast<float>(lbm_ex(q)) * m.ux + static_cast<float>(lbm_ey(q)) * m.uy;
  const float uu = m.ux * m.ux + m.uy * m.uy;
  return lbm_weight(q) * (m.drho + (1.f + m.drho) * (3.f * eu + 4.5f * eu * eu - 1.5f * uu));
}

// One pair of opposite links: relaxes its even part and its odd part, each at its own rate.
//   even, odd    the pair's equilibrium: w (drho + rho (9/2 (e·u)² - 3/2 u·u)) and 3 w rho e·u
PERTURB_HD inline void lbm_relax(float& a, float& b, float even, float odd, float plus, float minus) {
  const float s = 0.5f * (a + b), d = 0.5f * (a - b);
  const float s1 = multiply_add(plus, even - s, s), d1 = multiply_add(minus, odd - d, d);
  a = s1 + d1;
  b = s1 - d1;
}

// Replaces the populations that have arrived at a cell by those that leave it.
template <int Features>
PERTURB_HD inline void lbm_collide(float (&g)[lbm_links], const LbmRates& r) {
  constexpr bool forced = (Features & lbm_forced) != 0, eddies = (Features & lbm_eddies) != 0;
  const float drho = lbm_density(g), rho = 1.f + drho, inverse = 1.f / rho;
  float jx = lbm_momentum_x(g), jy = lbm_momentum_y(g);
  if constexpr (forced) jx = multiply_add(0.5f, r.force_x, jx), jy = multiply_add(0.5f, r.force_y, jy);
  const float ux = jx * inverse, uy = jy * inverse;

  float plus = r.plus, minus = r.minus;
  if constexpr (eddies) {
    // |Pi| of the part out of equilibrium gives the strain (Hou, Sterling, Chen & Doolen 1996).
    const float diagonal = (g[5] + g[7]) + (g[6] + g[8]), third = drho * (1.f / 3.f);
    const float pxx = ((g[1] + g[3]) + diagonal) - third - jx * ux, pyy = ((g[2] + g[4]) + diagonal) - third - jy * uy;
    const float pxy = ((g[5] + g[7]) - (g[6] + g[8])) - jx * uy;
    const float stress = std::sqrt(pxx * pxx + pyy * pyy + 2.f * pxy * pxy);
    const float tau = 0.5f * (r.tau + std::sqrt(r.tau * r.tau + r.eddy * stress * inverse));
    plus = minus = 1.f / tau;
  }

  const float square = multiply_add(ux, jx, uy * jy);    // rho u·u
  const float base = multiply_add(-1.5f, square, drho);  // drho - 3/2 rho u·u
  const float sum = ux + uy, difference = ux - uy, jsum = jx + jy, jdifference = jx - jy;
  constexpr float w0 = 4.f / 9.f, w1 = 1.f / 9.f, w2 = 1.f / 36.f;
  g[0] = multiply_add(plus, multiply_add(w0, base, -g[0]), g[0]);
  lbm_relax(g[1], g[3], w1 * multiply_add(4.5f * ux, jx, base), (3.f * w1) * jx, plus, minus);
  lbm_relax(g[2], g[4], w1 * multiply_add(4.5f * uy, jy, base), (3.f * w1) * jy, plus, minus);
  lbm_relax(g[5], g[7], w2 * multiply_add(4.5f * sum, jsum, base), (3.f * w2) * jsum, plus, minus);
  lbm_relax(g[8], g[6], w2 * multiply_add(4.5f * difference, jdifference, base), (3.f * w2) * jdifference, plus, minus);

  if constexpr (forced) {
    // Guo: S_i = w_i (3 (e_i - u) + 9 (e_i·u) e_i)·F, its even and odd parts weighted with their own rates.
    const float even = 1.f - 0.5f * plus, odd = 1.f - 0.5f * minus;
    const float fx = r.force_x, fy = r.force_y, work = -3.f * (ux * fx + uy * fy);
    g[0] += even * w0 * work;
    const auto add = [&](float& a, float& b, float w, float eu, float ef) {
      const float s = even * w * (9.f * eu * ef + work), d = odd * w * 3.f * ef;
      a += s + d;
      b += s - d;
    };
    add(g[1], g[3], w1, ux, fx);
    add(g[2], g[4], w1, uy, fy);
    add(g[5], g[7], w2, sum, fx + fy);
    add(g[8], g[6], w2, difference, fx - fy);
  }
}

}  // namespace perturb
