#include "cuda/fibers/kernels/nodes.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/fibers/kernels/interaction.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

namespace {

constexpr int bits = 32;
constexpr double neighbours_expected = 24;  // per fiber, for the memory estimate: a ball of 1000 with radius 6 has 8

PERTURB_HD inline int bits_set(std::uint32_t v) {
  int count = 0;
  for (; v != 0; v &= v - 1) ++count;
  return count;
}
// The bits of columns from `first` on, and those before `end`.
PERTURB_HD inline std::uint32_t bits_from(int first) { return first <= 0 ? ~0u : first >= bits ? 0u : ~0u << first; }
PERTURB_HD inline std::uint32_t bits_before(int end) { return ~bits_from(end); }

// A bit for each pair that the sum over nodes omits: close ones, a fiber with itself, and entries beyond the last.
// Fibers of unequal length are close within `reach` times the half-length of the longer one, whose nodes are farther
// apart.
template <bool unequal>
struct MarkClose {
  Poses poses;
  double reach;
  int fibers, words;
  std::uint32_t* mask;
  PERTURB_HD void operator()(int word, int m) const {
    const double *const position = poses.position, *const tangent = poses.tangent;
    const double* const tm = tangent + 3 * static_cast<std::size_t>(m);
    double far = 2 + reach, near = reach, half_a = 1, half_z = 1;
    std::uint32_t result = 0;
    for (int b = 0; b < bits; ++b) {
      const int l = word * bits + b;
      bool out = l >= fibers || l == m;
      if (!out) {
        // Always computed from the lower index, so that both sides are bit-identical.
        const int a = m < l ? m : l, z = m < l ? l : m;
        const double *xa = position + 3 * static_cast<std::size_t>(a), *xz = position + 3 * static_cast<std::size_t>(z);
        const Vector3<double> d = fiber_separation(xa, xz, poses.box);
        if constexpr (unequal) {
          half_a = poses.half_length[a], half_z = poses.half_length[z];
          near = reach * (half_a > half_z ? half_a : half_z), far = half_a + half_z + near;
        }
        if (dot(d, d) < far * far) {
          const double *tl = tangent + 3 * static_cast<std::size_t>(l), *ta = m < l ? tm : tl, *tz = m < l ? tl : tm;
          out = fiber_distance(d, {ta[0], ta[1], ta[2]}, {tz[0], tz[1], tz[2]}, half_a, half_z) < near;
        } else {
          out = !(dot(d, d) >= far * far);  // NaN: to the closed form, whose result is checked
        }
      }
      if (out) result |= 1u << b;
    }
    mask[static_cast<std::size_t>(m) * words + word] = result;
  }
};

// The bits of fiber m's row that are set for other fibers.
struct CloseRow {
  const std::uint32_t* mask;
  int fibers, words;
  PERTURB_HD std::uint32_t word(int m, int w) const {
    std::uint32_t v = mask[static_cast<std::size_t>(m) * words + w] & bits_before(fibers - w * bits);
    if (m / bits == w) v &= ~(1u << (m % bits));
    return v;
  }
  // Close partners of m with numbers in [begin, end).
  PERTURB_HD int count(int m, int begin, int end) const {
    int sum = 0;
    for (int w = begin / bits; w < words && w * bits < end; ++w)
      sum += bits_set(word(m, w) & bits_from(begin - w * bits) & bits_before(end - w * bits));
    return sum;
  }
};

struct CountClose {
  CloseRow row;
  bool upper;
  int* counts;
  PERTURB_HD void operator()(int m) const {
    counts[m] = m < row.fibers ? row.count(m, upper ? m + 1 : 0, row.fibers) : 0;
  }
};

struct ListClose {
  CloseRow row;
  bool mirrored;
  const int *pair_begin, *neighbour_begin;
  FiberPair* pairs;
  Neighbour* neighbours;
  PERTURB_HD void operator()(int m) const {
    int pair = pair_begin[m], neighbour = neighbour_begin[m];
    for (int w = 0; w < row.words; ++w) {
      const std::uint32_t v = row.word(m, w);
      if (v == 0) continue;
      for (int b = 0; b < bits; ++b) {
        if (((v >> b) & 1u) == 0) continue;
        const int l = w * bits + b;
        if (mirrored && l < m) {
          neighbours[neighbour++] = {l, pair_begin[l] + row.count(l, l + 1, m), 1};
        } else {
          pairs[pair] = {m, l};
          neighbours[neighbour++] = {l, pair++, 0};
        }
      }
    }
  }
};

// Forces at the nodes from the coefficients f_l^k, k0 <= k <= k1.
template <class Real>
struct SpreadForces {
  const double *half_axis, *f;
  FiberRule rule;
  int k0, k1, values;
  Node<Real>* nodes;
  PERTURB_HD void operator()(int p, int l) const {
    const double* const t = half_axis + 3 * static_cast<std::size_t>(l);
    const double* const own = f + static_cast<std::size_t>(l) * values;
    Vector3<double> force{0, 0, 0};
    for (int k = k0; k <= k1; ++k)
      force = add_scaled(force, rule.weight[p][k], Vector3<double>{own[3 * k], own[3 * k + 1], own[3 * k + 2]});
    const double s = rule.node[p];
    nodes[static_cast<std::size_t>(l) * rule.points + p] = {
        {static_cast<Real>(s * t[0]), static_cast<Real>(s * t[1]), static_cast<Real>(s * t[2])},
        {static_cast<Real>(force.x), static_cast<Real>(force.y), static_cast<Real>(force.z)}};
  }
};

// int V P_n ds from the flow at the nodes, and the contribution of close partners.
template <class Real>
struct ProjectFlow {
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
      const std::size_t components = static_cast<std::size_t>(fiber_tensor) * (order + 1) * (order + 1);
      for (int at = neighbour_begin[m]; at < neighbour_begin[m + 1]; ++at) {
        const Neighbour own = neighbours[at];
        const Real* const tensors = theta + static_cast<std::size_t>(own.pair) * components;
        const double* const force = f + static_cast<std::size_t>(own.fiber) * values;
        for (int k = k0; k <= k1; ++k) {
          const Real* const from = tensors + (own.transposed != 0 ? FiberLayout::component(order, k, n)
                                                                  : FiberLayout::component(order, n, k));
          double g[fiber_tensor];
          for (int c = 0; c < fiber_tensor; ++c) g[c] = static_cast<double>(from[c]);
          sum = add_product(g, Vector3<double>{force[3 * k], force[3 * k + 1], force[3 * k + 2]}, sum);
        }
      }
    }
    to[0] = sum.x, to[1] = sum.y, to[2] = sum.z;
  }
};

