// The membrane's tuned assembly on CUDA, for uniform covers of one degree.
//
//   cells    As in the paper: a thread per integration cell, 128 threads per block, the degree and the number of
//            patches over the cell known at compile time. It adds to the blocks in memory at every Gauss point, so it
//            reads and writes every block as often as there are points.
//   tensor   Inside the square every row of blocks holds the same numbers, products of two one-dimensional integrals. A
//            block of threads computes them once, keeps them in shared memory, and then only writes: 16 bytes for each
//            pair of shape functions, which is the bound.
//
// Also direct solutions of small systems (model/spectrum.h), and the solver's products with rows of blocks. Covers that
// are changed live have a few thousand patches. Their speed depends on the number of threads per patch and on few
// launches per sweep.
#include <algorithm>

#include "cuda/core/backend/cuda_launch.h"
#include "cuda/core/backend/cuda_warp.h"
#include "cuda/membrane/model/integrals.h"
#include "cuda/membrane/model/kernels.h"

namespace perturb::membrane {

namespace {

// ------------------------------------------------------------------------------------------------------------------
// cells

constexpr int cell_threads = 128;

template <int degree, int over>
struct CellWork {
  static constexpr int functions = membrane_functions(degree);
  struct ShapesHere {
    double value[functions], x[functions], y[functions];
  };

  __device__ static void shapes_at(const SpaceView& view, const Cell& c, double x, double y, ShapesHere (&s)[over]) {
    Weights w;
    w.at(x, y, over, PatchesOf{view.patches, c.patches});
#pragma unroll
    for (int k = 0; k < over; ++k) {
      const Patch& p = view.patches[c.patches[k]];
      double vx[degree + 1], sx[degree + 1], vy[degree + 1], sy[degree + 1];
      polynomials(view.basis, degree, (x - p.x) / p.half, vx, sx);
      polynomials(view.basis, degree, (y - p.y) / p.half, vy, sy);
      const double inverse = 1 / p.half;
      int n = 0;
#pragma unroll
      for (int total = 0; total <= degree; ++total)
#pragma unroll
        for (int b = 0; b <= total; ++b, ++n) {
          const int a = total - b;
          const double psi = vx[a] * vy[b];
          s[k].value[n] = w.phi[k] * psi;
          s[k].x[n] = w.phi_x[k] * psi + w.phi[k] * sx[a] * vy[b] * inverse;
          s[k].y[n] = w.phi_y[k] * psi + w.phi[k] * vx[a] * sy[b] * inverse;
        }
    }
  }

  __device__ static void at_point(const SpaceView& view, const Form& form, const Targets& to, const Cell& c,
                                  const std::int64_t (&place)[over][over], double x, double y, double weight) {
    ShapesHere s[over];
    shapes_at(view, c, x, y, s);
    if (to.load) {
      const double f = weight * form.source(x, y);
      for (int i = 0; i < over; ++i)
        for (int n = 0; n < functions; ++n) to.load[view.patches[c.patches[i]].first + n] += f * s[i].value[n];
    }
    if (!to.stiffness) return;
    for (int i = 0; i < over; ++i)
      for (int j = 0; j < over; ++j)
        for (int m = 0; m < functions; ++m)
          for (int n = 0; n < functions; ++n) {
            const double gradients = weight * (s[i].x[n] * s[j].x[m] + s[i].y[n] * s[j].y[m]);
            const double values = weight * (s[i].value[n] * s[j].value[m]);
            const std::int64_t at = place[i][j] + m * functions + n;
            if (to.mass) {
              to.stiffness[at] += gradients;
              to.mass[at] += values;
            } else {
              to.stiffness[at] += gradients + to.shift * values;
            }
          }
  }

