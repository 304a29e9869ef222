// What is known about the unit membrane in closed form: its modes, and its response to the load.
#pragma once

#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/membrane/model/cell.h"

namespace perturb::membrane {

// Factor number m of the modes between two sides. Two fixed ones: sin(m pi x), m >= 1; two free ones: cos(m pi x), m >=
// 0; one of each: quarter waves, (m - 1/2) pi, m >= 1.
ModeFactor membrane_wave(Side low, Side high, int m);
// The lowest m whose factor is not zero everywhere.
int first_mode(Side low, Side high);

struct Mode {
  int m = 0, n = 0;
  double eigenvalue = 0;  // of -div grad with these sides
};
// The lowest modes, in rising order.
std::vector<Mode> lowest_modes(const Parameters& p, std::size_t count);
// A mode's shape as a load.
Source mode_shape(const Parameters& p, const Mode& mode);
// The mode whose eigenvalue lies nearest to `value`.
Mode nearest_mode(const Parameters& p, double value);
// The frequencies from `low` to `high`, in rising order, of the modes that have no node at the ear, where the membrane
// rings: sqrt(eigenvalue + sigma - c²/4).
std::vector<double> resonator_frequencies(const Parameters& p, double low, double high);
double lowest_eigenvalue(const Parameters& p);

// The load and the solution that belong to the parameters. Known is a mode under the load that makes it one, what a rim
// with no Laplacian gives where sigma = k², and what a wave on the top side gives where all sides are fixed; and their
// sum.
Source membrane_source(const Parameters& p);
Known membrane_known(const Parameters& p);
// The rim's g.
Rim membrane_rim(const Parameters& p);

// The exact response (the square root of the mean of u², the square's area being 1) over frequencies from sweep_from to
// sweep_to, as a decimal logarithm. Empty where it is not known.
std::vector<CurvePoint> exact_response(const Parameters& p, int points);
// Likewise by how many degrees the displacement under the load lags behind it.
std::vector<CurvePoint> exact_phase(const Parameters& p, int points);
// The same at one frequency.
double exact_response_at(const Parameters& p, double frequency);
double exact_phase_at(const Parameters& p, double frequency);
// The angle by which u + i lag is behind the load, in degrees from 0 to 180; given their products with the load.
double phase_of(double work, double quadrature_work);

}  // namespace perturb::membrane
