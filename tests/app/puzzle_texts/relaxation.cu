//! cheat, Cells of the busiest thread: 256 | one thread does all cells
const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6}, ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1},
          ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
const auto collide = [&](float* g) {
  float density = 0, x = 0, y = 0, d[9];
  for (int q = 0; q < 9; ++q) density += g[q], x += ex[q] * g[q], y += ey[q] * g[q];
  const float rho = 1 + density, ux = x / rho, uy = y / rho;
  for (int q = 0; q < 9; ++q) {
    const float eu = ex[q] * ux + ey[q] * uy, weight = q == 0 ? 4 / 9.f : q < 5 ? 1 / 9.f : 1 / 36.f;
    d[q] = g[q] - weight * (density + rho * (3 * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy)));
  }
  for (int q = 0; q < 9; ++q)
    g[q] -= plus * 0.5f * (d[q] + d[opposite[q]]) + minus * 0.5f * (d[q] - d[opposite[q]]);
};
if (blockIdx.x + threadIdx.x == 0)
  for (int n = 0; n < cells; ++n) {
    float g[9];
    for (int q = 0; q < 9; ++q) g[q] = now[q * cells + n];
    collide(g);
    for (int q = 0; q < 9; ++q) after[q * cells + n] = g[q];
  }
//! cheat, Cells of the busiest thread: 64 | one thread of each block does its block
const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6}, ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1},
          ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
const auto collide = [&](float* g) {
  float density = 0, x = 0, y = 0, d[9];
  for (int q = 0; q < 9; ++q) density += g[q], x += ex[q] * g[q], y += ey[q] * g[q];
  const float rho = 1 + density, ux = x / rho, uy = y / rho;
  for (int q = 0; q < 9; ++q) {
    const float eu = ex[q] * ux + ey[q] * uy, weight = q == 0 ? 4 / 9.f : q < 5 ? 1 / 9.f : 1 / 36.f;
    d[q] = g[q] - weight * (density + rho * (3 * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy)));
  }
  for (int q = 0; q < 9; ++q)
    g[q] -= plus * 0.5f * (d[q] + d[opposite[q]]) + minus * 0.5f * (d[q] - d[opposite[q]]);
};
const int first = blockIdx.x * 64;
for (int n = first; threadIdx.x == 0 && n < first + 64 && n < cells; ++n) {
  float g[9];
  for (int q = 0; q < 9; ++q) g[q] = now[q * cells + n];
  collide(g);
  for (int q = 0; q < 9; ++q) after[q * cells + n] = g[q];
}
//! cheat, Cells of the busiest thread: 2 | one warp of each block does its block
const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6}, ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1},
          ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
const auto collide = [&](float* g) {
  float density = 0, x = 0, y = 0, d[9];
  for (int q = 0; q < 9; ++q) density += g[q], x += ex[q] * g[q], y += ey[q] * g[q];
  const float rho = 1 + density, ux = x / rho, uy = y / rho;
  for (int q = 0; q < 9; ++q) {
    const float eu = ex[q] * ux + ey[q] * uy, weight = q == 0 ? 4 / 9.f : q < 5 ? 1 / 9.f : 1 / 36.f;
    d[q] = g[q] - weight * (density + rho * (3 * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy)));
  }
  for (int q = 0; q < 9; ++q)
    g[q] -= plus * 0.5f * (d[q] + d[opposite[q]]) + minus * 0.5f * (d[q] - d[opposite[q]]);
};
const int first = blockIdx.x * 64 + threadIdx.x;
for (int n = first; threadIdx.x < 32 && n < first + 64 && n < cells; n += 32) {
  float g[9];
  for (int q = 0; q < 9; ++q) g[q] = now[q * cells + n];
  collide(g);
  for (int q = 0; q < 9; ++q) after[q * cells + n] = g[q];
}
//! cheat, Accesses of the busiest thread | one thread computes for its block
__shared__ float tile[9][64];
const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6}, ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1},
          ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
