// CUDA kernels that are more than a loop: a warp per disc, rounds without the host, and the paper's pairs in small
// blocks.
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/particles/kernels/all_pairs.h"
#include "cuda/particles/model/decide.h"

namespace perturb::particles {

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
