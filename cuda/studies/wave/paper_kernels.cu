// Launch configuration of the paper: kernels in blocks of 3 x 3 threads over the whole field, one thread per cell. The
// sums, for which it uses CUBLAS, have blocks of 256 threads.
#include "cuda/core/backend/cuda_launch.h"
#include "cuda/studies/wave/paper.h"

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

struct TapsInConstantMemory {
  __device__ float operator()(int a, int b) const { return paper_taps[b][a]; }
};
struct TapsInGlobalMemory {
  const float* taps;
  __device__ float operator()(int a, int b) const { return taps[3 * b + a]; }
};

// A grid that is smaller than the field moves over it, to the right and then down.
template <class Taps>
__global__ void paper_convolve_plain(int side, const float* from, Taps taps, float* to) {
  for (int j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); j < side;
       j += static_cast<int>(gridDim.y * blockDim.y))
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < side;
         i += static_cast<int>(gridDim.x * blockDim.x))
      to[j * side + i] = paper_convolution_at(side, from, i, j, taps);
}

// The texture gives zero outside the field.
__global__ void paper_convolve_texture(int side, cudaTextureObject_t from, float* to) {
  const PaperCell cell = paper_cell(side);
  if (!cell.inside) return;
  float sum = 0;
#pragma unroll
  for (int b = 0; b < 3; ++b)
#pragma unroll
    for (int a = 0; a < 3; ++a)
      sum +=
          tex2D<float>(from, static_cast<float>(cell.i - 1 + a), static_cast<float>(cell.j - 1 + b)) * paper_taps[b][a];
  to[cell.at] = sum;
}

template <bool intrinsic>
__global__ void paper_sines(int count, int turns, const float* from, float* to) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= count) return;
  float x = from[k];
  for (int turn = 0; turn < turns; ++turn) x = 3 * (intrinsic ? __sinf(x) : sinf(x));
  to[k] = x;
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
dim3 paper_grid(int side, int block = paper_block) {
  const auto blocks = static_cast<unsigned>((side + block - 1) / block);
  return {blocks, blocks};
}
dim3 paper_threads(PaperBlock block) { return {static_cast<unsigned>(block.x), static_cast<unsigned>(block.y)}; }
dim3 paper_grid(int side, PaperBlock block) { return {paper_grid(side, block.x).x, paper_grid(side, block.y).y}; }

// A texture of a field in device memory; without filters, so that it gives the field's own numbers.
class FieldTexture {
 public:
  FieldTexture(int side, const float* field) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = const_cast<float*>(field);
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = resource.res.pitch2D.height = static_cast<std::size_t>(side);
    resource.res.pitch2D.pitchInBytes = static_cast<std::size_t>(side) * sizeof(float);
    cudaTextureDesc reading{};
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeBorder;
    reading.filterMode = cudaFilterModePoint;
    reading.readMode = cudaReadModeElementType;
    PERTURB_CUDA_CHECK(cudaCreateTextureObject(&texture_, &resource, &reading, nullptr));
  }
  ~FieldTexture() { cudaDestroyTextureObject(texture_); }
  FieldTexture(const FieldTexture&) = delete;
  FieldTexture& operator=(const FieldTexture&) = delete;
  cudaTextureObject_t get() const { return texture_; }

 private:
  cudaTextureObject_t texture_ = 0;
};

}  // namespace

void wave_paper_convolve(Backend& backend, int side, const float* from, float* to) {
  const CudaLaunch launch(backend, "wave.article_convolve");
  paper_convolve<<<paper_grid(side), paper_threads(), 0, launch.stream()>>>(side, from, to);
}
void wave_paper_convolve_plain(Backend& backend, int side, PaperBlock block, const float* from, const float* taps,
                               float* to) {
  const dim3 grid = paper_grid(side, block), threads = paper_threads(block);
  const CudaLaunch launch(backend, "wave.article_convolve_plain");
  if (taps != nullptr)
    paper_convolve_plain<<<grid, threads, 0, launch.stream()>>>(side, from, TapsInGlobalMemory{taps}, to);
  else
    paper_convolve_plain<<<grid, threads, 0, launch.stream()>>>(side, from, TapsInConstantMemory{}, to);
}
void wave_paper_convolve_first(Backend& backend, int side, PaperBlock block, const float* from, const float* taps,
                               float* to) {
  const CudaLaunch launch(backend, "wave.article_convolve_first");
  paper_convolve_plain<<<1, paper_threads(block), 0, launch.stream()>>>(side, from, TapsInGlobalMemory{taps}, to);
}
void wave_paper_convolve_texture(Backend& backend, int side, int block, int times, const float* from, float* to) {
  const FieldTexture texture(side, from);
  const dim3 threads(static_cast<unsigned>(block), static_cast<unsigned>(block));
  for (int k = 0; k < times; ++k) {
    const CudaLaunch launch(backend, "wave.article_convolve_texture");
    paper_convolve_texture<<<paper_grid(side, block), threads, 0, launch.stream()>>>(side, texture.get(), to);
  }
  backend.synchronize();  // the texture must outlive the kernels
}
void wave_paper_sines(Backend& backend, int count, int turns, bool intrinsic, const float* from, float* to) {
  constexpr int block = 256;
  const CudaLaunch launch(backend, "wave.article_sines");
  const int blocks = (count + block - 1) / block;
  if (intrinsic)
    paper_sines<true><<<blocks, block, 0, launch.stream()>>>(count, turns, from, to);
  else
    paper_sines<false><<<blocks, block, 0, launch.stream()>>>(count, turns, from, to);
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
