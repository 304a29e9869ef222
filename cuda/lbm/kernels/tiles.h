// Tiles: several steps of the flow in one pass over memory on CUDA, for small grids and for the boundary cells of large
// ones (kernels/tiles.cu).
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/kernels/streams.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// The boundary cells at a side that is not periodic, which streams leave to tiles. As many rows as a pass takes steps,
// and columns up to a boundary of memory sectors (32 bytes): strips that start within a sector shared it with the
// boundary cells, which cost the streams a third of their speed.
constexpr int rim_rows = lbm_stream_steps;
constexpr int cells_of_sector = 32 / static_cast<int>(sizeof(float));
constexpr int rim_columns = (lbm_stream_steps + cells_of_sector - 1) / cells_of_sector * cells_of_sector;
SweepBox inside_rim(const StepParams& params);

// Queues lbm_stream_steps steps of the boundary cells.
void run_rim(Backend& backend, const StepParams& params, const Populations<float>& from, const Populations<float>& to,
             int features);
// Queues 2 or 4 steps of the whole grid.
void lbm_run_tiles(Backend& backend, const StepParams& params, const Populations<float>& from,
                   const Populations<float>& to, int features, int steps);

LaunchShape tiles_shape(int features);

}  // namespace perturb::lbm
