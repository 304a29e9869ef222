// Sums over nodes on CUDA.
//
// A thread takes one node of one fiber as its target. A block loops over its share of the fibers as sources: the nodes
// of eight fibers at a time are in shared memory, and all threads read the same one at once, which is one access for a
// warp. A byte of the mask marks which of the eight fibers are omitted. No atomics: the partial sums of different
// blocks are added in order afterwards.
#include <algorithm>

#include "cuda/core/backend/cuda_check.h"
#include "cuda/core/backend/cuda_launch.h"
#include "cuda/core/backend/cuda_shape.h"
#include "cuda/fibers/kernels/nodes.h"

namespace perturb::fibers::detail {

namespace {

constexpr int node_threads = 128;
constexpr int sources = 8;  // fibers in shared memory at a time: a byte of the mask
constexpr int typical_nodes = 16;

// `fixed_points`: known when compiling, or 0.
template <int fixed_points, class Real>
__global__ void __launch_bounds__(node_threads)
    node_sums(const __grid_constant__ NodeView<Real> view, const int fibers_of_chunk, double* const flow) {
  extern __shared__ __align__(16) double shared_raw[];
  Node<Real>* const nodes = reinterpret_cast<Node<Real>*>(shared_raw);
  __shared__ Centre<Real> centres[sources];
  const int points = fixed_points > 0 ? fixed_points : view.points;
  const long long target = static_cast<long long>(blockIdx.x) * node_threads + threadIdx.x;
  const bool real_target = target < static_cast<long long>(view.fibers) * points;
  const int m = real_target ? static_cast<int>(target / points) : view.fibers - 1,
            q = static_cast<int>(target % points);
  const double* const t = view.half_axis + 3 * static_cast<std::size_t>(m);
  const double s = view.node[q];
  const Vector3<Real> own{static_cast<Real>(s * t[0]), static_cast<Real>(s * t[1]), static_cast<Real>(s * t[2])};
  const auto centre = Centre<Real>::of(view.position + 3 * static_cast<std::size_t>(m));
  const Real doublet = static_cast<Real>(view.doublet), minus3 = Real(-3) * doublet, box = static_cast<Real>(view.box);
  const int begin = static_cast<int>(blockIdx.y) * fibers_of_chunk, end = min(view.fibers, begin + fibers_of_chunk);
  NodeSum<Real> total{{Real(0), Real(0), Real(0)}, {Real(0), Real(0), Real(0)}};
  for (int l0 = begin; l0 < end; l0 += sources) {
    const int here = min(sources, end - l0);
    __syncthreads();  // the last eight have been read
    for (int e = static_cast<int>(threadIdx.x); e < here * points; e += node_threads)
      nodes[e] = view.nodes[static_cast<std::size_t>(l0) * points + e];
    if (static_cast<int>(threadIdx.x) < here)
      centres[threadIdx.x] = Centre<Real>::of(view.position + 3 * static_cast<std::size_t>(l0 + threadIdx.x));
    __syncthreads();
    const std::uint32_t out =
        view.mask[static_cast<std::size_t>(m) * view.words + static_cast<std::size_t>(l0 / 32)] >> (l0 % 32);
    for (int j = 0; j < here; ++j) {
      if (((out >> j) & 1u) != 0) continue;
      const Vector3<Real> base = own + fiber_centre_separation(centre, centres[j], box);
      Vector3<Real> u{Real(0), Real(0), Real(0)};
      const Node<Real>* const from = nodes + j * points;
#pragma unroll 8
      for (int p = 0; p < (fixed_points > 0 ? fixed_points : points); ++p) {
        const Node<Real> node = from[p];
        add_node_flow(base - node.place, node.force, doublet, minus3, u);
      }
      if constexpr (sizeof(Real) == sizeof(float))
        total.add(u);
      else
        total.sum = total.sum + u;
    }
  }
  if (!real_target) return;
  double* const to = flow + 3 * (static_cast<std::size_t>(blockIdx.y) * view.fibers * points + target);
  to[0] = static_cast<double>(total.sum.x), to[1] = static_cast<double>(total.sum.y),
  to[2] = static_cast<double>(total.sum.z);
}

}  // namespace

template <class Real>
void fiber_node_sums_cuda(Backend& backend, const NodeView<Real>& view, int chunks, double* flow) {
  const long long targets = static_cast<long long>(view.fibers) * view.points;
  // A chunk begins with a byte of the mask.
  const int of_chunk = ((view.fibers + chunks - 1) / chunks + sources - 1) / sources * sources;
  const CudaLaunch launch(backend, "fibers.nodes");
  const auto function = view.points == typical_nodes ? node_sums<typical_nodes, Real> : node_sums<0, Real>;
  function<<<dim3(static_cast<unsigned>((targets + node_threads - 1) / node_threads), chunks), node_threads,
             sizeof(Node<Real>) * sources * view.points, launch.stream()>>>(view, of_chunk, flow);
}

LaunchShape fiber_node_shape_cuda(bool fp32) {
  const void* const function = fp32 ? reinterpret_cast<const void*>(node_sums<typical_nodes, float>)
                                    : reinterpret_cast<const void*>(node_sums<typical_nodes, double>);
  const std::size_t node = fp32 ? sizeof(Node<float>) : sizeof(Node<double>);
  return cuda_launch_shape(function, dim3(node_threads), node * sources * typical_nodes);
}

template void fiber_node_sums_cuda(Backend&, const NodeView<double>&, int, double*);
template void fiber_node_sums_cuda(Backend&, const NodeView<float>&, int, double*);

}  // namespace perturb::fibers::detail
