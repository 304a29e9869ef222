// Theory of a gas of equal hard discs: equation of state, walls, Enskog's kinetic theory, shocks.
//
// `fraction` is the area fraction φ = N π r²/A, `thermal` kT/m. The fluid is stable below φ = 0.70; the formulas hold
// up to there.
#pragma once

#include <functional>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/particles/model/cell.h"

namespace perturb::particles {

constexpr double largest_fluid_fraction = 0.70;
constexpr double closest_disc_packing = 0.9069;  // π/(2√3): in contact, on a triangular lattice

// Z = pA/NkT = (1 + φ²/8 + φ³/18 - 4φ⁴/21) / (1 - φ)², the stable fluid's (H. Liu, "Global equation of state and
// phase transitions of the hard disc systems", arXiv:2010.10624, 2020, equation 1); within 0.1 % of simulations up to
// φ = 0.60, 0.4 % at 0.65.
double compressibility(double fraction);

// g at contact, (Z - 1) / 2φ.
double contact_value(double fraction);

// Area fraction in the middle of a box of these sides with this number of discs. Centres stay a radius away from a
// wall, but crowd at it: scaled particle theory has A less (1 - φ)/(1 + φ) r for each length of wall (E. Helfand, H.
// Frisch, J. Lebowitz, J. Chem. Phys. 34 (1961) 1037). The work that makes room for a disc of radius R is kT times
// -ln(1 - φ) + 2φ/(1 - φ) R/r + φ/(1 - φ)² (R/r)². For large R that is pressure on πR² and a line tension kT φ/(π r (1
// - φ)) along 2πR, and by Gibbs's adsorption equation -dγ/dμ the discs that walls displace.
double fraction_between_walls(double discs, double radius, double width, double height);

// Mean force per length of wall of that box: the pressure of the equation of state, less what walls lose at their ends,
// twice the line tension each.
double pressure_on_walls(double discs, double radius, double width, double height, double thermal);

// The same for a mixture in equilibrium: Z = (1 - ξ)/(1 - φ) + ξ Z(φ), with Z(φ) of equal discs and ξ = <r>²/<r²> (A.
// Santos, S. Yuste, M. López de Haro, "Equation of state of a multicomponent d-dimensional hard-sphere fluid", Mol.
// Phys. 96 (1999) 1, d = 2; exact up to the second virial coefficient). Of each kind the walls displace another part,
// by the scaled particle theory of mixtures: with ξk = π sum of n r^k per area, the work for a disc of radius R is kT
// times -ln(1 - ξ2) + 2 ξ1/(1 - ξ2) R + (ξ0/(1 - ξ2) + ξ1²/(1 - ξ2)²) R².
double mixture_pressure_on_walls(const std::vector<DiscsOfKind>& kinds, double width, double height, double thermal);

// Enskog's mean free path, and coefficient of self-diffusion.
double enskog_free_path(double fraction, double radius);
double enskog_diffusion(double fraction, double radius, double thermal);

// Mean square displacement along one side of a box whose ends reflect, if it were `free` without them: diffusion from
// positions spread evenly between the ends, `length` apart. It tends to length²/6, the value of two random positions.
double reflected_way(double free, double length);

// Share of the collisions between discs that a rule with one collision per disc and step misses, from what it finds:
// collisions with discs and with walls per disc and step. Kinetics with equal probabilities: the share s of free discs
// falls by ds/dt = -s (w + p s), and both discs of a pair must be free.
double missed_collisions(double with_discs, double with_walls);

// Temperature between two walls of a dilute gas that conducts heat, at a fraction of the way from the first to the
// second. The conductivity of hard discs grows with √T and does not depend on the density, so T^(3/2) is linear. (At
// the walls a gas differs from them by about a free path's change.)
double conducted_temperature(double from, double to, double fraction);

// Density of a dilute gas of discs of mass 1 under gravity, relative to the mean over the height.
double barometric_density(double y, double height, double gravity, double thermal);

// Energy after slow compression over that before: exp ∫ Z dφ/φ.
double adiabatic_heating(double fraction_from, double fraction_to);

// Temperatures of slow, adiabatic changes over that at the volume `from`, in points (volume, ratio) from `low` to
// `high`: dT/T = -p/NT dV, with two degrees of freedom. `pressure`: p/NT at a volume, in the same unit. Runge and
// Kutta's method, which is Simpson's rule here.
std::vector<CurvePoint> adiabat(double from, double low, double high,
                                const std::function<double(double volume)>& pressure);

// State behind a shock that a wall moving at `piston` drives into a gas at rest, and the speed of the shock, from mass,
// momentum and energy across it (Rankine and Hugoniot). `speed` is 0 if there is no shock within the fluid.
struct Shock {
  double fraction = 0, thermal = 0, speed = 0;
};
Shock disc_shock(double fraction, double thermal, double radius, double piston);

}  // namespace perturb::particles
