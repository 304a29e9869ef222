#include "cuda/lbm/parameters.h"

#include <vector>

#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/model/tracers.h"

namespace perturb::lbm {

namespace {

template <auto Member>
Parameter side(const char* id, const char* label) {
  return parameter<Member>(id, label, "", "", 0, 4,
                           "Periodic: fluid that leaves enters on the opposite side. Wall: the fluid sticks to it. "
                           "Moving wall: slides along itself. Inlet: fluid enters. Outlet: fluid and pressure waves "
                           "leave, and the mean density stays near 1.")
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
                               "Kinematic viscosity ν = (τ - 1/2)/3. A lower value makes the flow livelier. It must be "
                               "positive: at τ = 1/2 nothing damps structures that are too small for the grid.")
          .with_scale(Scale::logarithmic)
          .in_group("Fluid"));
  table.push_back(
      parameter<&P::reynolds>(
          "reynolds", "Reynolds number", "", "Re", 0, 10000,
          "If not 0, the viscosity is U L/Re and follows changes of the speed, the walls or the chosen body. U is the "
          "speed of the inlet or moving wall, L the length of the body or, without one, the height of the domain. With "
          "0, the viscosity keeps its value. Setting a viscosity sets this to 0.")
          .with_zero("from viscosity")
          .with_scale(Scale::logarithmic, 1)  // 100, where vortex streets begin, is in the middle
          .in_group("Fluid"));
  table.push_back(parameter<&P::force_x>(
                      "force_x", "Force to the right", "cell/step²", "Fx", -0.01, 0.01,
                      "Body force on every fluid cell (Guo, Zheng & Shi 2002), such as gravity or a pressure gradient.")
                      .in_group("Fluid"));
  table.push_back(
      parameter<&P::force_y>("force_y", "Force upwards", "cell/step²", "Fy", -0.01, 0.01, "The body force along y.")
          .in_group("Fluid"));
  table.push_back(parameter<&P::inlet_speed>("inlet_speed", "Inlet speed", "cell/step", "U", 0, 0.3,
                                             "Speed of the fluid that enters at inlet sides. The scheme holds for "
                                             "speeds far below the speed of sound, 0.577; do not exceed 0.3.")
                      .in_group("Sides"));
  table.push_back(parameter<&P::inlet_profile>("inlet_profile", "Inlet profile", "", "", 0, 1,
                                               "Uniform: the same speed everywhere. Parabolic: the inlet speed in the "
                                               "middle and zero at the ends, as in developed channel flow.")
                      .with_choices({{"uniform", "Uniform"}, {"parabolic", "Parabolic"}})
                      .in_group("Sides"));
  table.push_back(parameter<&P::outlet_pressure>(
                      "outlet_pressure", "Outlet pressure", "", "", 0, 1,
                      "Relaxed: sound waves leave, and the mean pressure slowly returns to that of density 1; vortices "
                      "that leave disturb the forces slightly. Fixed: the pressure is always that of density 1, as in "
                      "flows without sound; waves are reflected and grow at low viscosity.")
                      .with_choices({{"drawn", "Relaxed"}, {"held", "Fixed"}})
                      .in_group("Sides"));
  table.push_back(parameter<&P::wall_speed>("wall_speed", "Wall speed", "cell/step", "", -0.3, 0.3,
                                            "Speed at which moving walls slide, to the right or upwards.")
                      .in_group("Sides"));
  table.push_back(side<&P::boundary_left>("boundary_left", "Left side"));
  table.push_back(side<&P::boundary_right>("boundary_right", "Right side"));
  table.push_back(side<&P::boundary_bottom>("boundary_bottom", "Bottom side"));
  table.push_back(side<&P::boundary_top>("boundary_top", "Top side"));
  table.push_back(parameter<&P::collision>(
                      "collision", "Collision", "", "", 0, 2,
                      "BGK: one relaxation time. TRT: a second one for the odd moments, so that walls lie exactly "
                      "half-way between cells. LES: adds a local eddy viscosity (Smagorinsky), for low viscosities.")
                      .with_choices({{"bgk", "BGK"}, {"trt", "TRT"}, {"les", "LES"}})
                      .in_group("Numerics"));
  table.push_back(
      parameter<&P::magic>(
          "magic", "Magic parameter", "", "Λ", 0.001, 1,
          "(τ+ - 1/2)(τ- - 1/2) of TRT. 3/16 puts walls exactly half-way between cells; 1/4 is the most stable.")
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::smagorinsky>("smagorinsky", "Smagorinsky constant", "", "C", 0, 0.5,
                                 "How strongly LES damps structures that are too small for the grid: ν_t = (C Δ)² |S|.")
          .in_group("Numerics"));
  table.push_back(parameter<&P::outlines>(
                      "outlines", "Outlines", "", "", 0, 1,
                      "Whole cells: a wall begins half-way between two cells, so round walls are staircases; no mass "
                      "is lost. Curved: a wall begins where it was drawn (interpolated bounce-back), for forces on "
                      "round bodies and wings; a little mass is lost, except while a body is dragged.")
                      .with_choices({{"cells", "Whole cells"}, {"curved", "Curved"}})
                      .in_group("Numerics"));
  table.push_back(
      parameter<&P::disturbance>(
          "disturbance", "Disturb the stream", "", "", 0, 1,
          "When a body is placed in a stream from an inlet or by a force, every cell gets a random velocity "
          "of the size of rounding: 6e-8 cells a step, 5e-4 with the storage FP16. Without it a body in the "
          "exact middle of a stream never sheds vortices, because the flow stays symmetric to the last bit.")
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::storage>("storage", "Storage", "", "", 0, 1,
                             "How populations are stored between steps: 4 bytes each, or 2 bytes (scaled FP16) with "
                             "half the memory traffic and an error of about 1e-5 per step. Arithmetic is always FP32.")
          .with_choices({{"fp32", "Single (FP32)"}, {"fp16", "Half (FP16)"}})
          .with_restart()
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::body>("body", "Body", "", "", 1, static_cast<double>(Bodies::max_reported),
                          "Which body is measured: 1 is the largest, 2 the next. Walls that touch form one body.")
          .in_group("Numbers"));
  table.push_back(
      parameter<&P::arrows>("arrows", "Arrows", "", "", 0, 1, "Draws arrows for the direction and speed of the flow.")
          .in_group("Display"));
  table.push_back(
      parameter<&P::streamlines>(
          "streamlines", "Streamlines", "", "", 0, 64,
          "Number of lines along the current flow that cross the height of the domain; 0: none. The same amount of "
          "fluid flows between any two neighbouring lines, at the speed used for the Reynolds number.")
          .in_group("Display"));
  table.push_back(
      parameter<&P::tracers>("tracers", "Tracers", "", "", 0, max_tracers,
                             "Number of points that drift with the fluid; 0: none. The tail shows where a point came "
                             "from. A point that leaves through an open side enters at the opposite side.")
          .in_group("Display"));
  return table;
}

}  // namespace

std::span<const Parameter> parameter_table() {
  static const std::vector<Parameter> table = make_table();
  return table;
}

}  // namespace perturb::lbm
