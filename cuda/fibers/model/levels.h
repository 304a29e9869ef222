// Sums over nodes whose number falls with the distance of two fibers; without a matrix, and without a list of all
// pairs. A rule of n points of a fiber is as exact as N points at a smaller distance (reach_of_points), so that the
// pairs are divided by distance into levels, each with its own rule. The same sum runs once per level, and the
// projections add up:
//
//   close   nearer than `node_reach`: tensors of the kernel `stable`, as in model/nodes.h
//   near    N, 3/4 N, 1/2 N ... points: lists of partners of each fiber, from a grid of cells. Their number does not
//           depend on that of all fibers, only on how dense they are
//   far     6 and 4 points: all pairs whose centres are far enough apart, which the sum itself tests. Sixteen fibers
//           that are neighbours in space are targets side by side. In single precision, whose rounding is a hundredth
//           of the error of the rule where it begins; separations and sums are in double precision
//
// The level of a pair depends on the two fibers alone. So the operator is symmetric, and the result depends on the
// order of the fibers by rounding only.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/scan.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/nodes.h"
#include "cuda/fibers/model/start.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

constexpr int max_near_levels = 4, max_far_levels = 2;
constexpr int far_points[max_far_levels] = {6, 4};
// Fewer fibers are too near to each other for the second to pay: a block of targets has pairs of both levels with most
// sources. Measured on two cores: 3000 fibers lose a tenth, 10 000 gain a fifth.
constexpr int fibers_with_two_far_levels = 5000;
// Error of the levels, as a multiple of that of N nodes at their reach. A pair of fibers is then accurate to 1e-5 of
// its flow where a level begins, and to less beyond. Velocities in clouds are accurate to 4e-8 of the largest.
constexpr double level_error = 10;

// Distance of two fibers, in half-lengths, from which on the error of `points` nodes is below that of `most` at
// `reach`, or at 0.5 if that is farther, times level_error. `order`: the degree of the forces.
double reach_of_points(int most, double reach, int points, int order);
// The same for the distance of their centres.
double centre_reach_of_points(int most, double reach, int points, int order);
// Numbers of points of the near levels and of the far ones, falling.
std::vector<int> near_points_of(int most);
std::vector<int> far_points_of(int most, int fibers);

// Grid of cells for the search of near partners. A coarse cell is at least as wide as the distance at which the far
// levels begin; it has 4³ fine ones, by which fibers are sorted. In free space coordinates count modulo the grid, so
// that it needs no bounds.
struct FiberCells {
  static constexpr int fine = 4, fine_of_coarse = fine * fine * fine;
  const double* position = nullptr;
  double box = 0, fine_per_length = 1;
  int coarse = 4;  // per direction
  PERTURB_HD int along(double x) const {
    if (box > 0) x -= box * ::floor(x / box);
    const double all = coarse * fine, s = ::floor(x * fine_per_length), i = s - all * ::floor(s / all);
    return i > 0 ? (i < all - 1 ? static_cast<int>(i) : coarse * fine - 1) : 0;  // NaN: 0
  }
  PERTURB_HD int coarse_cell(int i, int j, int k) const { return (k * coarse + j) * coarse + i; }
  // The fine cell of a fiber.
  PERTURB_HD int operator()(int m) const {
    const double* const x = position + 3 * static_cast<std::size_t>(m);
    const int i = along(x[0]), j = along(x[1]), k = along(x[2]);
    return coarse_cell(i / fine, j / fine, k / fine) * fine_of_coarse + (k % fine * fine + j % fine) * fine + i % fine;
  }
  std::size_t cells() const { return static_cast<std::size_t>(coarse * coarse * coarse) * fine_of_coarse; }
};

// Class of a pair by its distance.
struct PairLevels {
  static constexpr int far = max_near_levels, close = -1;
  Poses poses;
  int levels = 0;
  double reach[max_near_levels] = {};  // where each level begins
  double far_reach = 0;                // of the centres
  // close, the number of a near level, or far. Distances count in half-lengths of the longer fiber. Computed from the
  // lower index, so that both sides are bit-identical. NaN is far: then all velocities are NaN, which is noticed.
  PERTURB_HD int operator()(int m, int l) const {
    const int a = m < l ? m : l, z = m < l ? l : m;
    const Vector3<double> d = fiber_separation(poses.position + 3 * static_cast<std::size_t>(a),
                                               poses.position + 3 * static_cast<std::size_t>(z), poses.box);
    const double half_a = poses.half_length ? poses.half_length[a] : 1.0,
                 half_z = poses.half_length ? poses.half_length[z] : 1.0, longer = half_a > half_z ? half_a : half_z;
    const double d2 = dot(d, d), bound = far_reach * longer;
    if (!(d2 < bound * bound)) return far;
    const int last = levels - 1;
    const double surely = half_a + half_z + reach[last] * longer;
    if (d2 >= surely * surely) return last;
    const double *const ta = poses.tangent + 3 * static_cast<std::size_t>(a), *const tz =
                                                                                  poses.tangent +
                                                                                  3 * static_cast<std::size_t>(z);
    const double distance = fiber_distance(d, {ta[0], ta[1], ta[2]}, {tz[0], tz[1], tz[2]}, half_a, half_z);
    int level = close;
    while (level < last && distance >= reach[level + 1] * longer) ++level;
    return level;
  }
};

