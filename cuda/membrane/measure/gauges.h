// Gauges that warn before the shown solution deviates from the equation's.
#pragma once

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/membrane/model/solution.h"

namespace perturb::membrane {

// Distance of the frequency from a mode; `resonant`: at a mode.
Gauge resonance_gauge(const Parameters& p, bool resonant);
// Effect of the time step on the pitch of a membrane that moves in time.
Gauge step_gauge(const Parameters& p);
// Deviation of the shown mode's frequency from theory.
Gauge modes_gauge(const Solution& solution, const Parameters& p);
// The solver's residual relative to its tolerance, and its cost.
Gauge solver_gauge(const Solution& solution);
// Effect of the cover on the frequency of the shortest relevant waves.
Gauge waves_gauge(const Solution& solution, const Parameters& p);

// Relative error by which patches of this width and degree raise the frequency of waves with k radians per length: the
// leading term of the dispersion of finite elements of degree p, (p!/(2p)!)² (k h)^(2p)/(2 (2p + 1)), which is (k
// h)²/24 for p = 1. The error of this scheme's own modes is within a factor of four of it.
double wave_error(double k, double width, int degree);
// Computed frequency of the mode with this number; 0 if there is none.
double mode_frequency(const Solution& solution, double sigma, int number);

}  // namespace perturb::membrane
