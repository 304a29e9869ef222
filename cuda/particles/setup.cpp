#include "cuda/particles/setup.h"

#include "cuda/particles/kernels/collider.h"
#include "cuda/particles/measure/measure.h"
#include "cuda/particles/model/discs.h"
#include "cuda/particles/particles.h"
#include "cuda/particles/view/picture.h"

namespace perturb::particles {

namespace {

template <class Real>
std::size_t bytes_of_parts(const Backend& backend, const Parameters& p, std::size_t n) {
  // Contraction takes no memory.
  return n * Storage<Real>::bytes_per_disc() + Collider<Real, false>::bytes_for(backend, n, p.collisions) +
         Measurement<Real>::bytes_for(n) + Trails<Real>::bytes_for(n, p.trail) +
         DiscRaster::bytes_of(n, std::size_t{1} << 20) + (std::size_t{1} << 20);
}

}  // namespace

std::size_t disc_bytes(const Backend& backend, const Parameters& p) {
  const std::size_t n = static_cast<std::size_t>(p.count) + (p.heavy_radius > 0 ? 1 : 0);
  return p.precision == Precision::fp32 ? bytes_of_parts<float>(backend, p, n) : bytes_of_parts<double>(backend, p, n);
}

std::size_t disc_memory_needed(const Backend& backend, const Setup& setup) {
  // The size exceeds the limit: returns more than any memory, so that it is skipped.
  if (setup.width > 0 && setup.height > 0 && static_cast<double>(setup.width) * setup.height > max_discs)
    return static_cast<std::size_t>(setup.width) * static_cast<std::size_t>(setup.height) * (std::size_t{1} << 16);
  return disc_bytes(backend, parameters_of(setup));
}

// A step of a gas by the rule `exact` takes 0.9 times as long on two cores as on an H200 at 200 discs, and 1.6 times as
// long at 400. The limit of the rule `one` is an older one of `exact`, when its steps too were many launches.
bool discs_faster_on_cpu(const Setup& setup) {
  const Parameters parameters = parameters_of(setup);
  return parameters.count <= (parameters.collisions == Collisions::exact ? 210 : 600);
}

}  // namespace perturb::particles
