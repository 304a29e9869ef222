#include "cuda/fibers/model/interaction.h"

#include <algorithm>
#include <array>
#include <span>

#include "cuda/core/math/gauss_rule.h"

namespace perturb::fibers {

FiberRule make_fiber_rule(int subintervals, int points) {
  PERTURB_ASSERT(subintervals * points <= max_points && points >= 1);
  std::array<double, max_points> z{}, w{};
  gauss_rule(std::span(z).first(points), std::span(w).first(points));
  FiberRule rule;
  rule.points = subintervals * points;
  const double half = 1.0 / subintervals;
  for (int part = 0; part < subintervals; ++part)
    for (int k = 0; k < points; ++k) {
      const int q = part * points + k;
      rule.node[q] = -1 + (2 * part + 1) * half + half * z[static_cast<std::size_t>(k)];
      double p[max_terms + 1];
      legendre_values<max_terms>(rule.node[q], p);
      for (int n = 0; n <= max_terms; ++n) rule.weight[q][n] = half * w[static_cast<std::size_t>(k)] * p[n];
    }
  return rule;
}

template <class Real>
void interaction(Backend& backend, Kernel kernel, const Layout& layout, Part part, const Poses& poses,
                 const FiberRule& rule, double doublet, View1D<Real> points, Real* theta) {
  if (kernel == Kernel::recursion && backend.is_cuda()) {
    detail::recursion_cuda(backend, layout, part, poses, rule, doublet, points, theta);
    return;
  }
  const auto side = backend.is_cuda() ? detail::interaction_cuda<Real> : detail::interaction_cpu<Real>;
  side(backend, kernel, layout, part, poses, rule, doublet, theta);
}

template <class Real>
void fiber_product(Backend& backend, Product product, const Layout& layout, Part part, const Real* theta,
                   const double* f, double* partials) {
  const auto side = backend.is_cuda() ? detail::product_cuda<Real> : detail::product_cpu<Real>;
  side(backend, product, layout, part, theta, f, partials);
}

std::size_t recursion_numbers(const Layout& layout, int points) {
  constexpr std::size_t max_bytes = std::size_t{16} << 20;
  const std::size_t of_pair = static_cast<std::size_t>(points) * static_cast<std::size_t>(tensor * (layout.order + 1));
  const std::size_t pairs = static_cast<std::size_t>(layout.fibers) * static_cast<std::size_t>(layout.fibers);
  return std::max(of_pair, std::min(pairs * of_pair, max_bytes / of_pair * of_pair));
}

int fiber_tile(const Backend& backend) { return backend.is_cuda() ? device_tile : detail::tile_cpu(); }

LaunchShape kernel_shape(const Backend& backend, Kernel kernel, int order, bool fp32) {
  return backend.is_cuda() ? detail::shape_cuda(kernel, order, fp32) : LaunchShape{};
}

template void interaction(Backend&, Kernel, const Layout&, Part, const Poses&, const FiberRule&, double, View1D<double>,
                          double*);
template void interaction(Backend&, Kernel, const Layout&, Part, const Poses&, const FiberRule&, double, View1D<float>,
                          float*);
template void fiber_product(Backend&, Product, const Layout&, Part, const double*, const double*, double*);
template void fiber_product(Backend&, Product, const Layout&, Part, const float*, const double*, double*);

}  // namespace perturb::fibers