  __device__ static void on_edge(const SpaceView& view, const Targets& to, const Cell& c,
                                 const std::int64_t (&place)[over][over], const Edge& e, double x, double y,
                                 double weight, double beta) {
    ShapesHere s[over];
    shapes_at(view, c, x, y, s);
    for (int i = 0; i < over; ++i)
      for (int j = 0; j < over; ++j)
        for (int m = 0; m < functions; ++m)
          for (int n = 0; n < functions; ++n) {
            const double slope_u = e.nx * s[j].x[m] + e.ny * s[j].y[m];
            const double slope_v = e.nx * s[i].x[n] + e.ny * s[i].y[n];
            to.stiffness[place[i][j] + m * functions + n] +=
                weight * (beta * (s[i].value[n] * s[j].value[m]) - (s[i].value[n] * slope_u + slope_v * s[j].value[m]));
          }
  }
};

template <int degree, int over>
__global__ void __launch_bounds__(cell_threads)
    assemble_cells(const __grid_constant__ SpaceView view, const __grid_constant__ Form form,
                   const __grid_constant__ Targets to, const int* schedule, int count) {
  using Work = CellWork<degree, over>;
  const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (index >= count) return;
  const int along = 2 * view.per_side - 1, number = schedule[index];
  const Cell c = view.uniform_cell(number % along, number / along);
  std::int64_t place[over][over] = {};
  if (to.stiffness)
    for (int i = 0; i < over; ++i)
      for (int j = 0; j < over; ++j) place[i][j] = view.offset[view.block(c.patches[i], c.patches[j])];
  const double mx = 0.5 * (c.x0 + c.x1), hx = 0.5 * (c.x1 - c.x0), my = 0.5 * (c.y0 + c.y1), hy = 0.5 * (c.y1 - c.y0);
  for (int b = 0; b < form.rule.count; ++b)
    for (int a = 0; a < form.rule.count; ++a)
      Work::at_point(view, form, to, c, place, mx + hx * form.rule.point[a], my + hy * form.rule.point[b],
                     hx * hy * form.rule.weight[a] * form.rule.weight[b]);
  if (!to.stiffness) return;
  for (int side = 0; side < 4; ++side) {
    const Edge e = edge(c, side, form.fixed);
    if (!e.touched) continue;
    const double beta = membrane_beta(view, c, form.nitsche);
    for (int a = 0; a < form.rule.count; ++a)
      Work::on_edge(view, to, c, place, e, e.x0 + e.dx * form.rule.point[a], e.y0 + e.dy * form.rule.point[a],
                    0.5 * e.length * form.rule.weight[a], beta);
  }
}

using CellKernel = void (*)(SpaceView, Form, Targets, const int*, int);

template <int degree>
CellKernel cell_kernel(int over) {
  return over == 1 ? assemble_cells<degree, 1> : over == 2 ? assemble_cells<degree, 2> : assemble_cells<degree, 4>;
}
CellKernel cell_kernel(int degree, int over) {
  switch (degree) {
    case 1:
      return cell_kernel<1>(over);
    case 2:
      return cell_kernel<2>(over);
    case 3:
      return cell_kernel<3>(over);
    case 4:
      return cell_kernel<4>(over);
    default:
      return cell_kernel<5>(over);
  }
}

// -----------------------------------------------------------------------------------------------------------------
// tensor

constexpr int tensor_threads = 256;

struct Product {
  double stiffness, mass;
};

template <int degree>
struct TensorWork {
  static constexpr int functions = membrane_functions(degree), block = functions * functions, row = 9 * block;
  static constexpr std::size_t shared_bytes = row * sizeof(Product);

