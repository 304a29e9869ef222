// Sums over nodes on CPU threads: the nodes of a fiber side by side in vector registers, one source after the other.
// Only the host compiler compiles this file, also in a CUDA build (sources.cmake), because nvcc does not support vector
// types.
#include <algorithm>
#include <array>

#include "cuda/core/backend/cpu_backend.h"
#include "cuda/fibers/kernels/nodes.h"

namespace perturb::fibers::detail {

namespace {

// The numbers of one vector register.
template <class Real>
constexpr int lanes_of = native_lanes* static_cast<int>(sizeof(double) / sizeof(Real));

// The flow at `packs` registers of target nodes of fibers m.
template <int packs, class Real>
void sum_nodes(CpuBackend& cpu, const NodeView<Real>& view, double* flow) {
  constexpr int lanes = lanes_of<Real>;
  using P = Pack<Real, lanes>;
  const P doublet(static_cast<Real>(view.doublet)), minus3(static_cast<Real>(-3 * view.doublet)), zero(Real(0));
  const Real box = static_cast<Real>(view.box);
  const auto rows = [&](int begin, int end) {
    for (int m = begin; m < end; ++m) {
      const double* const t = view.half_axis + 3 * static_cast<std::size_t>(m);
      const auto centre = Centre<Real>::of(view.position + 3 * static_cast<std::size_t>(m));
      Vector3<P> own[packs];
      NodeSum<P> total[packs];
      for (int k = 0; k < packs; ++k) {
        for (int lane = 0; lane < lanes; ++lane) {
          // Lanes beyond the last node repeat it; they are not stored.
          const double s = view.node[std::min(k * lanes + lane, view.points - 1)];
          own[k].x.set(lane, static_cast<Real>(s * t[0])), own[k].y.set(lane, static_cast<Real>(s * t[1]));
          own[k].z.set(lane, static_cast<Real>(s * t[2]));
        }
        total[k] = {{zero, zero, zero}, {zero, zero, zero}};
      }
      const std::uint32_t* const mask = view.mask + static_cast<std::size_t>(m) * static_cast<std::size_t>(view.words);
      for (int l = 0; l < view.fibers; ++l) {
        if (((mask[l / 32] >> (l % 32)) & 1u) != 0) continue;
        const auto other = Centre<Real>::of(view.position + 3 * static_cast<std::size_t>(l));
        const Vector3<Real> d = fiber_centre_separation(centre, other, box);
        Vector3<P> base[packs], u[packs];
        for (int k = 0; k < packs; ++k) {
          base[k] = {own[k].x + P(d.x), own[k].y + P(d.y), own[k].z + P(d.z)};
          u[k] = {zero, zero, zero};
        }
        const Node<Real>* const nodes =
            view.nodes + static_cast<std::size_t>(l) * static_cast<std::size_t>(view.points);
        for (int p = 0; p < view.points; ++p) {
          const Node<Real>& node = nodes[p];
          const Vector3<P> force{P(node.force.x), P(node.force.y), P(node.force.z)};
          const Vector3<P> place{P(node.place.x), P(node.place.y), P(node.place.z)};
          PERTURB_UNROLL
          for (int k = 0; k < packs; ++k) add_node_flow(base[k] - place, force, doublet, minus3, u[k]);
        }
        for (int k = 0; k < packs; ++k) total[k].add(u[k]);
      }
      double* const to = flow + 3 * static_cast<std::size_t>(m) * static_cast<std::size_t>(view.points);
      for (int q = 0; q < view.points; ++q) {
        const Vector3<P>& sum = total[q / lanes].sum;
        to[3 * q] = static_cast<double>(sum.x[q % lanes]), to[3 * q + 1] = static_cast<double>(sum.y[q % lanes]);
        to[3 * q + 2] = static_cast<double>(sum.z[q % lanes]);
      }
    }
  };
  cpu.pool().for_row_blocks(view.fibers, 1, RowBlock(rows));
}

}  // namespace

template <class Real>
void fiber_node_sums_cpu(Backend& backend, const NodeView<Real>& view, int, double* flow) {
  auto& cpu = static_cast<CpuBackend&>(backend);
  const KernelTimer timer(backend, "fibers.nodes");
  const int packs = (view.points + lanes_of<Real> - 1) / lanes_of<Real>;
  if (packs <= 1) return sum_nodes<1>(cpu, view, flow);
  if (packs <= 2) return sum_nodes<2>(cpu, view, flow);
  if (packs <= 4) return sum_nodes<4>(cpu, view, flow);
  return sum_nodes<8>(cpu, view, flow);
}

template void fiber_node_sums_cpu(Backend&, const NodeView<float>&, int, double*);
template void fiber_node_sums_cpu(Backend&, const NodeView<double>&, int, double*);

}  // namespace perturb::fibers::detail
