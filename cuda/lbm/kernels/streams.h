// Streams: several steps of the flow in one pass over memory on CUDA, for large grids (kernels/streams.cu).
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/kernels/temporal.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

constexpr int lbm_stream_steps = 6;  // steps of a pass
constexpr int lbm_strip = 64;        // columns that a warp works on

struct SweepBox {
  int x = 0, y = 0, width = 0, height = 0;  // cells
};

// Queues lbm_stream_steps steps of the cells in `box`. Reads lbm_stream_steps cells around it, across periodic sides;
// no other side may be that near. The grid has at least a strip's columns and rows. Throws Error as run_temporal
// does.
void run_streams(Backend& backend, const StepParams& params, const Populations<float>& from,
                 const Populations<float>& to, int features, const SweepBox& box, MarkedBands& bands);

LaunchShape streams_shape(const StepParams& params, int features);

}  // namespace perturb::lbm