const auto collide = [&](float* g) {
  float density = 0, x = 0, y = 0, d[9];
  for (int q = 0; q < 9; ++q) density += g[q], x += ex[q] * g[q], y += ey[q] * g[q];
  const float rho = 1 + density, ux = x / rho, uy = y / rho;
  for (int q = 0; q < 9; ++q) {
    const float eu = ex[q] * ux + ey[q] * uy, weight = q == 0 ? 4 / 9.f : q < 5 ? 1 / 9.f : 1 / 36.f;
    d[q] = g[q] - weight * (density + rho * (3 * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy)));
  }
  for (int q = 0; q < 9; ++q)
    g[q] -= plus * 0.5f * (d[q] + d[opposite[q]]) + minus * 0.5f * (d[q] - d[opposite[q]]);
};
const int n = blockIdx.x * 64 + threadIdx.x;
for (int q = 0; q < 9; ++q) tile[q][threadIdx.x] = n < cells ? now[q * cells + n] : 0.f;
__syncthreads();
for (int k = 0; threadIdx.x == 0 && k < 64; ++k) {
  float g[9];
  for (int q = 0; q < 9; ++q) g[q] = tile[q][k];
  collide(g);
  for (int q = 0; q < 9; ++q) tile[q][k] = g[q];
}
__syncthreads();
for (int q = 0; n < cells && q < 9; ++q) after[q * cells + n] = tile[q][threadIdx.x];
//! cheat, Accesses of the busiest thread | one thread reads for its block
__shared__ float tile[9][64];
const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6}, ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1},
          ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
const auto collide = [&](float* g) {
  float density = 0, x = 0, y = 0, d[9];
  for (int q = 0; q < 9; ++q) density += g[q], x += ex[q] * g[q], y += ey[q] * g[q];
  const float rho = 1 + density, ux = x / rho, uy = y / rho;
  for (int q = 0; q < 9; ++q) {
    const float eu = ex[q] * ux + ey[q] * uy, weight = q == 0 ? 4 / 9.f : q < 5 ? 1 / 9.f : 1 / 36.f;
    d[q] = g[q] - weight * (density + rho * (3 * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy)));
  }
  for (int q = 0; q < 9; ++q)
    g[q] -= plus * 0.5f * (d[q] + d[opposite[q]]) + minus * 0.5f * (d[q] - d[opposite[q]]);
};
const int n = blockIdx.x * 64 + threadIdx.x;
for (int k = 0; threadIdx.x == 0 && k < 64 && n + k < cells; ++k)
  for (int q = 0; q < 9; ++q) tile[q][k] = now[q * cells + n + k];
__syncthreads();
if (n >= cells) return;
float g[9];
for (int q = 0; q < 9; ++q) g[q] = tile[q][threadIdx.x];
collide(g);
for (int q = 0; q < 9; ++q) after[q * cells + n] = g[q];
//! cheat, Global reads per thread | every population is read again where it is used
const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6}, ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1},
          ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
const auto collide = [&](float* g) {
  float density = 0, x = 0, y = 0, d[9];
  for (int q = 0; q < 9; ++q) density += g[q], x += ex[q] * g[q], y += ey[q] * g[q];
  const float rho = 1 + density, ux = x / rho, uy = y / rho;
  for (int q = 0; q < 9; ++q) {
    const float eu = ex[q] * ux + ey[q] * uy, weight = q == 0 ? 4 / 9.f : q < 5 ? 1 / 9.f : 1 / 36.f;
    d[q] = g[q] - weight * (density + rho * (3 * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy)));
  }
  for (int q = 0; q < 9; ++q)
    g[q] -= plus * 0.5f * (d[q] + d[opposite[q]]) + minus * 0.5f * (d[q] - d[opposite[q]]);
};
const int n = blockIdx.x * 64 + threadIdx.x;
if (n >= cells) return;
float g[9], again = 0;
for (int q = 0; q < 9; ++q) g[q] = now[q * cells + n];
for (int q = 0; q < 9; ++q) again += 0 * now[q * cells + n];
collide(g);
for (int q = 0; q < 9; ++q) after[q * cells + n] = g[q] + again;
//! right | a function for the collision
const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6}, ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1},
          ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
