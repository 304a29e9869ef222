// Closed-form results for the unit membrane: its modes, and its response to the load. Modes and responses are those of
// the whole square.
#pragma once

#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/membrane/model/cell.h"

namespace perturb::membrane {

// Factor number m of the modes between two sides. Both fixed: sin(m pi x), m >= 1. Both free: cos(m pi x), m >= 0. One
// of each: quarter waves, (m - 1/2) pi, m >= 1.
ModeFactor membrane_wave(Side low, Side high, int m);
// The lowest m whose factor is not zero everywhere.
int first_mode(Side low, Side high);

// Whether the modes of this membrane are known: those of a domain with a tip are not.
inline bool membrane_knows_modes(const Parameters& p) { return p.domain == DomainShape::square; }

struct Mode {
  int m = 0, n = 0;
  double eigenvalue = 0;  // of -div grad with these sides
};
// The lowest modes, in increasing order.
std::vector<Mode> lowest_modes(const Parameters& p, std::size_t count);
// The load in the shape of a mode.
Source mode_shape(const Parameters& p, const Mode& mode);
// The mode whose eigenvalue is nearest to `value`.
Mode nearest_mode(const Parameters& p, double value);
// Frequencies of free vibration from `low` to `high`, in increasing order, of the modes that have no node at the
// resonators' point: sqrt(eigenvalue + sigma - c²/4).
std::vector<double> resonator_frequencies(const Parameters& p, double low, double high);
// In a domain with a tip: a lower bound.
double lowest_eigenvalue(const Parameters& p);

// The load and the exact solution for the parameters. Three solutions and their sums are known: a mode, under the load
// that makes it the solution; boundary values without a Laplacian where sigma = k²; and a wave on the top side where
// all sides of the square are fixed. In a domain with a tip a mode must be zero on its edges.
Source membrane_source(const Parameters& p);
// The largest absolute value of the load, or an upper bound of it.
double largest_load(const Parameters& p);
Known membrane_known(const Parameters& p);
// The boundary function g.
Rim membrane_rim(const Parameters& p);

// The exact response (the square root of the mean of u², the square's area being 1) over frequencies from sweep_from to
// sweep_to, as a decimal logarithm. Empty if unknown.
std::vector<CurvePoint> exact_response(const Parameters& p, int points);
// The phase in degrees by which the displacement under the load lags behind it, over the same frequencies.
std::vector<CurvePoint> exact_phase(const Parameters& p, int points);
// The exact steady displacement u under a load in the shape of a bump, without damping and with a flat edge, at
// (i, j)/cells of the unit square and just inside it at its ends (zero_line_position), i fastest. At the frequency of a
// mode: the shape of that mode. Empty if unknown.
std::vector<double> exact_displacement(const Parameters& p, int cells);
// The response at one frequency.
double exact_response_at(const Parameters& p, double frequency);
double exact_phase_at(const Parameters& p, double frequency);
// Phase lag of u + i·quadrature behind the load, in degrees from 0 to 180, given their products with the load.
double phase_of(double work, double quadrature_work);

}  // namespace perturb::membrane
