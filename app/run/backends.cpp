#include "app/run/backends.h"

#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/edited_kernel.h"

namespace perturb {

Backend& Backends::of(const Setup& setup, const std::string& kernel) const {
  if (!cpu_) return preferred_;
  const SimulationInfo& info = find_simulation(setup.simulation);
  if (!info.faster_on_cpu || !info.faster_on_cpu(setup)) return preferred_;
  return kernel == "auto" || is_edited_kernel(kernel) || info.kernels[kernel_index(info, kernel)].on_cpu ? *cpu_
                                                                                                         : preferred_;
}

OwnedBackends make_backends(const std::string& word, int threads, Message* note) {
  OwnedBackends backends;
  backends.preferred = make_backend(word, threads, note);
  if (word == "auto" && backends.preferred->is_cuda()) backends.cpu = Backend::make_cpu(threads);
  return backends;
}

}  // namespace perturb
