//! cheat, Cells of the busiest thread: 256 | one thread does all cells
if (blockIdx.x == 0 && threadIdx.x == 0)
  for (unsigned k = 0; k < blockDim.x * gridDim.x; ++k) after[k] = 0.5f * now[k];
//! cheat, Cells of the busiest thread: 64 | one thread of each block does its block
if (threadIdx.x == 0)
  for (int k = 0; k < 64; ++k) after[blockIdx.x * 64 + k] = 0.5f * now[blockIdx.x * 64 + k];
//! cheat, Cells of the busiest thread: 2 | half of the threads do two cells each
const int i = blockIdx.x * 64 + threadIdx.x;
if (threadIdx.x < 32) {
  after[i] = 0.5f * now[i];
  after[i + 32] = 0.5f * now[i + 32];
}
//! cheat, Accesses of the busiest thread | one thread reads for its block
__shared__ float tile[64];
const int first = blockIdx.x * 64;
if (threadIdx.x == 0)
  for (int k = 0; k < 64; ++k) tile[k] = now[first + k];
__syncthreads();
after[first + threadIdx.x] = 0.5f * tile[threadIdx.x];
//! cheat, Accesses of the busiest thread | one thread computes for its block
__shared__ float tile[64];
const int i = blockIdx.x * 64 + threadIdx.x;
tile[threadIdx.x] = now[i];
__syncthreads();
if (threadIdx.x == 0)
  for (int k = 0; k < 64; ++k) tile[k] *= 0.5f;
__syncthreads();
after[i] = tile[threadIdx.x];
//! cheat, static variable | values where no access is counted
static float kept[256];
const int i = blockIdx.x * 64 + threadIdx.x;
kept[i] = now[i];
after[i] = 0.5f * kept[i];
//! cheat, Expected | the known numbers
const int i = blockIdx.x * 64 + threadIdx.x;
after[i] = 0.5f * (sinf(0.37f * i + 1) + 0.5f * cosf(0.011f * i));
//! right | from the end
const int i = gridDim.x * blockDim.x - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
after[i] = 0.5f * now[i];
//! right | neighbours in other blocks
const int i = threadIdx.x * gridDim.x + blockIdx.x;
after[i] = now[i] / 2;
//! right | over shared memory
__shared__ float tile[64];
const int i = blockIdx.x * blockDim.x + threadIdx.x;
tile[threadIdx.x] = now[i];
__syncthreads();
after[i] = 0.5f * tile[threadIdx.x];
//! right | a loop with the step of the grid
static const float half = 0.5f;
for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < 64 * gridDim.x; i += gridDim.x * blockDim.x)
  after[i] = half * now[i];
