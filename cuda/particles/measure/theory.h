// What theory says of a gas of equal hard discs: equation of state, walls, kinetic theory of Enskog, shocks.
//
// `fraction` is the area fraction φ = N π r²/A, `thermal` kT/m. The fluid is stable below φ = 0.70; what is
// said here holds up to there.
#pragma once

#include <cstddef>

namespace perturb::particles {

constexpr double largest_fluid_fraction = 0.70;
constexpr double closest_disc_packing = 0.9069;  // π/(2√3): touching, on a triangular lattice

// Z = pA/NkT = (1 + φ²/8 + φ³/18 - 4φ⁴/21) / (1 - φ)², the stable fluid's (H. Liu, "Global equation of state and
// phase transitions of the hard disc systems", arXiv:2010.10624, 2020, equation 1); within 0.1 % of simulations up to
// φ = 0.60, 0.4 % at 0.65.
double disc_compressibility(double fraction);

// g at contact, (Z - 1) / 2φ.
double disc_contact_value(double fraction);

// The area fraction in the middle of a box of these sides with so many discs. Centres stay a radius away from a wall,
// but crowd at it: scaled particle theory has A less (1 - φ)/(1 + φ) r for each length of wall (E. Helfand, H. Frisch,
// J. Lebowitz, J. Chem. Phys. 34 (1961) 1037). It puts the work that makes room for a disc of radius R at kT times
// -ln(1 - φ) + 2φ/(1 - φ) R/r + φ/(1 - φ)² (R/r)²: for large R that is pressure on πR² and a line tension kT φ/(π r (1
// - φ)) along 2πR, and by Gibbs's adsorption equation -dγ/dμ the discs that walls displace.
double fraction_between_walls(double discs, double radius, double width, double height);

// The mean force for each length of wall of that box: the equation of state's pressure, less what walls lose at their
// ends, twice the line tension of either each.
double pressure_on_walls(double discs, double radius, double width, double height, double thermal);

// Enskog's: the mean way between collisions, and the coefficient of self-diffusion.
double enskog_free_path(double fraction, double radius);
double enskog_diffusion(double fraction, double radius, double thermal);

// The mean square of the ways along one side of a box whose ends reflect, for what would be `free` without them:
// diffusion from places anywhere between the ends, `length` apart. It ends at length²/6, as of two places at random.
double reflected_way(double free, double length);

// Of the collisions between discs, the share that a rule misses which lets a disc collide once a step: told from what
// it finds, collisions with discs and with walls for each disc and step. Kinetics with even chances: free discs become
// fewer by ds/dt = -s (w + p s), and both of a pair must be free.
double missed_collisions(double with_discs, double with_walls);

// Energy after slow compression over that before: exp ∫ Z dφ/φ.
double adiabatic_heating(double fraction_from, double fraction_to);

// Behind a shock that a wall moving at `piston` drives into a gas at rest, and how fast it runs: mass, momentum and
// energy across it (Rankine and Hugoniot). `speed` is 0 where there is none within the fluid.
struct DiscShock {
  double fraction = 0, thermal = 0, speed = 0;
};
DiscShock disc_shock(double fraction, double thermal, double radius, double piston);

}  // namespace perturb::particles
