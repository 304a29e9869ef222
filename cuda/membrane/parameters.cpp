#include "cuda/membrane/parameters.h"

#include <vector>

namespace perturb::membrane {

namespace {

using P = Parameters;

template <auto Member>
Parameter side(const char* id, const char* label) {
  return parameter<Member>(id, label, "", "", 0, 1,
                           "Fixed: the membrane has the height of the rim here (Nitsche's method); zero if the rim is "
                           "flat. Free: it has the rim's slope across the side; zero if the rim is flat.")
      .with_choices({{"fixed", "Fixed"}, {"free", "Free"}})
      .in_group("Sides");
}

void equation_parameters(std::vector<Parameter>& table) {
  table.push_back(parameter<&P::sigma>("sigma", "Foundation", "1/length²", "sigma", -2000, 2000,
                                       "Sigma in -div(grad u) + (sigma - k²) u = f: a spring under every point. It "
                                       "moves the resonances to k² = sigma + pi²(m² + n²).")
                      .in_group("Membrane"));
  table.push_back(parameter<&P::frequency>("frequency", "Frequency", "1/length", "k", 0, 60,
                                           "Load and membrane oscillate as cos(k t); 0: a static load. A membrane with "
                                           "fixed sides resonates at k² = pi²(m² + n²).")
                      .in_group("Membrane"));
  table.push_back(parameter<&P::sweep>("sweep", "Sweep", "1/(length·time)", "", -10, 10,
                                       "How fast the frequency rises by itself. At the end it starts again. The "
                                       "response curve is drawn along the way.")
                      .in_group("Membrane"));
  table.push_back(parameter<&P::sweep_from>(
                      "sweep_from", "Sweep from", "1/length", "", 0, 60,
                      "Lowest frequency of the sweep, the response curve, the spectrum and the frequency tool.")
                      .in_group("Membrane"));
  table.push_back(parameter<&P::sweep_to>(
                      "sweep_to", "Sweep to", "1/length", "", 0, 60,
                      "Highest frequency of the sweep, the response curve, the spectrum and the frequency tool.")
                      .in_group("Membrane"));
  table.push_back(
      parameter<&P::load>("load", "Load", "", "f", 0, 2,
                          "Bump: f = strength·exp(-|x - source|²/width²). Known mode: a load whose "
                          "solution is a mode of the membrane, so that the error is known everywhere. Formula: "
                          "f = strength·(the load formula).")
          .with_choices({{"bump", "Bump"}, {"mode", "Known mode"}, {"formula", "Formula"}})
          .in_group("Load"));
  table.push_back(
      parameter<&P::source_x>("source_x", "Source x", "length", "", 0, 1, "Horizontal position of the bump.")
          .in_group("Load"));
  table.push_back(parameter<&P::source_y>("source_y", "Source y", "length", "", 0, 1, "Vertical position of the bump.")
                      .in_group("Load"));
  table.push_back(parameter<&P::source_width>("source_width", "Source width", "length", "w", 0.005, 2,
                                              "Width of the bump: w in exp(-|x - source|²/w²).")
                      .with_scale(Scale::logarithmic)
                      .in_group("Load"));
  table.push_back(parameter<&P::source_strength>(
                      "source_strength", "Source strength", "height/length²", "", -1000, 1000,
                      "Strength of the push; for a known mode, the height of the mode; of a formula, a factor.")
                      .in_group("Load"));
  table.push_back(parameter<&P::mode_x>("mode_x", "Mode, horizontal", "", "m", 0, 20,
                                        "Half waves of the known mode between the left and the right side.")
                      .in_group("Load"));
  table.push_back(parameter<&P::mode_y>("mode_y", "Mode, vertical", "", "n", 0, 20,
                                        "Half waves of the known mode between the bottom and the top side.")
                      .in_group("Load"));
  table.push_back(side<&P::boundary_left>("boundary_left", "Left side"));
  table.push_back(side<&P::boundary_right>("boundary_right", "Right side"));
  table.push_back(side<&P::boundary_bottom>("boundary_bottom", "Bottom side"));
  table.push_back(side<&P::boundary_top>("boundary_top", "Top side"));
}

template <auto Member>
Parameter corner(const char* id, const char* label) {
  return parameter<Member>(id, label, "height", "", -10, 10,
                           "Height of this corner of a bent frame. The sides are straight between the corners.")
      .in_group("Sides");
}

void rim_parameters(std::vector<Parameter>& table) {
  table.push_back(
      parameter<&P::rim>("rim", "Rim", "", "g", 0, 3,
                         "Height of the frame around the membrane. Fixed sides get its height g, free sides its slope "
                         "dg/dn. Flat: zero. Bent frame: straight between four corners. Wave on top: half waves along "
                         "the top side. Corner function: r^a sin(a theta) around the middle, with a = 2/3 for the L "
                         "and 1/2 for the slit. With a frequency the frame oscillates too.")
          .with_choices(
              {{"flat", "Flat"}, {"frame", "Bent frame"}, {"wave", "Wave on top"}, {"corner", "Corner function"}})
          .in_group("Sides"));
  table.push_back(corner<&P::corner_bottom_left>("corner_bottom_left", "Frame, bottom left"));
  table.push_back(corner<&P::corner_bottom_right>("corner_bottom_right", "Frame, bottom right"));
  table.push_back(corner<&P::corner_top_left>("corner_top_left", "Frame, top left"));
  table.push_back(corner<&P::corner_top_right>("corner_top_right", "Frame, top right"));
  table.push_back(parameter<&P::rim_height>(
                      "rim_height", "Wave height", "height", "", -10, 10,
                      "Height of the wave on the top side: A in A sin(m pi x). Also the factor of the corner function.")
                      .in_group("Sides"));
  table.push_back(parameter<&P::rim_waves>("rim_waves", "Half waves", "", "", 1, 10,
                                           "Half waves along the top side: m in A sin(m pi x).")
                      .in_group("Sides"));
}

void method_parameters(std::vector<Parameter>& table) {
  table.push_back(parameter<&P::level>("level", "Level", "", "l", 0, max_level,
                                       "The cover has 2^l patches in each direction before manual refinement.")
                      .with_restart()
                      .in_group("Method"));
  table.push_back(parameter<&P::degree>("degree", "Degree", "", "p", 1, membrane_max_degree,
                                        "Degree p of the local polynomials: (p+1)(p+2)/2 unknowns per patch.")
                      .with_restart()
                      .in_group("Method"));
  // Exclusive limits: at 1 patches do not overlap, at 2 no point is covered by only one of them.
  table.push_back(parameter<&P::overlap>("overlap", "Overlap", "", "alpha", 1.001, 1.999,
                                         "Width of a patch as a multiple of its cell, 1 < alpha < 2. Near 1 the "
                                         "weights are steep. Near 2 the functions of neighbours are almost the same.")
                      .in_group("Method"));
  table.push_back(
      parameter<&P::integration_level>(
          "integration_level", "Integration level", "", "q", 0, max_integration_level,
          "q + 1 Gauss points per direction on each integration cell; 0: as many as the degree needs (q = p).")
          .with_zero("automatic")
          .in_group("Method"));
  table.push_back(
      parameter<&P::basis>(
          "basis", "Local basis", "", "", 0, 1,
          "Products of Legendre polynomials, or monomials as in the paper: the same space, but worse conditioned.")
          .with_choices({{"legendre", "Legendre"}, {"monomial", "Monomials"}})
          .in_group("Method"));
  table.push_back(parameter<&P::nitsche>("nitsche", "Nitsche constant", "", "C", 2.5, 1000,
                                         "How strongly fixed sides are enforced: beta = C p²/s, where s is the side of "
                                         "a patch's cell. Below about 2 the bilinear form is not definite.")
                      .with_scale(Scale::logarithmic)
                      .in_group("Method"));
  table.push_back(
      parameter<&P::preconditioner>("preconditioner", "Preconditioner", "", "", 0, 2,
                                    "None, the inverse of each patch's own block, or a V-cycle over the covers of all "
                                    "levels. With the V-cycle the number of iterations does not grow with the level.")
          .with_choices({{"none", "None"}, {"patch", "Patch blocks"}, {"multilevel", "Multilevel"}})
          .in_group("Solver"));
  table.push_back(
      parameter<&P::tolerance>("tolerance", "Tolerance", "", "", 1e-14, 1e-2,
                               "The solver stops when the residual has fallen to this fraction of the load.")
          .with_scale(Scale::logarithmic)
          .in_group("Solver"));
  table.push_back(parameter<&P::max_iterations>(
                      "max_iterations", "Maximum iterations", "", "", 1, 100000,
                      "The solver iterates at most this many times. Then it factors the matrix if it is small enough "
                      "and the solver is Automatic. Otherwise it keeps the last solution and shows a message.")
                      .with_scale(Scale::logarithmic)
                      .in_group("Solver"));
  table.push_back(parameter<&P::assembly>("assembly", "Assembly", "", "", 0, 1,
                                          "When the matrices are assembled: only after a change that affects them, or "
                                          "in every step. Use every step to compare kernels.")
                      .with_choices({{"when-needed", "When needed"}, {"every-step", "Every step"}})
                      .in_group("Solver"));
}

void motion_parameters(std::vector<Parameter>& table) {
  table.push_back(parameter<&P::motion>(
                      "motion", "Motion", "", "", 0, 2,
                      "Steady: the oscillation u cos(k t) that the load sustains. In time: u'' + c u' - div(grad "
                      "u) + sigma u = f cos(k t), step by step; click to strike the membrane and let it ring. "
                      "Its modes: the lowest free oscillations, found step by step on a cover with many unknowns.")
                      .with_choices({{"steady", "Steady"}, {"in-time", "In time"}, {"modes", "Its modes"}})
                      .with_restart()
                      .in_group("Membrane"));
  table.push_back(
      parameter<&P::damping>(
          "damping", "Damping", "1/time", "c", 0, 20,
          "Damping c in u'' + c u'. A ringing membrane loses its energy as exp(-c t). In steady motion, resonances "
          "stay finite and are about c wide, and the membrane lags behind the load, by 90 degrees at a mode.")
          .in_group("Membrane"));
  table.push_back(parameter<&P::strike_velocity>(
                      "strike_velocity", "Strike", "height/time", "", -100, 100,
                      "Velocity that a strike gives the membrane at the centre of a bump as wide as the load.")
                      .in_group("Load"));
  table.push_back(parameter<&P::ear_x>("ear_x", "Listening point x", "length", "", 0, 1,
                                       "Horizontal position of the point whose spectrum is shown.")
                      .in_group("Load"));
  table.push_back(parameter<&P::ear_y>("ear_y", "Listening point y", "length", "", 0, 1,
                                       "Vertical position of the point whose spectrum is shown.")
                      .in_group("Load"));
  table.push_back(parameter<&P::mode_number>(
                      "mode_number", "Mode", "", "", 1, max_modes,
                      "Number of the mode that is shown, with the lowest as 1. For the motion \"Its modes\".")
                      .in_group("Membrane"));
}

void domain_parameters(std::vector<Parameter>& table) {
  table.push_back(
      parameter<&P::domain>("domain", "Domain", "", "", 0, 2,
                            "Shape of the membrane. L: without the lower right quarter. Slit: cut from the middle to "
                            "the right side. The edges at the corner in the middle are fixed.")
          .with_choices({{"square", "Square"}, {"l", "L"}, {"slit", "Slit"}})
          .in_group("Membrane"));
  table.push_back(
      parameter<&P::enrichment>(
          "enrichment", "Enrichment", "length", "", 0, 0.75,
          "Patches up to this distance from the corner of the L or the end of the slit have one more local function: "
          "r^a sin(a theta), by which every solution is bent there. Polynomials follow it only slowly.")
          .with_zero("none")
          .in_group("Method"));
}

std::vector<Parameter> make_table() {
  std::vector<Parameter> table;
  equation_parameters(table);
  method_parameters(table);
  table.push_back(
      parameter<&P::time_step>("time_step", "Time step", "time", "dt", 1e-4, 1, "Time from one step to the next.")
          .with_scale(Scale::logarithmic)
          .in_group("Method"));
  table.push_back(parameter<&P::show_patches>(
                      "show_patches", "Patches", "", "", 0, 1,
                      "Draws the cells of the patches, and the overlapping outline of the patch at the source.")
                      .in_group("Display"));
  table.push_back(
      parameter<&P::show_cells>("show_cells", "Integration cells", "", "", 0, 1,
                                "Draws the lines that cut the domain for integration: the boundaries of the patches.")
          .in_group("Display"));
  table.push_back(parameter<&P::show_nodal_lines>("show_nodal_lines", "Nodal lines", "", "", 0, 1,
                                                  "Draws the lines that stay at rest: u = 0.")
                      .in_group("Display"));
  // New parameters are appended: saved states store those of their solution by index.
  rim_parameters(table);
  motion_parameters(table);
  table.push_back(
      parameter<&P::solver>("solver", "Solver", "", "", 0, 1,
                            "Automatic: small membranes that oscillate or move are solved directly, from all modes of "
                            "their matrices, and others where the iteration does not converge, by factoring the "
                            "matrix. Iterative: always conjugate gradients or MINRES.")
          .with_choices({{"automatic", "Automatic"}, {"iterative", "Iterative"}})
          .in_group("Solver"));
  domain_parameters(table);
  table.push_back(parameter<&P::load_formula>(
                      "load_formula", "Load formula", "", "", 0, 1,
                      "For the load \"Formula\": f at the point (x, y), both from 0 to 1, such as x - y or "
                      "sin(3 * pi * x). It may have + - * / ^, brackets, pi, sqrt, abs, exp, log, sin, cos and tan.")
                      .with_formula()
                      .in_group("Load"));
  return table;
}

}  // namespace

std::span<const Parameter> parameter_table() {
  static const std::vector<Parameter> table = make_table();
  return table;
}

Message parameter_name(std::string_view id) {
  const Parameter& parameter = *find_parameter(parameter_table(), id);
  return Message::parameter(parameter.id, parameter.label);
}

}  // namespace perturb::membrane
