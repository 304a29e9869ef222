//! cheat, Cells of the busiest thread: 6144 | one thread does all cells
const auto cell = [&](int i, int j) {
  const int n = j * width + i;
  const float left = i > 0 ? now[n - 1] : 0.f, right = i < width - 1 ? now[n + 1] : 0.f;
  const float down = j > 0 ? now[n - width] : 0.f, up = j < height - 1 ? now[n + width] : 0.f;
  after[n] = 2 * now[n] - before[n] + courant2 * (left + right + down + up - 4 * now[n]);
};
if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0)
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) cell(i, j);
//! cheat, Cells of the busiest thread: 256 | one thread of each block does its block
const auto cell = [&](int i, int j) {
  if (i >= width || j >= height) return;
  const int n = j * width + i;
  const float left = i > 0 ? now[n - 1] : 0.f, right = i < width - 1 ? now[n + 1] : 0.f;
  const float down = j > 0 ? now[n - width] : 0.f, up = j < height - 1 ? now[n + width] : 0.f;
  after[n] = 2 * now[n] - before[n] + courant2 * (left + right + down + up - 4 * now[n]);
};
if (threadIdx.x + threadIdx.y == 0)
  for (int b = 0; b < 8; ++b)
    for (int a = 0; a < 32; ++a) cell(blockIdx.x * 32 + a, blockIdx.y * 8 + b);
//! cheat, Cells of the busiest thread: 8 | one warp of each block does its block
const auto cell = [&](int i, int j) {
  if (i >= width || j >= height) return;
  const int n = j * width + i;
  const float left = i > 0 ? now[n - 1] : 0.f, right = i < width - 1 ? now[n + 1] : 0.f;
  const float down = j > 0 ? now[n - width] : 0.f, up = j < height - 1 ? now[n + width] : 0.f;
  after[n] = 2 * now[n] - before[n] + courant2 * (left + right + down + up - 4 * now[n]);
};
if (threadIdx.y == 0)
  for (int b = 0; b < 8; ++b) cell(blockIdx.x * 32 + threadIdx.x, blockIdx.y * 8 + b);
//! cheat, Accesses of the busiest thread | one thread computes, the others write
__shared__ float tile[8][32];
const auto cell = [&](int i, int j) {
  const int n = j * width + i;
  const float left = i > 0 ? now[n - 1] : 0.f, right = i < width - 1 ? now[n + 1] : 0.f;
  const float down = j > 0 ? now[n - width] : 0.f, up = j < height - 1 ? now[n + width] : 0.f;
  return 2 * now[n] - before[n] + courant2 * (left + right + down + up - 4 * now[n]);
};
const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
if (threadIdx.x + threadIdx.y == 0)
  for (int b = 0; b < 8; ++b)
    for (int a = 0; a < 32; ++a)
      if (i + a < width && j + b < height) tile[b][a] = cell(i + a, j + b);
__syncthreads();
if (i < width && j < height) after[j * width + i] = tile[threadIdx.y][threadIdx.x];
//! cheat, Cells of the busiest thread: 24 | the first block does all cells
const auto cell = [&](int i, int j) {
  const int n = j * width + i;
  const float left = i > 0 ? now[n - 1] : 0.f, right = i < width - 1 ? now[n + 1] : 0.f;
  const float down = j > 0 ? now[n - width] : 0.f, up = j < height - 1 ? now[n + width] : 0.f;
  after[n] = 2 * now[n] - before[n] + courant2 * (left + right + down + up - 4 * now[n]);
};
if (blockIdx.x + blockIdx.y == 0)
  for (int j = threadIdx.y; j < height; j += 8)
    for (int i = threadIdx.x; i < width; i += 32) cell(i, j);
//! cheat, belongs to the program | another thread's number
machine->thread.x = 0;
//! right | products of masks
const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
if (i >= width || j >= height) return;
const int n = j * width + i;
const float u = now[n];
float sum = -4 * u;
if (i > 0) sum += now[n - 1];
if (i + 1 < width) sum += now[n + 1];
if (j > 0) sum += now[n - width];
if (j + 1 < height) sum += now[n + width];
after[n] = 2 * u - before[n] + courant2 * sum;
//! right | a function for the neighbours
const auto at = [&](int i, int j) { return i < 0 || j < 0 || i >= width || j >= height ? 0.f : now[j * width + i]; };
const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
if (i < width && j < height)
  after[j * width + i] = 2 * at(i, j) - before[j * width + i] +
                         courant2 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j));
//! right | with a tile
__shared__ float tile[8][32];
const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 32 + x, j = blockIdx.y * 8 + y;
const bool inside = i < width && j < height;
const int n = j * width + i;
const float u = inside ? now[n] : 0.f;
tile[y][x] = u;
__syncthreads();
if (!inside) return;
const float left = x > 0 ? float(tile[y][x - 1]) : i > 0 ? now[n - 1] : 0.f;
const float right = x < 31 ? float(tile[y][x + 1]) : i + 1 < width ? now[n + 1] : 0.f;
const float down = y > 0 ? float(tile[y - 1][x]) : j > 0 ? now[n - width] : 0.f;
const float up = y < 7 ? float(tile[y + 1][x]) : j + 1 < height ? now[n + width] : 0.f;
after[n] = 2 * u - before[n] + courant2 * (left + right + down + up - 4 * u);
