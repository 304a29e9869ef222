// The bodies among the walls that were drawn: what hangs together, how large it is to the stream, and which cells of
// fluid touch it. Found on the host, when walls have changed and somebody asks.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/lbm/model/step_params.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// The way that fluid goes: that of the inlet, without one that of the force; to the right where neither tells.
struct Stream {
  bool along_y = false;
  int sign = 1;  // -1: to the left, or downwards
  bool operator==(const Stream&) const = default;
};
Stream stream_of(const Parameters& parameters);

// A cell of fluid, and its links that come out of one body: bit q-1 is link q.
struct RimCell {
  std::int32_t i, j;
  std::uint32_t links;
};

// Walls that touch, if only at a corner or across a periodic side. Lengths in cells.
struct Body {
  std::int64_t cells = 0;
  int columns = 0, rows = 0;  // that it reaches
  double x = 0, y = 0;        // the centre of its area
  bool free = true;           // it touches no side of the domain
  bool disc = false;          // free, and its outline is a circle of eight cells or more across, to within a cell
  std::vector<RimCell> rim;   // row by row

  int across(Stream stream) const { return stream.along_y ? columns : rows; }
  int along(Stream stream) const { return stream.along_y ? rows : columns; }
  // A free body more than three times as long as high, a wing, has a chord.
  bool has_chord(Stream stream) const { return free && along(stream) > 3 * across(stream); }
  // Of coefficients, Reynolds and Strouhal numbers: the length across the stream (a cylinder's diameter, a step's
  // height), of a wing its chord.
  int length(Stream stream) const { return has_chord(stream) ? along(stream) : across(stream); }
};

struct Bodies {
  static constexpr std::size_t max_reported = 8;  // the largest ones, of which there is a rim and a force

  std::vector<Body> reported;  // the largest first; of two alike the lower, then the left one
  std::int64_t all = 0;        // how many there are
  std::int64_t faces = 0;      // between a cell of fluid and one of a body
  bool sides = false;  // beside them there are walls from one end of the stream to the other, which are its sides
};

// The length of a flow's Reynolds number, cells: in a stream with bodies the chosen one's, else the domain's height.
int length_of(const Parameters& parameters, const Bodies& bodies, int height);

// `marks`: of all cells, row by row (model/step_params.h); `sides`: a pass of the flow, of which the sides count.
Bodies lbm_bodies_of(const std::vector<std::uint8_t>& boundary_links, const StepParams& sides, Stream stream);

}  // namespace perturb::lbm
