// Several steps of the flow in one pass over memory, on CUDA: 72/T bytes a cell and step, so that arithmetic becomes
// the bound. Two bit-identical methods: streams for large grids (kernels/streams.cu), and tiles for small grids and for
// the boundary cells of large ones (kernels/tiles.cu).
//
//         +-----------------------------------+
//         |  boundary cells: tiles            |    A large grid whose sides are not periodic. With periodic sides there
//         |  +-----------------------------+  |    are no boundary cells, and streams reach across.
//         |  |                             |  |
//         |  |     interior: streams       |  |
//         |  |                             |  |
//         |  +-----------------------------+  |
//         |                                   |
//         +-----------------------------------+
#include <cstdint>

#include "cuda/lbm/kernels/kernels.h"

namespace perturb::lbm {

namespace {

// Number of cells below which tiles are faster: their blocks of 16 warps occupy every multiprocessor sooner. Measured
// on an H200; near sides or walls the streams have more work.
constexpr std::int64_t min_cells_of_streams = 700 * 700, min_cells_beside_walls = 1536 * 1536;
bool streams(const StepParams& p) {
  const std::int64_t cells = static_cast<std::int64_t>(p.width) * p.height;
  return p.width >= 2 * lbm_strip && p.height >= 2 * lbm_strip &&
         cells >= (p.links.empty() ? min_cells_of_streams : min_cells_beside_walls);
}

}  // namespace

int temporal_steps(const StepParams& params, int wanted) {
  if (wanted >= lbm_stream_steps && streams(params)) return lbm_stream_steps;
  return wanted >= 4 ? 4 : wanted >= 2 ? 2 : 1;
}

void run_temporal(Backend& backend, const StepParams& params, const Populations<float>& from,
                  const Populations<float>& to, int features, int steps, MarkedBands& bands) {
  if (steps != lbm_stream_steps) {
    lbm_run_tiles(backend, params, from, to, features, steps);
    return;
  }
  run_streams(backend, params, from, to, features, inside_rim(params), bands);
  run_rim(backend, params, from, to, features);
}

LaunchShape temporal_shape(const StepParams& params, int features) {
  return streams(params) ? streams_shape(params, features) : tiles_shape(features);
}

}  // namespace perturb::lbm
