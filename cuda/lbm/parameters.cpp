#include "cuda/lbm/parameters.h"

#include <vector>

#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/model/tracers.h"

namespace perturb::lbm {

namespace {

template <auto Member>
Parameter side(const char* id, const char* label) {
  return parameter<Member>(
             id, label, "", "", 0, 4,
             "Periodic: what leaves comes in opposite. Wall: the fluid sticks to it. Moving: a wall that slides "
             "along itself. Inlet: fluid enters. Outlet: fluid and waves of pressure leave, the mean density stays "
             "near 1.")
      .with_choices({{"periodic", "Periodic"},
                     {"wall", "Wall"},
                     {"moving", "Moving wall"},
                     {"inlet", "Inlet"},
                     {"outlet", "Outlet"}})
      .in_group("Sides");
}

std::vector<Parameter> make_table() {
  using P = Parameters;
  std::vector<Parameter> table;
  table.push_back(
      parameter<&P::viscosity>("viscosity", "Viscosity", "cell²/step", "ν", 1e-5, 2,
                               "The kinematic viscosity ν = (τ - 1/2)/3: lower it and the flow becomes livelier. It "
                               "must be positive, for at τ = 1/2 nothing damps what the grid cannot resolve.")
          .with_scale(Scale::logarithmic)
          .in_group("Fluid"));
  table.push_back(parameter<&P::reynolds>(
                      "reynolds", "Reynolds number", "", "Re", 0, 10000,
                      "Not 0: the viscosity is U L/Re, and follows when the speed, the walls or the chosen body "
                      "change; U is the speed of the inlet or of the moving wall, L the body's length or, "
                      "without one, the domain's height. 0, and as soon as a viscosity is set: the viscosity "
                      "stays.")
                      .in_group("Fluid"));
  table.push_back(
      parameter<&P::force_x>("force_x", "Force to the right", "1/(cell step²)", "Fx", -0.01, 0.01,
                             "A body force on every cell of fluid (Guo, Zheng & Shi 2002): gravity, or a pressure "
                             "gradient.")
          .in_group("Fluid"));
  table.push_back(
      parameter<&P::force_y>("force_y", "Force upwards", "1/(cell step²)", "Fy", -0.01, 0.01, "The body force along y.")
          .in_group("Fluid"));
  table.push_back(
      parameter<&P::inlet_speed>("inlet_speed", "Inlet speed", "cell/step", "U", 0, 0.3,
                                 "How fast fluid enters at inlet sides. The scheme holds for speeds far below "
                                 "that of sound, 0.577; beyond 0.3 it is not used.")
          .in_group("Sides"));
  table.push_back(
      parameter<&P::inlet_profile>("inlet_profile", "Inlet profile", "", "", 0, 1,
                                   "Uniform: the same speed everywhere. Parabolic: the inlet speed in the middle, "
                                   "none at the ends, as in a developed channel.")
          .with_choices({{"uniform", "Uniform"}, {"parabolic", "Parabolic"}})
          .in_group("Sides"));
  table.push_back(parameter<&P::outlet_pressure>(
                      "outlet_pressure", "Outlet pressure", "", "", 0, 1,
                      "Drawn: waves of sound leave, and the mean pressure is slowly drawn to that of "
                      "density 1; vortices that leave are heard in the forces. Held: the pressure is that of "
                      "density 1 at any time, as in flows without sound; waves come back, and at low "
                      "viscosity they grow.")
                      .with_choices({{"drawn", "Drawn"}, {"held", "Held"}})
                      .in_group("Sides"));
  table.push_back(parameter<&P::wall_speed>("wall_speed", "Wall speed", "cell/step", "", -0.3, 0.3,
                                            "How fast moving sides slide along themselves, to the right or upwards.")
                      .in_group("Sides"));
  table.push_back(side<&P::boundary_left>("boundary_left", "Left side"));
  table.push_back(side<&P::boundary_right>("boundary_right", "Right side"));
  table.push_back(side<&P::boundary_bottom>("boundary_bottom", "Bottom side"));
  table.push_back(side<&P::boundary_top>("boundary_top", "Top side"));
  table.push_back(
      parameter<&P::collision>("collision", "Collision", "", "", 0, 2,
                               "BGK: one relaxation time. TRT: a second one for the odd moments, so that walls lie "
                               "exactly half-way. LES: a local eddy viscosity (Smagorinsky), for low viscosities.")
          .with_choices({{"bgk", "BGK"}, {"trt", "TRT"}, {"les", "LES"}})
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::magic>("magic", "Magic parameter", "", "Λ", 0.001, 1,
                           "TRT's (τ+ - 1/2)(τ- - 1/2): 3/16 puts walls exactly half-way between cells, 1/4 is the "
                           "most stable.")
          .in_group("Numerics"));
  table.push_back(parameter<&P::smagorinsky>("smagorinsky", "Smagorinsky constant", "", "C", 0, 0.5,
                                             "How strongly LES damps what the grid cannot resolve: ν_t = (C Δ)² |S|.")
                      .in_group("Numerics"));
  table.push_back(parameter<&P::outlines>(
                      "outlines", "Outlines", "", "", 0, 1,
                      "Of whole cells: a wall begins half-way between two cells, round ones are staircases, and "
                      "no mass is lost. Curved: it begins where it was drawn, between the same two cells "
                      "(interpolated bounce-back), for forces on round bodies and wings; it costs a little mass, but "
                      "none while a body is dragged.")
                      .with_choices({{"cells", "Of whole cells"}, {"curved", "Curved"}})
                      .in_group("Numerics"));
  table.push_back(
      parameter<&P::storage>("storage", "Storage", "", "", 0, 1,
                             "How populations are kept between steps: 4 bytes each, or 2 (scaled FP16), at half the "
                             "traffic and an error of about 1e-5 a step. Arithmetic is FP32 either way.")
          .with_choices({{"fp32", "Single (FP32)"}, {"fp16", "Half (FP16)"}})
          .with_restart()
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::body>("body", "Body", "", "", 1, static_cast<double>(Bodies::max_reported),
                          "Which body the numbers are of: 1 is the largest, 2 the next. Walls that touch are one body.")
          .in_group("Numbers"));
  table.push_back(
      parameter<&P::arrows>("arrows", "Arrows", "", "", 0, 1, "Draws the flow's direction and speed over the picture.")
          .in_group("Drawing"));
  table.push_back(parameter<&P::streamlines>(
                      "streamlines", "Streamlines", "", "", 0, 64,
                      "How many lines along the flow of this moment cross the domain's height: between two of "
                      "them flows the same amount, at the speed that the Reynolds number is made with. 0: none.")
                      .in_group("Drawing"));
  table.push_back(parameter<&P::tracers>("tracers", "Tracers", "", "", 0, max_tracers,
                                         "Points of the fluid, which carries them with it. A tail tells where each "
                                         "came from; one that leaves through an open side enters at the opposite one. "
                                         "0: none.")
                      .in_group("Drawing"));
  return table;
}

}  // namespace

std::span<const Parameter> parameter_table() {
  static const std::vector<Parameter> table = make_table();
  return table;
}

}  // namespace perturb::lbm
