// All pairs on tensor cores: a filter for discs that can touch.
//
// Two discs can touch only if the line of their relative motion passes within their reach of zero: |d x w| <=
// reach·|w|, where d and w are the differences of their positions and velocities. With own A = x·vy - y·vx the product
// is a sum of six terms, each of p's numbers times q's:
//     d x w = A_p·1 + 1·A_q - vy_p·x_q + vx_p·y_q - x_p·vy_q + y_p·vx_q
// A matrix product of rows p and columns q therefore gives it for all pairs. Numbers are scaled to [-1, 1] (A to [-2,
// 2]) and split into two halves of 11 bits each, high and low: 2 + 2 + 4·3 = 16 terms, the length of a tensor core's
// product. For equal discs, with the bounds below, no pair that touches is lost. The few pairs that pass (one of
// thousands, in a thin gas) are tested exactly. Those that touch go into a list in which each disc finds its own.
#pragma once

#include <cstddef>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/particles/model/find.h"

namespace perturb::particles {

// Rows and columns of a block of the pairs' square.
constexpr int tile_block = 512;

// Error bound of the scaled product. Each number is known to 2^-23, A to 2^-22, and the products of two low halves are
// omitted: together less than 2^-19. Sums of 16 terms below 8 that lose what is beyond 23 bits: less than 2^-16.
constexpr double tile_error = 1.0 / (1 << 15);

// Memory of the search by tiles, linear in the number of discs.
template <class Real>
struct TileStorage {
  Array<unsigned short> rows, columns;  // 16 halves per disc
  Array<float> bounds;                  // of each row
  Array<int> heads;                     // of the discs' lists of candidates
  Array<DiscEdge<Real>> edges;
  TileStorage() = default;
  TileStorage(Backend& backend, std::size_t count, std::size_t most_edges)
      : rows(backend, 16 * padded(count), "rows of pairs"),
        columns(backend, 16 * padded(count), "columns of pairs"),
        bounds(backend, padded(count), "bounds of pairs"),
        heads(backend, count, "lists of candidates"),
        edges(backend, most_edges, "candidates") {}
  static std::size_t padded(std::size_t count) { return (count + tile_block - 1) / tile_block * tile_block; }
  static std::size_t usual_edges(std::size_t count) { return 4096 + 4 * count; }
  static std::size_t bytes_for(std::size_t count) {
    return padded(count) * (64 + sizeof(float)) + count * sizeof(int) + usual_edges(count) * sizeof(DiscEdge<Real>);
  }
};

// Arrays and parameters that the kernels use.
template <class Real>
struct TileSearch {
  DiscGrid<Real> grid;
  StepControl* control;
  unsigned short* rows;
  unsigned short* columns;
  float* bounds;
  Claim* claims;
  EdgeLists<Real> lists;
};

// Whether the device of this backend supports it.
bool tiles_available(const Backend& backend);
// Fills search.lists with all pairs that touch within the step, and marks all claims as not yet known. All discs must
// be equal. CUDA only.
template <class Real, bool contract>
void find_by_tiles(Backend& backend, const TileSearch<Real>& search);
LaunchShape tiles_shape(bool single, bool contract);

}  // namespace perturb::particles
