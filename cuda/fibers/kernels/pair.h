// Functions on one pair of fibers that both backends use: the vector between them, and their share of a product.
#pragma once

#include "cuda/fibers/model/layout.h"

namespace perturb::fibers {

// From the centre of l to the centre of m, or to its nearest image in a periodic box.
PERTURB_HD inline Vector3<double> fiber_separation(const double* m, const double* l, double box) {
  Vector3<double> d{m[0] - l[0], m[1] - l[1], m[2] - l[2]};
  if (box > 0) {
    d.x -= box * ::rint(d.x / box);
    d.y -= box * ::rint(d.y / box);
    d.z -= box * ::rint(d.z / box);
  }
  return d;
}

// Share of a pair in a product, for a fiber m and one or several fibers l. `load(n, k, g)` fetches Theta_ml^{nk}; f_m,
// f_l: coefficients; y_m, y_l: added to the sums. With `mirrored`, y_l gets Theta_lm^{nk} f_m^k = Theta_ml^{kn} f_m^k.
template <FiberProduct product, int K, bool mirrored, class Number, class Load>
PERTURB_HD inline void fiber_pair_product(const Load& load, const Vector3<Number> (&f_m)[K + 1],
                                          const Vector3<Number> (&f_l)[K + 1], Vector3<Number> (&y_m)[K + 1],
                                          Vector3<Number> (&y_l)[K + 1]) {
  using Range = ProductRange<product, K>;
  PERTURB_UNROLL
  for (int n = 0; n <= K; ++n) {
    PERTURB_UNROLL
    for (int k = 0; k <= K; ++k) {
      const bool to_m = n >= Range::n0 && n <= Range::n1 && k >= Range::k0 && k <= Range::k1;
      const bool to_l = mirrored && k >= Range::n0 && k <= Range::n1 && n >= Range::k0 && n <= Range::k1;
      if (!to_m && !to_l) continue;
      Number g[fiber_tensor];
      load(n, k, g);
      if (to_m) y_m[n] = add_product(g, f_l[k], y_m[n]);
      if (to_l) y_l[k] = add_product(g, f_m[n], y_l[k]);
    }
  }
}

}  // namespace perturb::fibers
