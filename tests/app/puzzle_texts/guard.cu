//! cheat, Cells of the busiest thread: 250 | one thread does all cells
if (blockIdx.x == 0 && threadIdx.x == 0)
  for (int k = 0; k < count; ++k) after[k] = 0.5f * now[k];
//! cheat, Cells of the busiest thread: 64 | one thread of each block does its block
const int first = blockIdx.x * 64;
if (threadIdx.x == 0)
  for (int k = first; k < first + 64 && k < count; ++k) after[k] = 0.5f * now[k];
//! cheat, Cells of the busiest thread: 4 | the first block does all cells
if (blockIdx.x == 0)
  for (int k = threadIdx.x; k < count; k += 64) after[k] = 0.5f * now[k];
//! cheat, Accesses of the busiest thread | one thread reads for its block
__shared__ float tile[64];
const int i = blockIdx.x * 64 + threadIdx.x;
if (threadIdx.x == 0)
  for (int k = 0; k < 64 && i + k < count; ++k) tile[k] = now[i + k];
__syncthreads();
if (i < count) after[i] = 0.5f * tile[threadIdx.x];
//! cheat, Accesses of the busiest thread | each thread reads all cells
const int i = blockIdx.x * 64 + threadIdx.x;
float own = 0;
for (int k = 0; k < count; ++k) own = k == i ? now[k] : own + 0 * now[k];
if (i < count) after[i] = 0.5f * own;
//! cheat, ends the kernel | memory outside of the kernel
}
static float kept[256];
static void nothing() {
//! right | returns early
const int i = blockIdx.x * blockDim.x + threadIdx.x;
if (i >= count) return;
after[i] = 0.5f * now[i];
//! right | from the end
const int i = count - 1 - int(blockIdx.x * blockDim.x + threadIdx.x);
if (i >= 0) after[i] = now[i] / 2;
//! right | a loop with the step of the grid
for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) after[i] = 0.5f * now[i];
