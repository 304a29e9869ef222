#include "cuda/fibers/model/nodes.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/node_parts.h"
#include "cuda/fibers/model/pair_mask.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

namespace {

// Distances at which levels begin, and a bit for each pair of fibers that their sums omit.
struct LevelMasks {
  int levels = 0;
  double reach[max_node_levels] = {};
  std::uint32_t* omits[max_node_levels] = {};
};

// The level of each pair. A bit of `mask` for close pairs, a fiber with itself, and entries beyond the last, which no
// level has. Distances count in half-lengths of the longer fiber, whose nodes are farther apart.
template <bool unequal>
struct MarkPairs {
  Poses poses;
  LevelMasks masks;
  int fibers, words;
  std::uint32_t* mask;
  PERTURB_HD void operator()(int word, int m) const {
    const double *const position = poses.position, *const tangent = poses.tangent;
    const double* const tm = tangent + 3 * static_cast<std::size_t>(m);
    double longer = 1, both = 2, half_a = 1, half_z = 1;
    std::uint32_t close = 0, of_level[max_node_levels] = {};
    const int last = masks.levels - 1;
    for (int b = 0; b < pair_bits; ++b) {
      const int l = word * pair_bits + b;
      int level = -1;
      if (l < fibers && l != m) {
        // Always computed from the lower index, so that both sides are bit-identical.
        const int a = m < l ? m : l, z = m < l ? l : m;
        const double *xa = position + 3 * static_cast<std::size_t>(a), *xz = position + 3 * static_cast<std::size_t>(z);
        const Vector3<double> d = fiber_separation(xa, xz, poses.box);
        if constexpr (unequal) {
          half_a = poses.half_length[a];
          half_z = poses.half_length[z];
          longer = half_a > half_z ? half_a : half_z;
          both = half_a + half_z;
        }
        const double far = both + masks.reach[last] * longer;
        if (dot(d, d) < far * far) {
          const double *tl = tangent + 3 * static_cast<std::size_t>(l), *ta = m < l ? tm : tl, *tz = m < l ? tl : tm;
          const double distance = fiber_distance(d, {ta[0], ta[1], ta[2]}, {tz[0], tz[1], tz[2]}, half_a, half_z);
          while (level < last && distance >= masks.reach[level + 1] * longer) ++level;
        } else if (dot(d, d) >= far * far) {  // NaN: to the closed form, whose result is checked
          level = last;
        }
      }
      if (level < 0)
        close |= 1u << b;
      else
        of_level[level] |= 1u << b;
    }
    const std::size_t at =
        static_cast<std::size_t>(m) * static_cast<std::size_t>(words) + static_cast<std::size_t>(word);
    mask[at] = close;
    for (int k = 0; k <= last; ++k) masks.omits[k][at] = ~of_level[k];
  }
};

struct ListClose {
  PairMask row;
  bool mirrored;
  const int *pair_begin, *neighbour_begin;
  Pair* pairs;
  Neighbour* neighbours;
  PERTURB_HD void operator()(int m) const {
    int pair = pair_begin[m], neighbour = neighbour_begin[m];
    for (int w = 0; w < row.words; ++w) {
      const std::uint32_t v = row.word(m, w);
      if (v == 0) continue;
      for (int b = 0; b < pair_bits; ++b) {
        if (((v >> b) & 1u) == 0) continue;
        const int l = w * pair_bits + b;
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

// Where the rule of fewer nodes has the error that `nodes` have at `reach`, or at 0.5 if that is farther. Forces are
// polynomials of degree K, which leaves 2n - K degrees to the interaction: its error is (d + sqrt(1 + d²))^(K - 2n) =
// exp((K - 2n) asinh(d)), compared with the forces that it causes exp((K + 2 - 2n) asinh(d)).
double reach_of_level(int nodes, double reach, int level_nodes, int order) {
  if (level_nodes == nodes) return reach;
  const auto degrees = [&](int n) { return 2 * n - order - 2; };
  return std::sinh(std::asinh(std::max(reach, 0.5)) * degrees(nodes) / degrees(level_nodes));
}
// The numbers of nodes of the levels: halves, and on the CPU the fewest that keep a polynomial of degree K, into which
// a warp does not divide.
std::vector<int> level_nodes_of(bool is_cuda, int nodes, int order) {
  std::vector<int> all = {nodes};
  while (all.back() / 2 > order + 1) all.push_back(all.back() / 2);
  if (!is_cuda && all.back() > order + 1) all.push_back(order + 1);
  return all;
}

int chunks_of(int fibers) { return chunks_on_device(fibers, std::min(pair_mask_words(fibers), 32)); }

}  // namespace

std::size_t Nodes::bytes(int fibers, const Parameters& p) {
  const auto count = static_cast<std::size_t>(fibers), points = static_cast<std::size_t>(p.node_points);
  const std::size_t real = p.precision == Precision::fp32 ? sizeof(float) : sizeof(double);
  const double max_pairs = 0.5 * fibers * (fibers - 1.0),
               close = std::min(max_pairs, 0.5 * neighbours_expected * fibers);
  const double sides = p.pairing == Pairing::both ? 2 : 1;
  const std::size_t levels = level_nodes_of(false, p.node_points, fiber_order(p.terms)).size();
  // All levels together have at most three times the nodes of the first.
  return (1 + levels) * count * static_cast<std::size_t>(pair_mask_words(fibers)) * sizeof(std::uint32_t) + 16 * count +
         count * points * (6 * real + 3 * 3 * sizeof(double) * static_cast<std::size_t>(chunks_of(fibers))) +
         static_cast<std::size_t>(1.25 * close *
                                  (sides * static_cast<double>(components_of(fiber_order(p.terms)) * real) + 40));
}

Nodes::Nodes(Backend& backend, int fibers, const Parameters& p)
    : backend_(backend),
      fibers_(fibers),
      words_(pair_mask_words(fibers)),
      order_(fiber_order(p.terms)),
      mirrored_(p.pairing == Pairing::mirrored),
      fp32_(p.precision == Precision::fp32),
      mask_(backend, static_cast<std::size_t>(fibers) * static_cast<std::size_t>(pair_mask_words(fibers)),
            "close pairs"),
      counts_(backend, static_cast<std::size_t>(fibers) + 1, "counts of close pairs"),
      pair_begin_(backend, static_cast<std::size_t>(fibers) + 1, "counts of close pairs"),
      neighbour_begin_(backend, static_cast<std::size_t>(fibers) + 1, "counts of close pairs"),
      scan_(backend, static_cast<std::size_t>(fibers) + 1) {
  const std::size_t max_nodes = static_cast<std::size_t>(fibers) * static_cast<std::size_t>(p.node_points);
  if (fp32_)
    nodes32_ = Array<Node<float>>(backend, max_nodes, "nodes of the fibers");
  else
    nodes64_ = Array<Node<double>>(backend, max_nodes, "nodes of the fibers");
  for (const int nodes : level_nodes_of(backend.is_cuda(), p.node_points, order_)) {
    Level level;
    level.rule = make_fiber_rule(1, nodes);
    level.reach = reach_of_level(p.node_points, p.node_reach, nodes, order_);
    level.chunks = backend.is_cuda() ? chunks_of(fibers) : 1;
    level.omits = Array<std::uint32_t>(backend, mask_.size(), "pairs of fibers by distance");
    level.flow = Array<double>(
        backend,
        3 * static_cast<std::size_t>(fibers) * static_cast<std::size_t>(nodes) * static_cast<std::size_t>(level.chunks),
        "flow at the nodes");
    levels_.push_back(std::move(level));
  }
}

void Nodes::prepare(const Poses& poses, const FiberRule& rule, double doublet) {
  poses_ = poses;
  doublet_ = doublet;
  const Range2D words{words_, fibers_};
  LevelMasks masks;
  for (Level& level : levels_) {
    masks.reach[masks.levels] = level.reach;
    masks.omits[masks.levels++] = level.omits.data();
  }
  if (poses.unequal())
    parallel_for(backend_, "fibers.close", words, MarkPairs<true>{poses, masks, fibers_, words_, mask_.data()});
  else
    parallel_for(backend_, "fibers.close", words, MarkPairs<false>{poses, masks, fibers_, words_, mask_.data()});
  const PairMask row{mask_.data(), fibers_, words_};
  const auto whole = static_cast<std::size_t>(fibers_) + 1;
  const auto begins = [&](bool upper, Array<int>& begin) {
    parallel_for(backend_, "fibers.close", Range1D{fibers_ + 1}, CountPairs{row, upper, counts_.data()});
    scan_.run(backend_, "fibers.close", counts_.data(), begin.data(), whole);
  };
  begins(mirrored_, pair_begin_);
  begins(false, neighbour_begin_);
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
    pair_tensors(backend_, pairs_.data(), close_, order_, poses, rule, doublet, theta32_.data());
  } else {
    at_least_size(backend_, theta64_, pairs * components_of(order_), "interaction of close fibers");
    pair_tensors(backend_, pairs_.data(), close_, order_, poses, rule, doublet, theta64_.data());
  }
}

template <class Real>
void Nodes::sum_and_project(Product product, const double* f, double* sums, Array<Node<Real>>& nodes,
                            const Array<Real>& theta) {
  const int k0 = product == Product::weights ? 0 : 1, k1 = product == Product::weights ? 0 : order_;
  const int n0 = product == Product::forces ? 1 : 0, n1 = product == Product::velocities ? 1 : order_;
  for (Level& level : levels_) {
    parallel_for(backend_, "fibers.spread", Range2D{level.rule.points, fibers_},
                 SpreadForces<Real>{poses_.half_axes(), f, level.rule, k0, k1, 3 * (order_ + 1), nodes.data()});
    NodeView<Real> view;
    view.fibers = fibers_;
    view.points = level.rule.points;
    view.words = words_;
    view.position = poses_.position;
    view.half_axis = poses_.half_axes();
    view.box = poses_.box;
    view.doublet = doublet_;
    view.mask = level.omits.data();
    view.nodes = nodes.data();
    std::copy(level.rule.node, level.rule.node + level.rule.points, view.node);
    node_sums(backend_, view, level.chunks, level.flow.data());
    parallel_for(
        backend_, "fibers.project", Range2D{order_ + 1, fibers_},
        ProjectFlow<Real>{&level == &levels_.front(), level.flow.data(), f, theta.data(), neighbour_begin_.data(),
                          neighbours_.data(), level.rule, fibers_, level.chunks, order_, n0, n1, k0, k1, sums});
  }
}

void Nodes::product(Product product, const double* f, double* sums) {
  if (fp32_)
    sum_and_project<float>(product, f, sums, nodes32_, theta32_);
  else
    sum_and_project<double>(product, f, sums, nodes64_, theta64_);
}

template <class Real>
void node_sums(Backend& backend, const NodeView<Real>& view, int chunks, double* flow) {
  const auto side = backend.is_cuda() ? detail::node_sums_cuda<Real> : detail::node_sums_cpu<Real>;
  side(backend, view, chunks, flow);
}

template <class Real>
void pair_tensors(Backend& backend, const Pair* pairs, int count, int order, const Poses& poses, const FiberRule& rule,
                  double doublet, Real* theta) {
  if (count == 0) return;
  const auto side = backend.is_cuda() ? detail::pair_tensors_cuda<Real> : detail::pair_tensors_cpu<Real>;
  side(backend, pairs, count, order, poses, rule, doublet, theta);
}

LaunchShape node_shape(const Backend& backend, bool fp32) {
  return backend.is_cuda() ? detail::node_shape_cuda(fp32) : LaunchShape{};
}

template void node_sums(Backend&, const NodeView<float>&, int, double*);
template void node_sums(Backend&, const NodeView<double>&, int, double*);
template void pair_tensors(Backend&, const Pair*, int, int, const Poses&, const FiberRule&, double, float*);
template void pair_tensors(Backend&, const Pair*, int, int, const Poses&, const FiberRule&, double, double*);

}  // namespace perturb::fibers
