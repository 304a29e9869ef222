#include "cuda/particles/parameters.h"

#include <vector>

namespace perturb::particles {

namespace {

std::vector<Parameter> make_table() {
  using P = ParticlesParameters;
  std::vector<Parameter> table;
  table.push_back(parameter<&P::count>(
                      "count", "Discs", "", "N", 1, max_discs,
                      "How many discs the run starts with. A size (--size) of W x H takes W·H of them instead, at the "
                      "same density.")
                      .with_scale(Scale::logarithmic)
                      .with_restart()
                      .in_group("Gas"));
  table.push_back(parameter<&P::box>("box", "Box", "length", "L", 1e-3, 1e9, "Width of the box between the side walls.")
                      .with_scale(Scale::logarithmic)
                      .with_restart()
                      .in_group("Gas"));
  table.push_back(parameter<&P::aspect>("aspect", "Aspect", "", "", 0.05, 20, "Height of the box over its width.")
                      .with_scale(Scale::logarithmic)
                      .with_restart()
                      .in_group("Gas"));
  table.push_back(
      parameter<&P::radius>("radius", "Radius", "length", "r", 1e-6, 1e8, "Radius of the discs; their mass is 1.")
          .with_scale(Scale::logarithmic)
          .with_restart()
          .in_group("Gas"));
  table.push_back(parameter<&P::velocity_max>("velocity_max", "Largest velocity", "length/time", "v", 0, 1e8,
                                              "Each component of a disc's first velocity lies between -v and v.")
                      .with_restart()
                      .in_group("Gas"));
  table.push_back(parameter<&P::velocities>(
                      "velocities", "Velocities", "", "", 0, 1,
                      "How the first velocities are drawn: evenly between -v and v, as the paper does, or from a "
                      "Maxwell-Boltzmann distribution with the same energy.")
                      .with_choices({{"uniform", "Even"}, {"maxwell", "Maxwell-Boltzmann"}})
                      .with_restart()
                      .in_group("Gas"));
  table.push_back(
      parameter<&P::arrangement>(
          "arrangement", "Arrangement", "", "", 0, 3,
          "Where discs start: anywhere without overlap; the same with a hot left and a cold right half; or "
          "racked up in a triangle with one disc on its way to it. From a file: where --input tells (without "
          "one on a square lattice, at rest).")
          .with_choices(
              {{"uniform", "Anywhere"}, {"halves", "Hot and cold"}, {"rack", "Rack"}, {"given", "From a file"}})
          .with_restart()
          .in_group("Scene"));
  table.push_back(
      parameter<&P::cold>("cold", "Cold over hot", "", "", 0, 1,
                          "Speeds of the right half over those of the left one, for the arrangement \"halves\".")
          .with_restart()
          .in_group("Scene"));
  table.push_back(parameter<&P::heavy_radius>("heavy_radius", "Heavy disc's radius", "length", "R", 0, 1e8,
                                              "Puts one disc of this radius at rest in the middle; 0: none.")
                      .with_restart()
                      .in_group("Scene"));
  table.push_back(
      parameter<&P::heavy_mass>("heavy_mass", "Heavy disc's mass", "mass", "M", 1e-3, 1e9, "The mass of that disc.")
          .with_scale(Scale::logarithmic)
          .with_restart()
          .in_group("Scene"));
  table.push_back(
      parameter<&P::piston_speed>("piston_speed", "Piston speed", "length/time", "u", 0, 1e8,
                                  "How fast the right wall moves in, until it has come to piston_end; 0: it rests.")
          .in_group("Scene"));
  table.push_back(parameter<&P::piston_end>("piston_end", "Piston's end", "", "", 0.05, 1,
                                            "Where the moving wall stops, as a fraction of the box's width.")
                      .in_group("Scene"));
  table.push_back(
      parameter<&P::collisions>("collisions", "Collisions", "", "", 0, 1,
                                "One: the paper's rule, at most one a disc and step; where more come, they are missed "
                                "and discs pass through each other. Exact: all of them, in the order of time.")
          .with_choices({{"one", "One a step"}, {"exact", "Exact"}})
          .with_restart()
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::slow_factor>(
          "slow_factor", "Slow factor", "", "s", 1, 1024,
          "A power of two: a step is 1/s of the time unit. Under the paper's rule more steps find more of the "
          "collisions; the exact rule finds all, however long a step is.")
          .with_restart()
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::precision>(
          "precision", "Precision", "", "", 0, 1,
          "Double precision (8 bytes a number) or single (4 bytes). Single takes half the memory; for slow discs it "
          "is 5 to 10 % faster on a CPU and up to 30 % on a GPU, and for fast ones slower, to half the speed. Paths "
          "soon "
          "diverge from those in double.")
          .with_choices({{"fp32", "Single (FP32)"}, {"fp64", "Double (FP64)"}})
          .with_restart()
          .in_group("Numerics"));
  table.push_back(
      parameter<&P::contraction>(
          "contraction", "Contraction", "", "", 0, 1,
          "Round a product and its sum once instead of twice (fused multiply-add), as compilers do where they may: "
          "the paths diverge after a while. A variant of the paper's rule alone.")
          .with_restart()
          .in_group("Numerics"));
  table.push_back(parameter<&P::trail>("trail", "Trail", "", "", 0, 128,
                                       "How many earlier places of each disc are shown behind it; 0: none.")
                      .in_group("Trails"));
  table.push_back(parameter<&P::trail_every>("trail_every", "Steps between places", "", "", 1, 1024,
                                             "After how many steps a trail goes on by a place.")
                      .with_scale(Scale::logarithmic)
                      .in_group("Trails"));
  return table;
}

}  // namespace

std::span<const Parameter> parameter_table() {
  static const std::vector<Parameter> table = make_table();
  return table;
}

}  // namespace perturb::particles
