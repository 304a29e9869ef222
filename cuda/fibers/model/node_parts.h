// Parts of sums over nodes that the kernels `nodes` and `levels` share: forces at the nodes, and their projection.
#pragma once

#include <algorithm>
#include <cstddef>

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/nodes.h"

namespace perturb::fibers {

constexpr double neighbours_expected = 24;  // close ones, for memory estimates: a ball of 1000 with radius 6 has 8

// Forces at the nodes from the coefficients f_l^k, k0 <= k <= k1. `order`: the fibers in the order of `nodes`; null: by
// their numbers.
template <class Real>
struct SpreadForces {
  const double *half_axis, *f;
  FiberRule rule;
  int k0, k1, values;
  Node<Real>* nodes;
  const int* order = nullptr;
  PERTURB_HD void operator()(int p, int at) const {
    const int l = order ? order[at] : at;
    const double* const t = half_axis + 3 * static_cast<std::size_t>(l);
    const double* const own = f + static_cast<std::size_t>(l) * values;
    Vector3<double> force{0, 0, 0};
    for (int k = k0; k <= k1; ++k)
      force = add_scaled(force, rule.weight[p][k], Vector3<double>{own[3 * k], own[3 * k + 1], own[3 * k + 2]});
    const double s = rule.node[p];
    nodes[static_cast<std::size_t>(at) * rule.points + p] = {
        {static_cast<Real>(s * t[0]), static_cast<Real>(s * t[1]), static_cast<Real>(s * t[2])},
        {static_cast<Real>(force.x), static_cast<Real>(force.y), static_cast<Real>(force.z)}};
  }
};

// int V P_n ds from the flow at the nodes of a level. The first level adds the contribution of close partners, the
// others add to the sums of the levels before.
template <class Real>
struct ProjectFlow {
  bool is_first;
  const double *flow, *f;
  const Real* theta;
  const int* neighbour_begin;
  const Neighbour* neighbours;
  FiberRule rule;
  int fibers, chunks, order, n0, n1, k0, k1;
  double* sums;
  PERTURB_HD void operator()(int n, int m) const {
    const int values = 3 * (order + 1);
    double* const to = sums + static_cast<std::size_t>(m) * values + 3 * n;
    Vector3<double> sum{0, 0, 0};
    if (!is_first) sum = {to[0], to[1], to[2]};
    if (n >= n0 && n <= n1) {
      for (int q = 0; q < rule.points; ++q) {
        Vector3<double> u{0, 0, 0};
        for (int c = 0; c < chunks; ++c) {
          const double* const from =
              flow + 3 * ((static_cast<std::size_t>(c) * fibers + m) * rule.points + static_cast<std::size_t>(q));
          u = u + Vector3<double>{from[0], from[1], from[2]};
        }
        sum = add_scaled(sum, rule.weight[q][n], u);
      }
      const std::size_t components = static_cast<std::size_t>(tensor) * (order + 1) * (order + 1);
      for (int at = neighbour_begin[m]; is_first && at < neighbour_begin[m + 1]; ++at) {
        const Neighbour own = neighbours[at];
        const Real* const tensors = theta + static_cast<std::size_t>(own.pair) * components;
        const double* const force = f + static_cast<std::size_t>(own.fiber) * values;
        for (int k = k0; k <= k1; ++k) {
          const Real* const from =
              tensors + (own.transposed != 0 ? Layout::component(order, k, n) : Layout::component(order, n, k));
          double g[tensor];
          for (int c = 0; c < tensor; ++c) g[c] = static_cast<double>(from[c]);
          sum = add_product(g, Vector3<double>{force[3 * k], force[3 * k + 1], force[3 * k + 2]}, sum);
        }
      }
    }
    to[0] = sum.x;
    to[1] = sum.y;
    to[2] = sum.z;
  }
};

template <class T>
void at_least_size(Backend& backend, Array<T>& array, std::size_t size, const char* label) {
  if (array.size() >= size) return;
  backend.synchronize();  // a product in flight may still read the old one
  array = Array<T>();     // frees the old one first
  array = Array<T>(backend, size + size / 4, label);
}

inline std::size_t components_of(int order) {
  return static_cast<std::size_t>(tensor) * static_cast<std::size_t>((order + 1) * (order + 1));
}

// Parts into which a device divides the sources of each fiber's sum: two thousand blocks of four fibers fill any.
inline int chunks_on_device(int fibers, int most) {
  constexpr int fibers_in_flight = 8448;
  return std::clamp((fibers_in_flight + fibers - 1) / fibers, 1, most);
}

}  // namespace perturb::fibers
