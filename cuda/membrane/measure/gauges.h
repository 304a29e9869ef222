// When the picture is no longer the equation's solution, told before.
#pragma once

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/membrane/model/solution.h"

namespace perturb::membrane {

// How near the frequency is to a mode; `resonant`: at one.
Gauge resonance_gauge(const Parameters& p, bool resonant);
// What the time step does to the pitch of a membrane that moves in time.
Gauge step_gauge(const Parameters& p);
// How far the shown mode's frequency is from theory's.
Gauge modes_gauge(const Solution& solution, const Parameters& p);
// How near the solver comes to its tolerance, and what it took.
Gauge solver_gauge(const Solution& solution);
// What the cover does to the frequency of the shortest waves that matter.
Gauge waves_gauge(const Solution& solution, const Parameters& p);

// The share by which patches of this width and degree take the frequency of waves too high that are `k` in radians a
// length: the leading term of the dispersion of finite elements of degree p, (p!/(2p)!)² (k h)^(2p)/(2 (2p + 1)), which
// is (k h)²/24 for p = 1. This scheme's own modes lie within a factor of four of it.
double wave_error(double k, double width, int degree);
// The frequency of the mode with this number, computed; 0 where there is none.
double mode_frequency(const Solution& solution, double sigma, int number);

}  // namespace perturb::membrane
