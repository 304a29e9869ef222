#include "cuda/wave/parameters.h"

#include <vector>

namespace perturb::wave {

namespace {

std::vector<Choice> boundary_choices() {
  return {{"fixed", "Fixed"}, {"free", "Free"}, {"absorbing", "Absorbing"}, {"periodic", "Periodic"}};
}

template <auto Member>
Parameter side(const char* id, const char* label) {
  return parameter<Member>(id, label, "", "", 0, 3,
                           "How this side treats a wave. Fixed: reflects it upside down. Free: reflects it upright. "
                           "Absorbing: lets it leave. Periodic: lets it enter again on the opposite side.")
      .with_choices(boundary_choices())
      .in_group("Sides");
}

std::vector<Parameter> make_table() {
  using P = Parameters;
  std::vector<Parameter> table;
  table.push_back(
      parameter<&P::wave_speed>(
          "wave_speed", "Wave speed", "length/time", "c", 0, 10,
          "How fast waves travel: c in u_tt + k u_t = c² (u_xx + u_yy). A painted speed map multiplies this value.")
          .in_group("Water"));
  table.push_back(
      parameter<&P::damping>(
          "damping", "Damping", "1/time", "k", 0, 2,
          "How fast waves fade: k in u_tt + k u_t = c² (u_xx + u_yy). The amplitude of a wave falls as exp(-k t / 2).")
          .in_group("Water"));
  table.push_back(parameter<&P::droplet_radius>("droplet_radius", "Droplet radius", "length", "s", 0.1, 200,
                                                "Radius s in the droplet's shape -a exp(-(r/s)²).")
                      .with_scale(Scale::logarithmic)
                      .in_group("Droplets"));
  table.push_back(parameter<&P::droplet_amplitude>(
                      "droplet_amplitude", "Droplet strength", "", "a", -10, 10,
                      "How far a droplet moves the surface within one step: a in its shape -a exp(-(r/s)²). The waves "
                      "become higher than this. A negative value lifts the surface.")
                      .in_group("Droplets"));
  table.push_back(parameter<&P::rain_rate>("rain_rate", "Rain", "1/time", "", 0, 100,
                                           "Drops per time unit on the whole tank. The seed determines where and when "
                                           "they fall. Each has between half and the full droplet strength.")
                      .in_group("Droplets"));
  table.push_back(side<&P::boundary_left>("boundary_left", "Left side"));
  table.push_back(side<&P::boundary_right>("boundary_right", "Right side"));
  table.push_back(side<&P::boundary_bottom>("boundary_bottom", "Bottom side"));
  table.push_back(side<&P::boundary_top>("boundary_top", "Top side"));
  table.push_back(parameter<&P::sponge_width>(
                      "sponge_width", "Sponge width", "length", "", 0, 500,
                      "Width of a damping layer along absorbing sides; 0: none. It absorbs waves that arrive at an "
                      "angle, which the side itself would partly reflect. A width of two wavelengths absorbs waves up "
                      "to 45 degrees; five wavelengths reflect less than a thousandth of the height up to 60 degrees.")
                      .in_group("Sides"));
  table.push_back(
      parameter<&P::sponge_strength>(
          "sponge_strength", "Sponge strength", "1/time", "", 0, 2,
          "Damping that the sponge adds to k at the side. It falls off inwards with the distance to the power of 2.5. "
          "The best value is 5 c / wavelength. A sponge that is too strong reflects long waves.")
          .in_group("Sides"));
  table.push_back(parameter<&P::time_step>("time_step", "Time step", "time", "dt", 1e-4, 10,
                                           "Time from one step to the next. Stable while c·dt/dx is below 1/√2 ≈ 0.707 "
                                           "(nine points: 0.866), at any damping.")
                      .with_scale(Scale::logarithmic)
                      .in_group("Numerics"));
  table.push_back(
      parameter<&P::cell_size>("cell_size", "Cell size", "length", "dx", 0.01, 100,
                               "Side length of a cell. The number of cells stays, so a larger dx makes a larger tank.")
          .with_scale(Scale::logarithmic)
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::damping_form>(
          "damping_form", "Damping term", "", "", 0, 1,
          "How k u_t is discretised. Centred: (u(t+1) - u(t-1))/(2 dt), second order in dt; the stable time step does "
          "not depend on the damping. One-sided: (u(t) - u(t-1))/dt as in the paper, first order.")
          .with_choices({{"centred", "Centred"}, {"one-sided", "One-sided (as in the paper)"}})
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::stencil>(
          "stencil", "Stencil", "", "", 0, 1,
          "The cells that the Laplacian uses. Five: a cell and its four neighbours, as in the paper; short waves are "
          "slower along the axes than diagonally. Nine: the corners too; short waves are equally slow in all "
          "directions, to fourth order, and the scheme is stable up to √3/2 ≈ 0.866 instead of 1/√2.")
          .with_choices({{"five", "Five points (as in the paper)"}, {"nine", "Nine points, isotropic"}})
          .with_restart()
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::precision>("precision", "Precision", "", "", 0, 1,
                               "Single precision (4 bytes per number) or double precision (8 bytes). Double shows how "
                               "small the rounding errors of single are, at half the speed or less.")
          .with_choices({{"fp32", "Single (FP32)"}, {"fp64", "Double (FP64)"}})
          .with_restart()
          .in_group("Numerics"));
  return table;
}

}  // namespace

std::span<const Parameter> parameter_table() {
  static const std::vector<Parameter> table = make_table();
  return table;
}

}  // namespace perturb::wave