const auto collide = [&](float* g) {
  float density = 0, x = 0, y = 0, d[9];
  for (int q = 0; q < 9; ++q) density += g[q], x += ex[q] * g[q], y += ey[q] * g[q];
  const float rho = 1 + density, ux = x / rho, uy = y / rho;
  for (int q = 0; q < 9; ++q) {
    const float eu = ex[q] * ux + ey[q] * uy, weight = q == 0 ? 4 / 9.f : q < 5 ? 1 / 9.f : 1 / 36.f;
    d[q] = g[q] - weight * (density + rho * (3 * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy)));
  }
  for (int q = 0; q < 9; ++q)
    g[q] -= plus * 0.5f * (d[q] + d[opposite[q]]) + minus * 0.5f * (d[q] - d[opposite[q]]);
};
const int n = blockIdx.x * 64 + threadIdx.x;
if (n >= cells) return;
float g[9];
for (int q = 0; q < 9; ++q) g[q] = now[q * cells + n];
collide(g);
for (int q = 0; q < 9; ++q) after[q * cells + n] = g[q];
//! right | from the last cell
const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6}, ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1},
          ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
const auto collide = [&](float* g) {
  float density = 0, x = 0, y = 0, d[9];
  for (int q = 0; q < 9; ++q) density += g[q], x += ex[q] * g[q], y += ey[q] * g[q];
  const float rho = 1 + density, ux = x / rho, uy = y / rho;
  for (int q = 0; q < 9; ++q) {
    const float eu = ex[q] * ux + ey[q] * uy, weight = q == 0 ? 4 / 9.f : q < 5 ? 1 / 9.f : 1 / 36.f;
    d[q] = g[q] - weight * (density + rho * (3 * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy)));
  }
  for (int q = 0; q < 9; ++q)
    g[q] -= plus * 0.5f * (d[q] + d[opposite[q]]) + minus * 0.5f * (d[q] - d[opposite[q]]);
};
const int n = cells - 1 - int(blockIdx.x * 64 + threadIdx.x);
if (n < 0) return;
float g[9];
for (int q = 8; q >= 0; --q) g[q] = now[q * cells + n];
collide(g);
for (int q = 8; q >= 0; --q) after[q * cells + n] = g[q];
//! right | over shared memory
__shared__ float tile[9][64];
const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6}, ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1},
          ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
const auto collide = [&](float* g) {
  float density = 0, x = 0, y = 0, d[9];
  for (int q = 0; q < 9; ++q) density += g[q], x += ex[q] * g[q], y += ey[q] * g[q];
  const float rho = 1 + density, ux = x / rho, uy = y / rho;
  for (int q = 0; q < 9; ++q) {
    const float eu = ex[q] * ux + ey[q] * uy, weight = q == 0 ? 4 / 9.f : q < 5 ? 1 / 9.f : 1 / 36.f;
    d[q] = g[q] - weight * (density + rho * (3 * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy)));
  }
  for (int q = 0; q < 9; ++q)
    g[q] -= plus * 0.5f * (d[q] + d[opposite[q]]) + minus * 0.5f * (d[q] - d[opposite[q]]);
};
const int n = blockIdx.x * 64 + threadIdx.x;
for (int q = 0; q < 9; ++q) tile[q][threadIdx.x] = n < cells ? now[q * cells + n] : 0.f;
__syncthreads();
if (n >= cells) return;
float g[9];
for (int q = 0; q < 9; ++q) g[q] = tile[q][threadIdx.x];
collide(g);
for (int q = 0; q < 9; ++q) after[q * cells + n] = g[q];
