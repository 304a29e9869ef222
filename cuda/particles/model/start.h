// Where discs are when a run begins.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/particles/parameters.h"

namespace perturb::particles {

// Lengths and time units of the user (not of a step). `radius` and `mass` are empty where all discs are alike.
struct DiscStart {
  std::vector<double> x, y, vx, vy;
  std::vector<double> radius, mass;
  std::size_t count() const { return x.size(); }
};

// Finds what touches a point quickly: discs in square cells, each a linked list. O(N) to fill, O(1) to ask.
class DiscOccupancy {
 public:
  // For about `count` discs of at most this radius in a box; larger ones may be added, but should be few.
  DiscOccupancy(double width, double height, double largest_radius, std::size_t count);
  void add(double x, double y, double radius);
  // Whether a disc here would come nearer than `gap` to one that is there or leave the box.
  bool is_free(double x, double y, double radius, double gap) const;

 private:
  struct Place {
    double x, y, radius;
    int next;
  };
  int cell(double position, double per_cell, int count) const;
  double width_, height_, side_, largest_;
  int nx_, ny_;
  std::vector<int> heads_;
  std::vector<Place> places_, large_;
};

// Throws InputError when the discs do not fit in the box. The same for a seed on every machine with the
// same mathematical library.
DiscStart make_disc_start(const ParticlesParameters& parameters, std::uint32_t seed);

// The least room left between discs, so that rounding their places to the run's precision lets none overlap.
double disc_gap(const ParticlesParameters& parameters);

}  // namespace perturb::particles