template <class T>
void at_least_size(Backend& backend, Array<T>& array, std::size_t size, const char* label) {
  if (array.size() >= size) return;
  backend.synchronize();  // a product in flight may still read the old one
  array = Array<T>();     // frees the old one first
  array = Array<T>(backend, size + size / 4, label);
}

int words_per_row(int fibers) { return (fibers + bits - 1) / bits; }
std::size_t components_of(int order) {
  return static_cast<std::size_t>(fiber_tensor) * static_cast<std::size_t>((order + 1) * (order + 1));
}

}  // namespace

std::size_t FiberNodes::bytes(int fibers, const FiberParameters& p) {
  const auto count = static_cast<std::size_t>(fibers), points = static_cast<std::size_t>(p.node_points);
  const std::size_t real = p.precision == FiberPrecision::fp32 ? sizeof(float) : sizeof(double);
  const double most = 0.5 * fibers * (fibers - 1.0), close = std::min(most, 0.5 * neighbours_expected * fibers);
  const double sides = p.pairing == FiberPairing::both ? 2 : 1;
  return count * static_cast<std::size_t>(words_per_row(fibers)) * sizeof(std::uint32_t) + 16 * count +
         count * points * (6 * real + 3 * sizeof(double) * 32) +
         static_cast<std::size_t>(1.25 * close *
                                  (sides * static_cast<double>(components_of(fiber_order(p.terms)) * real) + 40));
}

FiberNodes::FiberNodes(Backend& backend, int fibers, const FiberParameters& p)
    : backend_(backend),
      fibers_(fibers),
      words_(words_per_row(fibers)),
      order_(fiber_order(p.terms)),
      mirrored_(p.pairing == FiberPairing::mirrored),
      fp32_(p.precision == FiberPrecision::fp32),
      reach_(p.node_reach),
      nodes_(make_fiber_rule(1, p.node_points)),
      chunks_(fiber_node_chunks(backend, fibers, p.node_points)),
      mask_(backend, static_cast<std::size_t>(fibers) * static_cast<std::size_t>(words_per_row(fibers)), "close pairs"),
      counts_(backend, static_cast<std::size_t>(fibers) + 1, "counts of close pairs"),
      pair_begin_(backend, static_cast<std::size_t>(fibers) + 1, "counts of close pairs"),
      neighbour_begin_(backend, static_cast<std::size_t>(fibers) + 1, "counts of close pairs"),
      scan_(backend, static_cast<std::size_t>(fibers) + 1) {
  const std::size_t points = static_cast<std::size_t>(fibers) * static_cast<std::size_t>(nodes_.points);
  if (fp32_)
    nodes32_ = Array<Node<float>>(backend, points, "nodes of the fibers");
  else
    nodes64_ = Array<Node<double>>(backend, points, "nodes of the fibers");
  flow_ = Array<double>(backend, 3 * points * static_cast<std::size_t>(chunks_), "flow at the nodes");
}

