// The source's launch form: every kernel in blocks of 3 x 3 threads over the whole field, a thread a cell.
#include "cuda/core/cuda_launch.h"
#include "cuda/wave/wave_article_colour.h"
#include "cuda/wave/wave_article_kernels.h"

namespace perturb::wave {

namespace {

constexpr int article_block = 3, article_reach = 1;

__constant__ float article_taps[3][3] = {{0, 1, 0}, {1, -4, 1}, {0, 1, 0}};

struct ArticleCell {
  int i, j, at;
  bool inside;
};
__device__ inline ArticleCell article_cell(int side) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  return {i, j, j * side + i, i < side && j < side};
}

__device__ inline float article_value(const float* field, int side, int i, int j) {
  return i < 0 || j < 0 || i >= side || j >= side ? 0.f : field[j * side + i];
}

// Each thread loads four cells, a corner's step away from its own, so that the four squares of the block's size hold
// the block with its apron; they overlap nowhere and reach a cell farther than is needed.
__global__ void article_convolve(int side, const float* from, float* to) {
  __shared__ float data[2 * article_block][2 * article_block];
  const ArticleCell cell = article_cell(side);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int low = -article_reach, high = article_block - article_reach;
  data[y][x] = article_value(from, side, cell.i + low, cell.j + low);
  data[y][x + article_block] = article_value(from, side, cell.i + high, cell.j + low);
  data[y + article_block][x] = article_value(from, side, cell.i + low, cell.j + high);
  data[y + article_block][x + article_block] = article_value(from, side, cell.i + high, cell.j + high);
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int b = 0; b < 3; ++b)
#pragma unroll
    for (int a = 0; a < 3; ++a) sum += data[y + b][x + a] * article_taps[b][a];
  if (cell.inside) to[cell.at] = sum;
}

__global__ void article_multiply(int side, const float* from, float factor, float* to) {
  const ArticleCell cell = article_cell(side);
  if (cell.inside) to[cell.at] = from[cell.at] * factor;
}

__global__ void article_add(int count, const float* from, float* to) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k < count) to[k] += from[k];
}

__global__ void article_paint(int side, const float* heights, ArticleColours colours, View1D<const std::uint32_t> table,
                              std::uint32_t* picture) {
  const ArticleCell cell = article_cell(side);
  if (cell.inside) picture[cell.at] = article_colour_of(heights[cell.at], colours, table);
}

__global__ void article_drop(int side, const float* from, const float* droplet, int size, int i, int j, float* to) {
  const ArticleCell cell = article_cell(side);
  if (!cell.inside) return;
  const int a = cell.i - (i - size / 2), b = cell.j - (j - size / 2);
  const bool wet = a >= 0 && b >= 0 && a < size && b < size;
  to[cell.at] = wet ? from[cell.at] + droplet[b * size + a] : from[cell.at];
}

dim3 article_threads() { return {article_block, article_block}; }
dim3 article_grid(int side) {
  const auto blocks = static_cast<unsigned>((side + article_block - 1) / article_block);
  return {blocks, blocks};
}

}  // namespace

void wave_article_convolve(Backend& backend, int side, const float* from, float* to) {
  const CudaLaunch launch(backend, "wave.article_convolve");
  article_convolve<<<article_grid(side), article_threads(), 0, launch.stream()>>>(side, from, to);
}
void wave_article_multiply(Backend& backend, int side, const float* from, float factor, float* to) {
  const CudaLaunch launch(backend, "wave.article_multiply");
  article_multiply<<<article_grid(side), article_threads(), 0, launch.stream()>>>(side, from, factor, to);
}
void wave_article_add(Backend& backend, int side, const float* from, float* to) {
  constexpr int block = 256;  // the source leaves this sum to a library
  const int count = side * side;
  const CudaLaunch launch(backend, "wave.article_add");
  article_add<<<(count + block - 1) / block, block, 0, launch.stream()>>>(count, from, to);
}
void wave_article_paint(Backend& backend, int side, const float* heights, ArticleColours colours,
                        View1D<const std::uint32_t> table, std::uint32_t* picture) {
  const CudaLaunch launch(backend, "wave.article_paint");
  article_paint<<<article_grid(side), article_threads(), 0, launch.stream()>>>(side, heights, colours, table, picture);
}
void wave_article_drop(Backend& backend, int side, const float* from, const float* droplet, int size, int i, int j,
                       float* to) {
  const CudaLaunch launch(backend, "wave.article_drop");
  article_drop<<<article_grid(side), article_threads(), 0, launch.stream()>>>(side, from, droplet, size, i, j, to);
}

}  // namespace perturb::wave
