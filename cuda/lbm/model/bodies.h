// Bodies: connected walls that were drawn, their size relative to the stream, and the fluid cells that touch them.
// Computed on the host, on request after walls have changed.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/lbm/model/step_params.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// Direction of the flow: that of the inlet; without an inlet that of the force; without either to the right.
struct Stream {
  bool along_y = false;
  int sign = 1;  // -1: to the left, or downwards
  bool operator==(const Stream&) const = default;
};
Stream stream_of(const Parameters& parameters);

// A fluid cell and its links that come out of one body: bit q-1 is link q.
struct RimCell {
  std::int32_t i, j;
  std::uint32_t links;
};

// Walls connected by sides or corners, also across a periodic side. Lengths in cells.
struct Body {
  std::int64_t cells = 0;
  int columns = 0, rows = 0;  // number that it covers
  double x = 0, y = 0;        // the centre of its area
  bool free = true;           // touches no side of the domain
  bool disc = false;          // free, and its outline is within a cell of a circle that is at least eight cells across
  std::vector<RimCell> rim;   // row by row

  int across(Stream stream) const { return stream.along_y ? columns : rows; }
  int along(Stream stream) const { return stream.along_y ? rows : columns; }
  // A free body more than three times as long as high (a wing) has a chord.
  bool has_chord(Stream stream) const { return free && along(stream) > 3 * across(stream); }
  // Reference length of coefficients, Reynolds and Strouhal numbers: the length across the stream (a cylinder's
  // diameter, a step's height); of a wing its chord.
  int length(Stream stream) const { return has_chord(stream) ? along(stream) : across(stream); }
};

struct Bodies {
  static constexpr std::size_t max_reported = 8;  // number of largest bodies that have a rim and a force

  std::vector<Body> reported;  // the largest first; of two equal ones the lower, then the left one
  std::int64_t all = 0;        // total number
  std::int64_t faces = 0;      // between a fluid cell and a cell of a body
  bool sides = false;          // there are also walls from one end of the stream to the other, which count as its sides
};

// Reference length of a flow's Reynolds number, in cells: of the chosen body in a stream, else the domain's height.
int length_of(const Parameters& parameters, const Bodies& bodies, int height);

// `boundary_links`: of all cells, row by row (model/step_params.h); `sides`: step parameters, of which only the sides
// matter.
Bodies lbm_bodies_of(const std::vector<std::uint8_t>& boundary_links, const StepParams& sides, Stream stream);

}  // namespace perturb::lbm