  // Entry r (column by column) of the block for neighbours dx, dy (0, 1, 2: before, same, after).
  __device__ static Product entry(const Tables& x, const Tables& y, double area, int kx, int dx, int ky, int dy,
                                  int r) {
    const Powers n = membrane_powers(r % functions), m = membrane_powers(r / functions);
    const double mx = x.mass[kx][dx][n.a][m.a], sx = x.stiff[kx][dx][n.a][m.a];
    const double my = y.mass[ky][dy][n.b][m.b], sy = y.stiff[ky][dy][n.b][m.b];
    return {sx * my + mx * sy, area * (mx * my)};
  }
};

// A warp writes value(0), ..., value(count - 1) from matrix[offset] on. Its passes begin at multiples of 128 bytes, so
// that they fill whole lines. Unrolled, with other beginnings, or with two matrices in turn, some degrees take up to
// twice as long on an H200.
template <class Value>
__device__ void write_row(double* matrix, std::int64_t offset, int count, const Value& value) {
  constexpr int line = 128 / sizeof(double);
  double* to = matrix + offset;
  int t = static_cast<int>(threadIdx.x) % warp_size - static_cast<int>(offset % line);
  if (t >= 0) to[t] = value(t);
#pragma unroll 1
  for (t += warp_size; t < count; t += warp_size) to[t] = value(t);
}

// Each warp writes one patch's row of blocks at a time, which is contiguous in memory. The grid has as many thread
// blocks as the device can hold.
template <int degree>
__global__ void __launch_bounds__(tensor_threads)
    assemble_tensor(const __grid_constant__ SpaceView view, const Tables* tables, const __grid_constant__ Targets to) {
  using Work = TensorWork<degree>;
  static_assert(Work::row >= warp_size, "write_row() does not compare its first pass with the count");
  extern __shared__ __align__(16) unsigned char raw[];
  double *stiffness = reinterpret_cast<double*>(raw), *mass = stiffness + Work::row;
  const Tables &x = tables[0], &y = tables[1];
  const double area = 1.0 / (static_cast<double>(view.per_side) * view.per_side);
  for (int t = static_cast<int>(threadIdx.x); t < Work::row; t += tensor_threads) {
    const Product p = Work::entry(x, y, area, 0, t / Work::block % 3, 0, t / Work::block / 3, t % Work::block);
    stiffness[t] = p.stiffness;
    mass[t] = p.mass;
  }
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % warp_size, n = view.per_side;
  const int warps = static_cast<int>(gridDim.x) * (tensor_threads / warp_size);
  for (int i = static_cast<int>(blockIdx.x) * (tensor_threads / warp_size) + static_cast<int>(threadIdx.x) / warp_size;
       i < view.count; i += warps) {
    const int ix = i % n, iy = i / n;
    const std::int64_t offset = view.offset[view.row[i]];
    if (ix > 0 && ix < n - 1 && iy > 0 && iy < n - 1) {
      if (to.mass) {
        write_row(to.stiffness, offset, Work::row, [&](int t) { return stiffness[t]; });
        write_row(to.mass, offset, Work::row, [&](int t) { return mass[t]; });
      } else {
        write_row(to.stiffness, offset, Work::row, [&](int t) { return stiffness[t] + to.shift * mass[t]; });
      }
      continue;
    }
    const int kx = kind_of(ix, n), ky = kind_of(iy, n);
    const int x0 = ix > 0 ? 0 : 1, y0 = iy > 0 ? 0 : 1;
    const int across = (ix < n - 1 ? 3 : 2) - x0, up = (iy < n - 1 ? 3 : 2) - y0;
    for (int t = lane; t < across * up * Work::block; t += warp_size) {
      const int k = t / Work::block;
      const Product p = Work::entry(x, y, area, kx, x0 + k % across, ky, y0 + k / across, t % Work::block);
      if (to.mass) {
        to.stiffness[offset + t] = p.stiffness;
        to.mass[offset + t] = p.mass;
      } else {
        to.stiffness[offset + t] = p.stiffness + to.shift * p.mass;
      }
    }
  }
}

using TensorKernel = void (*)(SpaceView, const Tables*, Targets);

struct TensorLaunch {
  TensorKernel kernel;
  int blocks;
  std::size_t shared;
};

template <int degree>
TensorLaunch tensor_launch() {
  static const TensorLaunch launch = [] {
    TensorLaunch l{assemble_tensor<degree>, 0, TensorWork<degree>::shared_bytes};
    PERTURB_CUDA_CHECK(
        cudaFuncSetAttribute(l.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(l.shared)));
    int of_each = 0, processors = 0, device = 0;
    PERTURB_CUDA_CHECK(cudaGetDevice(&device));
    PERTURB_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, l.kernel, tensor_threads, l.shared));
    PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    l.blocks = std::max(1, of_each * processors);
    return l;
  }();
  return launch;
}
TensorLaunch tensor_launch(int degree) {
  switch (degree) {
    case 1:
      return tensor_launch<1>();
    case 2:
      return tensor_launch<2>();
    case 3:
      return tensor_launch<3>();
    case 4:
      return tensor_launch<4>();
    default:
      return tensor_launch<5>();
  }
}

// -------------------------------------------------------------------------------------------------------------------
// rows

// Threads of a patch: one for each of its functions and each of nine neighbours. Their contributions are added in a
// fixed order.
constexpr int neighbours_at_once = 9;
constexpr int row_threads = 256;

