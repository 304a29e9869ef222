// Positions of the discs when a run begins.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/particles/model/cell.h"
#include "cuda/particles/parameters.h"

namespace perturb::particles {

// Lengths and time units of the user (not of a step). `radius` and `mass` are empty if all discs are equal.
struct Start {
  std::vector<double> x, y, vx, vy;
  std::vector<double> radius, mass;
  std::size_t count() const { return x.size(); }
};

// Radius and mass of disc `id` of a scene with one or two kinds of discs. Those of the second kind are spread evenly
// over the ids, so that the share is the same in each part of them.
Kind<double> kind_of_disc(const Parameters& parameters, int id);

// Finds discs that touch a point: discs in square cells, each a linked list. O(N) to fill, O(1) to query.
class DiscOccupancy {
 public:
  // For about `count` discs of at most this radius in a box; larger ones may be added, but should be few.
  DiscOccupancy(double width, double height, double largest_radius, std::size_t count);
  void add(double x, double y, double radius);
  // Whether a disc here would keep `gap` to all others and stay in the box.
  bool is_free(double x, double y, double radius, double gap) const;

 private:
  struct Place {
    double x, y, radius;
    int next;
  };
  int cell(double position, double extent, int count) const;
  double width_, height_, largest_;
  int nx_, ny_;
  std::vector<int> heads_;
  std::vector<Place> places_, large_;
};

// Throws InputError if the discs do not fit in the box. The result for a seed is the same on every machine.
Start make_disc_start(const Parameters& parameters, std::uint32_t seed);

// Smallest gap between discs at the start, so that rounding their positions to the run's precision causes no overlap.
double disc_gap(const Parameters& parameters);

}  // namespace perturb::particles
