#include "cuda/fibers/parameters.h"

#include <string>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/fibers/kernels/nodes.h"
#include "cuda/fibers/model/cell.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

namespace {

std::vector<Parameter> make_table() {
  using P = FiberParameters;
  std::vector<Parameter> table;
  table.push_back(
      parameter<&P::slenderness>("slenderness", "Slenderness", "", "ε", 1e-4, 0.1,
                                 "A fiber's radius over its whole length. With d = -ln(ε² e), the method holds "
                                 "while d is larger than λ_N = 2 (1 + 1/2 + ... + 1/N).")
          .with_scale(Scale::logarithmic)
          .in_group("Fibers"));
  table.push_back(parameter<&P::alone>("alone", "Each alone", "", "", 0, 1,
                                       "Leaves out what the fibers do to each other: each falls as a lone one does.")
                      .in_group("Fibers"));
  table.push_back(parameter<&P::contact>("contact", "Contact", "", "", 0, 1,
                                         "After each step fibers whose axes are closer than one thickness push each "
                                         "other apart until they touch, with equal and opposite forces. The paper has "
                                         "none: its fibers may lie in each other.")
                      .in_group("Fibers"));
  table.push_back(
      parameter<&P::box>("box", "Periodic box", "length", "", 0, 1000,
                         "Edge of a box that repeats in all directions, in half fiber lengths; 0: free space. Each "
                         "fiber feels the nearest image of every other one; what farther images do is left out.")
          .in_group("Fibers"));
  table.push_back(
      parameter<&P::time_step>("time_step", "Time step", "time", "dt", 1e-4, 5,
                               "Time from one step to the next. A time unit is what a lone upright fiber needs to "
                               "fall by half its length.")
          .with_scale(Scale::logarithmic)
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::scheme>(
          "scheme", "Time scheme", "", "", 0, 2,
          "Two-step: Tornberg & Gustavsson's, second order. Adams-Bashforth: second order at the same cost "
          "with a smaller error. Runge-Kutta: fourth order, four evaluations a step.")
          .with_choices(
              {{"two-step", "Two-step"}, {"adams-bashforth", "Adams-Bashforth 2"}, {"runge-kutta", "Runge-Kutta 4"}})
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::tolerance>("tolerance", "Tolerance", "", "", 1e-12, 1e-2,
                               "The linear system is solved until its residual has fallen by this factor. The "
                               "error of velocities is about a hundredth of it.")
          .with_scale(Scale::logarithmic)
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::terms>("terms", "Terms N", "", "N", 2, fiber_max_terms,
                           "Highest degree of the Legendre polynomials that a fiber's force is expanded in.")
          .with_restart()
          .in_group("Numerics"));
  table.push_back(parameter<&P::subintervals>("subintervals", "Subintervals", "", "", 1, 16,
                                              "Equal parts of a fiber in the outer rule of integration.")
                      .with_restart()
                      .in_group("Numerics"));
  table.push_back(parameter<&P::points_per_subinterval>("points_per_subinterval", "Points each", "", "", 1, 8,
                                                        "Gauss points in each part; all together at most 64.")
                      .with_restart()
                      .in_group("Numerics"));
  table.push_back(parameter<&P::precision>("precision", "Precision", "", "", 0, 1,
                                           "In which numbers the interaction of pairs is computed and kept. Positions, "
                                           "velocities and the solver's vectors are always in double precision.")
                      .with_choices({{"fp32", "Single (FP32)"}, {"fp64", "Double (FP64)"}})
                      .with_restart()
                      .in_group("Numerics"));
  table.push_back(
      parameter<&P::pairing>("pairing", "Pairing", "", "", 0, 1,
                             "Mirrored: each pair is computed once, and the system is symmetric. Both: from both "
                             "sides, at twice the cost; they differ by the error of the outer rule.")
          .with_choices({{"mirrored", "Mirrored"}, {"both", "Both ways"}})
          .with_restart()
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::storage>("storage", "Interaction", "", "", 0, 2,
                             "Whether the interaction of pairs is stored for the solver or computed anew in each of "
                             "its iterations; automatic: stored where three quarters of the free memory hold it.")
          .with_choices({{"automatic", "Automatic"}, {"stored", "Stored"}, {"recomputed", "Recomputed"}})
          .with_restart()
          .in_group("Numerics"));
  table.push_back(parameter<&P::node_points>(
                      "node_points", "Nodes", "", "", 4, fiber_max_nodes,
                      "Gauss points on each fiber for the kernel \"nodes\". Its work grows with their square.")
                      .with_restart()
                      .in_group("Numerics"));
  table.push_back(parameter<&P::node_reach>(
                      "node_reach", "Close", "length", "", 0.1, 4,
                      "Pairs of fibers closer than this get the closed form in the kernel \"nodes\": with 16 nodes "
                      "the others are then right to a millionth.")
                      .with_scale(Scale::logarithmic)
                      .with_restart()
                      .in_group("Numerics"));
  table.push_back(parameter<&P::start>("start", "Start", "", "", 0, 5, "How the fibers lie at the beginning.")
                      .with_choices({{"cloud", "Ball"},
                                     {"lone", "Lone fibers"},
                                     {"pair", "Pairs"},
                                     {"sheet", "Sheet"},
                                     {"two-clouds", "Two balls"},
                                     {"box", "Box"}})
                      .with_restart()
                      .in_group("Start"));
  table.push_back(parameter<&P::radius>("radius", "Radius", "length", "R", 0.1, 1000,
                                        "Of the ball (each of two balls), or half the edge of the sheet.")
                      .with_scale(Scale::logarithmic)
                      .with_restart()
                      .in_group("Start"));
  table.push_back(parameter<&P::min_distance>("min_distance", "Least distance", "length", "", 0, 1,
                                              "No two fibers start closer than this; a fiber is two radii thick.")
                      .with_restart()
                      .in_group("Start"));
  table.push_back(parameter<&P::length_spread>(
                      "length_spread", "Spread of lengths", "", "", 0, 0.5,
                      "Standard deviation of the fibers' lengths over their mean, which stays two length units; 0: all "
                      "are alike. All have one radius, and a weight in proportion to their length.")
                      .with_restart()
                      .in_group("Start"));
  table.push_back(parameter<&P::lengths>("lengths", "Lengths", "", "", 0, 1,
                                         "How lengths are spread: evenly between a shortest and a longest one, or half "
                                         "of the fibers short and half of them long.")
                      .with_choices({{"uniform", "Uniform"}, {"two", "Two lengths"}})
                      .with_restart()
                      .in_group("Start"));
  table.push_back(
      parameter<&P::tilt>("tilt", "Tilt", "degree", "θ", 0, 90, "Of lone fibers and pairs, against the vertical.")
          .with_restart()
          .in_group("Start"));
  table.push_back(parameter<&P::gap>("gap", "Gap", "length", "", 0.001, 100, "Between the two fibers of a pair.")
                      .with_restart()
                      .in_group("Start"));
  table.push_back(parameter<&P::pull_core>("pull_core", "Pull core", "length", "", 0.05, 10,
                                           "Over what distance the force under the pointer is spread.")
                      .in_group("Poking"));
  table.push_back(
      parameter<&P::views>("views", "Views", "", "", 0, 1, "Seen from the side and from above, or from the side alone.")
          .with_choices({{"side-and-top", "Side and top"}, {"side", "Side"}})
          .in_group("Picture"));
  table.push_back(
      parameter<&P::drawn_radius>("drawn_radius", "Drawn radius", "", "", 1, 20,
                                  "How thick fibers are drawn, in their own radii; never thinner than a pixel.")
          .in_group("Picture"));
  table.push_back(parameter<&P::view_size>("view_size", "View size", "length", "", 0, 1000,
                                           "Half the picture's height; 0: what the start needs.")
                      .in_group("Picture"));
  table.push_back(parameter<&P::yaw>("yaw", "Yaw", "degree", "", -360, 360,
                                     "The side view's turn about the vertical, besides what the mouse does.")
                      .in_group("Picture"));
  table.push_back(parameter<&P::pitch>("pitch", "Pitch", "degree", "", -90, 90,
                                       "How far the side view looks down from above the horizontal.")
                      .in_group("Picture"));
  table.push_back(parameter<&P::follow>("follow", "Follow", "", "", 0, 1, "The picture falls with the fibers' centre.")
                      .in_group("Picture"));
  table.push_back(
      parameter<&P::trail>("trail", "Trail", "step", "", 0, 200,
                           "How many steps of each fiber's path are drawn behind it, against the place that "
                           "the picture follows. Fewer where there are many fibers.")
          .in_group("Picture")
          .with_former_id("trace"));
  table.push_back(parameter<&P::tracers>("tracers", "Tracers", "", "", 0, max_tracers,
                                         "Points of the fluid, which carries them with it: each begins in the vertical "
                                         "plane through the middle, and enters again where it has left the side view. "
                                         "Its tail tells where it came from, against the picture. 0: none.")
                      .in_group("Picture"));
  return table;
}

}  // namespace

