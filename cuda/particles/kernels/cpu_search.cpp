#include "cuda/particles/kernels/cpu_search.h"

#include <algorithm>

#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/loops/atomic.h"
#include "cuda/core/math/simd.h"

namespace perturb::particles {

namespace {

constexpr int wall_place = -1;                  // an edge's q
constexpr int no_edge = -1, has_collided = -2;  // instead of the least edge of a disc
constexpr int discs_worth_a_thread = 256, edges_worth_threads = 4096;

// ---- search

template <class Real, bool contract>
struct FindEdges {
  const Backend& backend;
  const Grid<Real>& grid;
  Cells cells;
  const int* starts;
  const Real *x, *y, *vx, *vy;
  Real wide2;  // wide_reach2

  static constexpr int block = CpuSearch<Real>::block;
  // Pairs that may touch, by position, before the exact test.
  static constexpr int batch = 1024;
  struct Batch {
    int count = 0;
    int p[batch + block], q[batch + block];
  };
  struct Edges {
    CpuEdge<Real>* list;
    int room, count = 0;
    void add(Real time, int p, int q, bool is_one) {
      if (count < room) list[count] = {time, p, q};
      count += is_one ? 1 : 0;
    }
  };

  // Tests the discs in [begin, end) against those that come after them. Returns the number of edges; those beyond
  // `room` are only counted.
  int run(int begin, int end, CpuEdge<Real>* list, int room) const {
    Edges edges{list, room};
    Batch batched;
    const Real per_x = static_cast<Real>(cells.per_x), per_y = static_cast<Real>(cells.per_y);
    const int nx = cells.nx, ny = cells.ny;
    // Discs that cross the whole box are tested against all others: a search among many of them takes minutes.
    constexpr int discs_between_stops = 16;
    for (int e = begin; e < end; ++e) {
      if ((e - begin) % discs_between_stops == 0 && backend.stop_requested()) break;
      const Disc<Real> self{x[e], y[e], vx[e], vy[e]};
      if (comes_near_wall(self, grid.radius, grid.box)) {
        const WallHit<Real> hit = wall_hit(self, grid.radius, grid.box);
        edges.add(hit.time, e, wall_place, hit.time <= Real(1));
      }
      // The cell is computed exactly as for the bins, so that its neighbours match.
      const int cx = cell_index((self.x + self.vx * Real(0.5)) * per_x, nx);
      const int cy = cell_index((self.y + self.vy * Real(0.5)) * per_y, ny);
      const int left = cx > 0 ? cx - 1 : 0, right = cx + 1 < nx ? cx + 1 : cx;
      const int* row = starts + static_cast<std::ptrdiff_t>(cy) * nx;
      gather(e, self, e + 1, row[right + 1], batched, edges);
      if (cy + 1 < ny) gather(e, self, row[nx + left], row[nx + right + 1], batched, edges);
    }
    look(batched, edges);
    return edges.count;
  }

  // Tests the discs in [from, to). They usually fit into one block. It runs even if the range is empty: this avoids a
  // branch that could be mispredicted.
  void gather(int e, const Disc<Real>& self, int from, int to, Batch& batched, Edges& edges) const {
    for (int first = from;; first += block) {
      const int here = to - first < block ? to - first : block;
      const unsigned mask = fits(self, first) & ((1u << here) - 1u);
      for (int k = 0; k < block; ++k) batched.p[batched.count + k] = e;
      batched.count += append_marked(mask, first, batched.q + batched.count);
      if (batched.count >= batch) [[unlikely]]
        look(batched, edges);
      if (first + block >= to) break;
    }
  }

  // The part of pair_time before the root. In addition, discs that touch within the step are no farther apart than they
  // can travel in it: |d| <= reach + |w|, hence d² - reach² - w² <= 2 reach |w|. A number that is not negative has no
  // sign bit. A NaN never leads to a collision, whatever its sign.
  unsigned fits(const Disc<Real>& self, int first) const {
    const Real reach = grid.radius + grid.radius;
    Real fit[block];
    for (int k = 0; k < block; ++k) {
      const Real dx = x[first + k] - self.x, dy = y[first + k] - self.y;
      const Real wx = vx[first + k] - self.vx, wy = vy[first + k] - self.vy;
      const Real a = product_sum<contract>(wx, wx, wy * wy);
      const Real b = Real(2) * product_sum<contract>(dx, wx, dy * wy);
      const Real c = product_sum<contract>(dx, dx, product_sum<contract>(dy, dy, -(reach * reach)));
      const Real discriminant = product_sum<contract>(b, b, -(Real(4) * a * c));
      const Real beyond = c - a, within = wide2 * a - (beyond > Real(0) ? beyond : Real(0)) * beyond;
      const Real least = -b < discriminant ? -b : discriminant;
      fit[k] = (least < within ? least : within) + Real(0);  // -0 becomes 0
    }
    return unsigned_mask(fit);
  }

