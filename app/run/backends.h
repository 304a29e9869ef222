// The backends of a program, and which of them runs a scene.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/simulation/setup.h"

namespace perturb {

// A few fibers or discs are computed faster on the CPU than on a GPU, which spends most of its time on launching
// kernels. If the program has chosen the GPU by itself, such scenes therefore run on the CPU
// (SimulationInfo::faster_on_cpu). The rule does not depend on timings, so every run of a scene uses the same one.
class Backends {
 public:
  // All scenes run on this one.
  Backends(Backend& only) : preferred_(only) {}  // NOLINT(google-explicit-constructor): it is the usual case
  // Scenes that are faster on the CPU run on `cpu`. Both must outlive it.
  Backends(Backend& preferred, Backend& cpu) : preferred_(preferred), cpu_(&cpu) {}

  Backend& preferred() const { return preferred_; }
  // The CPU as a second backend; null: none.
  Backend* cpu() const { return cpu_; }
  // The one for this scene and kernel (id or "auto").
  Backend& of(const Setup& setup, const std::string& kernel) const;

 private:
  Backend& preferred_;
  Backend* cpu_ = nullptr;
};

// Their owner.
struct OwnedBackends {
  std::unique_ptr<Backend> preferred, cpu;
  Backends get() const { return cpu ? Backends(*preferred, *cpu) : Backends(*preferred); }
};
// As make_backend; "auto" makes a second backend if the first is a GPU.
OwnedBackends make_backends(const std::string& word, int threads, Message* note = nullptr);

// A StopScope (core/backend/stop.h) for each of them.
class StopScopes {
 public:
  StopScopes(const Backends& backends, const StopRequest& request) : preferred_(backends.preferred(), request) {
    if (backends.cpu()) cpu_.emplace(*backends.cpu(), request);
  }

 private:
  StopScope preferred_;
  std::optional<StopScope> cpu_;
};

}  // namespace perturb
