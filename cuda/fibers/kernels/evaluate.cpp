#include "cuda/fibers/kernels/evaluate.h"

#include <algorithm>
#include <cmath>

namespace perturb::fibers {

Evaluation evaluate_fibers(Backend& backend, const Placement& fibers, const Parameters& p, Kernel kernel,
                           bool tensors) {
  const std::size_t size = fibers.position.size();
  Array<double> x(backend, size, "x"), t(backend, size, "t"), v(backend, size, "v"), w(backend, size, "w");
  Array<double> a(backend, size * static_cast<std::size_t>(p.terms), "a");
  x.upload(fibers.position);
  t.upload(fibers.tangent);
  Flow flow(backend, fibers.count(), p, kernel, p.storage != Storage::recomputed);
  Lengths lengths(backend, fibers.half_length);
  flow.set_lengths(&lengths);
  Evaluation e;
  e.solve = flow.evaluate(p, x.data(), t.data(), {}, v.data(), w.data(), a.data());
  e.velocity = v.download();
  e.spin = w.download();
  e.coefficients = a.download();
  if (tensors) e.tensors = flow.tensors(0, 1);
  return e;
}

Parameters precise_fibers() {
  Parameters p;
  p.tolerance = 1e-12;
  return p;
}

Placement fiber_cloud(int count, double radius, double min_distance, std::uint32_t seed) {
  Placement fibers;
  add_fiber_ball(fibers, count, {0, 0, 0}, radius, min_distance, seed, 1);
  return fibers;
}

double largest_relative_difference(const std::vector<double>& got, const std::vector<double>& expected) {
  if (got.size() != expected.size()) return INFINITY;
  double max_error = 0, size = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (!std::isfinite(got[k])) return INFINITY;
    max_error = std::max(max_error, std::abs(got[k] - expected[k]));
    size = std::max(size, std::abs(expected[k]));
  }
  return max_error / size;
}

}  // namespace perturb::fibers