  void look(Batch& batched, Edges& edges) const {
    const Real reach = grid.radius + grid.radius;
    for (int c = 0; c < batched.count; ++c) {
      const int p = batched.p[c], q = batched.q[c];
      const Real time =
          pair_time<contract>(Disc<Real>{x[p], y[p], vx[p], vy[p]}, Disc<Real>{x[q], y[q], vx[q], vy[q]}, reach);
      edges.add(time, p, q, time <= Real(1));
    }
    batched.count = 0;
  }
};

// ---- filter
//
// In a round every disc finds the least of its edges. An edge that is the least of both its discs is taken, and edges
// of discs that have now collided are dropped. The remaining edges move up to the beginning of their band.

template <class Real>
struct EdgeRounds {
  const Grid<Real>& grid;
  const int* entries;
  CpuEdge<Real>* edges;
  int* least;  // of each disc by its position: an edge, or no_edge or has_collided
  Claim* claims;

  bool before(const CpuEdge<Real>& one, const CpuEdge<Real>& other) const {
    if (one.time != other.time) return one.time < other.time;
    int p, q, other_p, other_q;
    ids(one, p, q);
    ids(other, other_p, other_q);
    return earlier_by_id(p, q, other_p, other_q);
  }
  void ids(const CpuEdge<Real>& edge, int& p, int& q) const {
    p = grid.ids[entries[edge.p]];
    q = -1;
    if (edge.q == wall_place) return;
    q = grid.ids[entries[edge.q]];
    if (q < p) std::swap(p, q);
  }

