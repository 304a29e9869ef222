// The physics of one cell of the D2Q9 lattice: values in, values out.
//
//   f_i(x + e_i, t + 1) = f_i(x, t) - (f_i - feq_i)/tau,  feq_i = w_i rho (1 + 3 e_i·u + 9/2 (e_i·u)² - 3/2 u·u)
//
// Qian, d'Humieres & Lallemand (1992); the paper of this simulation is Carrillo, Siegel & Li (2010). Populations are
// shifted by their weights, g_i = f_i - w_i, so that the small numbers of the flow keep all their digits. Order of
// links:
//
//   6 2 5
//   3 0 1
//   7 4 8
#pragma once

#include <cmath>
#include <type_traits>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/math/arithmetic.h"
#include "cuda/core/math/pack.h"  // PERTURB_UNROLL

namespace perturb::lbm {

constexpr int lbm_links = 9;

PERTURB_HD constexpr int lbm_ex(int q) { return q == 1 || q == 5 || q == 8 ? 1 : q == 3 || q == 6 || q == 7 ? -1 : 0; }
PERTURB_HD constexpr int lbm_ey(int q) { return q == 2 || q == 5 || q == 6 ? 1 : q == 4 || q == 7 || q == 8 ? -1 : 0; }
PERTURB_HD constexpr int lbm_opposite(int q) { return q == 0 ? 0 : q < 5 ? (q + 1) % 4 + 1 : (q - 3) % 4 + 5; }
PERTURB_HD constexpr float lbm_weight(int q) { return q == 0 ? 4.f / 9.f : q < 5 ? 1.f / 9.f : 1.f / 36.f; }

// Relaxation with the rate `plus` for even moments and `minus` for odd ones, with all products of constants
// precomputed.
// The collision keeps a share of the populations and adds a share of the equilibrium. The shares are computed to sum to
// exactly one (not rounded separately), so that mass and momentum do not drift.
struct Relaxation {
  float even0 = 4.f / 9.f, even1 = 1.f / 9.f, even2 = 1.f / 36.f;  // plus w
  float odd1 = 1.f / 3.f, odd2 = 1.f / 12.f;                       // 3 minus w
  float keep_rest = 0, keep_even = 0, keep_odd = 0;  // the last two halved, for sums and differences of pairs
};
PERTURB_HD inline Relaxation lbm_relaxation(float plus, float minus) {
  Relaxation r;
  const float kept = 1.f - plus, kept_odd = 1.f - minus;
  // In multiples of 2^-24 (adding and subtracting 1/2 rounds a number below 1/2 to these) the sums below are exact.
  r.even1 = (plus * (1.f / 9.f) + 0.5f) - 0.5f;
  r.even2 = 0.25f * r.even1;
  r.even0 = multiply_add(-5.f, r.even1, 1.f - kept);
  r.odd1 = (minus * (1.f / 3.f) + 0.5f) - 0.5f;
  r.odd2 = 0.25f * multiply_add(-2.f, r.odd1, 1.f - kept_odd);
  r.keep_rest = kept;
  r.keep_even = 0.5f * kept;
  r.keep_odd = 0.5f * kept_odd;
  return r;
}

// Guo, Zheng & Shi (2002): S_i = w_i (3 (e_i - u) + 9 (e_i·u) e_i)·F, its even part weighted with 1 - plus/2 and its
// odd part with 1 - minus/2. The odd part does not depend on the flow. The even part is that of the equilibrium with
// (2/plus - 1) F in place of one of its two momenta: 9 u F (1 - plus/2) = plus 9/2 u (2/plus - 1) F. A force therefore
// costs little more than additions.
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

// Constants of the collision; the same for all cells.
struct Rates {
  Relaxation relaxation;
  float force_x = 0, force_y = 0;
  Forcing forcing;  // of these at the rates of `relaxation`
  float tau = 1;    // LES: the molecular relaxation time
  float eddy = 0;   // LES: 18 √2 C²
};

enum Feature : int { lbm_plain = 0, lbm_forced = 1, lbm_eddies = 2 };

// Calls `f` with the features as a compile-time constant, usable as a template argument: decltype(constant)::value.
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

// Sums of shifted populations in a fixed order, in opposite pairs, so that symmetry is kept bit for bit.
PERTURB_HD inline float lbm_density(const float (&g)[lbm_links]) {
  return g[0] + (((g[1] + g[3]) + (g[2] + g[4])) + ((g[5] + g[7]) + (g[6] + g[8])));
}
PERTURB_HD inline float lbm_momentum_x(const float (&g)[lbm_links]) {
  return (g[1] - g[3]) + ((g[5] - g[7]) + (g[8] - g[6]));
}
PERTURB_HD inline float lbm_momentum_y(const float (&g)[lbm_links]) {
  return (g[2] - g[4]) + ((g[5] - g[7]) + (g[6] - g[8]));
}

// A population of link q from its shifted value, the form in which it is stored and saved.
PERTURB_HD inline float unshift(int q, float shifted) {
  return static_cast<float>(static_cast<double>(shifted) + static_cast<double>(lbm_weight(q)));
}

// `share`: the part of the force to add to the momentum: +1/2 before the collision, -1/2 after it (Guo).
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

// The limiter. The scheme is a low-Mach model: where the fluid approaches the speed of sound, or its density is far
// from the mean, ripples of a few cells grow without limit. The load of a cell, 9/2 rho u² + 3/2 (rho - 1)², measures
// this. Up to lbm_bearable the collision is unchanged. Above, it is mixed with its equilibrium, and from lbm_breaking
// on it is the equilibrium alone: a fluid of viscosity 1/6, in which no ripples grow. Speed and density are cut to what
// an equilibrium can represent. Mass and momentum are conserved except for what is cut. A value that is not a number
// becomes fluid at rest.
constexpr float lbm_bearable = 4.5f * 0.35f * 0.35f;  // a speed of 0.35 at rho = 1; a density of 0.4 or 1.6 at rest
constexpr float lbm_breaking = 4.5f * 0.5f * 0.5f;
constexpr float lbm_density_load = 1.5f;
constexpr float lbm_fastest = 0.45f, lbm_thinnest = 0.2f, lbm_densest = 3.f;

// The load of a cell with these moments.
PERTURB_HD inline float lbm_load(Moments m) {
  return 4.5f * std::fabs(1.f + m.drho) * (m.ux * m.ux + m.uy * m.uy) + lbm_density_load * (m.drho * m.drho);
}
// A load that is not a number also exceeds.
PERTURB_HD inline bool lbm_exceeds(float load) { return !(load <= lbm_bearable); }

// `g`: outgoing populations of a cell whose load exceeds the limit. The load is computed again, from these
// populations, so that a kernel need not keep it.
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
    m.ux *= slower;
    m.uy *= slower;
  }
  const float load = 4.5f * kept * speed2 + lbm_density_load * (drho * drho);
  const float left = (lbm_breaking - load) * (1.f / (lbm_breaking - lbm_bearable));  // share of the non-equilibrium
                                                                                     // part that remains
  const float share = left < 1.f ? left : 1.f;
  PERTURB_UNROLL
  for (int q = 0; q < lbm_links; ++q) {
    const float equilibrium = lbm_equilibrium(q, m);
    g[q] = left > 0.f ? equilibrium + share * (g[q] - equilibrium) : equilibrium;
  }
}