__global__ void __launch_bounds__(row_threads)
    multiply_rows(const __grid_constant__ SpaceView view, const __grid_constant__ Matrix matrix, const double* right,
                  double* x, double* y, const int* list, int count, int block_side, const double* inverse) {
  __shared__ double shares[row_threads], rests[row_threads / neighbours_at_once + 1];
  const int of_patch = neighbours_at_once * block_side, patches = row_threads / of_patch;
  const int slot = static_cast<int>(threadIdx.x) / of_patch, thread = static_cast<int>(threadIdx.x) % of_patch;
  const int n = thread % block_side, neighbour = thread / block_side;
  const int task = static_cast<int>(blockIdx.x) * patches + slot;
  const bool working = slot < patches && task < count;
  const int i = !working ? 0 : list ? list[task] : task;
  const int functions = view.functions(i);
  const bool has_row = working && n < functions;
  double share = 0;
  if (has_row)
    for (std::int64_t k = view.row[i] + neighbour; k < view.row[i + 1]; k += neighbours_at_once) {
      const Patch& p = view.patches[view.column[k]];
      const int columns = p.functions();
      const double* a = matrix.a + view.offset[k] + n;
      const double* b = matrix.b ? matrix.b + view.offset[k] + n : nullptr;
      const double* from = x + p.first;
      if (b) {
#pragma unroll 3
        for (int m = 0; m < columns; ++m)
          share = multiply_add(multiply_add(matrix.shift, b[m * functions], a[m * functions]), from[m], share);
      } else {
#pragma unroll 3
        for (int m = 0; m < columns; ++m) share = multiply_add(a[m * functions], from[m], share);
      }
    }
  shares[threadIdx.x] = share;
  __syncthreads();
  const bool writes = has_row && neighbour == 0;
  const std::int64_t at = view.patches[i].first + n;
  if (writes) {
    double sum = 0;
    for (int k = 0; k < neighbours_at_once; ++k) sum += shares[slot * of_patch + k * block_side + n];
    const double rest = right ? right[at] - sum : sum;
    if (inverse)
      rests[slot * block_side + n] = rest;
    else
      y[at] = rest;
  }
  if (!inverse) return;
  __syncthreads();
  if (!writes) return;
  const double* block = inverse + static_cast<std::int64_t>(i) * block_side * block_side + n;
  double sum = 0;
  for (int m = 0; m < functions; ++m) sum = multiply_add(block[m * functions], rests[slot * block_side + m], sum);
  x[at] += sum;
}

// -------------------------------------------------------------------------------------------------------------------
// direct solution

// A warp for each row of the eigenvectors, whose lanes read it side by side; the sums of the lanes are added in a fixed
// order. The other vector is in shared memory.
constexpr int spectrum_threads = 256, rows_of_block = spectrum_threads / warp_size;

__device__ double dot_of_warp(const double* row, const double* shared, int count) {
  double sum = 0;
#pragma unroll 4
  for (int k = static_cast<int>(threadIdx.x) % warp_size; k < count; k += warp_size)
    sum = multiply_add(row[k], shared[k], sum);
  for (int distance = warp_size / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(whole_warp, sum, distance);
  return sum;
}

__global__ void __launch_bounds__(spectrum_threads)
    project(const __grid_constant__ SpectrumView view, const double* load, double* coordinates) {
  extern __shared__ double folded[];
  const int sector = static_cast<int>(blockIdx.y);
  for (int r = static_cast<int>(threadIdx.x); r < view.size; r += spectrum_threads)
    folded[r] = view.fold(sector, r, load);
  __syncthreads();
  const int vector = static_cast<int>(blockIdx.x) * rows_of_block + static_cast<int>(threadIdx.x) / warp_size;
  if (vector >= view.size) return;
  const int at = sector * view.size + vector;
  const double sum = dot_of_warp(view.by_vector + static_cast<std::int64_t>(at) * view.size, folded, view.size);
  if (threadIdx.x % warp_size == 0) coordinates[at] = sum;
}

__global__ void __launch_bounds__(spectrum_threads)
    expand(const __grid_constant__ SpectrumView view, const double* coordinates, double shift, double coupling,
           double* u, double* q) {
  extern __shared__ double weights[];
  const bool quadrature = blockIdx.y == 1;
  double* const to = quadrature ? q : u;
  for (int k = static_cast<int>(threadIdx.x); k < view.sectors * view.size; k += spectrum_threads)
    weights[k] = coordinates[k] * inverse_factor(view.values[k] + shift, coupling, quadrature);
  __syncthreads();
  const int r = static_cast<int>(blockIdx.x) * rows_of_block + static_cast<int>(threadIdx.x) / warp_size;
  if (r >= view.size) return;
  double sums[4];
#pragma unroll
  for (int s = 0; s < 4; ++s)
    sums[s] = s < view.sectors
                  ? dot_of_warp(view.by_coordinate + static_cast<std::int64_t>(s * view.size + r) * view.size,
                                weights + s * view.size, view.size)
                  : 0;
  const int m = static_cast<int>(threadIdx.x) % warp_size;  // a lane for each mirror image
  if (m >= view.sectors) return;
  double sum = 0;
#pragma unroll
  for (int s = 0; s < 4; ++s)
    if (s < view.sectors) sum += view.sign(s, m, r) * sums[s];
  to[view.image[m * view.size + r]] = sum;
}

}  // namespace

