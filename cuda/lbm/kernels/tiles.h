// Tiles: several steps of the flow in one pass over memory on CUDA, for small grids and for the rim of large ones. How:
// kernels/tiles.cu.
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/kernels/streams.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// The rim: the cells at a side that is not periodic, which streams keep away from. As many rows as a pass takes steps;
// and columns up to a boundary of memory sectors (32 bytes): strips that began within one shared it with the rim, which
// cost the streams a third.
constexpr int rim_rows = lbm_stream_steps;
constexpr int cells_of_sector = 32 / static_cast<int>(sizeof(float));
constexpr int rim_columns = (lbm_stream_steps + cells_of_sector - 1) / cells_of_sector * cells_of_sector;
SweepBox inside_rim(const StepParams& params);

// Takes lbm_stream_steps steps of the rim, queued.
void run_rim(Backend& backend, const StepParams& params, const Populations<float>& from, const Populations<float>& to,
             int features);
// Takes 2 or 4 steps of the whole grid, queued.
void lbm_run_tiles(Backend& backend, const StepParams& params, const Populations<float>& from,
                   const Populations<float>& to, int features, int steps);

LaunchShape tiles_shape(int features);

}  // namespace perturb::lbm
