//! cheat, Cells of the busiest thread: 4096 | one thread does all cells
if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0)
  for (int k = 0; k < width * height; ++k) after[k] = 0.5f * now[k];
//! cheat, Cells of the busiest thread: 256 | one thread of each block does its block
if (threadIdx.x == 0 && threadIdx.y == 0)
  for (unsigned j = blockIdx.y * 16; j < blockIdx.y * 16 + 16; ++j)
    for (unsigned i = blockIdx.x * 16; i < blockIdx.x * 16 + 16; ++i)
      if (i < width && j < height) after[j * width + i] = 0.5f * now[j * width + i];
//! cheat, Cells of the busiest thread: 8 | one warp of each block does its block
const int i = blockIdx.x * 16 + threadIdx.x;
if (threadIdx.y < 2)
  for (int j = blockIdx.y * 16 + threadIdx.y; j < int(blockIdx.y * 16 + 16); j += 2)
    if (i < width && j < height) after[j * width + i] = 0.5f * now[j * width + i];
//! cheat, Accesses of the busiest thread | many good accesses hide the bad ones
const int i = blockIdx.y * blockDim.y + threadIdx.y;
const int j = blockIdx.x * blockDim.x + threadIdx.x;
float nothing = 0;
for (int k = 0; k < 20; ++k) nothing += 0 * now[k];
if (i < width && j < height) after[j * width + i] = 0.5f * now[j * width + i] + nothing;
//! cheat, Sectors per warp and access | a few good accesses of each thread hide the bad ones
const int i = blockIdx.y * blockDim.y + threadIdx.y;
const int j = blockIdx.x * blockDim.x + threadIdx.x;
float nothing = 0;
for (int k = 0; k < 32; ++k)
  if (k == int(threadIdx.x + 16 * (threadIdx.y % 2)))
    for (int l = 0; l < 4; ++l) nothing += 0 * now[l];
if (i < width && j < height) after[j * width + i] = 0.5f * now[j * width + i] + nothing;
//! cheat, Accesses of the busiest thread | one thread reads for its block
__shared__ float tile[256];
const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
if (threadIdx.x == 0 && threadIdx.y == 0)
  for (int b = 0; b < 16; ++b)
    for (int a = 0; a < 16; ++a)
      if (i + a < width && j + b < height) tile[16 * b + a] = now[(j + b) * width + i + a];
__syncthreads();
if (i < width && j < height) after[j * width + i] = 0.5f * tile[16 * threadIdx.y + threadIdx.x];
//! right | the cells in one row
const int n = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 16 + threadIdx.x;
if (n < width * height) after[n] = 0.5f * now[n];
//! right | over shared memory
__shared__ float tile[16][16];
const int i = blockIdx.x * blockDim.x + threadIdx.x;
const int j = blockIdx.y * blockDim.y + threadIdx.y;
if (i < width && j < height) tile[threadIdx.y][threadIdx.x] = now[j * width + i];
__syncthreads();
if (i < width && j < height) after[j * width + i] = 0.5f * tile[threadIdx.y][threadIdx.x];
//! right | rows from the top
const int i = blockIdx.x * blockDim.x + threadIdx.x;
const int j = height - 1 - int(blockIdx.y * blockDim.y + threadIdx.y);
if (i >= width || j < 0) return;
const int n = j * width + i;
after[n] = now[n] / 2;
