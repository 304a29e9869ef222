// Matrix-free method: products with Theta as sums over the nodes of all fibers, and closed forms for close pairs.
//
// A node is a point of a Gauss rule on a fiber. The sum over the nodes of all other fibers replaces the inner integral
// of model/cell.h unless two fibers are close: the error of n nodes falls off as (d + sqrt(1 + d²))^(-2n) with the
// distance d, in half-lengths. So a pair that is farther apart needs fewer nodes for the same error: where 16 nodes
// serve from 0.5 on, 8 do from 1.8 on and 6 from 5.5 on. Each such level is a rule with its own nodes and pairs:
//
//   spread    each fiber's force coefficients become forces at the nodes of the level
//   sum       every node gets the flow of the nodes of all fibers whose distance is the level's: n² pairs of nodes for
//             a pair of fibers, no memory
//   project   the flow at a fiber's nodes is integrated against P_0 .. P_K; close pairs add their tensors, which are
//             those of the kernel `stable` and stored, since there are few of them
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/scan.h"
#include "cuda/core/math/pack.h"
#include "cuda/fibers/model/cell.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

constexpr int max_nodes = 32;
constexpr int max_node_levels = 4;  // 32, 16, 8 and 6 nodes

// Node as a source: its position relative to the fiber's centre, and its force (weight included).
template <class Real>
struct alignas(2 * sizeof(Real)) Node {
  Vector3<Real> place, force;
};

// Centre as one number, or as two that together represent a double precision one.
template <class Real>
struct Centre {
  Vector3<Real> high, low;
  PERTURB_HD static Centre of(const double* x) {
    Centre c;
    c.high = {static_cast<Real>(x[0]), static_cast<Real>(x[1]), static_cast<Real>(x[2])};
    c.low = {static_cast<Real>(x[0] - static_cast<double>(c.high.x)),
             static_cast<Real>(x[1] - static_cast<double>(c.high.y)),
             static_cast<Real>(x[2] - static_cast<double>(c.high.z))};
    return c;
  }
};

// From the centre of l to that of m, or to its nearest image; exact to the last digit of Real.
template <class Real>
PERTURB_HD inline Vector3<Real> centre_separation(const Centre<Real>& m, const Centre<Real>& l, Real box) {
  Vector3<Real> d = m.high - l.high;
  if constexpr (sizeof(Real) == sizeof(float)) d = d + (m.low - l.low);
  if (box > Real(0)) {
    d.x -= box * static_cast<Real>(::rint(d.x / box));
    d.y -= box * static_cast<Real>(::rint(d.y / box));
    d.z -= box * static_cast<Real>(::rint(d.z / box));
  }
  return d;
}

// u += G(r) f, G(r) = I/|r| + rr/|r|³ + doublet (I/|r|³ - 3 rr/|r|⁵); `inverse`: 1/|r|.
template <class Real>
PERTURB_HD inline void add_node_flow(Vector3<Real> r, Real inverse, Vector3<Real> f, Real doublet, Real minus3_doublet,
                                     Vector3<Real>& u) {
  const Real inverse2 = inverse * inverse, inverse3 = inverse * inverse2;
  const Real isotropic = multiply_add(doublet, inverse3, inverse);
  const Real axial = dot(r, f) * (inverse3 * multiply_add(minus3_doublet, inverse2, Real(1)));
  u = add_scaled(add_scaled(u, isotropic, f), axial, r);
}
template <class Real>
PERTURB_HD inline void add_node_flow(Vector3<Real> r, Vector3<Real> f, Real doublet, Real minus3_doublet,
                                     Vector3<Real>& u) {
  add_node_flow(r, reciprocal_root(dot(r, r)), f, doublet, minus3_doublet, u);
}
// Floating-point operations of this, a fused multiply-add counted as two; the root as the ten
// instructions that it takes.
constexpr double node_flops = 3 + 5 + 10 + 2 + 2 + 5 + 2 + 2 + 12;

// Sum of the flow of many nodes; in single precision compensated (Kahan 1965), which ten thousands of nodes need.
template <class Real>
struct NodeSum {
  Vector3<Real> sum, lost;
  PERTURB_HD void add(Vector3<Real> value) {
    if constexpr (sizeof(typename NumberOf<Real>::type) == sizeof(float)) {
      const Vector3<Real> y = value - lost, t = sum + y;
      lost = (t - sum) - y;
      sum = t;
    } else {
      sum = sum + value;
    }
  }
};