void cuda_project(Backend& backend, const SpectrumView& view, const double* load, double* coordinates) {
  const dim3 blocks((view.size + rows_of_block - 1) / rows_of_block, view.sectors);
  const CudaLaunch launch(backend, "membrane.project");
  project<<<blocks, spectrum_threads, view.size * sizeof(double), launch.stream()>>>(view, load, coordinates);
}

void cuda_expand(Backend& backend, const SpectrumView& view, const double* coordinates, double shift, double coupling,
                 double* u, double* q) {
  const dim3 blocks((view.size + rows_of_block - 1) / rows_of_block, q ? 2 : 1);
  const CudaLaunch launch(backend, "membrane.expand");
  expand<<<blocks, spectrum_threads, view.sectors * view.size * sizeof(double), launch.stream()>>>(
      view, coordinates, shift, coupling, u, q);
}

void cuda_rows(Backend& backend, const char* label, const SpaceView& view, const Matrix& matrix, const double* right,
               double* x, double* y, const int* list, int count, int block_side, const double* inverse) {
  if (count <= 0) return;
  const int patches = row_threads / (neighbours_at_once * block_side);
  const CudaLaunch launch(backend, label);
  multiply_rows<<<(count + patches - 1) / patches, row_threads, 0, launch.stream()>>>(view, matrix, right, x, y, list,
                                                                                      count, block_side, inverse);
}

void cuda_cells(Backend& backend, const SpaceView& view, const Form& form, const Targets& targets, const int* schedule,
                int count, int over) {
  const CudaLaunch launch(backend, "membrane.cells");
  cell_kernel(view.highest_degree,
              over)<<<(count + cell_threads - 1) / cell_threads, cell_threads, 0, launch.stream()>>>(
      view, form, targets, schedule, count);
}

void cuda_tensor(Backend& backend, const SpaceView& view, const Tables* tables, const Targets& targets) {
  const TensorLaunch tensor = tensor_launch(view.highest_degree);
  constexpr int patches_of_block = tensor_threads / warp_size;
  const int blocks = std::min(tensor.blocks, (view.count + patches_of_block - 1) / patches_of_block);
  const CudaLaunch launch(backend, "membrane.tensor");
  tensor.kernel<<<blocks, tensor_threads, tensor.shared, launch.stream()>>>(view, tables, targets);
}

LaunchShape cuda_shape(Kernel kernel, int degree) {
  // Reports the kernel for four patches, which does most of the work on a cover with overlaps.
  if (kernel == Kernel::cells)
    return cuda_launch_shape(reinterpret_cast<const void*>(cell_kernel(degree, 4)), dim3(cell_threads));
  if (kernel != Kernel::tensor) return {};
  const TensorLaunch tensor = tensor_launch(degree);
  LaunchShape shape = cuda_launch_shape(reinterpret_cast<const void*>(tensor.kernel), dim3(tensor_threads));
  shape.shared_bytes += static_cast<int>(tensor.shared);
  int device = 0, processors = 1, threads = 1;
  PERTURB_CUDA_CHECK(cudaGetDevice(&device));
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  shape.occupancy = static_cast<double>(tensor.blocks / processors * tensor_threads) / threads;
  return shape;
}

}  // namespace perturb::membrane
