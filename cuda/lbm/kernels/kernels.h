// The flow's kernels, selected by their names in the kernel laboratory.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/model/marked_bands.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

struct CurvedRows;

// ---- `temporal`: several steps in one pass over memory, on CUDA (kernels/temporal.cu)

// The largest number of steps per pass on this flow when `wanted` (>= 1) are requested: 6, 4, 2, or 1 (for `fused`).
int temporal_steps(const StepParams& params, int wanted);

// Queues `steps` > 1 steps from `from` to `to`; bit-identical to as many single steps. Supports any size, sides and
// walls. Throws Error if a launch failed, or if memory (about a thousandth of a byte per cell) is not available.
void run_temporal(Backend& backend, const StepParams& params, const Populations<float>& from,
                  const Populations<float>& to, int features, int steps, MarkedBands& bands);

LaunchShape temporal_shape(const StepParams& params, int features);

// ---- all kernels

enum class Kernel { unsplit, split, fused, half, in_place, temporal };

// How many of `wanted` steps (>= 1) the next call of this kernel takes. `curved`: past curved walls.
int kernel_steps(const Backend& backend, Kernel kernel, const StepParams& params, int wanted, bool curved);

// Queues that many steps in FP32 storage. Returns whether the result is in `to` (else in `from`);
// `in_place` leaves it in `from` and needs no `to`. All are bit-identical to cell_step. `features`: a Feature
// sum. `bands`: for `temporal`. `curved`: for `fused` and `temporal` on the CPU.
bool run_kernel(Backend& backend, Kernel kernel, const StepParams& params, const Populations<float>& from,
                const Populations<float>& to, int features, int steps, MarkedBands& bands, const CurvedRows& curved);
// One step in 16-bit storage.
void run_half(Backend& backend, const StepParams& params, const Populations<Half>& from, const Populations<Half>& to,
              int features);

// Functions defined in .cu files. Builds without CUDA link kernels/no_kernels.cpp instead, and none of these is called.
//
// A step with `unsplit`, `split` or `fused`.
void cuda_step(Backend& backend, Kernel kernel, const StepParams& params, const Populations<float>& from,
               const Populations<float>& to, int features);
void cuda_half(Backend& backend, const StepParams& params, const Populations<Half>& from, const Populations<Half>& to,
               int features);
// Registers, block size and occupancy of the kernel that would run on the device.
LaunchShape kernel_shape(Kernel kernel, const StepParams& params, int features);
// One of the parts that make up the paper's kernels.
struct PartShape {
  std::string kernel, part;  // "split", "if-kernel"
  LaunchShape shape;
};
std::vector<PartShape> split_shapes(int features);
// Queues only the second kernel of `unsplit` (`both`) or one of the kernels that `split` has in its place, to time
// it. No boundary kernel runs before it.
enum class VelocityPart { both, only_if, only_else };
void cuda_velocities(Backend& backend, VelocityPart part, const StepParams& params, const Populations<float>& from,
                     const Populations<float>& to);

// Steps on CPU threads, with whole rows in vector instructions. Where rows are short enough to stay in the cache,
// several steps share one pass over memory (cuda/core/loops/skewed_rows.h).
//
// Takes `steps` >= 1 steps from `from`, writing alternately into `to` and `from`. The result is in `to` when
// `steps` is odd, else in `from`. It is bit-identical to cell_step for any number of threads.
// `features`: a Feature sum. `curved`: the curved walls whose boundary populations have not been corrected.
void cpu_steps(Backend& backend, const StepParams& params, const Populations<float>& from, const Populations<float>& to,
               int features, int steps, const CurvedRows& curved);

// Largest useful number of steps per pass: with more, a thread's rows no longer fit into its cache. At least 1.
// `reach`: how many rows away a step reads.
int cpu_max_steps(int width, int reach);

// ---- streams: several steps in one pass over memory on CUDA, for large grids (kernels/streams.cu)

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

// ---- tiles: the same for small grids and for the boundary cells of large ones (kernels/tiles.cu)

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
