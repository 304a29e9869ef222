// One cover on one backend, with memory for the matrices and the load only, for the timings of studies.
#pragma once

#include <chrono>
#include <vector>

#include "cuda/core/bench/timing_duration.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

// Seconds of each call of `work`, repeated for a quarter of a second and at least `least`, at most 20 times.
template <class Work>
std::vector<double> membrane_repeats(Backend& backend, int least, const Work& work) {
  using Clock = std::chrono::steady_clock;
  const double enough = timing_duration(0.25);
  std::vector<double> repeats;
  for (double spent = 0; repeats.size() < 20 && (static_cast<int>(repeats.size()) < least || spent < enough);) {
    backend.synchronize();
    const auto start = Clock::now();
    work();
    backend.synchronize();
    repeats.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    spent += repeats.back();
  }
  return repeats;
}

class Bench {
 public:
  Bench(Backend& backend, const Structure& structure)
      : backend_(backend),
        structure_(structure),
        space_(backend, structure),
        stiffness_(backend, static_cast<std::size_t>(structure.values), "stiffness matrix"),
        mass_(backend, static_cast<std::size_t>(structure.values), "mass matrix"),
        load_(backend, static_cast<std::size_t>(structure.unknowns), "load"),
        assembler_(backend) {}

  // Seconds to assemble K, M and F; integration level 0: that of the degree.
  std::vector<double> repeats(Kernel kernel, int integration_level, int least = 1) {
    Parameters p;
    p.integration_level = integration_level;
    const Form form = membrane_form(p, structure_.highest_degree);
    Targets to;
    to.stiffness = stiffness_.data(), to.mass = mass_.data(), to.load = load_.data();
    return membrane_repeats(backend_, least, [&] { assembler_.run(kernel, structure_, space_, form, to); });
  }

  // Bytes needed.
  static std::size_t bytes(int level, int degree) {
    return static_cast<std::size_t>(2 * uniform_values(level, degree) + uniform_unknowns(level, degree)) *
               sizeof(double) +
           Space::uniform_bytes(level) + (std::size_t{64} << 20);
  }

 private:
  Backend& backend_;
  const Structure& structure_;
  Space space_;
  Array<double> stiffness_, mass_, load_;
  Assembler assembler_;
};

}  // namespace perturb::membrane
