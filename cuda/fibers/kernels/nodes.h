// Matrix-free method: products with Theta as sums over the nodes of all fibers, and closed forms for close pairs.
//
//   spread    each fiber's force coefficients become forces at its nodes
//   sum       every node gets the flow of all nodes of all fibers that are not close: n² M² pairs of nodes, no memory
//   project   the flow at a fiber's nodes is integrated against P_0 .. P_K; close pairs add their tensors, which are
//             those of the kernel `stable` and stored, since there are few of them
#pragma once

#include <cstdint>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/scan.h"
#include "cuda/fibers/kernels/interaction.h"
#include "cuda/fibers/kernels/node_cell.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

// Two fibers that are close: the outer rule is on `m`.
struct FiberPair {
  int m, l;
};
// Close partner of a fiber, and whether their tensors are read transposed.
struct Neighbour {
  int fiber, pair, transposed;
};

// Input of a sum over nodes. `mask`: a bit for each pair of fibers that it omits, [fibers][words] of 32.
template <class Real>
struct NodeView {
  int fibers = 0, points = 0, words = 0;
  const double* position = nullptr;
  const double* half_axis = nullptr;  // the tangent, times the half-length where that is not 1
  double box = 0, doublet = 0;
  const std::uint32_t* mask = nullptr;
  const Node<Real>* nodes = nullptr;  // [fibers][points]
  double node[fiber_max_nodes] = {};  // positions of the targets along a fiber
};

class FiberNodes {
 public:
  // Throws Error when memory is short.
  FiberNodes(Backend& backend, int fibers, const FiberParameters& parameters);

  // Finds the close pairs at these positions and computes their tensors with the outer rule `rule`.
  void prepare(const Poses& poses, const FiberRule& rule, double doublet);
  // sums[m][n] = sum over l and k of Theta_ml^{nk} f_l^k for the rows and columns of `product`; zero in other rows.
  void product(FiberProduct product, const double* f, double* sums);

  int close_pairs() const { return close_; }
  static std::size_t bytes(int fibers, const FiberParameters& parameters);

 private:
  template <class Real>
  void sum_and_project(FiberProduct product, const double* f, double* sums, Array<Node<Real>>& nodes,
                       const Array<Real>& theta);

  Backend& backend_;
  int fibers_, words_, order_;
  bool mirrored_, fp32_;
  double reach_;
  FiberRule nodes_;
  Poses poses_;
  double doublet_ = 0;
  int close_ = 0, chunks_ = 1;
  Array<std::uint32_t> mask_;
  Array<int> counts_, pair_begin_, neighbour_begin_;  // [fibers + 1]
  ExclusiveScan scan_;
  Array<FiberPair> pairs_;
  Array<Neighbour> neighbours_;
  Array<Node<double>> nodes64_;
  Array<Node<float>> nodes32_;
  Array<double> theta64_, flow_;  // [pairs][(K+1)²][6]; [chunks][fibers][points][3]
  Array<float> theta32_;
};

// Number of parts into which the sources of a sum are divided, so that a device has enough work; the CPU needs one.
int fiber_node_chunks(const Backend& backend, int fibers, int points);

// flow[chunk][m][q] = sum over the nodes of the chunk's fibers of G f, at node q of fiber m.
template <class Real>
void fiber_node_sums(Backend& backend, const NodeView<Real>& view, int chunks, double* flow);
// Theta of the pairs of a list, [pairs][(K+1)²][6], with the kernel `stable`. On the CPU pairs of one m are stored
// together.
template <class Real>
void fiber_pair_tensors(Backend& backend, const FiberPair* pairs, int count, int order, const Poses& poses,
                        const FiberRule& rule, double doublet, Real* theta);

// Registers, block and occupancy of the sum on CUDA; zero on the CPU.
LaunchShape fiber_node_shape(const Backend& backend, bool fp32);

namespace detail {

template <class Real>
void fiber_node_sums_cpu(Backend&, const NodeView<Real>&, int chunks, double* flow);
template <class Real>
void fiber_pair_tensors_cpu(Backend&, const FiberPair*, int count, int order, const Poses&, const FiberRule&, double,
                            Real*);
template <class Real>
void fiber_node_sums_cuda(Backend&, const NodeView<Real>&, int chunks, double* flow);
template <class Real>
void fiber_pair_tensors_cuda(Backend&, const FiberPair*, int count, int order, const Poses&, const FiberRule&, double,
                             Real*);
LaunchShape fiber_node_shape_cuda(bool fp32);

}  // namespace detail

}  // namespace perturb::fibers
