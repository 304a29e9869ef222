#include <algorithm>
#include <cstdint>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/loops/skewed_rows.h"
#include "cuda/core/math/simd.h"
#include "cuda/lbm/kernels/kernels.h"
#include "cuda/lbm/kernels/launches.h"
#include "cuda/lbm/model/curved.h"

namespace perturb::lbm {

namespace {

// Inputs and outputs of a row's cells. Held by value: through a reference the compiler must assume that
// storing to a row may change it.
struct Row {
  const float* in[lbm_links];   // the rows below, at and above this one, from which each link pulls, aligned to this
                                // row's columns
  const float* own[lbm_links];  // the row itself
  float* out[lbm_links];
  const std::uint8_t* boundary_links;  // null: no boundary links in this row
  // Momentum term of the bottom or top side (side_momentum_term); zero for links that do not cross a side.
  float push[lbm_links];
};

// Returns the cell's load.
template <int Features, bool Marked>
inline float update_cell(const Row& row, const Rates& rates, int i) {
  float g[lbm_links] = {row.in[0][i],     row.in[1][i - 1], row.in[2][i],     row.in[3][i + 1], row.in[4][i],
                        row.in[5][i - 1], row.in[6][i + 1], row.in[7][i + 1], row.in[8][i - 1]};
  if constexpr (Marked) {
    const int mask = row.boundary_links[i];
    // Both values are named: otherwise clang turns the selection into a branch and moves the load into it, and each
    // vector lane then loads separately.
    const auto apply_link = [&](int q, int opposite) {
      const float bounced_back = row.own[opposite][i] + row.push[q], arrived = g[q];
      g[q] = (mask & (1 << (q - 1))) != 0 ? bounced_back : arrived;
    };
    apply_link(1, 3);
    apply_link(2, 4);
    apply_link(3, 1);
    apply_link(4, 2);
    apply_link(5, 7);
    apply_link(6, 8);
    apply_link(7, 5);
    apply_link(8, 6);
  }
  const float load = lbm_collide_freely<Features>(g, rates);
  if constexpr (Marked) {
    const bool solid = row.boundary_links[i] == all_links;
    g[0] = solid ? 0.f : g[0];
    g[1] = solid ? 0.f : g[1];
    g[2] = solid ? 0.f : g[2];
    g[3] = solid ? 0.f : g[3];
    g[4] = solid ? 0.f : g[4];
    g[5] = solid ? 0.f : g[5];
    g[6] = solid ? 0.f : g[6];
    g[7] = solid ? 0.f : g[7];
    g[8] = solid ? 0.f : g[8];
  }
  row.out[0][i] = g[0];
  row.out[1][i] = g[1];
  row.out[2][i] = g[2];
  row.out[3][i] = g[3];
  row.out[4][i] = g[4];
  row.out[5][i] = g[5];
  row.out[6][i] = g[6];
  row.out[7][i] = g[7];
  row.out[8][i] = g[8];
  return load;
}

// Steps the cells of one row whose load exceeds the limit again, with the limiter. Not inlined: such cells are rare.
template <int Features>
struct LimitedCells {
  const StepParams& p;
  const Populations<float>&from, &to;
  int j;
  [[gnu::noinline]] void operator()(const float* loads, int begin, int end) const {
    for (int i = begin; i < end; ++i)
      if (lbm_exceeds(loads[i - begin])) cell_step<float, Features>(p, from, to, i, j);
  }
};

// Columns begin .. end-1. (`flatten`: a cell that is not inlined would prevent vectorisation.)
template <int Features, bool Marked>
PERTURB_SINGLE_FUNCTION __attribute__((flatten)) void update_cells(const Row row, const Rates rates, int begin, int end,
                                                                   const LimitedCells<Features>& limited) {
  for (int first = begin; first < end; first += lbm_piece) {
    const int last = std::min(first + lbm_piece, end);
    float loads[lbm_piece];
    int exceeds = 0;
    PERTURB_INDEPENDENT_ITERATIONS
    for (int i = first; i < last; ++i) {
      const float load = update_cell<Features, Marked>(row, rates, i);
      loads[i - first] = load;
      exceeds |= lbm_exceeds(load) ? 1 : 0;
    }
    if (exceeds != 0) limited(loads, first, last);
  }
}

// Columns 1 .. last-1.
template <int Features, bool Marked>
__attribute__((flatten)) void update_inner(const Row row, const Rates rates, int last,
                                           const LimitedCells<Features>& limited) {
  // Rows start on a cache line, so whole vectors that start at a multiple of `lanes` are written without
  // straddling two lines. The remainder at each end is one vector that overlaps the others:
  // no cell is read where it is written.
  constexpr int lanes = row_lanes;
  const RowVectors whole = row_vectors(last, lanes, min_row_vectors);
  if (whole.empty()) {
    update_cells<Features, Marked>(row, rates, 1, last, limited);
    return;
  }
  update_cells<Features, Marked>(row, rates, 1, 1 + lanes, limited);
  update_cells<Features, Marked>(row, rates, last - lanes, last, limited);
  update_cells<Features, Marked>(row, rates, whole.begin, whole.end, limited);
}

// A cell outside the vector loop. (Inlined: as a call it costs a small box a sixth of its time.)
template <int Features>
PERTURB_SINGLE_FUNCTION void update_at(const StepParams& p, const Populations<float>& from,
                                       const Populations<float>& to, int i, int j) {
  cell_step<float, Features>(p, from, to, i, j);
}

// Whether a side's boundary populations are uniform along it and depend on one population only.
bool is_simple(const Side& side) { return !reads_cell(side.kind); }

// Boundary populations of the left or right side, for a cell that touches no other boundary. These are most of the
// boundary cells of a small box.
struct End {
  int mask = 0;  // links that cross the side; 0: its boundary populations are not uniform along it
  float push[lbm_links] = {};
};

End end_of(const StepParams& p, int i) {
  End end;
  const Side& side = i == 0 ? p.left : p.right;
  if (side.kind == Boundary::periodic || !is_simple(side)) return end;
  for (int q = 1; q < lbm_links; ++q) {
    if (lbm_ex(q) != (i == 0 ? 1 : -1)) continue;
    end.mask |= 1 << (q - 1);
    end.push[q] = side_momentum_term(p, {true, true, side}, q, i, 0);
  }
  return end;
}

struct Ends {
  End left, right;
};

// The leftmost cell of a row (Ex: 1) or the rightmost (-1) whose boundary links are exactly those of the side.
template <int Features, int Ex>
inline void update_end(const Row& row, const Rates& rates, const End& end, int i) {
  float g[lbm_links];
  for (int q = 0; q < lbm_links; ++q)
    g[q] = lbm_ex(q) == Ex ? row.own[lbm_opposite(q)][i] + end.push[q] : row.in[q][i - lbm_ex(q)];
  lbm_collide<Features>(g, rates);
  for (int q = 0; q < lbm_links; ++q) row.out[q][i] = g[q];
}

template <int Features>
void update_row(const StepParams& p, const Ends& ends, const Populations<float>& from, const Populations<float>& to,
                int j) {
  const int width = p.width, last = width - 1;
  // Beyond a side that is not periodic there are no valid cells, and another thread may be writing that memory. The
  // row itself is read instead; the boundary links discard what is read.
  const bool wraps = p.bottom.kind == Boundary::periodic;
  const int below = j > 0 ? j - 1 : wraps ? p.height - 1 : j, above = j + 1 < p.height ? j + 1 : wraps ? 0 : j;
  const bool rim = (j == 0 && is_single_row(p.bottom)) || (j == p.height - 1 && is_single_row(p.top));
  if (width < 3 || rim) {
    for (int i = 0; i < width; ++i) update_at<Features>(p, from, to, i, j);
    return;
  }
  Row row{};
  for (int q = 0; q < lbm_links; ++q) {
    row.in[q] = from.row(q, lbm_ey(q) > 0 ? below : lbm_ey(q) < 0 ? above : j);
    row.own[q] = from.row(q, j);
    row.out[q] = to.row(q, j);
  }
  const LimitedCells<Features> limited{p, from, to, j};
  const bool marked =
      !p.links.empty() && next_marked_cell(p.links.row(j), 1, last) < last;  // the end cells are computed separately
  if (marked) {
    row.boundary_links = p.links.row(j);
    for (int q = 1; q < lbm_links; ++q) {
      const Crossing crossing = lbm_crossing(p, q, 1, j);  // at a column that touches no other side
      row.push[q] = crossing.any ? side_momentum_term(p, crossing, q, 1, j) : 0.f;
    }
    update_inner<Features, true>(row, p.rates, last, limited);
  } else {
    update_inner<Features, false>(row, p.rates, last, limited);
  }
  const auto is_plain = [&](const End& end, int i) { return end.mask != 0 && p.links(i, j) == end.mask; };
  if (is_plain(ends.left, 0))
    update_end<Features, 1>(row, p.rates, ends.left, 0);
  else
    update_at<Features>(p, from, to, 0, j);
  if (is_plain(ends.right, last))
    update_end<Features, -1>(row, p.rates, ends.right, last);
  else
    update_at<Features>(p, from, to, last, j);
}

// Steps the cells of a row next to curved walls again. Other threads may be reading the row, so the boundary
// populations are not written into it.
template <int Features>
void update_curved(const StepParams& p, const CurvedRows& curved, const Populations<float>& from,
                   const Populations<float>& to, int j) {
  const auto row = static_cast<std::size_t>(j);
  const CurvedRows::Link* const end = curved.links.data() + curved.begins[row + 1];
  for (const CurvedRows::Link* link = curved.links.data() + curved.begins[row]; link < end;) {
    const int i = link->i;
    float own[lbm_links], g[lbm_links];
    from.load(i, j, own);
    for (; link < end && link->i == i; ++link)
      own[lbm_opposite(link->q)] = curved.curve.population(from, link->q, i, j, link->weights);
    gather_from(neighbours_within(p, i, j), from, i, j, g);
    apply_boundaries(p, own, p.links(i, j), i, j, g);
    lbm_collide<Features>(g, p.rates);
    to.store(i, j, g);
  }
}

template <int Features>
void run(Backend& backend, const StepParams& params, const Populations<float>& from, const Populations<float>& to,
         int steps, const CurvedRows& curved) {
  CpuThreads& pool = static_cast<CpuBackend&>(backend).pool();
  const KernelTimer timer(backend, steps == 1 ? "lbm.fused" : "lbm.temporal");
  const StepParams local = params;
  const Ends ends{end_of(params, 0), end_of(params, params.width - 1)};
  const auto update = [&local, &ends, &curved, &from, &to](int j, int level) {
    const Populations<float>&now = level % 2 == 0 ? from : to, &next = level % 2 == 0 ? to : from;
    update_row<Features>(local, ends, now, next, j);
    if (!curved.empty()) update_curved<Features>(local, curved, now, next, j);
  };
  for_skewed_rows(pool, cpu_rows(pool.count(), params, steps, !curved.empty()), update);
}

}  // namespace

int cpu_max_steps(int width, int reach) {
  // A pass of T steps keeps reach T + 2 rows of both copies in use; they must fit into the second-level cache.
  constexpr std::int64_t cache = 1 << 20;  // bytes available to a thread
  constexpr std::int64_t max_levels = 8;   // with more steps per pass arithmetic is the limit
  const std::int64_t row = 2LL * lbm_links * static_cast<std::int64_t>(sizeof(float)) * width;
  const std::int64_t fit = (cache / row - 2) / reach;
  return static_cast<int>(fit < 2 ? 1 : std::min(fit, max_levels) / 2 * 2);
}

void cpu_steps(Backend& backend, const StepParams& params, const Populations<float>& from, const Populations<float>& to,
               int features, int steps, const CurvedRows& curved) {
  PERTURB_ASSERT(steps >= 1);
  with_features(features,
                [&](auto constant) { run<decltype(constant)::value>(backend, params, from, to, steps, curved); });
}

}  // namespace perturb::lbm