  void update_least(int place, int e) const {
    int old = relaxed_load(least[place]);
    while ((old < 0 || before(edges[e], edges[old])) && !atomic_compare_exchange(least[place], old, e)) {
    }
  }
  void update_all_least(int first, int count) const {
    for (int e = first; e < first + count; ++e) {
      update_least(edges[e].p, e);
      if (edges[e].q != wall_place) update_least(edges[e].q, e);
    }
  }
  // Marks both discs of a taken edge as collided. A thread that checks another edge of these discs reads either a
  // different edge number or this mark: both have the same effect.
  void take(int first, int count) const {
    for (int e = first; e < first + count; ++e) {
      const int p = edges[e].p, q = edges[e].q;
      if (relaxed_load(least[p]) != e) continue;
      if (q == wall_place) {
        claims[entries[p]] = claim_of(wall_partner) | taken_bit;
      } else {
        if (relaxed_load(least[q]) != e) continue;
        claims[entries[p]] = claim_of(entries[q]) | taken_bit;
        claims[entries[q]] = claim_of(entries[p]) | taken_bit;
        relaxed_store(least[q], has_collided);
      }
      relaxed_store(least[p], has_collided);
    }
  }
  // Returns the number of edges that remain.
  int drop(int first, int count) const {
    int kept = first;
    for (int e = first; e < first + count; ++e) {
      const CpuEdge<Real> edge = edges[e];
      if (relaxed_load(least[edge.p]) == has_collided) continue;
      if (edge.q != wall_place) {
        if (relaxed_load(least[edge.q]) == has_collided) continue;
        relaxed_store(least[edge.q], no_edge);
      }
      relaxed_store(least[edge.p], no_edge);
      edges[kept++] = edge;
    }
    return kept - first;
  }
};

}  // namespace

template <class Real>
CpuSearch<Real>::CpuSearch(Backend& backend, std::size_t count)
    : x_(backend, count + block, "sorted x"),
      y_(backend, count + block, "sorted y"),
      vx_(backend, count + block, "sorted vx"),
      vy_(backend, count + block, "sorted vy"),
      least_(backend, count, "least candidates"),
      edges_(backend, usual_edges(count), "candidates") {}

template <class Real>
std::size_t CpuSearch<Real>::bytes_for(std::size_t count) {
  return count * (4 * sizeof(Real) + sizeof(int)) + usual_edges(count) * sizeof(CpuEdge<Real>);
}

template <class Real>
void CpuSearch<Real>::run(Backend& backend, const Grid<Real>& grid, const StepControl& control, const int* starts,
                          const int* entries, Claim* claims, bool contract) {
  find(backend, grid, control, starts, contract);
  filter(backend, grid, entries, claims);
}

template <class Real>
void CpuSearch<Real>::find(Backend& backend, const Grid<Real>& grid, const StepControl& control, const int* starts,
                           bool contract) {
  const KernelTimer timer(backend, "particles.find");
  CpuThreads& pool = static_cast<CpuBackend&>(backend).pool();
  const int bands = std::clamp(grid.count / discs_worth_a_thread, 1, pool.count());
  if (bands_.size() != static_cast<std::size_t>(bands)) run_timed(edges_.size(), bands);
  const Real wide2 = wide_reach2(grid, control);
  const auto with = [&](const auto& finder) {
    const auto body = [&](int from, int to) {
      for (int b = from; b < to; ++b) {
        const auto at = [&](int k) { return static_cast<int>(static_cast<std::int64_t>(grid.count) * k / bands); };
        Band& band = bands_[static_cast<std::size_t>(b)];
        band.count = finder.run(at(b), at(b + 1), edges_.data() + band.first, band.room);
      }
    };
    for (;;) {
      pool.for_row_blocks(bands, 1, RowBlock(body));
      backend.stop_point();  // nothing but scratch has been written
      int most = 0;
      bool fits = true;
      for (const Band& band : bands_) {
        most = std::max(most, band.count);
        fits = fits && band.count <= band.room;
      }
      if (fits) return;
      // The list was too short: search again with a longer one.
      const auto room = static_cast<std::size_t>(bands) * (static_cast<std::size_t>(most) + most / 4);
      Array<CpuEdge<Real>> longer(backend, room, "candidates");  // may throw: nothing has changed yet
      edges_ = std::move(longer);
      run_timed(room, bands);
    }
  };
  if (contract)
    with(FindEdges<Real, true>{backend, grid, control.cells, starts, x_.data(), y_.data(), vx_.data(), vy_.data(),
                               wide2});
  else
    with(FindEdges<Real, false>{backend, grid, control.cells, starts, x_.data(), y_.data(), vx_.data(), vy_.data(),
                                wide2});
}

template <class Real>
void CpuSearch<Real>::run_timed(std::size_t room, int bands) {
  bands_.assign(static_cast<std::size_t>(bands), {});
  const int each = static_cast<int>(room / static_cast<std::size_t>(bands));
  for (int b = 0; b < bands; ++b) bands_[static_cast<std::size_t>(b)] = {b * each, each, 0};
}

template <class Real>
void CpuSearch<Real>::filter(Backend& backend, const Grid<Real>& grid, const int* entries, Claim* claims) {
  const KernelTimer timer(backend, "particles.filter");
  CpuThreads& pool = static_cast<CpuBackend&>(backend).pool();
  const EdgeRounds<Real> rounds{grid, entries, edges_.data(), least_.data(), claims};
  const int bands = static_cast<int>(bands_.size());
  for (;;) {
    std::int64_t live = 0;
    for (const Band& band : bands_) live += band.count;
    if (live == 0) return;
    // Waking threads does not pay for few edges.
    const int together = live < edges_worth_threads ? bands : 1;
    const auto each = [&](const auto& body) {
      const auto block_of_bands = [&](int from, int to) {
        for (int b = from; b < to; ++b) body(bands_[static_cast<std::size_t>(b)]);
      };
      pool.for_row_blocks(bands, together, RowBlock(block_of_bands));
    };
    each([&](Band& band) { rounds.update_all_least(band.first, band.count); });
    each([&](Band& band) { rounds.take(band.first, band.count); });
    each([&](Band& band) { band.count = rounds.drop(band.first, band.count); });
  }
}

template class CpuSearch<float>;
template class CpuSearch<double>;

}  // namespace perturb::particles