// Input of a far sum: pairs whose centres are `begin` to `end` half-lengths of the longer fiber apart. The nodes are in
// the order of space.
struct FarView {
  int fibers = 0, points = 0, chunks = 1;
  Poses poses;
  double begin = 0, end = 0, doublet = 0;
  const int* order = nullptr;          // numbers of the fibers in the order of space
  const Node<float>* nodes = nullptr;  // [fibers][points]
  float node[max_nodes] = {};          // positions of the targets along a fiber
  PERTURB_HD int first_source(int chunk) const {
    return static_cast<int>(static_cast<long long>(fibers) * chunk / chunks);
  }
};

// The flow of one fiber at `points` targets of one fiber, or of several side by side: u_q += G(d + s_q t - place_p) f_p
// over the nodes p. `together`: targets at a time, as many as registers hold.
template <int points, int together, class Real>
PERTURB_HD inline void add_far_fiber(Vector3<Real> d, Vector3<Real> t, const float* s, const Node<float>* nodes,
                                     Real doublet, Real minus3_doublet, Vector3<Real> (&u)[points]) {
  static_assert(points % together == 0);
  PERTURB_UNROLL
  for (int first = 0; first < points; first += together) {
    Vector3<Real> own[together], sum[together];
    PERTURB_UNROLL
    for (int q = 0; q < together; ++q) {
      own[q] = add_scaled(d, Real(s[first + q]), t);
      sum[q] = {Real(0), Real(0), Real(0)};
    }
    PERTURB_UNROLL
    for (int p = 0; p < points; ++p) {
      const Vector3<Real> place{Real(nodes[p].place.x), Real(nodes[p].place.y), Real(nodes[p].place.z)},
          force{Real(nodes[p].force.x), Real(nodes[p].force.y), Real(nodes[p].force.z)};
      PERTURB_UNROLL
      for (int q = 0; q < together; ++q) add_node_flow(own[q] - place, force, doublet, minus3_doublet, sum[q]);
    }
    PERTURB_UNROLL
    for (int q = 0; q < together; ++q) u[first + q] = u[first + q] + sum[q];
  }
}

class LevelSums {
 public:
  // Throws Error when memory is short.
  LevelSums(Backend& backend, int fibers, const Parameters& parameters);
  ~LevelSums();

  // Divides the pairs at these positions into levels and computes the tensors of close ones with the outer rule `rule`.
  // `longest`: the largest half-length.
  void prepare(const Poses& poses, const FiberRule& rule, double doublet, double longest);
  // As Nodes::product.
  void product(Product product, const double* f, double* sums);

  int close_pairs() const { return close_; }
  // Pairs of nodes in a product, per pair of fibers; waits. For studies and tests.
  double evaluations_per_pair() const;
  static std::size_t bytes(int fibers, const Parameters& parameters);

 private:
  struct Near {
    FiberRule rule;
    double reach = 0;
    int chunks = 1, pairs = 0;
    Array<int> begin, partners;
    Array<double> flow;  // [chunks][fibers][points][3]
  };
  struct Far {
    FiberRule rule;
    double begin = 0, end = 0;  // of the centres' distance
    int chunks = 1;
    bool empty = false;  // no two fibers are so far apart
    Array<double> flow;
  };
  PairLevels pair_levels() const;
  void find_lists();
  template <class Real>
  void find_tensors(const FiberRule& rule, Array<Real>& theta);
  void find_extent();
  FarView far_view(const Far& far) const;
  template <class Real>
  void sum_and_project(Product product, const double* f, double* sums, Array<Node<Real>>& nodes,
                       const Array<Real>& theta);

  Backend& backend_;
  int fibers_, order_;
  bool mirrored_, fp32_;
  double far_reach_ = 0;
  std::vector<Near> near_;  // the first one has the most nodes
  std::vector<Far> far_;
  Poses poses_;
  double doublet_ = 0, longest_ = 1;
  int close_ = 0;
  FiberCells cells_;
  struct Bins;
  std::unique_ptr<Bins> bins_;
  Array<int> in_order_;  // the fibers in the order of space
  ExclusiveScan scan_;
  Array<int> counts_;                        // [1 + near levels][fibers + 1]
  Array<int> pair_begin_, neighbour_begin_;  // [fibers + 1]
  Array<int> close_partners_;
  Array<Pair> pairs_;
  Array<Neighbour> neighbours_;
  Array<Node<double>> nodes64_;
  Array<Node<float>> nodes32_, far_nodes_;
  Array<double> theta64_;  // [pairs][(K+1)²][6]
  Array<float> theta32_;
};

// flow[chunk][m][q] = sum over the nodes of the chunk's fibers of G f, at node q of fiber m, for the pairs of the view.
void far_sums(Backend& backend, const FarView& view, double* flow);

// Registers, block and occupancy of the far sum on CUDA; zero on the CPU.
LaunchShape far_shape(const Backend& backend);

namespace detail {

void far_sums_cpu(Backend&, const FarView&, double* flow);
void far_sums_cuda(Backend&, const FarView&, double* flow);
LaunchShape far_shape_cuda();

}  // namespace detail

}  // namespace perturb::fibers
