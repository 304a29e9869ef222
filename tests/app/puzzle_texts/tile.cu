//! cheat, Cells of the busiest thread: 3072 | one thread does all cells
if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0)
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) after[i * height + j] = now[j * width + i];
//! cheat, Cells of the busiest thread: 16 | the threads of the first row of a block do a column each
const unsigned i = blockIdx.x * 16 + threadIdx.x;
if (threadIdx.y == 0)
  for (unsigned j = blockIdx.y * 16; j < blockIdx.y * 16 + 16; ++j)
    if (i < width && j < height) after[i * height + j] = now[j * width + i];
//! cheat, Accesses of the busiest thread | one thread fills the tile
__shared__ float tile[16][17];
const int i = blockIdx.x * 16, j = blockIdx.y * 16;
if (threadIdx.x == 0 && threadIdx.y == 0)
  for (int b = 0; b < 16; ++b)
    for (int a = 0; a < 16; ++a)
      if (i + a < width && j + b < height) tile[b][a] = now[(j + b) * width + i + a];
__syncthreads();
const int column = j + threadIdx.x, row = i + threadIdx.y;
if (column < height && row < width) after[row * height + column] = tile[threadIdx.x][threadIdx.y];
//! cheat, Accesses of the busiest thread | one thread turns the tile
__shared__ float tile[16][17];
const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
tile[threadIdx.y][threadIdx.x] = i < width && j < height ? now[j * width + i] : 0.f;
__syncthreads();
if (threadIdx.x == 0 && threadIdx.y == 0)
  for (int b = 0; b < 16; ++b)
    for (int a = 0; a < b; ++a) {
      const float kept = tile[a][b];
      tile[a][b] = tile[b][a];
      tile[b][a] = kept;
    }
__syncthreads();
const int column = blockIdx.y * 16 + threadIdx.x, row = blockIdx.x * 16 + threadIdx.y;
if (column < height && row < width) after[row * height + column] = tile[threadIdx.y][threadIdx.x];
//! cheat, Passes per access to shared memory | accesses of single threads hide the conflicts
__shared__ float tile[16][16];
const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
tile[threadIdx.y][threadIdx.x] = i < width && j < height ? now[j * width + i] : 0.f;
__syncthreads();
float nothing = 0;
for (int k = 0; k < 32; ++k)
  if (k == int(threadIdx.x + 16 * (threadIdx.y % 2)))
    for (int l = 0; l < 2; ++l) nothing += 0 * tile[0][l];
const int column = blockIdx.y * 16 + threadIdx.x, row = blockIdx.x * 16 + threadIdx.y;
if (column < height && row < width) after[row * height + column] = tile[threadIdx.x][threadIdx.y] + nothing;
//! cheat, Sectors per warp and access | no tile
const int i = blockIdx.x * blockDim.x + threadIdx.x;
const int j = blockIdx.y * blockDim.y + threadIdx.y;
float nothing = 0;
for (int l = 0; l < 4; ++l) nothing += 0 * now[l];
if (i < width && j < height) after[i * height + j] = now[j * width + i] + nothing;
//! cheat, static variable | a tile where no access is counted
static float tile[16][16];
const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
tile[threadIdx.y][threadIdx.x] = i < width && j < height ? now[j * width + i] : 0.f;
__syncthreads();
const int column = blockIdx.y * 16 + threadIdx.x, row = blockIdx.x * 16 + threadIdx.y;
if (column < height && row < width) after[row * height + column] = tile[threadIdx.x][threadIdx.y];
//! right | written mirrored into the tile
__shared__ float tile[16][17];
const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
if (i < width && j < height) tile[threadIdx.x][threadIdx.y] = now[j * width + i];
__syncthreads();
const int column = blockIdx.y * 16 + threadIdx.x, row = blockIdx.x * 16 + threadIdx.y;
if (column < height && row < width) after[row * height + column] = tile[threadIdx.y][threadIdx.x];
//! right | a flat tile
__shared__ float tile[272];
const int x = threadIdx.x, y = threadIdx.y;
const int i = blockIdx.x * 16 + x, j = blockIdx.y * 16 + y;
if (i < width && j < height) tile[17 * y + x] = now[j * width + i];
__syncthreads();
const int column = blockIdx.y * 16 + x, row = blockIdx.x * 16 + y;
if (column < height && row < width) after[row * height + column] = tile[17 * x + y];
//! right | shifted rows in place of the column more
__shared__ float tile[16][32];
const int x = threadIdx.x, y = threadIdx.y;
const int i = blockIdx.x * 16 + x, j = blockIdx.y * 16 + y;
if (i < width && j < height) tile[y][(x + y) % 32] = now[j * width + i];
__syncthreads();
const int column = blockIdx.y * 16 + x, row = blockIdx.x * 16 + y;
if (column < height && row < width) after[row * height + column] = tile[x][(x + y) % 32];
