// The physics of one cell of the D2Q9 lattice: values in, values out.
//
//   f_i(x + e_i, t + 1) = f_i(x, t) - (f_i - feq_i)/tau,  feq_i = w_i rho (1 + 3 e_i·u + 9/2 (e_i·u)² - 3/2 u·u)
//
// Qian, d'Humieres & Lallemand (1992); Carrillo, Siegel & Li (2010) as the program's source. Populations are
// shifted by their weights, g_i = f_i - w_i, so that the small numbers which carry the flow keep all their
// digits. Links in the order
//
//   6 2 5
//   3 0 1
//   7 4 8
#pragma once

#include <cmath>
#include <type_traits>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/math/pack.h"  // PERTURB_UNROLL
#include "cuda/core/math/reciprocal.h"

namespace perturb::lbm {

constexpr int lbm_links = 9;

PERTURB_HD constexpr int lbm_ex(int q) { return q == 1 || q == 5 || q == 8 ? 1 : q == 3 || q == 6 || q == 7 ? -1 : 0; }
PERTURB_HD constexpr int lbm_ey(int q) { return q == 2 || q == 5 || q == 6 ? 1 : q == 4 || q == 7 || q == 8 ? -1 : 0; }
PERTURB_HD constexpr int lbm_opposite(int q) { return q == 0 ? 0 : q < 5 ? (q + 1) % 4 + 1 : (q - 3) % 4 + 5; }
PERTURB_HD constexpr float lbm_weight(int q) { return q == 0 ? 4.f / 9.f : q < 5 ? 1.f / 9.f : 1.f / 36.f; }

// How a cell relaxes, for even moments at the rate `plus` and odd ones at `minus`: every product of constants made
// beforehand. The collision keeps a share of what there is and adds a share of the equilibrium; the shares are made to
// sum to one (and not each rounded by itself), so that mass and momentum do not drift.
struct Relaxation {
  float even0 = 4.f / 9.f, even1 = 1.f / 9.f, even2 = 1.f / 36.f;  // plus w
  float odd1 = 1.f / 3.f, odd2 = 1.f / 12.f;                       // 3 minus w
  float keep_rest = 0, keep_even = 0, keep_odd = 0;  // the last two halved, for sums and differences of pairs
};
PERTURB_HD inline Relaxation lbm_relaxation(float plus, float minus) {
  Relaxation r;
  const float kept = 1.f - plus, kept_odd = 1.f - minus;
  // In multiples of 2^-24 (what adding and taking away 1/2 leaves of a number below 1/2) the sums below are exact.
  r.even1 = (plus * (1.f / 9.f) + 0.5f) - 0.5f, r.even2 = 0.25f * r.even1;
  r.even0 = multiply_add(-5.f, r.even1, 1.f - kept);
  r.odd1 = (minus * (1.f / 3.f) + 0.5f) - 0.5f;
  r.odd2 = 0.25f * multiply_add(-2.f, r.odd1, 1.f - kept_odd);
  r.keep_rest = kept, r.keep_even = 0.5f * kept, r.keep_odd = 0.5f * kept_odd;
  return r;
}

// Guo, Zheng & Shi (2002): S_i = w_i (3 (e_i - u) + 9 (e_i·u) e_i)·F, its even part weighted with 1 - plus/2 and its
// odd part with 1 - minus/2. The odd part does not depend on the flow. The even part is that of the equilibrium with
// (2/plus - 1) F in place of one of its two momenta: 9 u F (1 - plus/2) = plus 9/2 u (2/plus - 1) F. So a force is
// hardly more than additions.
struct Forcing {
  float even_x = 0, even_y = 0;             // (2/plus - 1) F
  float odd1_x = 0, odd1_y = 0;             // (1 - minus/2) 3 w F, of the links along an axis
  float odd2_sum = 0, odd2_difference = 0;  // of the diagonal ones: with Fx + Fy, Fx - Fy
};
// `tau`: 1/plus.
PERTURB_HD inline Forcing lbm_forcing(float tau, float minus, float force_x, float force_y) {
  const float even = multiply_add(2.f, tau, -1.f), odd1 = (1.f - 0.5f * minus) * (1.f / 3.f), odd2 = 0.25f * odd1;
  return {even * force_x,
          even * force_y,
          odd1 * force_x,
          odd1 * force_y,
          odd2 * (force_x + force_y),
          odd2 * (force_x - force_y)};
}

// What the collision needs to know; the same for all cells.
struct Rates {
  Relaxation relaxation;
  float force_x = 0, force_y = 0;
  Forcing forcing;  // of these at the rates of `relaxation`
  float tau = 1;    // LES: the molecular relaxation time
  float eddy = 0;   // LES: 18 √2 C²
};

enum Feature : int { lbm_plain = 0, lbm_forced = 1, lbm_eddies = 2 };

// Calls `f` with the features as a constant that it can give to a template: decltype(constant)::value.
template <class F>
auto with_features(int features, const F& f) {
  switch (features) {
    case lbm_plain:
      return f(std::integral_constant<int, lbm_plain>{});
    case lbm_forced:
      return f(std::integral_constant<int, lbm_forced>{});
    case lbm_eddies:
      return f(std::integral_constant<int, lbm_eddies>{});
    default:
      return f(std::integral_constant<int, lbm_forced | lbm_eddies>{});
  }
}

struct Moments {
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
PERTURB_HD inline Moments moments(const float (&g)[lbm_links], float share_x, float share_y) {
  const float drho = lbm_density(g), inverse = reciprocal(1.f + drho);
  return {drho, (lbm_momentum_x(g) + share_x) * inverse, (lbm_momentum_y(g) + share_y) * inverse};
}

PERTURB_HD inline float lbm_equilibrium(int q, Moments m) {
  const float eu = static_cast<float>(lbm_ex(q)) * m.ux + static_cast<float>(lbm_ey(q)) * m.uy;
  const float uu = m.ux * m.ux + m.uy * m.uy;
  return lbm_weight(q) * (m.drho + (1.f + m.drho) * (3.f * eu + 4.5f * eu * eu - 1.5f * uu));
}

// One pair of opposite links, from its sum and its difference.
//   even, odd    the shares of the pair's equilibrium: plus w (drho + rho (9/2 (e·u)² - 3/2 u·u)) and 3 minus w rho e·u
PERTURB_HD inline void relax(float& a, float& b, float sum, float difference, float even, float odd,
                             const Relaxation& r) {
  const float s = multiply_add(r.keep_even, sum, even), d = multiply_add(r.keep_odd, difference, odd);
  a = s + d;
  b = s - d;
}

// The limiter. The scheme is a low-Mach model: where fluid comes near the speed of sound, or far from its mean density,
// ripples of a few cells grow without end. The load of a cell, 9/2 rho u² + 3/2 (rho - 1)², says how near it is. Up to
// lbm_bearable a collision is what it is. Above, it is mixed with its equilibrium, and from lbm_breaking on it is that
// alone: a fluid of viscosity 1/6, in which nothing ripples. Its speed and its density are cut at what an equilibrium
// can carry. Mass and momentum are kept but for what is cut, and what is no number becomes fluid at rest.
constexpr float lbm_bearable = 4.5f * 0.35f * 0.35f;  // a speed of 0.35 at rho = 1; a density of 0.4 or 1.6 at rest
constexpr float lbm_breaking = 4.5f * 0.5f * 0.5f;
constexpr float lbm_density_load = 1.5f;
constexpr float lbm_fastest = 0.45f, lbm_thinnest = 0.2f, lbm_densest = 3.f;

// The load of a cell of these moments.
PERTURB_HD inline float lbm_load(Moments m) {
  return 4.5f * std::fabs(1.f + m.drho) * (m.ux * m.ux + m.uy * m.uy) + lbm_density_load * (m.drho * m.drho);
}
// What is no number exceeds.
PERTURB_HD inline bool lbm_exceeds(float load) { return !(load <= lbm_bearable); }

// `g`: as they leave a cell whose load exceeds. It is computed once more, of the populations that leave, so that a
// kernel need not keep it.
PERTURB_HD inline void lbm_limit(float (&g)[lbm_links]) {
  const auto is_number = [](float x) { return x - x == 0.f; };
  const float drho = lbm_density(g), rho = 1.f + drho;
  const float kept = rho >= lbm_thinnest ? (rho <= lbm_densest ? rho : lbm_densest) : lbm_thinnest;
  const float inverse = reciprocal(kept);
  Moments m{kept == rho ? drho : kept - 1.f, lbm_momentum_x(g) * inverse, lbm_momentum_y(g) * inverse};
  const float speed2 = m.ux * m.ux + m.uy * m.uy;
  if (!is_number(speed2)) {
    m.ux = m.uy = 0.f;
  } else if (speed2 > lbm_fastest * lbm_fastest) {
    const float slower = lbm_fastest * reciprocal(std::sqrt(speed2));
    m.ux *= slower, m.uy *= slower;
  }
  const float load = 4.5f * kept * speed2 + lbm_density_load * (drho * drho);
  const float left = (lbm_breaking - load) * (1.f / (lbm_breaking - lbm_bearable));  // of what is out of equilibrium
  const float share = left < 1.f ? left : 1.f;
  PERTURB_UNROLL
  for (int q = 0; q < lbm_links; ++q) {
    const float equilibrium = lbm_equilibrium(q, m);
    g[q] = left > 0.f ? equilibrium + share * (g[q] - equilibrium) : equilibrium;
  }
}

// Replaces the populations that have arrived at a cell by those that leave it, but for the limiter: returns the load.
template <int Features>
PERTURB_HD inline float lbm_collide_freely(float (&g)[lbm_links], const Rates& rates) {
  constexpr bool forced = (Features & lbm_forced) != 0, eddies = (Features & lbm_eddies) != 0;
  // In opposite pairs, as lbm_density and the momenta have them.
  const float s1 = g[1] + g[3], s2 = g[2] + g[4], s5 = g[5] + g[7], s8 = g[6] + g[8];
  const float d1 = g[1] - g[3], d2 = g[2] - g[4], d5 = g[5] - g[7], d8 = g[8] - g[6];
  const float drho = g[0] + ((s1 + s2) + (s5 + s8)), rho = 1.f + drho, inverse = reciprocal(rho);
  float jx = d1 + (d5 + d8), jy = d2 + (d5 - d8);
  if constexpr (forced) jx = multiply_add(0.5f, rates.force_x, jx), jy = multiply_add(0.5f, rates.force_y, jy);

  Relaxation r = rates.relaxation;
  Forcing force = rates.forcing;
  if constexpr (eddies) {
    // |Pi| of the part out of equilibrium gives the strain (Hou, Sterling, Chen & Doolen 1996).
    const float ux = jx * inverse, uy = jy * inverse;
    const float diagonal = s5 + s8, third = drho * (1.f / 3.f);
    const float pxx = (s1 + diagonal) - third - jx * ux, pyy = (s2 + diagonal) - third - jy * uy;
    const float pxy = (s5 - s8) - jx * uy;
    const float stress = std::sqrt(pxx * pxx + pyy * pyy + 2.f * pxy * pxy);
    const float tau = 0.5f * (rates.tau + std::sqrt(rates.tau * rates.tau + rates.eddy * stress * inverse));
    const float rate = reciprocal(tau);
    r = lbm_relaxation(rate, rate);
    if constexpr (forced) force = lbm_forcing(tau, rate, rates.force_x, rates.force_y);
  }

  float ex = jx, ey = jy;  // the momentum, with the even part of a force
  if constexpr (forced) ex = jx + force.even_x, ey = jy + force.even_y;
  const float scale = 4.5f * inverse, vx = scale * jx, vy = scale * jy;  // 9/2 u
  const float square = multiply_add(vx, ex, vy * ey);                    // 9/2 rho u·u
  const float base = multiply_add(-1.f / 3.f, square, drho);             // drho - 3/2 rho u·u
  const float sum = vx + vy, difference = vx - vy;
  float odd_x = r.odd1 * jx, odd_y = r.odd1 * jy, odd_sum = r.odd2 * (jx + jy), odd_difference = r.odd2 * (jx - jy);
  if constexpr (forced) {
    odd_x = multiply_add(r.odd1, jx, force.odd1_x), odd_y = multiply_add(r.odd1, jy, force.odd1_y);
    odd_sum = multiply_add(r.odd2, jx + jy, force.odd2_sum);
    odd_difference = multiply_add(r.odd2, jx - jy, force.odd2_difference);
  }
  g[0] = multiply_add(r.keep_rest, g[0], r.even0 * base);
  relax(g[1], g[3], s1, d1, r.even1 * multiply_add(vx, ex, base), odd_x, r);
  relax(g[2], g[4], s2, d2, r.even1 * multiply_add(vy, ey, base), odd_y, r);
  relax(g[5], g[7], s5, d5, r.even2 * multiply_add(sum, ex + ey, base), odd_sum, r);
  relax(g[8], g[6], s8, d8, r.even2 * multiply_add(difference, ex - ey, base), odd_difference, r);
  return multiply_add(lbm_density_load * drho, drho, std::fabs(square));  // the square is negative where rho is
}

// Rows of cells in vector instructions go by pieces of so many: the loads of a piece are kept, for the limiter would be
// a branch, and the cells that exceed are taken again, one by one.
constexpr int lbm_piece = 256;

// The same with the limiter.
template <int Features>
PERTURB_HD inline void lbm_collide(float (&g)[lbm_links], const Rates& rates) {
  if (lbm_exceeds(lbm_collide_freely<Features>(g, rates))) [[unlikely]]
    lbm_limit(g);
}

}  // namespace perturb::lbm
