//! cheat, Cells of the busiest thread: 6144 | one thread does all cells
const auto cell = [&](int i, int j) {
  const int n = j * width + i;
  const float left = now[i > 0 ? n - 1 : n + 1], right = now[i < width - 1 ? n + 1 : n - 1];
  const float down = now[j > 0 ? n - width : n + width], up = now[j < height - 1 ? n + width : n - width];
  const float s = ((i == 0 || i == width - 1) + (j == 0 || j == height - 1)) * sqrtf(courant2);
  return (2 * now[n] - before[n] + courant2 * (left + right + down + up - 4 * now[n]) + s * before[n]) / (1 + s);
};
if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0)
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) after[j * width + i] = cell(i, j);
//! cheat, Cells of the busiest thread: 256 | one thread of each block does its block
const auto cell = [&](int i, int j) {
  const int n = j * width + i;
  const float left = now[i > 0 ? n - 1 : n + 1], right = now[i < width - 1 ? n + 1 : n - 1];
  const float down = now[j > 0 ? n - width : n + width], up = now[j < height - 1 ? n + width : n - width];
  const float s = ((i == 0 || i == width - 1) + (j == 0 || j == height - 1)) * sqrtf(courant2);
  return (2 * now[n] - before[n] + courant2 * (left + right + down + up - 4 * now[n]) + s * before[n]) / (1 + s);
};
if (threadIdx.x + threadIdx.y == 0)
  for (int j = blockIdx.y * 8; j < int(blockIdx.y * 8 + 8) && j < height; ++j)
    for (int i = blockIdx.x * 32; i < int(blockIdx.x * 32 + 32) && i < width; ++i) after[j * width + i] = cell(i, j);
//! cheat, Cells of the busiest thread: 8 | one warp of each block does its block
const auto cell = [&](int i, int j) {
  const int n = j * width + i;
  const float left = now[i > 0 ? n - 1 : n + 1], right = now[i < width - 1 ? n + 1 : n - 1];
  const float down = now[j > 0 ? n - width : n + width], up = now[j < height - 1 ? n + width : n - width];
  const float s = ((i == 0 || i == width - 1) + (j == 0 || j == height - 1)) * sqrtf(courant2);
  return (2 * now[n] - before[n] + courant2 * (left + right + down + up - 4 * now[n]) + s * before[n]) / (1 + s);
};
const int i = blockIdx.x * 32 + threadIdx.x;
if (threadIdx.y == 0 && i < width)
  for (int j = blockIdx.y * 8; j < int(blockIdx.y * 8 + 8) && j < height; ++j) after[j * width + i] = cell(i, j);
//! cheat, Accesses of the busiest thread | one thread computes, the others write
__shared__ float tile[8][32];
const auto cell = [&](int i, int j) {
  const int n = j * width + i;
  const float left = now[i > 0 ? n - 1 : n + 1], right = now[i < width - 1 ? n + 1 : n - 1];
  const float down = now[j > 0 ? n - width : n + width], up = now[j < height - 1 ? n + width : n - width];
  const float s = ((i == 0 || i == width - 1) + (j == 0 || j == height - 1)) * sqrtf(courant2);
  return (2 * now[n] - before[n] + courant2 * (left + right + down + up - 4 * now[n]) + s * before[n]) / (1 + s);
};
const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
if (threadIdx.x + threadIdx.y == 0)
  for (int b = 0; b < 8 && j + b < height; ++b)
    for (int a = 0; a < 32 && i + a < width; ++a) tile[b][a] = cell(i + a, j + b);
__syncthreads();
if (i < width && j < height) after[j * width + i] = tile[threadIdx.y][threadIdx.x];
//! cheat, Cells of the busiest thread: 2 | half of the threads do two cells each
const auto cell = [&](int i, int j) {
  const int n = j * width + i;
  const float left = now[i > 0 ? n - 1 : n + 1], right = now[i < width - 1 ? n + 1 : n - 1];
  const float down = now[j > 0 ? n - width : n + width], up = now[j < height - 1 ? n + width : n - width];
  const float s = ((i == 0 || i == width - 1) + (j == 0 || j == height - 1)) * sqrtf(courant2);
  return (2 * now[n] - before[n] + courant2 * (left + right + down + up - 4 * now[n]) + s * before[n]) / (1 + s);
};
const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + 2 * threadIdx.y;
if (threadIdx.y < 4 && i < width)
  for (int b = j; b < j + 2 && b < height; ++b) after[b * width + i] = cell(i, b);
//! cheat, static variable | values where no access is counted
thread_local float kept[6144];
//! right | a function for the cell
const auto cell = [&](int i, int j) {
  const int n = j * width + i;
  const float left = now[i > 0 ? n - 1 : n + 1], right = now[i < width - 1 ? n + 1 : n - 1];
  const float down = now[j > 0 ? n - width : n + width], up = now[j < height - 1 ? n + width : n - width];
  const float s = ((i == 0 || i == width - 1) + (j == 0 || j == height - 1)) * sqrtf(courant2);
  return (2 * now[n] - before[n] + courant2 * (left + right + down + up - 4 * now[n]) + s * before[n]) / (1 + s);
};
const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
if (i < width && j < height) after[j * width + i] = cell(i, j);
//! right | mirrored indices
const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
if (i >= width || j >= height) return;
const auto mirrored = [](int k, int size) { return k < 0 ? 1 : k >= size ? size - 2 : k; };
const auto at = [&](int a, int b) { return now[mirrored(b, height) * width + mirrored(a, width)]; };
const float u = at(i, j), old = before[j * width + i];
const float next = 2 * u - old + courant2 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * u);
float s = 0;
if (i == 0 || i == width - 1) s += sqrtf(courant2);
if (j == 0 || j == height - 1) s += sqrtf(courant2);
after[j * width + i] = (next + s * old) / (1 + s);
//! right | a branch for the sides
const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
if (i >= width || j >= height) return;
const int n = j * width + i;
const float u = now[n], old = before[n];
float sum = 0;
int sides = 0;
if (i == 0) sum += 2 * now[n + 1], ++sides;
else if (i == width - 1) sum += 2 * now[n - 1], ++sides;
else sum += now[n - 1] + now[n + 1];
if (j == 0) sum += 2 * now[n + width], ++sides;
else if (j == height - 1) sum += 2 * now[n - width], ++sides;
else sum += now[n - width] + now[n + width];
const float next = 2 * u - old + courant2 * (sum - 4 * u);
if (sides == 0) {
  after[n] = next;
  return;
}
const float s = sides * sqrtf(courant2);
after[n] = (next + s * old) / (1 + s);