void FiberNodes::prepare(const Poses& poses, const FiberRule& rule, double doublet) {
  poses_ = poses, doublet_ = doublet;
  const Range2D words{words_, fibers_};
  if (poses.unequal())
    parallel_for(backend_, "fibers.close", words, MarkClose<true>{poses, reach_, fibers_, words_, mask_.data()});
  else
    parallel_for(backend_, "fibers.close", words, MarkClose<false>{poses, reach_, fibers_, words_, mask_.data()});
  const CloseRow row{mask_.data(), fibers_, words_};
  const auto whole = static_cast<std::size_t>(fibers_) + 1;
  const auto begins = [&](bool upper, Array<int>& begin) {
    parallel_for(backend_, "fibers.close", Range1D{fibers_ + 1}, CountClose{row, upper, counts_.data()});
    scan_.run(backend_, "fibers.close", counts_.data(), begin.data(), whole);
  };
  begins(mirrored_, pair_begin_), begins(false, neighbour_begin_);
  int neighbours = 0;
  backend_.copy_to_host(&close_, pair_begin_.data() + fibers_, sizeof close_);
  backend_.copy_to_host(&neighbours, neighbour_begin_.data() + fibers_, sizeof neighbours);
  const auto pairs = static_cast<std::size_t>(std::max(close_, 1));
  at_least_size(backend_, pairs_, pairs, "close pairs");
  at_least_size(backend_, neighbours_, static_cast<std::size_t>(std::max(neighbours, 1)), "close pairs");
  parallel_for(
      backend_, "fibers.close", Range1D{fibers_},
      ListClose{row, mirrored_, pair_begin_.data(), neighbour_begin_.data(), pairs_.data(), neighbours_.data()});
  if (fp32_) {
    at_least_size(backend_, theta32_, pairs * components_of(order_), "interaction of close fibers");
    fiber_pair_tensors(backend_, pairs_.data(), close_, order_, poses, rule, doublet, theta32_.data());
  } else {
    at_least_size(backend_, theta64_, pairs * components_of(order_), "interaction of close fibers");
    fiber_pair_tensors(backend_, pairs_.data(), close_, order_, poses, rule, doublet, theta64_.data());
  }
}

template <class Real>
void FiberNodes::sum_and_project(FiberProduct product, const double* f, double* sums, Array<Node<Real>>& nodes,
                                 const Array<Real>& theta) {
  const int k0 = product == FiberProduct::weights ? 0 : 1, k1 = product == FiberProduct::weights ? 0 : order_;
  const int n0 = product == FiberProduct::forces ? 1 : 0, n1 = product == FiberProduct::velocities ? 1 : order_;
  parallel_for(backend_, "fibers.spread", Range2D{nodes_.points, fibers_},
               SpreadForces<Real>{poses_.half_axes(), f, nodes_, k0, k1, 3 * (order_ + 1), nodes.data()});
  NodeView<Real> view;
  view.fibers = fibers_, view.points = nodes_.points, view.words = words_;
  view.position = poses_.position, view.half_axis = poses_.half_axes();
  view.box = poses_.box, view.doublet = doublet_;
  view.mask = mask_.data(), view.nodes = nodes.data();
  std::copy(nodes_.node, nodes_.node + nodes_.points, view.node);
  fiber_node_sums(backend_, view, chunks_, flow_.data());
  parallel_for(backend_, "fibers.project", Range2D{order_ + 1, fibers_},
               ProjectFlow<Real>{flow_.data(), f, theta.data(), neighbour_begin_.data(), neighbours_.data(), nodes_,
                                 fibers_, chunks_, order_, n0, n1, k0, k1, sums});
}

void FiberNodes::product(FiberProduct product, const double* f, double* sums) {
  if (fp32_)
    sum_and_project<float>(product, f, sums, nodes32_, theta32_);
  else
    sum_and_project<double>(product, f, sums, nodes64_, theta64_);
}

int fiber_node_chunks(const Backend& backend, int fibers, int points) {
  if (!backend.is_cuda()) return 1;
  // About 2000 blocks of 128 nodes fill any device; no more parts than there are fibers, and at most 32.
  constexpr int blocks = 2112, threads = 128;
  const int of_targets =
      std::max(1, static_cast<int>((static_cast<long long>(fibers) * points + threads - 1) / threads));
  return std::clamp((blocks + of_targets - 1) / of_targets, 1, std::clamp(fibers / 8, 1, 32));
}

template <class Real>
void fiber_node_sums(Backend& backend, const NodeView<Real>& view, int chunks, double* flow) {
  const auto side = backend.is_cuda() ? detail::fiber_node_sums_cuda<Real> : detail::fiber_node_sums_cpu<Real>;
  side(backend, view, chunks, flow);
}

template <class Real>
void fiber_pair_tensors(Backend& backend, const FiberPair* pairs, int count, int order, const Poses& poses,
                        const FiberRule& rule, double doublet, Real* theta) {
  if (count == 0) return;
  const auto side = backend.is_cuda() ? detail::fiber_pair_tensors_cuda<Real> : detail::fiber_pair_tensors_cpu<Real>;
  side(backend, pairs, count, order, poses, rule, doublet, theta);
}

LaunchShape fiber_node_shape(const Backend& backend, bool fp32) {
  return backend.is_cuda() ? detail::fiber_node_shape_cuda(fp32) : LaunchShape{};
}

template void fiber_node_sums(Backend&, const NodeView<float>&, int, double*);
template void fiber_node_sums(Backend&, const NodeView<double>&, int, double*);
template void fiber_pair_tensors(Backend&, const FiberPair*, int, int, const Poses&, const FiberRule&, double, float*);
template void fiber_pair_tensors(Backend&, const FiberPair*, int, int, const Poses&, const FiberRule&, double, double*);

}  // namespace perturb::fibers