// Replaces the populations that arrived at a cell by the outgoing ones, without the limiter. Returns the load.
template <int Features>
PERTURB_HD inline float lbm_collide_freely(float (&g)[lbm_links], const Rates& rates) {
  constexpr bool forced = (Features & lbm_forced) != 0, eddies = (Features & lbm_eddies) != 0;
  // In opposite pairs, as in lbm_density and the momenta.
  const float s1 = g[1] + g[3], s2 = g[2] + g[4], s5 = g[5] + g[7], s8 = g[6] + g[8];
  const float d1 = g[1] - g[3], d2 = g[2] - g[4], d5 = g[5] - g[7], d8 = g[8] - g[6];
  const float drho = g[0] + ((s1 + s2) + (s5 + s8)), rho = 1.f + drho, inverse = reciprocal(rho);
  float jx = d1 + (d5 + d8), jy = d2 + (d5 - d8);
  if constexpr (forced) {
    jx = multiply_add(0.5f, rates.force_x, jx);
    jy = multiply_add(0.5f, rates.force_y, jy);
  }

  Relaxation r = rates.relaxation;
  Forcing force = rates.forcing;
  if constexpr (eddies) {
    // |Pi| of the non-equilibrium part gives the strain (Hou, Sterling, Chen & Doolen 1996).
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
  if constexpr (forced) {
    ex = jx + force.even_x;
    ey = jy + force.even_y;
  }
  const float scale = 4.5f * inverse, vx = scale * jx, vy = scale * jy;  // 9/2 u
  const float square = multiply_add(vx, ex, vy * ey);                    // 9/2 rho u·u
  const float base = multiply_add(-1.f / 3.f, square, drho);             // drho - 3/2 rho u·u
  const float sum = vx + vy, difference = vx - vy;
  float odd_x = r.odd1 * jx, odd_y = r.odd1 * jy, odd_sum = r.odd2 * (jx + jy), odd_difference = r.odd2 * (jx - jy);
  if constexpr (forced) {
    odd_x = multiply_add(r.odd1, jx, force.odd1_x);
    odd_y = multiply_add(r.odd1, jy, force.odd1_y);
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

// Number of cells in a piece of a row that vector instructions process at once. The loads of a piece are kept and the
// cells that exceed are computed again, one by one, because the limiter would be a branch in the loop.
constexpr int lbm_piece = 256;

// The same with the limiter.
template <int Features>
PERTURB_HD inline void lbm_collide(float (&g)[lbm_links], const Rates& rates) {
  if (lbm_exceeds(lbm_collide_freely<Features>(g, rates))) [[unlikely]]
    lbm_limit(g);
}

}  // namespace perturb::lbm
