#include "cuda/fibers/parameters.h"

#include <string>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/fibers/model/cell.h"
#include "cuda/fibers/model/nodes.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

namespace {

std::vector<Parameter> make_table() {
  using P = Parameters;
  std::vector<Parameter> table;
  table.push_back(parameter<&P::slenderness>("slenderness", "Slenderness", "", "ε", 1e-4, 0.1,
                                             "Radius of a fiber divided by its length. With d = -ln(ε² e), the method "
                                             "holds while d is larger than λ_N = 2 (1 + 1/2 + ... + 1/N).")
                      .with_scale(Scale::logarithmic)
                      .in_group("Fibers"));
  table.push_back(parameter<&P::alone>("alone", "No interaction", "", "", 0, 1,
                                       "Ignores the flow of the other fibers: each falls like a single fiber.")
                      .in_group("Fibers"));
  table.push_back(
      parameter<&P::contact>(
          "contact", "Contact", "", "", 0, 1,
          "After each step, fibers whose axes are closer than one thickness push each other apart until they touch, "
          "with equal and opposite forces. Without contact, as in the paper, fibers may overlap.")
          .in_group("Fibers"));
  table.push_back(
      parameter<&P::box>("box", "Periodic box", "length", "", 0, 1000,
                         "Edge of a box that repeats in all directions, in half fiber lengths; 0: free space. Each "
                         "fiber interacts with the nearest image of every other fiber; farther images are ignored.")
          .with_zero("free space")
          .in_group("Fibers"));
  table.push_back(
      parameter<&P::time_step>(
          "time_step", "Time step", "time", "dt", 1e-4, 5,
          "Time from one step to the next. In one time unit a single upright fiber falls by half its length.")
          .with_scale(Scale::logarithmic)
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::scheme>("scheme", "Time scheme", "", "", 0, 2,
                            "Two-step: second order, from Tornberg & Gustavsson. Adams-Bashforth: second order at the "
                            "same cost with a smaller error. Runge-Kutta: fourth order, four evaluations per step.")
          .with_choices(
              {{"two-step", "Two-step"}, {"adams-bashforth", "Adams-Bashforth 2"}, {"runge-kutta", "Runge-Kutta 4"}})
          .in_group("Numerics"));
  table.push_back(parameter<&P::tolerance>("tolerance", "Tolerance", "", "", 1e-12, 1e-2,
                                           "The solver stops when the residual has fallen by this factor. The error of "
                                           "the velocities is about a hundredth of it.")
                      .with_scale(Scale::logarithmic)
                      .in_group("Numerics"));
  table.push_back(
      parameter<&P::terms>("terms", "Terms N", "", "N", 2, max_terms,
                           "Highest degree of the Legendre polynomials that represent the force on a fiber.")
          .with_restart()
          .in_group("Numerics"));
  table.push_back(parameter<&P::subintervals>("subintervals", "Subintervals", "", "", 1, 16,
                                              "Number of equal parts of a fiber in the outer quadrature rule.")
                      .with_restart()
                      .in_group("Numerics"));
  table.push_back(parameter<&P::points_per_subinterval>("points_per_subinterval", "Points per subinterval", "", "", 1,
                                                        8, "Gauss points in each subinterval; at most 64 in total.")
                      .with_restart()
                      .in_group("Numerics"));
  table.push_back(parameter<&P::precision>("precision", "Precision", "", "", 0, 1,
                                           "Precision of the pair interaction. Positions, velocities and the vectors "
                                           "of the solver are always in double precision.")
                      .with_choices({{"fp32", "Single (FP32)"}, {"fp64", "Double (FP64)"}})
                      .with_restart()
                      .in_group("Numerics"));
  table.push_back(
      parameter<&P::pairing>("pairing", "Pairing", "", "", 0, 1,
                             "Mirrored: each pair is computed once, and the system is symmetric. Both ways: from both "
                             "sides at twice the cost. The results differ by the error of the outer rule.")
          .with_choices({{"mirrored", "Mirrored"}, {"both", "Both ways"}})
          .with_restart()
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::storage>("storage", "Interaction", "", "", 0, 2,
                             "Whether the pair interaction is stored or recomputed in each iteration of the solver. "
                             "Automatic: stored if it fits in three quarters of the free memory.")
          .with_choices({{"automatic", "Automatic"}, {"stored", "Stored"}, {"recomputed", "Recomputed"}})
          .with_restart()
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::node_points>(
          "node_points", "Nodes", "", "", 4, max_nodes,
          "Gauss points on each fiber for the kernels \"nodes\" and \"levels\". The work grows with the square of this "
          "number.")
          .with_restart()
          .in_group("Numerics"));
  table.push_back(parameter<&P::node_reach>("node_reach", "Near range", "length", "", 0.1, 4,
                                            "The kernels \"nodes\" and \"levels\" use the closed form for pairs closer "
                                            "than this. With 16 nodes the other pairs are then accurate to a "
                                            "millionth, or with \"levels\" to a hundred-thousandth.")
                      .with_scale(Scale::logarithmic)
                      .with_restart()
                      .in_group("Numerics"));
  table.push_back(parameter<&P::start>("start", "Start", "", "", 0, 5, "Arrangement of the fibers at the start.")
                      .with_choices({{"cloud", "Ball"},
                                     {"lone", "Single fibers"},
                                     {"pair", "Pairs"},
                                     {"sheet", "Sheet"},
                                     {"two-clouds", "Two balls"},
                                     {"box", "Box"}})
                      .with_restart()
                      .in_group("Start"));
  table.push_back(parameter<&P::radius>("radius", "Radius", "length", "R", 0.1, 1000,
                                        "Radius of the ball (or of each of two balls), or half the edge of the sheet.")
                      .with_scale(Scale::logarithmic)
                      .with_restart()
                      .in_group("Start"));
  table.push_back(parameter<&P::min_distance>("min_distance", "Minimum distance", "length", "", 0, 1,
                                              "No two fibers start closer than this. A fiber is two radii thick.")
                      .with_restart()
                      .in_group("Start"));
  table.push_back(parameter<&P::length_spread>(
                      "length_spread", "Spread of lengths", "", "", 0, 0.5,
                      "Standard deviation of the lengths divided by their mean, which is always two length units; 0: "
                      "all are equal. All have the same radius and a weight proportional to their length.")
                      .with_restart()
                      .in_group("Start"));
  table.push_back(parameter<&P::lengths>("lengths", "Lengths", "", "", 0, 1,
                                         "Distribution of the lengths: uniform between a shortest and a longest, or "
                                         "half of the fibers short and half long.")
                      .with_choices({{"uniform", "Uniform"}, {"two", "Two lengths"}})
                      .with_restart()
                      .in_group("Start"));
  table.push_back(
      parameter<&P::tilt>("tilt", "Tilt", "degree", "θ", 0, 90, "Angle of single fibers and pairs from the vertical.")
          .with_restart()
          .in_group("Start"));
  table.push_back(
      parameter<&P::gap>("gap", "Gap", "length", "", 0.001, 100, "Distance between the two fibers of a pair.")
          .with_restart()
          .in_group("Start"));
  table.push_back(parameter<&P::pull_core>("pull_core", "Pull width", "length", "", 0.05, 10,
                                           "Distance over which the force at the pointer is spread.")
                      .in_group("Pointer force"));
  table.push_back(parameter<&P::views>("views", "Views", "", "", 0, 1, "Side view and top view, or the side view only.")
                      .with_choices({{"side-and-top", "Side and top"}, {"side", "Side"}})
                      .in_group("Display"));
  table.push_back(parameter<&P::drawn_radius>(
                      "drawn_radius", "Drawn radius", "", "", 1, 20,
                      "Radius of the drawn fibers as a multiple of the true radius; never thinner than a pixel.")
                      .in_group("Display"));
  table.push_back(
      parameter<&P::view_size>("view_size", "View size", "length", "", 0, 1000,
                               "Half the height of the view; 0: fits the start, and grows with few fibers that part.")
          .with_zero("automatic")
          .in_group("Display"));
  table.push_back(parameter<&P::yaw>("yaw", "Yaw", "degree", "", -360, 360,
                                     "Rotation of the side view about the vertical, added to the rotation by mouse.")
                      .in_group("Display"));
  table.push_back(parameter<&P::pitch>("pitch", "Pitch", "degree", "", -90, 90,
                                       "Angle at which the side view looks down from above.")
                      .in_group("Display"));
  table.push_back(
      parameter<&P::follow>("follow", "Follow", "", "", 0, 1, "The view moves with the centre of the fibers.")
          .in_group("Display"));
  table.push_back(parameter<&P::trail>("trail", "Trail", "step", "", 0, 200,
                                       "Number of steps of each fiber's path drawn behind it, relative to the point "
                                       "that the view follows. Fewer if there are many fibers.")
                      .in_group("Display")
                      .with_former_id("trace"));
  table.push_back(
      parameter<&P::tracers>(
          "tracers", "Tracers", "", "", 0, max_tracers,
          "Number of points that drift with the fluid; 0: none. Each starts in the vertical plane through the middle "
          "and enters again when it leaves the side view. The tail shows where it came from, relative to the view.")
          .in_group("Display"));
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

void check_fibers_parameters(const Parameters& p) {
  const double d = fiber_d(p.slenderness);
  if (!(d > fiber_lambda(p.terms))) {
    int most = 0;
    while (most < max_terms && d > fiber_lambda(most + 1)) ++most;
    throw InputError(
        Message("{} {} and {} {} cannot be combined: d = -ln(ε² e) = {} must be larger than λ_N = {}, or the system is "
                "singular or indefinite.",
                parameter_name("slenderness"), format_number(p.slenderness), parameter_name("terms"), p.terms,
                format_number(d, 4), format_number(fiber_lambda(p.terms), 4)) +
        (most >= 2 ? Message("Lower the number of terms to {} or less, or choose a smaller slenderness.", most)
                   : Message("Choose a smaller slenderness.")));
  }
  if (p.length_spread > 0)
    require_slender(
        p, shortest_fiber_drawn(p),
        Message("The shortest fiber at {} {}", parameter_name("length_spread"), format_number(p.length_spread)),
        "Lower the spread of lengths, the number of terms or the slenderness.");
  if (p.subintervals * p.points_per_subinterval > max_points)
    throw InputError("{} times {} is {}, and the outer rule has at most {} points. Lower one of the two.",
                     parameter_name("subintervals"), parameter_name("points_per_subinterval"),
                     p.subintervals * p.points_per_subinterval, max_points);
}

}  // namespace perturb::fibers
