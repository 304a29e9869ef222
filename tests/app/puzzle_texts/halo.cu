//! cheat, Accesses of the busiest thread | one thread fills the tile
__shared__ float tile[10][34];
const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, n = j * width + i;
const int x = threadIdx.x + 1, y = threadIdx.y + 1;
const bool inside = i < width && j < height;
const auto at = [&](int a, int b) { return a < 0 || b < 0 || a >= width || b >= height ? 0.f : now[b * width + a]; };
if (x == 1 && y == 1)
  for (int b = 0; b < 10; ++b)
    for (int a = 0; a < 34; ++a) tile[b][a] = at(i + a - 1, j + b - 1);
__syncthreads();
if (inside)
  after[n] = 2 * tile[y][x] - before[n] +
             courant2 * (tile[y][x - 1] + tile[y][x + 1] + tile[y - 1][x] + tile[y + 1][x] - 4 * tile[y][x]);
//! cheat, Accesses of the busiest thread | one warp fills the tile
__shared__ float tile[10][34];
const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, n = j * width + i;
const int x = threadIdx.x + 1, y = threadIdx.y + 1;
const bool inside = i < width && j < height;
const auto at = [&](int a, int b) { return a < 0 || b < 0 || a >= width || b >= height ? 0.f : now[b * width + a]; };
if (y == 1)
  for (int k = threadIdx.x; k < 340; k += 32)
    tile[k / 34][k % 34] = at(i - int(threadIdx.x) + k % 34 - 1, j + k / 34 - 1);
__syncthreads();
if (inside)
  after[n] = 2 * tile[y][x] - before[n] +
             courant2 * (tile[y][x - 1] + tile[y][x + 1] + tile[y - 1][x] + tile[y + 1][x] - 4 * tile[y][x]);
//! cheat, Cells of the busiest thread: 256 | one thread uses the tile
__shared__ float tile[10][34];
const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, n = j * width + i;
const int x = threadIdx.x + 1, y = threadIdx.y + 1;
const bool inside = i < width && j < height;
const auto at = [&](int a, int b) { return a < 0 || b < 0 || a >= width || b >= height ? 0.f : now[b * width + a]; };
tile[y][x] = at(i, j);
if (x == 1) tile[y][0] = at(i - 1, j);
if (x == 32) tile[y][33] = at(i + 1, j);
if (y == 1) tile[0][x] = at(i, j - 1);
if (y == 8) tile[9][x] = at(i, j + 1);
__syncthreads();
if (x == 1 && y == 1)
  for (int b = 1; b < 9; ++b)
    for (int a = 1; a < 33; ++a) {
      const int m = (j + b - 1) * width + i + a - 1;
      if (i + a - 1 < width && j + b - 1 < height)
        after[m] = 2 * tile[b][a] - before[m] +
                   courant2 * (tile[b][a - 1] + tile[b][a + 1] + tile[b - 1][a] + tile[b + 1][a] - 4 * tile[b][a]);
    }
//! cheat, Cells of the busiest thread: 6144 | one thread does all cells
const auto at = [&](int a, int b) { return a < 0 || b < 0 || a >= width || b >= height ? 0.f : now[b * width + a]; };
if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0)
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i)
      after[j * width + i] = 2 * at(i, j) - before[j * width + i] +
                             courant2 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j));
//! cheat, Global reads per thread | no tile
const auto at = [&](int a, int b) { return a < 0 || b < 0 || a >= width || b >= height ? 0.f : now[b * width + a]; };
const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
if (i < width && j < height)
  after[j * width + i] = 2 * at(i, j) - before[j * width + i] +
                         courant2 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j));
//! cheat, Cells of the busiest thread: 8 | a thread for each column of the block
const auto at = [&](int a, int b) { return a < 0 || b < 0 || a >= width || b >= height ? 0.f : now[b * width + a]; };
const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8;
if (threadIdx.y > 0 || i >= width) return;
float below = at(i, j - 1), u = at(i, j);
for (int b = j; b < j + 8 && b < height; ++b) {
  const float above = at(i, b + 1);
  after[b * width + i] = 2 * u - before[b * width + i] +
                         courant2 * (at(i - 1, b) + at(i + 1, b) + below + above - 4 * u);
  below = u, u = above;
}
//! cheat, static variable | a tile where no access is counted
static float tile[10][34];
//! right | all threads fill the tile
__shared__ float tile[10][34];
const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, n = j * width + i;
const int x = threadIdx.x + 1, y = threadIdx.y + 1;
const bool inside = i < width && j < height;
const auto at = [&](int a, int b) { return a < 0 || b < 0 || a >= width || b >= height ? 0.f : now[b * width + a]; };
for (int k = 32 * threadIdx.y + threadIdx.x; k < 340; k += 256)
  tile[k / 34][k % 34] = at(int(blockIdx.x * 32) + k % 34 - 1, int(blockIdx.y * 8) + k / 34 - 1);
__syncthreads();
if (inside)
  after[n] = 2 * tile[y][x] - before[n] +
             courant2 * (tile[y][x - 1] + tile[y][x + 1] + tile[y - 1][x] + tile[y + 1][x] - 4 * tile[y][x]);
//! right | a function for the halo
__shared__ float tile[10][34];
const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, n = j * width + i;
const int x = threadIdx.x + 1, y = threadIdx.y + 1;
const bool inside = i < width && j < height;
const auto at = [&](int a, int b) { return a < 0 || b < 0 || a >= width || b >= height ? 0.f : now[b * width + a]; };
tile[y][x] = at(i, j);
if (x == 1) tile[y][0] = at(i - 1, j);
if (x == 32) tile[y][33] = at(i + 1, j);
if (y == 1) tile[0][x] = at(i, j - 1);
if (y == 8) tile[9][x] = at(i, j + 1);
__syncthreads();
if (inside)
  after[n] = 2 * tile[y][x] - before[n] +
             courant2 * (tile[y][x - 1] + tile[y][x + 1] + tile[y - 1][x] + tile[y + 1][x] - 4 * tile[y][x]);
//! right | the first warps fetch the halo
__shared__ float tile[10][34];
const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, n = j * width + i;
const int x = threadIdx.x + 1, y = threadIdx.y + 1;
const bool inside = i < width && j < height;
const auto at = [&](int a, int b) { return a < 0 || b < 0 || a >= width || b >= height ? 0.f : now[b * width + a]; };
tile[y][x] = at(i, j);
if (y == 1) tile[0][x] = at(i, j - 1);
if (y == 2) tile[9][x] = at(i, j + 7);
if (y == 3 && x < 9) tile[x][0] = at(i - x, j + x - 3);
if (y == 4 && x < 9) tile[x][33] = at(i + 33 - x, j + x - 4);
__syncthreads();
if (inside)
  after[n] = 2 * tile[y][x] - before[n] +
             courant2 * (tile[y][x - 1] + tile[y][x + 1] + tile[y - 1][x] + tile[y + 1][x] - 4 * tile[y][x]);
