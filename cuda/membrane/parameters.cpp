#include "cuda/membrane/parameters.h"

#include <vector>

namespace perturb::membrane {

namespace {

using P = Parameters;

template <auto Member>
Parameter side(const char* id, const char* label) {
  return parameter<Member>(id, label, "", "", 0, 1,
                           "Fixed holds the membrane at the rim's height here, which is zero where the rim is flat (by "
                           "Nitsche's method); free lets it swing with the rim's slope across the side: none.")
      .with_choices({{"fixed", "Fixed"}, {"free", "Free"}})
      .in_group("Sides");
}

void equation_parameters(std::vector<Parameter>& table) {
  table.push_back(parameter<&P::sigma>("sigma", "Foundation", "1/length²", "sigma", -2000, 2000,
                                       "The sigma in -div(grad u) + (sigma - k²) u = f: a spring under every point, "
                                       "which makes resonances come at k² = sigma + pi²(m² + n²).")
                      .in_group("Membrane"));
  table.push_back(parameter<&P::frequency>("frequency", "Frequency", "1/length", "k", 0, 60,
                                           "The load swings as cos(k t), and so does the membrane. A fixed one "
                                           "resonates where k² meets pi²(m² + n²); 0: a static load.")
                      .in_group("Membrane"));
  table.push_back(parameter<&P::sweep>("sweep", "Sweep", "1/(length·time)", "", -10, 10,
                                       "How fast the frequency moves by itself; it starts over at the end. The "
                                       "response curve is drawn on the way.")
                      .in_group("Membrane"));
  table.push_back(
      parameter<&P::sweep_from>("sweep_from", "Sweep from", "1/length", "", 0, 60,
                                "Where the sweep, the response curve, the spectrum and the frequency tool begin.")
          .in_group("Membrane"));
  table.push_back(
      parameter<&P::sweep_to>("sweep_to", "Sweep to", "1/length", "", 0, 60,
                              "Where the sweep, the response curve, the spectrum and the frequency tool end.")
          .in_group("Membrane"));
  table.push_back(parameter<&P::load>("load", "Load", "", "f", 0, 1,
                                      "A bump: f = strength·exp(-|x - source|²/width²). A known mode: the load whose "
                                      "solution is a mode of the membrane, so that the error is known everywhere.")
                      .with_choices({{"bump", "Bump"}, {"mode", "Known mode"}})
                      .in_group("Load"));
  table.push_back(parameter<&P::source_x>("source_x", "Source x", "length", "", 0, 1, "Where the bump is, across.")
                      .in_group("Load"));
  table.push_back(
      parameter<&P::source_y>("source_y", "Source y", "length", "", 0, 1, "Where the bump is, up.").in_group("Load"));
  table.push_back(parameter<&P::source_width>("source_width", "Source width", "length", "w", 0.005, 2,
                                              "How wide the bump is: w in exp(-|x - source|²/w²).")
                      .with_scale(Scale::logarithmic)
                      .in_group("Load"));
  table.push_back(parameter<&P::source_strength>("source_strength", "Source strength", "height/length²", "", -1000,
                                                 1000, "How hard it pushes; of a known mode, the mode's height.")
                      .in_group("Load"));
  table.push_back(parameter<&P::mode_x>("mode_x", "Mode across", "", "m", 0, 20,
                                        "Half waves of the known mode between the left and the right side.")
                      .in_group("Load"));
  table.push_back(parameter<&P::mode_y>("mode_y", "Mode up", "", "n", 0, 20,
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
                           "How high this corner of a bent frame is; along the sides between, heights change evenly.")
      .in_group("Sides");
}

void rim_parameters(std::vector<Parameter>& table) {
  table.push_back(parameter<&P::rim>("rim", "Rim", "", "g", 0, 2,
                                     "What the sides are given: fixed ones the height g, free ones its slope dg/dn. "
                                     "Flat: none. A bent frame: straight between four corners. A wave: half waves "
                                     "along the top side. With a frequency the rim swings along.")
                      .with_choices({{"flat", "Flat"}, {"frame", "Bent frame"}, {"wave", "Wave on top"}})
                      .in_group("Sides"));
  table.push_back(corner<&P::corner_bottom_left>("corner_bottom_left", "Frame, bottom left"));
  table.push_back(corner<&P::corner_bottom_right>("corner_bottom_right", "Frame, bottom right"));
  table.push_back(corner<&P::corner_top_left>("corner_top_left", "Frame, top left"));
  table.push_back(corner<&P::corner_top_right>("corner_top_right", "Frame, top right"));
  table.push_back(parameter<&P::rim_height>("rim_height", "Wave height", "height", "", -10, 10,
                                            "How high the wave on the top side is: the A in A sin(m pi x).")
                      .in_group("Sides"));
  table.push_back(parameter<&P::rim_waves>("rim_waves", "Half waves", "", "", 1, 10,
                                           "Half waves along the top side: the m in A sin(m pi x).")
                      .in_group("Sides"));
}

void method_parameters(std::vector<Parameter>& table) {
  table.push_back(parameter<&P::level>("level", "Level", "", "l", 0, max_level,
                                       "The cover has 2^l patches a direction before anything is refined by hand.")
                      .with_restart()
                      .in_group("Method"));
  table.push_back(parameter<&P::degree>("degree", "Degree", "", "p", 1, membrane_max_degree,
                                        "Degree of the local polynomials: (p+1)(p+2)/2 unknowns a patch.")
                      .with_restart()
                      .in_group("Method"));
  // Exclusive limits: at 1 patches do not overlap, at 2 no point is covered by only one of them.
  table.push_back(parameter<&P::overlap>("overlap", "Overlap", "", "alpha", 1.001, 1.999,
                                         "A patch's width as a multiple of its cell's: 1 < alpha < 2. Near 1 the "
                                         "weights are steep, near 2 neighbours nearly say the same.")
                      .in_group("Method"));
  table.push_back(
      parameter<&P::integration_level>("integration_level", "Integration level", "", "q", 0, most_integration_level,
                                       "q + 1 Gauss points a direction on each integration cell; 0: as many "
                                       "as the degree asks for (q = p).")
          .in_group("Method"));
  table.push_back(parameter<&P::basis>("basis", "Local basis", "", "", 0, 1,
                                       "Products of Legendre polynomials, or the monomials of the paper: the same "
                                       "space, worse conditioned.")
                      .with_choices({{"legendre", "Legendre"}, {"monomial", "Monomials"}})
                      .in_group("Method"));
  table.push_back(parameter<&P::nitsche>("nitsche", "Nitsche constant", "", "C", 2.5, 1000,
                                         "How firmly fixed sides are held: beta = C p²/s with the side s of a patch's "
                                         "cell. Below about 2 the form would not be definite.")
                      .with_scale(Scale::logarithmic)
                      .in_group("Method"));
  table.push_back(parameter<&P::preconditioner>("preconditioner", "Preconditioner", "", "", 0, 2,
                                                "None; the inverse of each patch's own block; or a V-cycle over the "
                                                "covers of all levels, so that iterations stop growing with the level.")
                      .with_choices({{"none", "None"}, {"patch", "Patch blocks"}, {"multilevel", "Multilevel"}})
                      .in_group("Solver"));
  table.push_back(parameter<&P::tolerance>("tolerance", "Tolerance", "", "", 1e-14, 1e-2,
                                           "The solver stops when the residual has fallen to this share of the load.")
                      .with_scale(Scale::logarithmic)
                      .in_group("Solver"));
  table.push_back(parameter<&P::max_iterations>("max_iterations", "Most iterations", "", "", 1, 100000,
                                                "Where the solver gives up, says so and keeps the last solution.")
                      .with_scale(Scale::logarithmic)
                      .in_group("Solver"));
  table.push_back(parameter<&P::assembly>("assembly", "Assembly", "", "", 0, 1,
                                          "Assemble the matrices when something changed that they depend on, or in "
                                          "every step: the work that the kernels are compared by.")
                      .with_choices({{"when-needed", "When needed"}, {"every-step", "Every step"}})
                      .in_group("Solver"));
}

void motion_parameters(std::vector<Parameter>& table) {
  table.push_back(parameter<&P::motion>("motion", "Motion", "", "", 0, 2,
                                        "Steady: the swing u cos(k t) that a load keeps up. In time: u'' + c u' - "
                                        "div(grad u) + sigma u = f cos(k t), step by step; a click strikes it, and it "
                                        "rings. Its modes: the lowest swings that need no load, found step by step.")
                      .with_choices({{"steady", "Steady"}, {"in-time", "In time"}, {"modes", "Its modes"}})
                      .with_restart()
                      .in_group("Membrane"));
  table.push_back(
      parameter<&P::damping>("damping", "Damping", "1/time", "c", 0, 20,
                             "The c in u'' + c u': a membrane that rings loses its energy as exp(-c t); at a steady "
                             "frequency its resonances end, about c wide, and it lags behind its load, by "
                             "90 degrees at a mode.")
          .in_group("Membrane"));
  table.push_back(parameter<&P::strike_velocity>("strike_velocity", "Strike", "height/time", "", -100, 100,
                                                 "The velocity that a strike gives the membrane in the middle of a "
                                                 "bump as wide as the load.")
                      .in_group("Load"));
  table.push_back(parameter<&P::ear_x>("ear_x", "Ear x", "length", "", 0, 1,
                                       "Where the displacement is heard whose spectrum is shown, across.")
                      .in_group("Load"));
  table.push_back(parameter<&P::ear_y>("ear_y", "Ear y", "length", "", 0, 1, "Where the displacement is heard, up.")
                      .in_group("Load"));
  table.push_back(parameter<&P::mode_number>("mode_number", "Mode", "", "", 1, max_modes,
                                             "Which of its modes is shown, the lowest being 1; where the motion is its "
                                             "modes.")
                      .in_group("Membrane"));
}

std::vector<Parameter> make_table() {
  std::vector<Parameter> table;
  equation_parameters(table);
  method_parameters(table);
  table.push_back(parameter<&P::time_step>("time_step", "Time step", "time", "dt", 1e-4, 1,
                                           "How far the membrane moves on in a step.")
                      .with_scale(Scale::logarithmic)
                      .in_group("Picture"));
  table.push_back(
      parameter<&P::show_patches>("show_patches", "Patches", "", "", 0, 1,
                                  "Draws the patches' cells, and the overlapping outline of the one at the source.")
          .in_group("Picture"));
  table.push_back(parameter<&P::show_cells>("show_cells", "Integration cells", "", "", 0, 1,
                                            "Draws the lines along which the domain is cut for integration: the "
                                            "patches' boundaries.")
                      .in_group("Picture"));
  table.push_back(parameter<&P::show_nodal_lines>("show_nodal_lines", "Nodal lines", "", "", 0, 1,
                                                  "Draws the lines that stay at rest: u = 0.")
                      .in_group("Picture"));
  // New parameters are appended: saved states store those of their solution by index.
  rim_parameters(table);
  motion_parameters(table);
  return table;
}

}  // namespace

std::span<const Parameter> parameter_table() {
  static const std::vector<Parameter> table = make_table();
  return table;
}

}  // namespace perturb::membrane
