// CUDA kernels that are more than a loop: a warp per disc, rounds without the host, the paper's pairs in small blocks,
// and all pairs on tensor cores.
//
// Tensor cores are a filter for discs that can touch. Two discs can touch only if the line of their relative motion
// passes within their reach of zero: |d x w| <= reach·|w|, where d and w are the differences of their positions and
// velocities. With own A = x·vy - y·vx the product is a sum of six terms, each of p's numbers times q's:
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
#include "cuda/particles/kernels/all_pairs.h"
#include "cuda/particles/model/collisions.h"

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
  Array<Edge<Real>> edges;
  TileStorage() = default;
  TileStorage(Backend& backend, std::size_t count, std::size_t max_edges)
      : rows(backend, 16 * padded(count), "rows of pairs"),
        columns(backend, 16 * padded(count), "columns of pairs"),
        bounds(backend, padded(count), "bounds of pairs"),
        heads(backend, count, "lists of candidates"),
        edges(backend, max_edges, "candidates") {}
  static std::size_t padded(std::size_t count) { return (count + tile_block - 1) / tile_block * tile_block; }
  static std::size_t usual_edges(std::size_t count) { return 4096 + 4 * count; }
  static std::size_t bytes_for(std::size_t count) {
    return padded(count) * (64 + sizeof(float)) + count * sizeof(int) + usual_edges(count) * sizeof(Edge<Real>);
  }
};

// Arrays and parameters that the kernels use.
template <class Real>
struct TileSearch {
  Grid<Real> grid;
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

// ---- loops and pairs

// Searches with one warp per disc; its threads share the slices. For many slices and few discs. CUDA only.
template <class Real, bool contract>
void find_least_by_warp(Backend& backend, const FindLeast<Real, contract>& find);

// DecideAgain with a warp for each waiting disc. CUDA only.
template <class Real, bool contract>
void decide_again_by_warp(Backend& backend, const FindLeast<Real, contract>& find, const WaitingLists& waiting);

// Repeats rounds until no disc waits, in one kernel, without the host. The waiting discs are in `list`, whose length is
// pending[from] of the control block. `searching` is scratch of the same size. CUDA only.
template <class Real, bool contract>
void finish_deciding(Backend& backend, const FindLeast<Real, contract>& find, int* list, int* other_list,
                     int* searching, StepControl* control, int from);

// Checks the pairs of the paper's folded triangle. CUDA only.
template <class Real, bool contract>
void check_all_pairs(Backend& backend, const CheckPairs<Real, contract>& check, const PairsLaunch& how);

// Registers, block size and occupancy of the search kernel.
LaunchShape particles_find_shape(bool single, bool contract, bool by_warp);
LaunchShape particles_pairs_shape(bool single, bool contract, int block);

}  // namespace perturb::particles
