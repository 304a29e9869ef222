//! cheat, Cells of the busiest thread: 6720 | one thread does all cells
const auto at = [&](int a, int b) { return a < 0 || b < 0 || a >= width || b >= height ? 0.f : now[b * width + a]; };
const auto first = [&](int a, int b) {
  if (a < 0 || b < 0 || a >= width || b >= height) return 0.f;
  return 2 * at(a, b) - before[b * width + a] +
         courant2 * (at(a - 1, b) + at(a + 1, b) + at(a, b - 1) + at(a, b + 1) - 4 * at(a, b));
};
const auto both = [&](int a, int b) {
  const float u = first(a, b);
  second_last[b * width + a] = u;
  last[b * width + a] =
      2 * u - at(a, b) + courant2 * (first(a - 1, b) + first(a + 1, b) + first(a, b - 1) + first(a, b + 1) - 4 * u);
};
if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0)
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) both(i, j);
//! cheat, Cells of the busiest thread: 336 | one thread of each block does its block
const auto at = [&](int a, int b) { return a < 0 || b < 0 || a >= width || b >= height ? 0.f : now[b * width + a]; };
const auto first = [&](int a, int b) {
  if (a < 0 || b < 0 || a >= width || b >= height) return 0.f;
  return 2 * at(a, b) - before[b * width + a] +
         courant2 * (at(a - 1, b) + at(a + 1, b) + at(a, b - 1) + at(a, b + 1) - 4 * at(a, b));
};
const auto both = [&](int a, int b) {
  const float u = first(a, b);
  second_last[b * width + a] = u;
  last[b * width + a] =
      2 * u - at(a, b) + courant2 * (first(a - 1, b) + first(a + 1, b) + first(a, b - 1) + first(a, b + 1) - 4 * u);
};
const int i = blockIdx.x * 28, j = blockIdx.y * 12;
if (threadIdx.x + threadIdx.y == 0)
  for (int b = j; b < j + 12 && b < height; ++b)
    for (int a = i; a < i + 28 && a < width; ++a) both(a, b);
//! cheat, Accesses of the busiest thread | no tile
const auto at = [&](int a, int b) { return a < 0 || b < 0 || a >= width || b >= height ? 0.f : now[b * width + a]; };
const auto first = [&](int a, int b) {
  if (a < 0 || b < 0 || a >= width || b >= height) return 0.f;
  return 2 * at(a, b) - before[b * width + a] +
         courant2 * (at(a - 1, b) + at(a + 1, b) + at(a, b - 1) + at(a, b + 1) - 4 * at(a, b));
};
const auto both = [&](int a, int b) {
  const float u = first(a, b);
  second_last[b * width + a] = u;
  last[b * width + a] =
      2 * u - at(a, b) + courant2 * (first(a - 1, b) + first(a + 1, b) + first(a, b - 1) + first(a, b + 1) - 4 * u);
};
const int i = blockIdx.x * 28 + threadIdx.x, j = blockIdx.y * 12 + threadIdx.y;
if (threadIdx.x < 28 && threadIdx.y < 12 && i < width && j < height) both(i, j);
//! cheat, Accesses of the busiest thread | one thread fills the tile
__shared__ float tile[16][32];
const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 28 + x - 2, j = blockIdx.y * 12 + y - 2;
const bool inside = i >= 0 && j >= 0 && i < width && j < height;
const int n = j * width + i;
const auto sum = [&](int a, int b) { return tile[b][a - 1] + tile[b][a + 1] + tile[b - 1][a] + tile[b + 1][a]; };
if (x == 0 && y == 0)
  for (int b = 0; b < 16; ++b)
    for (int a = 0; a < 32; ++a)
      tile[b][a] = i + a < 0 || j + b < 0 || i + a >= width || j + b >= height ? 0.f : now[(j + b) * width + i + a];
__syncthreads();
const float u = tile[y][x], old = inside ? before[n] : 0.f;
float step = 0.f;
if (inside && x > 0 && x < 31 && y > 0 && y < 15) step = 2 * u - old + courant2 * (sum(x, y) - 4 * u);
__syncthreads();
tile[y][x] = step;
__syncthreads();
if (inside && x > 1 && x < 30 && y > 1 && y < 14) {
  second_last[n] = step;
  last[n] = 2 * step - u + courant2 * (sum(x, y) - 4 * step);
}
//! cheat, Accesses of the busiest thread | one thread takes the first step
__shared__ float next[16][32];
__shared__ float past[16][32];
__shared__ float tile[16][32];
const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 28 + x - 2, j = blockIdx.y * 12 + y - 2;
const bool inside = i >= 0 && j >= 0 && i < width && j < height;
const int n = j * width + i;
const auto sum = [&](int a, int b) { return tile[b][a - 1] + tile[b][a + 1] + tile[b - 1][a] + tile[b + 1][a]; };
const float u = inside ? now[n] : 0.f;
tile[y][x] = u;
past[y][x] = inside ? before[n] : 0.f;
next[y][x] = 0.f;
__syncthreads();
if (x == 0 && y == 0)
  for (int b = 1; b < 15; ++b)
    for (int a = 1; a < 31; ++a)
      if (i + a >= 0 && j + b >= 0 && i + a < width && j + b < height)
        next[b][a] = 2 * tile[b][a] - past[b][a] + courant2 * (sum(a, b) - 4 * tile[b][a]);
