#include "cuda/wave/parameters.h"

#include <vector>

namespace perturb::wave {

namespace {

std::vector<Choice> boundary_choices() {
  return {{"fixed", "Fixed"}, {"free", "Free"}, {"absorbing", "Absorbing"}, {"periodic", "Periodic"}};
}

template <auto Member>
Parameter side(const char* id, const char* label) {
  return parameter<Member>(
             id, label, "", "", 0, 3,
             "What this side does to a wave: fixed turns it back upside down, free turns it back upright, "
             "absorbing lets it leave, periodic lets it in again on the opposite side.")
      .with_choices(boundary_choices())
      .in_group("Sides");
}

std::vector<Parameter> make_table() {
  using P = Parameters;
  std::vector<Parameter> table;
  table.push_back(
      parameter<&P::wave_speed>("wave_speed", "Wave speed", "length/time", "c", 0, 10,
                                "How fast waves travel: c in u_tt + k u_t = c² (u_xx + u_yy). A painted speed "
                                "map multiplies it.")
          .in_group("Water"));
  table.push_back(parameter<&P::damping>("damping", "Damping", "1/time", "k", 0, 2,
                                         "How fast waves die away: k in u_tt + k u_t = c² (u_xx + u_yy). A wave's "
                                         "amplitude falls as exp(-k t / 2).")
                      .in_group("Water"));
  table.push_back(parameter<&P::droplet_radius>("droplet_radius", "Droplet radius", "length", "s", 0.1, 200,
                                                "The s of a droplet's shape -a exp(-(r/s)²).")
                      .with_scale(Scale::logarithmic)
                      .in_group("Droplets"));
  table.push_back(
      parameter<&P::droplet_amplitude>("droplet_amplitude", "Droplet amplitude", "height", "a", -10, 10,
                                       "The a of a droplet's shape -a exp(-(r/s)²): how deep it presses the "
                                       "surface; a negative one lifts it.")
          .in_group("Droplets"));
  table.push_back(parameter<&P::rain_rate>("rain_rate", "Rain", "1/time", "", 0, 100,
                                           "Drops a time unit on the whole tank, at places and moments that the seed "
                                           "decides. Each has between half and all of the droplet amplitude.")
                      .in_group("Droplets"));
  table.push_back(side<&P::boundary_left>("boundary_left", "Left side"));
  table.push_back(side<&P::boundary_right>("boundary_right", "Right side"));
  table.push_back(side<&P::boundary_bottom>("boundary_bottom", "Bottom side"));
  table.push_back(side<&P::boundary_top>("boundary_top", "Top side"));
  table.push_back(
      parameter<&P::sponge_width>("sponge_width", "Sponge width", "length", "", 0, 500,
                                  "Along absorbing sides, the width of a layer of growing damping. It swallows "
                                  "waves that come in at a slant, which the side itself would partly turn back; "
                                  "0: none. Two wavelengths take waves up to 45 degrees; five leave less than a "
                                  "thousandth of their height up to 60.")
          .in_group("Sides"));
  table.push_back(
      parameter<&P::sponge_strength>("sponge_strength", "Sponge strength", "1/time", "", 0, 2,
                                     "What the sponge adds to the damping k at the side itself; inwards it "
                                     "falls off with the distance to the power of 2.5. Best is 5 c over the "
                                     "wavelength: a sponge that is strong for long waves turns them back.")
          .in_group("Sides"));
  table.push_back(parameter<&P::time_step>("time_step", "Time step", "time", "dt", 1e-4, 10,
                                           "Time from one step to the next. Stable while c·dt/dx stays below 1/√2 ≈ "
                                           "0.707 (nine points: 0.866), whatever damps.")
                      .with_scale(Scale::logarithmic)
                      .in_group("Numerics"));
  table.push_back(
      parameter<&P::cell_size>("cell_size", "Cell size", "length", "dx", 0.01, 100,
                               "Length of a cell's side. The tank keeps its cells, so a larger dx is a larger tank.")
          .with_scale(Scale::logarithmic)
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::damping_form>(
          "damping_form", "Damping term", "", "", 0, 1,
          "How k u_t is put into steps. Centred: (u(t+1) - u(t-1))/(2 dt), right to second order in dt, and the stable "
          "time step does not depend on the damping. One-sided: (u(t) - u(t-1))/dt as the paper has it, to first "
          "order.")
          .with_choices({{"centred", "Centred"}, {"one-sided", "One-sided (the paper's)"}})
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::stencil>(
          "stencil", "Stencil", "", "", 0, 1,
          "The cells of which the Laplacian is made. Five: a cell and its four neighbours, as the paper has it; short "
          "waves are slower along the axes than across. Nine: the corners too, so that they are equally slow in all "
          "directions, to fourth order; stable up to √3/2 ≈ 0.866 instead of 1/√2.")
          .with_choices({{"five", "Five points (the paper's)"}, {"nine", "Nine points, isotropic"}})
          .with_restart()
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::precision>("precision", "Precision", "", "", 0, 1,
                               "Single precision (4 bytes a number) or double precision (8 bytes): double shows "
                               "how small the rounding of single is, at half the speed or less.")
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
