// Launch configuration of the paper: every kernel in blocks of 3 x 3 threads over the whole field, one thread per cell.
#include "cuda/core/backend/cuda_launch.h"
#include "cuda/wave/study/paper.h"

namespace perturb::wave {

namespace {

constexpr int paper_block = 3, paper_reach = 1;

__constant__ float paper_taps[3][3] = {{0, 1, 0}, {1, -4, 1}, {0, 1, 0}};

struct PaperCell {
  int i, j, at;
  bool inside;
};
__device__ inline PaperCell paper_cell(int side) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  return {i, j, j * side + i, i < side && j < side};
}

__device__ inline float paper_value(const float* field, int side, int i, int j) {
  return i < 0 || j < 0 || i >= side || j >= side ? 0.f : field[j * side + i];
}

// Each thread loads four cells, diagonally offset from its own, so that four squares of the block's size cover the
// block and its apron. The squares do not overlap, and extend one cell farther than needed.
__global__ void paper_convolve(int side, const float* from, float* to) {
  __shared__ float data[2 * paper_block][2 * paper_block];
  const PaperCell cell = paper_cell(side);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int low = -paper_reach, high = paper_block - paper_reach;
  data[y][x] = paper_value(from, side, cell.i + low, cell.j + low);
  data[y][x + paper_block] = paper_value(from, side, cell.i + high, cell.j + low);
  data[y + paper_block][x] = paper_value(from, side, cell.i + low, cell.j + high);
  data[y + paper_block][x + paper_block] = paper_value(from, side, cell.i + high, cell.j + high);
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int b = 0; b < 3; ++b)
#pragma unroll
    for (int a = 0; a < 3; ++a) sum += data[y + b][x + a] * paper_taps[b][a];
  if (cell.inside) to[cell.at] = sum;
}

__global__ void paper_multiply(int side, const float* from, float factor, float* to) {
  const PaperCell cell = paper_cell(side);
  if (cell.inside) to[cell.at] = from[cell.at] * factor;
}

__global__ void paper_add(int count, const float* from, float* to) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k < count) to[k] += from[k];
}

__global__ void paper_paint(int side, const float* heights, PaperColours colours, View1D<const std::uint32_t> table,
                            std::uint32_t* picture) {
  const PaperCell cell = paper_cell(side);
  if (cell.inside) picture[cell.at] = paper_colour_of(heights[cell.at], colours, table);
}

__global__ void paper_drop(int side, const float* from, const float* droplet, int size, int i, int j, float* to) {
  const PaperCell cell = paper_cell(side);
  if (!cell.inside) return;
  const int a = cell.i - (i - size / 2), b = cell.j - (j - size / 2);
  const bool wet = a >= 0 && b >= 0 && a < size && b < size;
  to[cell.at] = wet ? from[cell.at] + droplet[b * size + a] : from[cell.at];
}

dim3 paper_threads() { return {paper_block, paper_block}; }
dim3 paper_grid(int side) {
  const auto blocks = static_cast<unsigned>((side + paper_block - 1) / paper_block);
  return {blocks, blocks};
}

}  // namespace

void wave_paper_convolve(Backend& backend, int side, const float* from, float* to) {
  const CudaLaunch launch(backend, "wave.article_convolve");
  paper_convolve<<<paper_grid(side), paper_threads(), 0, launch.stream()>>>(side, from, to);
}
void wave_paper_multiply(Backend& backend, int side, const float* from, float factor, float* to) {
  const CudaLaunch launch(backend, "wave.article_multiply");
  paper_multiply<<<paper_grid(side), paper_threads(), 0, launch.stream()>>>(side, from, factor, to);
}
void wave_paper_add(Backend& backend, int side, const float* from, float* to) {
  constexpr int block = 256;  // the paper uses a library for this sum
  const int count = side * side;
  const CudaLaunch launch(backend, "wave.article_add");
  paper_add<<<(count + block - 1) / block, block, 0, launch.stream()>>>(count, from, to);
}
void wave_paper_paint(Backend& backend, int side, const float* heights, PaperColours colours,
                      View1D<const std::uint32_t> table, std::uint32_t* picture) {
  const CudaLaunch launch(backend, "wave.article_paint");
  paper_paint<<<paper_grid(side), paper_threads(), 0, launch.stream()>>>(side, heights, colours, table, picture);
}
void wave_paper_drop(Backend& backend, int side, const float* from, const float* droplet, int size, int i, int j,
                     float* to) {
  const CudaLaunch launch(backend, "wave.article_drop");
  paper_drop<<<paper_grid(side), paper_threads(), 0, launch.stream()>>>(side, from, droplet, size, i, j, to);
}

}  // namespace perturb::wave