__syncthreads();
const float step = next[y][x];
tile[y][x] = step;
__syncthreads();
if (inside && x > 1 && x < 30 && y > 1 && y < 14) {
  second_last[n] = step;
  last[n] = 2 * step - u + courant2 * (sum(x, y) - 4 * step);
}
//! cheat, Cells of the busiest thread: 2 | half of the threads do two cells each
__shared__ float tile[16][32];
const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 28 + x - 2, j = blockIdx.y * 12 + y - 2;
const bool inside = i >= 0 && j >= 0 && i < width && j < height;
const int n = j * width + i;
const auto sum = [&](int a, int b) { return tile[b][a - 1] + tile[b][a + 1] + tile[b - 1][a] + tile[b + 1][a]; };
float u[2], step[2];
for (int k = 0; k < 2 && y < 8; ++k) {
  const int b = j + 8 * k;
  u[k] = i >= 0 && b >= 0 && i < width && b < height ? now[b * width + i] : 0.f;
  tile[y + 8 * k][x] = u[k];
}
__syncthreads();
for (int k = 0; k < 2 && y < 8; ++k) {
  const int b = j + 8 * k, row = y + 8 * k;
  const bool has_cell = i >= 0 && b >= 0 && i < width && b < height && x > 0 && x < 31 && row > 0 && row < 15;
  step[k] = has_cell ? 2 * u[k] - before[b * width + i] + courant2 * (sum(x, row) - 4 * u[k]) : 0.f;
}
__syncthreads();
for (int k = 0; k < 2 && y < 8; ++k) tile[y + 8 * k][x] = step[k];
__syncthreads();
for (int k = 0; k < 2 && y < 8; ++k) {
  const int b = j + 8 * k, row = y + 8 * k;
  if (i < 0 || b < 0 || i >= width || b >= height || x < 2 || x > 29 || row < 2 || row > 13) continue;
  second_last[b * width + i] = step[k];
  last[b * width + i] = 2 * step[k] - u[k] + courant2 * (sum(x, row) - 4 * step[k]);
}
//! cheat, static variable | a tile where no access is counted
static float tile[16][32];
//! right | two tiles
__shared__ float next[16][32];
__shared__ float tile[16][32];
const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 28 + x - 2, j = blockIdx.y * 12 + y - 2;
const bool inside = i >= 0 && j >= 0 && i < width && j < height;
const int n = j * width + i;
const auto sum = [&](int a, int b) { return tile[b][a - 1] + tile[b][a + 1] + tile[b - 1][a] + tile[b + 1][a]; };
const float u = inside ? now[n] : 0.f;
tile[y][x] = u;
__syncthreads();
float step = 0.f;
if (inside && x > 0 && x < 31 && y > 0 && y < 15) step = 2 * u - before[n] + courant2 * (sum(x, y) - 4 * u);
next[y][x] = step;
__syncthreads();
if (inside && x > 1 && x < 30 && y > 1 && y < 14) {
  second_last[n] = step;
  last[n] = 2 * step - u + courant2 * (next[y][x - 1] + next[y][x + 1] + next[y - 1][x] + next[y + 1][x] - 4 * step);
}
//! right | a loop over the steps
__shared__ float tile[16][32];
const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 28 + x - 2, j = blockIdx.y * 12 + y - 2;
const bool inside = i >= 0 && j >= 0 && i < width && j < height;
const int n = j * width + i;
const auto sum = [&](int a, int b) { return tile[b][a - 1] + tile[b][a + 1] + tile[b - 1][a] + tile[b + 1][a]; };
float u = inside ? now[n] : 0.f, old = inside ? before[n] : 0.f;
for (int step = 0; step < 2; ++step) {
  tile[y][x] = u;
  __syncthreads();
  float next = 0.f;
  if (inside && x > 0 && x < 31 && y > 0 && y < 15) next = 2 * u - old + courant2 * (sum(x, y) - 4 * u);
  __syncthreads();
  old = u, u = next;
}
if (inside && x > 1 && x < 30 && y > 1 && y < 14) last[n] = u, second_last[n] = old;
//! right | a tile with a border of zeros
__shared__ float wide[18][34];
const int x = threadIdx.x + 1, y = threadIdx.y + 1, i = blockIdx.x * 28 + x - 3, j = blockIdx.y * 12 + y - 3;
const bool inside = i >= 0 && j >= 0 && i < width && j < height;
const int n = j * width + i;
const float u = inside ? now[n] : 0.f, old = inside ? before[n] : 0.f;
wide[y][x] = u;
if (x == 1) wide[y][0] = 0.f;
if (x == 32) wide[y][33] = 0.f;
if (y == 1) wide[0][x] = 0.f;
if (y == 16) wide[17][x] = 0.f;
__syncthreads();
const float step =
    inside ? 2 * u - old + courant2 * (wide[y][x - 1] + wide[y][x + 1] + wide[y - 1][x] + wide[y + 1][x] - 4 * u) : 0.f;
__syncthreads();
wide[y][x] = step;
__syncthreads();
if (!inside || x < 3 || x > 30 || y < 3 || y > 14) return;
second_last[n] = step;
last[n] = 2 * step - u + courant2 * (wide[y][x - 1] + wide[y][x + 1] + wide[y - 1][x] + wide[y + 1][x] - 4 * step);
