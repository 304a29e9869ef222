// The parameters of the membrane. Their defaults are defined only here.
#pragma once

#include <span>
#include <string_view>

#include "cuda/core/simulation/parameters.h"

namespace perturb::membrane {

// Limits of the ranges, shared with the files that derive sizes from them.
constexpr int max_level = 11;
constexpr int membrane_max_degree = 5;
constexpr int max_integration_level = 16;
constexpr int max_modes = 16;

enum class Side { fixed, free };             // u = g, or du/dn = dg/dn
enum class DomainShape { square, l, slit };  // the unit square: all of it, without a quarter, or slit to its middle
// Boundary function g: 0, a bent frame, a wave along the top side, or the singular function of the domain's corner.
enum class RimShape { flat, frame, wave, corner };
enum class Basis { legendre, monomial };  // of the local polynomials
// A Gaussian bump, the load that makes a known mode the solution, or a formula of x and y.
enum class Load { bump, mode, formula };
enum class Preconditioner { none, patch, multilevel };
enum class Assembly { when_needed, every_step };
enum class SolverChoice { automatic, iterative };
enum class Movement { steady, in_time, modes };  // u cos(k t); time steps from the current state; its own modes

struct Parameters {
  // -div(grad u) + (sigma - frequency²) u = f in the unit square, or in a part of it.
  DomainShape domain = DomainShape::square;
  double sigma = 1;
  double frequency = 0;  // k: the view shows u cos(k t)
  double sweep = 0;      // rate of change of the frequency, 1/length/time
  double sweep_from = 2, sweep_to = 16;

  Load load = Load::bump;
  double source_x = 0.5, source_y = 0.5, source_width = 0.1, source_strength = 1;
  int mode_x = 1, mode_y = 2;
  double load_formula = 0;  // the number of a formula (core/simulation/formula.h)

  Side boundary_left = Side::fixed, boundary_right = Side::fixed;
  Side boundary_bottom = Side::fixed, boundary_top = Side::fixed;

  // g: on fixed sides u = g, on free ones du/dn = dg/dn.
  RimShape rim = RimShape::flat;
  double corner_bottom_left = 1, corner_bottom_right = -1, corner_top_left = -1, corner_top_right = 1;  // of a frame
  double rim_height = 1;  // of a wave, or the factor of the singular function
  int rim_waves = 2;

  Movement motion = Movement::steady;
  double damping = 0;  // c in u'' + c u'
  double strike_velocity = 1;
  double ear_x = 0.6, ear_y = 0.7;
  int mode_number = 1;  // which of its modes is shown

  int level = 5, degree = 2;
  double enrichment = 0;      // radius around the tip in which patches have the singular function too
  double overlap = 1.3;       // alpha: a patch's half-width is alpha/(2·2^level)
  int integration_level = 0;  // q: q + 1 Gauss points per direction; 0: same as the degree
  Basis basis = Basis::legendre;
  double nitsche = 5;  // C in beta = C p² / (side of a cell)

  Preconditioner preconditioner = Preconditioner::multilevel;
  double tolerance = 1e-8;  // of the residual, relative to the load
  int max_iterations = 1000;
  Assembly assembly = Assembly::when_needed;
  SolverChoice solver = SolverChoice::automatic;

  double time_step = 1.0 / 60;
  bool show_patches = false, show_cells = false, show_nodal_lines = false;

  // Whether the matrix of a small system is factored if the iteration does not converge.
  bool may_factor() const { return solver == SolverChoice::automatic; }
  bool in_time() const { return motion == Movement::in_time; }
  bool modal() const { return motion == Movement::modes; }
  // The damped steady response lags behind its load: it is u cos(k t) - quadrature sin(k t).
  bool may_be_complex() const { return motion == Movement::steady && damping > 0; }
  bool is_complex() const { return may_be_complex() && frequency > 0; }
  double shift() const { return sigma - frequency * frequency; }
  int side_of(int k) const {
    const Side sides[4] = {boundary_left, boundary_right, boundary_bottom, boundary_top};
    return static_cast<int>(sides[k]);
  }
  bool operator==(const Parameters&) const = default;
};

std::span<const Parameter> parameter_table();
// The name of a parameter, for messages.
Message parameter_name(std::string_view id);
// The parameters that every saved state's "solved_for" has; later ones follow them in the table.
constexpr std::size_t first_parameters = 30;

}  // namespace perturb::membrane
