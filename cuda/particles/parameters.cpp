#include "cuda/particles/parameters.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/unit_names.h"

namespace perturb::particles {

namespace {

std::vector<Parameter> make_table() {
  using P = Parameters;
  std::vector<Parameter> table;
  table.push_back(
      parameter<&P::count>(
          "count", "Discs", "", "N", 1, max_discs,
          "Number of discs. If it is raised while the scene runs, discs with velocities of the present temperature are "
          "added where there is room; if it is lowered, the last ones are removed.")
          .with_scale(Scale::logarithmic)
          .in_group("Gas"));
  table.push_back(parameter<&P::box>("box", "Box", "length", "L", 1e-3, 1e9, "Width of the box between the side walls.")
                      .with_scale(Scale::logarithmic)
                      .with_restart()
                      .in_group("Gas"));
  table.push_back(
      parameter<&P::aspect>("aspect", "Aspect ratio", "", "", 0.05, 20, "Height of the box divided by its width.")
          .with_scale(Scale::logarithmic)
          .with_restart()
          .in_group("Gas"));
  table.push_back(
      parameter<&P::radius>("radius", "Radius", "length", "r", 1e-6, 1e8, "Radius of the discs; their mass is 1.")
          .with_scale(Scale::logarithmic)
          .with_restart()
          .in_group("Gas"));
  table.push_back(parameter<&P::velocity_max>("velocity_max", "Largest velocity", "length/time", "v", 0, 1e8,
                                              "Each component of a disc's initial velocity is between -v and v.")
                      .with_restart()
                      .in_group("Gas"));
  table.push_back(parameter<&P::velocities>("velocities", "Velocities", "", "", 0, 1,
                                            "Distribution of the initial velocities: uniform between -v and v, as in "
                                            "the paper, or Maxwell-Boltzmann with the same energy.")
                      .with_choices({{"uniform", "Even"}, {"maxwell", "Maxwell-Boltzmann"}})
                      .with_restart()
                      .in_group("Gas"));
  table.push_back(
      parameter<&P::arrangement>(
          "arrangement", "Arrangement", "", "", 0, 3,
          "Where discs start. Anywhere: random, without overlap. Hot and cold: the same, with a "
          "hot left half and a cold right half. Rack: a triangle, and one disc moving towards "
          "it. From a file: the positions of a text file (without one, a square lattice at rest).")
          .with_choices(
              {{"uniform", "Anywhere"}, {"halves", "Hot and cold"}, {"rack", "Rack"}, {"given", "From a file"}})
          .with_restart()
          .in_group("Scene"));
  table.push_back(
      parameter<&P::cold>(
          "cold", "Cold to hot", "", "", 0, 1,
          "Speeds in the right half divided by those in the left half, for the arrangement \"Hot and cold\".")
          .with_restart()
          .in_group("Scene"));
  table.push_back(parameter<&P::heavy_radius>("heavy_radius", "Radius of the heavy disc", "length", "R", 0, 1e8,
                                              "Places one disc of this radius at rest in the middle; 0: none.")
                      .with_zero("none")
                      .with_restart()
                      .in_group("Scene"));
  table.push_back(parameter<&P::heavy_mass>("heavy_mass", "Mass of the heavy disc", "mass", "M", 1e-3, 1e9,
                                            "Mass of the heavy disc.")
                      .with_scale(Scale::logarithmic)
                      .with_restart()
                      .in_group("Scene"));
  table.push_back(
      parameter<&P::second_share>("second_share", "Share of second kind", "", "", 0, 1,
                                  "Fraction of the discs that are of a second kind; 0: all are alike. Only for the "
                                  "arrangements \"Anywhere\" and \"Hot and cold\".")
          .with_restart()
          .in_group("Second kind"));
  table.push_back(parameter<&P::second_radius>("second_radius", "Radius, relative", "", "", 0.2, 5,
                                               "Radius of a disc of the second kind, divided by that of the others.")
                      .with_scale(Scale::logarithmic)
                      .with_restart()
                      .in_group("Second kind"));
  table.push_back(parameter<&P::second_mass>("second_mass", "Mass, relative", "", "", 0.01, 100,
                                             "Mass of a disc of the second kind, divided by that of the others. Both "
                                             "kinds begin with the same speeds.")
                      .with_scale(Scale::logarithmic)
                      .with_restart()
                      .in_group("Second kind"));
  table.push_back(parameter<&P::piston_speed>(
                      "piston_speed", "Piston speed", "length/time", "u", 0, 1e8,
                      "How fast the right wall moves in until it reaches the piston end; 0: it stays at rest.")
                      .in_group("Scene"));
  table.push_back(
      parameter<&P::piston_end>("piston_end", "Piston end", unit_of_width, "", 0.05, 1, "Where the moving wall stops.")
          .in_group("Scene"));
  table.push_back(parameter<&P::wall_speed>("wall_speed", "Speed of dragged wall", "length/time", "", 0, 1e4,
                                            "How fast the right wall follows when it is dragged to another position.")
                      .with_scale(Scale::logarithmic)
                      .in_group("Scene"));
  const auto wall = [&table](Parameter side) {
    table.push_back(side.with_zero("none").with_scale(Scale::logarithmic).in_group("Walls"));
  };
  constexpr const char* energy = "mass·length²/time²";
  wall(parameter<&P::temperature_left>(
      "temperature_left", "Temperature, left", energy, "", 0, 100,
      "Temperature kT of the left wall; 0: discs bounce off without a change of energy. Off a wall with a temperature "
      "they leave with the velocities of a gas at this temperature. Needs exact collisions, as do the other walls."));
  wall(parameter<&P::temperature_right>("temperature_right", "Temperature, right", energy, "", 0, 100,
                                        "Temperature of the right wall; 0: none."));
  wall(parameter<&P::temperature_floor>("temperature_floor", "Temperature, floor", energy, "", 0, 100,
                                        "Temperature of the floor; 0: none."));
  wall(parameter<&P::temperature_ceiling>("temperature_ceiling", "Temperature, ceiling", energy, "", 0, 100,
                                          "Temperature of the ceiling; 0: none."));
  table.push_back(parameter<&P::gravity>("gravity", "Gravity", "length/time²", "g", 0, 10,
                                         "Downward acceleration of all discs. Needs exact collisions.")
                      .with_scale(Scale::logarithmic)
                      .in_group("Motion"));
  table.push_back(parameter<&P::restitution>(
                      "restitution", "Restitution", "", "e", 0.9, 1,
                      "Normal speed after a collision divided by that before, between discs and at walls without a "
                      "temperature; 1: elastic. Slow collisions are always elastic. Needs exact collisions.")
                      .in_group("Motion"));
  table.push_back(parameter<&P::collisions>(
                      "collisions", "Collisions", "", "", 0, 1,
                      "One per step: at most one collision per disc and step, as in the paper. Further collisions are "
                      "missed, and discs pass through each other. Exact: all collisions, in order of time.")
                      .with_choices({{"one", "One per step"}, {"exact", "Exact"}})
                      .with_restart()
                      .in_group("Numerics"));
  table.push_back(parameter<&P::slow_factor>(
                      "slow_factor", "Slow factor", "", "s", 1, 1024,
                      "A power of two s: one step is 1/s of the time unit. With one collision per step, a larger value "
                      "finds more of the collisions. The exact rule finds all of them at any step length.")
                      .with_restart()
                      .in_group("Numerics"));
  table.push_back(parameter<&P::precision>(
                      "precision", "Precision", "", "", 0, 1,
                      "Double precision (8 bytes per number) or single (4 bytes). Single needs half the memory. For "
                      "slow discs it is 5 to 10 % faster on a CPU and up to 30 % faster on a GPU; for fast discs it is "
                      "slower, down to half the speed. Paths soon diverge from those in double precision.")
                      .with_choices({{"fp32", "Single (FP32)"}, {"fp64", "Double (FP64)"}})
                      .with_restart()
                      .in_group("Numerics"));
  table.push_back(
      parameter<&P::contraction>("contraction", "Contraction", "", "", 0, 1,
                                 "Rounds a product and sum once instead of twice (fused multiply-add), as compilers "
                                 "may do. The paths diverge after a while. Only with one collision per step.")
          .with_restart()
          .in_group("Numerics"));
  table.push_back(parameter<&P::trail>("trail", "Trail", "", "", 0, 128,
                                       "Number of earlier positions shown behind each disc; 0: none.")
                      .in_group("Display"));
  table.push_back(parameter<&P::trail_every>("trail_every", "Steps between positions", "", "", 1, 1024,
                                             "Number of steps between two positions of a trail.")
                      .with_scale(Scale::logarithmic)
                      .in_group("Display"));
  return table;
}

}  // namespace

std::span<const Parameter> parameter_table() {
  static const std::vector<Parameter> table = make_table();
  return table;
}

double elastic_speed(const Parameters& p) {
  // The height of all discs at the floor, in closest packing. A disc that falls from twice this height may keep its
  // energy: a pile that settles further would have ever more collisions, and each step would take longer.
  constexpr double closest = 0.9069;
  const double pile = p.count * std::numbers::pi * p.radius * p.radius / (closest * p.box);
  return std::max(std::sqrt(4 * p.gravity * pile), 1e-4 * p.velocity_max);
}

void require_rule_for(const Parameters& p) {
  const auto reject = [&](const char* id) { require_exact_for(parameter_name(id), p); };
  if (p.temperature_left > 0) reject("temperature_left");
  if (p.temperature_right > 0) reject("temperature_right");
  if (p.temperature_floor > 0) reject("temperature_floor");
  if (p.temperature_ceiling > 0) reject("temperature_ceiling");
  if (p.gravity > 0) reject("gravity");
  if (p.restitution < 1) reject("restitution");
}

void require_exact_for(const Message& name, const Parameters& p) {
  if (p.collisions == Collisions::exact) return;
  throw InputError("{} needs exact collisions. Set {} to {}.", name, parameter_name("collisions"),
                   Message::parameter("exact", "Exact"));
}

Message parameter_name(std::string_view id) {
  const Parameter& parameter = *find_parameter(parameter_table(), id);
  return Message::parameter(parameter.id, parameter.label);
}

}  // namespace perturb::particles
