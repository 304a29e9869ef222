// Content of a saved state of the membrane (state/saved.h).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "cuda/membrane/model/cover.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

// Content of the datasets, patches in the file's order. Each part of the membrane fills in its own.
struct Saved {
  Cover cover;                        // computed from the patches; not needed for writing
  std::vector<double> samples;        // u at the state's [height, width] points; for other programs, not read
  std::vector<double> centers;        // [patches, 2]
  std::vector<double> halves;         // [patches]: half-widths
  std::vector<std::int64_t> degrees;  // [patches]
  std::vector<double> coefficients;   // [patches, functions of the highest degree]
  std::vector<double> velocities;     // velocities of a membrane that moves in time, same layout; else empty
  std::vector<double> quadrature;     // quadrature component of a damped steady response, same layout; else empty
  std::vector<double> modes;          // [vectors * patches, ...] during a search for modes; else empty
  std::vector<double> mode_values, mode_residuals;  // [vectors]
  std::vector<double> resonators;                   // states of the resonator bank [resonators, 2]; empty: no samples
  double sampled_time = 0;                          // duration of the samples
  Parameters solved_for;                            // parameters of the solution; may differ from the current ones
  double phase = 0;                                 // of the oscillation
  double resonant_since = -1;                       // a time; -1: the response does not grow
  double response = 0, energy = 0;
  std::map<double, double> responses, phases;  // by frequency
  bool is_solved = true;  // otherwise the cover or the kernel has changed since, and the next step solves again
  bool factors = false;   // whether the matrices are factored, because an iteration failed
  std::vector<double> convergence;  // [points, 4]: method, unknowns, estimate, error
};

}  // namespace perturb::membrane
