#include "cuda/fibers/model/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cuda/core/loops/cell_bins.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/fibers/model/balance.h"
#include "cuda/fibers/model/node_parts.h"

namespace perturb::fibers {

namespace {

// Partners of a fiber in its near lists, for the memory estimate: a ball of 1000 with radius 6 has 230 at most.
constexpr double near_expected = 400;
// Fibers per coarse cell, on average, if they fill the grid.
constexpr int fibers_of_coarse_cell = 64;
constexpr int min_coarse = 4, max_coarse = 32;

// Degrees of the interaction that a rule of `points` resolves. Forces are polynomials of degree K. A rule of more than
// K points represents all of it, and leaves 2n - K degrees to the interaction. One of at most K points represents
// degrees below n: the first that is missing acts like a derivative of order n.
int degrees_of(int points, int order) { return points > order ? 2 * points - order : points; }

// Minus the logarithm of the error that all levels have: that of the rule of `most` points at its reach, which is
// exp(-degrees asinh(reach)), times level_error.
double exponent_of(int most, double reach, int order) {
  return std::asinh(std::max(reach, 0.5)) * degrees_of(most, order) - std::log(level_error);
}

int coarse_cells_of(int fibers) {
  int coarse = min_coarse;
  while (coarse < max_coarse && coarse * coarse * coarse * fibers_of_coarse_cell < fibers) coarse *= 2;
  return coarse;
}

// Parts into which the sources of a far sum are divided, so that there is work for all cores.
int far_chunks(bool is_cuda, int fibers) {
  constexpr int targets_in_flight = 33792, max_device_chunks = 32;  // on a device
  constexpr int enough_targets = 4096, max_cpu_chunks = 4;          // 256 blocks of 16
  const int wanted = is_cuda ? targets_in_flight : enough_targets;
  return std::clamp(wanted / fibers, 1, std::min(fibers, is_cuda ? max_device_chunks : max_cpu_chunks));
}

struct OrderInCell {
  FiberCells cells;
  const int *starts, *entries;
  int* order;
  PERTURB_HD void operator()(int m) const {
    const int cell = cells(m);
    int rank = 0;
    for (int at = starts[cell]; at < starts[cell + 1]; ++at) rank += entries[at] < m;
    order[starts[cell] + rank] = m;
  }
};

// Fibers that may be near another: those of its coarse cell and of the cells around it.
struct Candidates {
  FiberCells cells;
  const int *starts, *order;
  template <class Visit>
  PERTURB_HD void each(int m, const Visit& visit) const {
    const double* const x = cells.position + 3 * static_cast<std::size_t>(m);
    const int n = cells.coarse, i = cells.along(x[0]) / cells.fine, j = cells.along(x[1]) / cells.fine,
              k = cells.along(x[2]) / cells.fine, width = n < 3 ? n : 3;
    for (int c = 0; c < width; ++c)
      for (int b = 0; b < width; ++b)
        for (int a = 0; a < width; ++a) {
          const int cell =
              cells.coarse_cell((i + a + n - 1) % n, (j + b + n - 1) % n, (k + c + n - 1) % n) * cells.fine_of_coarse;
          for (int at = starts[cell]; at < starts[cell + cells.fine_of_coarse]; ++at)
            if (order[at] != m) visit(order[at]);
        }
  }
};

// Number of partners of each fiber in each class; zero after the last fiber.
struct CountPartners {
  Candidates candidates;
  PairLevels level_of;
  int fibers;
  int* counts;  // [1 + near levels][fibers + 1]
  PERTURB_HD void operator()(int m) const {
    int count[1 + max_near_levels] = {};
    if (m < fibers)
      candidates.each(m, [&](int l) {
        const int level = level_of(m, l);
        if (level != PairLevels::far) ++count[1 + level];
      });
    for (int c = 0; c <= level_of.levels; ++c) counts[static_cast<std::size_t>(c) * (fibers + 1) + m] = count[c];
  }
};

struct ListPartners {
  Candidates candidates;
  PairLevels level_of;
  const int* begin[1 + max_near_levels];
  int* partners[1 + max_near_levels];
  PERTURB_HD void operator()(int m) const {
    int at[1 + max_near_levels] = {};
    for (int c = 0; c <= level_of.levels; ++c) at[c] = begin[c][m];
    candidates.each(m, [&](int l) {
      const int level = level_of(m, l);
      if (level != PairLevels::far) partners[1 + level][at[1 + level]++] = l;
    });
  }
};

// Close pairs of each fiber as their first one; zero after the last fiber.
struct CountClose {
  bool mirrored;
  int fibers;
  const int *begin, *partners;
  int* counts;
  PERTURB_HD void operator()(int m) const {
    int count = 0;
    if (m < fibers)
      for (int at = begin[m]; at < begin[m + 1]; ++at) count += !mirrored || partners[at] > m;
    counts[m] = count;
  }
};

struct ListClosePairs {
  bool mirrored;
  const int *begin, *partners, *pair_begin;
  Pair* pairs;
  Neighbour* neighbours;
  PERTURB_HD void operator()(int m) const {
    int pair = pair_begin[m];
    for (int at = begin[m]; at < begin[m + 1]; ++at) {
      const int l = partners[at];
      if (mirrored && l < m) {
        int of_l = pair_begin[l];
        for (int k = begin[l]; partners[k] != m; ++k) of_l += partners[k] > l;
        neighbours[at] = {l, of_l, 1};
      } else {
        pairs[pair] = {m, l};
        neighbours[at] = {l, pair++, 0};
      }
    }
  }
};

// The sum of the parts of a far sum, into the first.
struct AddChunks {
  int chunks;
  std::size_t stride;
  double* flow;
  PERTURB_HD void operator()(int at) const {
    double sum = flow[at];
    for (int c = 1; c < chunks; ++c) sum += flow[static_cast<std::size_t>(c) * stride + at];
    flow[at] = sum;
  }
};

struct LargestSquare {
  double value = 0;
  PERTURB_HD void merge(const LargestSquare& other) { value = other.value > value ? other.value : value; }
};
struct SquareFromFirst {
  const double* position;
  PERTURB_HD void operator()(int m, int, LargestSquare& into) const {
    const Vector3<double> d = load3(position + 3 * static_cast<std::size_t>(m)) - load3(position);
    into.merge({dot(d, d)});
  }
};

FiberRule rule_of_degrees(int points, int order) {
  FiberRule rule = make_fiber_rule(1, points);
  for (int q = 0; q < points; ++q)
    for (int k = points; k <= order; ++k) rule.weight[q][k] = 0;  // degrees that the points do not represent
  return rule;
}

}  // namespace

double reach_of_points(int most, double reach, int points, int order) {
  if (points == most) return reach;
  return std::sinh(exponent_of(most, reach, order) / degrees_of(points, order));
}

// A target in line with a fiber is nearer to its end than one beside it: there the error falls off as that of a point
// at distance acosh instead of asinh, from the centre of the fiber. A point of the other fiber is up to 1 nearer than
// its centre.
double centre_reach_of_points(int most, double reach, int points, int order) {
  return 1 + std::cosh(exponent_of(most, reach, order) / degrees_of(points, order));
}

std::vector<int> near_points_of(int most) {
  std::vector<int> all = {most};
  for (const int quarters : {3, 2}) {
    const int points = most * quarters / 4;
    if (points >= 8) all.push_back(points);
  }
  if (all.back() >= 16) all.push_back(all.back() / 2);
  return all;
}

std::vector<int> far_points_of(int most, int fibers) {
  std::vector<int> all;
  for (const int points : far_points)
    if (points < most && (points == far_points[0] || fibers >= fibers_with_two_far_levels)) all.push_back(points);
  return all;
}

std::size_t LevelSums::bytes(int fibers, const Parameters& p) {
  const auto count = static_cast<std::size_t>(fibers), points = static_cast<std::size_t>(p.node_points);
  const std::size_t real = p.precision == Precision::fp32 ? sizeof(float) : sizeof(double);
  const double partners = std::min(fibers - 1.0, near_expected), close = std::min(fibers - 1.0, neighbours_expected);
  const double pairs_of_close = p.pairing == Pairing::both ? 1 : 0.5;
  const auto coarse = static_cast<std::size_t>(coarse_cells_of(fibers));
  std::size_t flows = 0;
  for (const int near : near_points_of(p.node_points))
    flows += static_cast<std::size_t>(near) * static_cast<std::size_t>(chunks_on_device(fibers, 8));
  for (const int far : far_points_of(p.node_points, fibers))
    flows += static_cast<std::size_t>(far * std::max(far_chunks(true, fibers), far_chunks(false, fibers)));
  return count * (points * 6 * real + 36 * sizeof(float) + 3 * sizeof(double) * flows + 64 * sizeof(int)) +
         CellBins::bytes_of(count, coarse * coarse * coarse * FiberCells::fine_of_coarse) +
         static_cast<std::size_t>(
             1.25 * fibers *
             (partners * sizeof(int) +
              close * (pairs_of_close * static_cast<double>(components_of(fiber_order(p.terms)) * real) + 24))) +
         (std::size_t{64} << 10);
}

struct LevelSums::Bins {
  CellBins cells;
};

LevelSums::~LevelSums() = default;

LevelSums::LevelSums(Backend& backend, int fibers, const Parameters& p)
    : backend_(backend),
      fibers_(fibers),
      order_(fiber_order(p.terms)),
      mirrored_(p.pairing == Pairing::mirrored),
      fp32_(p.precision == Precision::fp32) {
  const auto count = static_cast<std::size_t>(fibers), whole = count + 1;
  const auto flow = [&](int points, int chunks) {
    return Array<double>(backend, 3 * count * static_cast<std::size_t>(points * chunks), "flow at the nodes");
  };
  for (const int points : near_points_of(p.node_points)) {
    Near near;
    near.rule = rule_of_degrees(points, order_);
    near.reach = reach_of_points(p.node_points, p.node_reach, points, order_);
    near.chunks = backend.is_cuda() ? chunks_on_device(fibers, 8) : 1;
    near.begin = Array<int>(backend, whole, "partners of the fibers");
    near.flow = flow(points, near.chunks);
    near_.push_back(std::move(near));
  }
  for (const int points : far_points_of(p.node_points, fibers)) {
    Far far;
    far.rule = rule_of_degrees(points, order_);
    far.begin = centre_reach_of_points(p.node_points, p.node_reach, points, order_);
    far.end = std::numeric_limits<double>::infinity();
    far.chunks = far_chunks(backend.is_cuda(), fibers);
    far.flow = flow(points, far.chunks);
    if (!far_.empty()) far_.back().end = far.begin;
    far_.push_back(std::move(far));
  }
  far_reach_ = far_.empty() ? std::numeric_limits<double>::infinity() : far_.front().begin;
  cells_.coarse = coarse_cells_of(fibers);
  bins_ = std::make_unique<Bins>(Bins{CellBins(backend, count, cells_.cells(), "fibers by cell")});
  in_order_ = Array<int>(backend, count, "fibers by cell");
  scan_ = ExclusiveScan(backend, whole);
  counts_ = Array<int>(backend, (1 + near_.size()) * whole, "partners of the fibers");
  for (Array<int>* begin : {&pair_begin_, &neighbour_begin_}) *begin = Array<int>(backend, whole, "close pairs");
  const std::size_t nodes = count * static_cast<std::size_t>(p.node_points);
  if (fp32_)
    nodes32_ = Array<Node<float>>(backend, nodes, "nodes of the fibers");
  else
    nodes64_ = Array<Node<double>>(backend, nodes, "nodes of the fibers");
  if (!far_.empty())
    far_nodes_ =
        Array<Node<float>>(backend, count * static_cast<std::size_t>(far_.front().rule.points), "nodes of the fibers");
}

PairLevels LevelSums::pair_levels() const {
  PairLevels of;
  of.poses = poses_;
  of.far_reach = far_reach_;
  for (const Near& near : near_) of.reach[of.levels++] = near.reach;
  return of;
}

void LevelSums::find_lists() {
  // A little wider than the distance of far pairs: the cell of a fiber is found with rounding.
  const double edge = far_reach_ * longest_ * (1 + 1e-9);
  cells_.position = poses_.position;
  cells_.box = poses_.box;
  cells_.coarse = coarse_cells_of(fibers_);
  if (cells_.box > 0) cells_.coarse = std::clamp(static_cast<int>(cells_.box / edge), 1, cells_.coarse);
  cells_.fine_per_length = cells_.fine / (cells_.box > 0 ? cells_.box / cells_.coarse : edge);
  CellBins& bins = bins_->cells;
  bins.use_cells(cells_.cells());
  bins.build("fibers.cells", fibers_, cells_);
  const int* const starts = bins.starts().data;
  parallel_for(backend_, "fibers.cells", Range1D{fibers_},
               OrderInCell{cells_, starts, bins.entries().data, in_order_.data()});
  const Candidates candidates{cells_, starts, in_order_.data()};
  const PairLevels level_of = pair_levels();
  const auto whole = static_cast<std::size_t>(fibers_) + 1;
  parallel_for(backend_, "fibers.close", Range1D{fibers_ + 1},
               CountPartners{candidates, level_of, fibers_, counts_.data()});
  ListPartners list{candidates, level_of, {}, {}};
  const auto take = [&](std::size_t c, Array<int>& begin, Array<int>& partners) {
    scan_.run(backend_, "fibers.close", counts_.data() + c * whole, begin.data(), whole);
    int total = 0;
    backend_.copy_to_host(&total, begin.data() + fibers_, sizeof total);
    at_least_size(backend_, partners, static_cast<std::size_t>(std::max(total, 1)), "partners of the fibers");
    list.begin[c] = begin.data();
    list.partners[c] = partners.data();
    return total;
  };
  const int neighbours = take(0, neighbour_begin_, close_partners_);
  for (std::size_t k = 0; k < near_.size(); ++k) near_[k].pairs = take(1 + k, near_[k].begin, near_[k].partners);
  parallel_for(backend_, "fibers.close", Range1D{fibers_}, list);
  parallel_for(backend_, "fibers.close", Range1D{fibers_ + 1},
               CountClose{mirrored_, fibers_, neighbour_begin_.data(), close_partners_.data(), counts_.data()});
  scan_.run(backend_, "fibers.close", counts_.data(), pair_begin_.data(), whole);
  backend_.copy_to_host(&close_, pair_begin_.data() + fibers_, sizeof close_);
  at_least_size(backend_, pairs_, static_cast<std::size_t>(std::max(close_, 1)), "close pairs");
  at_least_size(backend_, neighbours_, static_cast<std::size_t>(std::max(neighbours, 1)), "close pairs");
  parallel_for(backend_, "fibers.close", Range1D{fibers_},
               ListClosePairs{mirrored_, neighbour_begin_.data(), close_partners_.data(), pair_begin_.data(),
                              pairs_.data(), neighbours_.data()});
}

template <class Real>
void LevelSums::find_tensors(const FiberRule& rule, Array<Real>& theta) {
  at_least_size(backend_, theta, static_cast<std::size_t>(std::max(close_, 1)) * components_of(order_),
                "interaction of close fibers");
  pair_tensors(backend_, pairs_.data(), close_, order_, poses_, rule, doublet_, theta.data());
}

void LevelSums::find_extent() {
  double extent = 0.5 * std::sqrt(3.0) * poses_.box;
  if (poses_.box == 0) {
    Reduction<LargestSquare> largest(backend_);
    largest.start("fibers.extent", Range2D{fibers_, 1}, SquareFromFirst{poses_.position});
    largest.wait();
    extent = 2 * std::sqrt(largest.result().value);
  }
  for (Far& far : far_) far.empty = far.begin > 1.001 * extent;  // of fibers of any length
  if (!far_.empty()) far_.front().empty = false;                 // it also takes pairs that are NaN
}

void LevelSums::prepare(const Poses& poses, const FiberRule& rule, double doublet, double longest) {
  poses_ = poses;
  doublet_ = doublet;
  longest_ = longest;
  find_extent();
  find_lists();
  if (fp32_)
    find_tensors(rule, theta32_);
  else
    find_tensors(rule, theta64_);
}

FarView LevelSums::far_view(const Far& far) const {
  FarView view;
  view.fibers = fibers_;
  view.points = far.rule.points;
  view.chunks = far.chunks;
  view.poses = poses_;
  view.begin = far.begin;
  view.end = far.end;
  view.doublet = doublet_;
  view.order = in_order_.data();
  view.nodes = far_nodes_.data();
  for (int q = 0; q < far.rule.points; ++q) view.node[q] = static_cast<float>(far.rule.node[q]);
  return view;
}

template <class Real>
void LevelSums::sum_and_project(Product product, const double* f, double* sums, Array<Node<Real>>& nodes,
                                const Array<Real>& theta) {
  const int k0 = product == Product::weights ? 0 : 1, k1 = product == Product::weights ? 0 : order_;
  const int n0 = product == Product::forces ? 1 : 0, n1 = product == Product::velocities ? 1 : order_;
  const int values = 3 * (order_ + 1);
  const auto project = [&](bool is_first, const FiberRule& rule, const double* flow, int chunks) {
    parallel_for(backend_, "fibers.project", Range2D{order_ + 1, fibers_},
                 ProjectFlow<Real>{is_first, flow, f, theta.data(), neighbour_begin_.data(), neighbours_.data(), rule,
                                   fibers_, chunks, order_, n0, n1, k0, k1, sums});
  };
  for (const Near& near : near_) {
    const bool is_first = &near == &near_.front();
    if (!is_first && near.pairs == 0) continue;
    parallel_for(backend_, "fibers.spread", Range2D{near.rule.points, fibers_},
                 SpreadForces<Real>{poses_.half_axes(), f, near.rule, k0, k1, values, nodes.data()});
    NodeView<Real> view;
    view.fibers = fibers_;
    view.points = near.rule.points;
    view.position = poses_.position;
    view.half_axis = poses_.half_axes();
    view.box = poses_.box;
    view.doublet = doublet_;
    view.begin = near.begin.data();
    view.partners = near.partners.data();
    view.nodes = nodes.data();
    std::copy(near.rule.node, near.rule.node + near.rule.points, view.node);
    node_sums(backend_, view, near.chunks, near.flow.data());
    project(is_first, near.rule, near.flow.data(), near.chunks);
  }
  for (const Far& far : far_) {
    if (far.empty) continue;
    parallel_for(
        backend_, "fibers.spread", Range2D{far.rule.points, fibers_},
        SpreadForces<float>{poses_.half_axes(), f, far.rule, k0, k1, values, far_nodes_.data(), in_order_.data()});
    const FarView view = far_view(far);
    far_sums(backend_, view, far.flow.data());
    const std::size_t size = 3 * static_cast<std::size_t>(fibers_) * static_cast<std::size_t>(far.rule.points);
    if (far.chunks > 1)
      parallel_for(backend_, "fibers.project", Range1D{static_cast<int>(size)},
                   AddChunks{far.chunks, size, far.flow.data()});
    project(false, far.rule, far.flow.data(), 1);
  }
}

void LevelSums::product(Product product, const double* f, double* sums) {
  if (fp32_)
    sum_and_project<float>(product, f, sums, nodes32_, theta32_);
  else
    sum_and_project<double>(product, f, sums, nodes64_, theta64_);
}

double LevelSums::evaluations_per_pair() const {
  const auto count = static_cast<std::size_t>(fibers_);
  std::vector<double> x(3 * count), half(count, 1.0);
  backend_.copy_to_host(x.data(), poses_.position, x.size() * sizeof(double));
  if (poses_.unequal()) backend_.copy_to_host(half.data(), poses_.half_length, half.size() * sizeof(double));
  double evaluations = 0;
  for (const Near& near : near_) evaluations += static_cast<double>(near.pairs) * near.rule.points * near.rule.points;
  for (std::size_t m = 0; m < count; ++m)
    for (std::size_t l = 0; l < m; ++l) {
      const Vector3<double> d = fiber_separation(&x[3 * m], &x[3 * l], poses_.box);
      const double longer = std::max(half[m], half[l]), distance = std::sqrt(dot(d, d)) / longer;
      for (const Far& far : far_)
        if (distance >= far.begin && distance < far.end) evaluations += 2.0 * far.rule.points * far.rule.points;
    }
  return evaluations / std::max(1.0, static_cast<double>(fibers_) * (fibers_ - 1.0));
}

void far_sums(Backend& backend, const FarView& view, double* flow) {
  (backend.is_cuda() ? detail::far_sums_cuda : detail::far_sums_cpu)(backend, view, flow);
}

LaunchShape far_shape(const Backend& backend) { return backend.is_cuda() ? detail::far_shape_cuda() : LaunchShape{}; }

}  // namespace perturb::fibers
