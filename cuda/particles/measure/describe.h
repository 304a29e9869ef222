// Diagnostics of the discs from measured numbers, with the values of theory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/particles/measure/sums.h"

namespace perturb::particles {

// Measurement at one instant, in lengths and steps.
struct Measured {
  Sums sums;
  std::array<int, speed_bins> histogram{};
  Observed seen;
  Counts counts{};
  std::int64_t step = 0;
  double bin = 1;       // width of a speed bin, lengths per step
  double right = 1;     // position of the right wall
  PlaceOptions places;  // of `counts`
};

// A layer of the box, or the circle of a thermometer: its discs, and their energy in units of a step. Means over the
// last samples.
struct Layer {
  double discs = 0, energy = 0;
};

// Values that a report needs in addition to the measurement. Rates are per step.
struct ReportContext {
  double slow = 1;  // steps per time unit
  double width = 1, height = 1, radius = 1;
  int count = 1;
  bool alike = true;                      // all discs have `radius` and mass 1
  bool exact = false;                     // every collision is found
  bool counted = false;                   // steps have been taken in which the next three were counted
  double pressure = 0;                    // on the walls, in time units
  double pressure_time = 0;               // over which it was averaged, in time units
  double mean_energy = 0, mean_area = 0;  // of all discs (units of a step) and of the box, at the same times
  double pairs = 0, walls = 0;            // collisions
  bool halves = false;                    // a hot and a cold half are mixing
  bool one_heat = true;                   // both halves began with the same temperature
  double piston_speed = 0, piston_end = 0;
  double wall_end = 1, wall_travel = 0;  // where the right wall goes, and how far in a step at most
  double gravity = 0, restitution = 1;   // in time units
  double elastic_speed = 0;              // of collisions that lose no energy, in time units
  bool two_kinds = false;                // of different masses
  std::vector<DiscsOfKind> kinds;        // of a mixture; empty: it is none
  bool heats = false;                    // a wall has a temperature
  double hottest = 0;                    // temperature of a wall; 0: none has one
  bool even_heat = true;                 // all walls that have one have the same
  double heat_low = 0, heat_high = 0;    // temperatures of the walls at the ends of the layers; 0: none
  LayerAxis axis = LayerAxis::none;
  std::vector<Layer> layers, thermometers;
  double energy_unit = 1;  // of heat and work
  double heat_rate = 0;    // energy from walls with a temperature, at the same times as the pressure
  // Where the trace of pressure against volume begins, and the trace; empty: neither wall nor heat has changed the gas.
  double start_volume = 0, trace_thermal = 0;
  std::vector<CurvePoint> trace;
  bool rests = true;               // the right wall was at rest while the pressure was measured
  double start_thermal = 0;        // kT/m at the start
  double reversed_at = -1;         // time of the last reversal; negative: none
  std::vector<CurvePoint> path;    // of the heavy disc
  std::vector<CurvePoint> way;     // time, mean square displacement from the start
  std::vector<CurvePoint> mixing;  // time, entropy of mixing
};

// Whether the front that a fast piston drives through a gas at rest has crossed the box, by theory.
bool front_has_arrived(const ReportContext& context, double time);
Diagnostics describe_discs(const Measured& measured, const ReportContext& context);
// Expected collisions per disc and step at the worst time from now on: in the next step; when the right wall has
// arrived, and has compressed and heated the gas; or when the other walls have heated it, or all discs have fallen to
// the floor.
double worst_collisions(const Measured& measured, const ReportContext& context);
// The limit for it, a quarter of what a step can compute: clusters of many discs take more time.
double collisions_limit();
std::vector<Gauge> disc_gauges(const Measured& measured, const ReportContext& context);

// Entropy of the mixture of discs from the left and from the right, over 16 x 16 parts of the box, relative to its
// maximum. `at_random`: the value of discs at random positions, which their finite number keeps below 1.
double mixing_entropy(const PlaceCounts& counts, double* at_random = nullptr);

}  // namespace perturb::particles