// Close partner of a fiber, and whether their tensors are read transposed.
struct Neighbour {
  int fiber, pair, transposed;
};

// Input of a sum over nodes. `mask`: a bit for each pair of fibers that it omits, [fibers][words] of 32. Or, without a
// mask, lists: fiber m gets the flow of partners[begin[m]] .. partners[begin[m + 1] - 1].
template <class Real>
struct NodeView {
  int fibers = 0, points = 0, words = 0;
  const double* position = nullptr;
  const double* half_axis = nullptr;  // the tangent, times the half-length where that is not 1
  double box = 0, doublet = 0;
  const std::uint32_t* mask = nullptr;
  const int *begin = nullptr, *partners = nullptr;
  const Node<Real>* nodes = nullptr;  // [fibers][points]
  double node[max_nodes] = {};        // positions of the targets along a fiber
};

class Nodes {
 public:
  // Throws Error when memory is short.
  Nodes(Backend& backend, int fibers, const Parameters& parameters);

  // Finds the close pairs at these positions and computes their tensors with the outer rule `rule`.
  void prepare(const Poses& poses, const FiberRule& rule, double doublet);
  // sums[m][n] = sum over l and k of Theta_ml^{nk} f_l^k for the rows and columns of `product`; zero in other rows.
  void product(Product product, const double* f, double* sums);

  int close_pairs() const { return close_; }
  static std::size_t bytes(int fibers, const Parameters& parameters);

 private:
  // The rule for pairs from `reach` up to the reach of the next level.
  struct Level {
    FiberRule rule;
    double reach = 0;
    int chunks = 1;
    Array<std::uint32_t> omits;  // a bit for each pair of other levels
    Array<double> flow;          // [chunks][fibers][points][3]
  };

  template <class Real>
  void sum_and_project(Product product, const double* f, double* sums, Array<Node<Real>>& nodes,
                       const Array<Real>& theta);

  Backend& backend_;
  int fibers_, words_, order_;
  bool mirrored_, fp32_;
  std::vector<Level> levels_;  // the first one has the most nodes
  Poses poses_;
  double doublet_ = 0;
  int close_ = 0;
  Array<std::uint32_t> mask_;                         // a bit for each close pair
  Array<int> counts_, pair_begin_, neighbour_begin_;  // [fibers + 1]
  ExclusiveScan scan_;
  Array<Pair> pairs_;
  Array<Neighbour> neighbours_;
  Array<Node<double>> nodes64_;
  Array<Node<float>> nodes32_;
  Array<double> theta64_;  // [pairs][(K+1)²][6]
  Array<float> theta32_;
};

// flow[chunk][m][q] = sum over the nodes of the chunk's fibers of G f, at node q of fiber m. The CPU needs one chunk, a
// device several to have enough work.
template <class Real>
void node_sums(Backend& backend, const NodeView<Real>& view, int chunks, double* flow);
// Theta of the pairs of a list, [pairs][(K+1)²][6], with the kernel `stable`. On the CPU pairs of one m are stored
// together.
template <class Real>
void pair_tensors(Backend& backend, const Pair* pairs, int count, int order, const Poses& poses, const FiberRule& rule,
                  double doublet, Real* theta);

// Registers, block and occupancy of the sum on CUDA; zero on the CPU.
LaunchShape node_shape(const Backend& backend, bool fp32);

namespace detail {

template <class Real>
void node_sums_cpu(Backend&, const NodeView<Real>&, int chunks, double* flow);
template <class Real>
void pair_tensors_cpu(Backend&, const Pair*, int count, int order, const Poses&, const FiberRule&, double, Real*);
template <class Real>
void node_sums_cuda(Backend&, const NodeView<Real>&, int chunks, double* flow);
template <class Real>
void pair_tensors_cuda(Backend&, const Pair*, int count, int order, const Poses&, const FiberRule&, double, Real*);
LaunchShape node_shape_cuda(bool fp32);

}  // namespace detail

}  // namespace perturb::fibers
