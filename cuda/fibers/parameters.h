// Parameters of the fibers.
#pragma once

#include <span>
#include <string_view>

#include "cuda/core/simulation/parameters.h"

namespace perturb::fibers {

enum class Scheme {
  two_step,         // (3 y' - 4 y + y-)/(2 dt) = 2 v - v-: the paper's
  adams_bashforth,  // y' = y + dt (3/2 v - 1/2 v-)
  runge_kutta       // the classical fourth order, four evaluations per step
};
enum class Precision { fp32, fp64 };
enum class Pairing { mirrored, both };
enum class Storage { automatic, stored, recomputed };
enum class Start { cloud, lone, pair, sheet, two_clouds, box };
enum class LengthKind { uniform, two };
enum class Views { side_and_top, side };

constexpr int max_tracers = 5000;  // each depends on every fiber: more would take longer than the fibers

struct Parameters {
  double slenderness = 0.01;  // eps = radius/length
  double time_step = 0.1;
  Scheme scheme = Scheme::two_step;
  double tolerance = 1e-6;
  int terms = 5;
  int subintervals = 8, points_per_subinterval = 3;
  Precision precision = Precision::fp64;
  Pairing pairing = Pairing::mirrored;
  Storage storage = Storage::automatic;
  int node_points = 16;     // of the kernel `nodes`, on each fiber
  double node_reach = 0.5;  // fibers closer than this get closed forms there

  Start start = Start::cloud;
  double radius = 6;
  double min_distance = 0.04;
  double length_spread = 0;  // standard deviation of lengths over their mean
  LengthKind lengths = LengthKind::uniform;
  double tilt = 45;  // degrees
  double gap = 0.55;
  bool alone = false;
  bool contact = false;  // fibers that overlap after a step are pushed apart
  double box = 0;        // edge of the periodic box; 0: free space

  double pull_core = 0.5;
  Views views = Views::side_and_top;
  double drawn_radius = 2;    // in radii
  double view_size = 0;       // half the height of the image; 0: what the start, or few fibers that part, need
  double yaw = 0, pitch = 0;  // degrees
  bool follow = true;
  int trail = 0;    // steps
  int tracers = 0;  // points of the fluid that are shown
};

std::span<const Parameter> parameter_table();
// The name of a parameter, for messages.
Message parameter_name(std::string_view id);

// Throws InputError if the parameters are incompatible: the bound on N that slenderness sets, the outer rule's size.
void check_fibers_parameters(const Parameters& parameters);

}  // namespace perturb::fibers