std::span<const Parameter> parameter_table() {
  static const std::vector<Parameter> table = make_table();
  return table;
}

void check_fibers_parameters(const FiberParameters& p) {
  const double d = fiber_d(p.slenderness);
  if (!(d > fiber_lambda(p.terms))) {
    int most = 0;
    while (most < fiber_max_terms && d > fiber_lambda(most + 1)) ++most;
    throw InputError(
        "slenderness " + format_number(p.slenderness) + " and terms " + std::to_string(p.terms) +
        " do not go together: the system is singular or indefinite, for d = -ln(ε² e) = " + format_number(d, 4) +
        " must be larger than λ_N = " + format_number(fiber_lambda(p.terms), 4) +
        (most >= 2 ? ". Lower terms to " + std::to_string(most) + " or less, or choose a smaller slenderness."
                   : ". Choose a smaller slenderness."));
  }
  if (p.length_spread > 0)
    require_slender(p, shortest_fiber_drawn(p),
                    "With length_spread " + format_number(p.length_spread) + " the shortest fiber",
                    "Lower length_spread, terms or slenderness.");
  if (p.subintervals * p.points_per_subinterval > fiber_max_points)
    throw InputError("subintervals times points_per_subinterval is " +
                     std::to_string(p.subintervals * p.points_per_subinterval) + ", and the outer rule has at most " +
                     std::to_string(fiber_max_points) + " points: lower one of them.");
}

}  // namespace perturb::fibers
