// Takes steps: measures which search method is the fastest, holds its memory, and runs the loops of model/collisions.h
// in order. For files under cuda/ only, like reduce.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/loops/cell_bins.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/kernel_choice.h"
#include "cuda/particles/kernels/all_pairs.h"
#include "cuda/particles/kernels/cpu_search.h"
#include "cuda/particles/kernels/kernels.h"
#include "cuda/particles/model/collisions.h"
#include "cuda/particles/model/discs.h"
#include "cuda/particles/model/grid.h"
#include "cuda/particles/model/plan.h"

namespace perturb::particles {

// Sorts discs by their cells, so that neighbours in the box are neighbours in memory. Within a cell by id, so that the
// order (and with it every sum over discs) does not depend on which thread came first.
struct OrderCell {
  const int* starts;
  int* entries;
  const int* ids;
  PERTURB_HD void operator()(int cell) const {
    const int from = starts[cell], to = starts[cell + 1];
    for (int e = from + 1; e < to; ++e) {
      const int moved = entries[e], id = ids[moved];
      int at = e;
      for (; at > from && ids[entries[at - 1]] > id; --at) entries[at] = entries[at - 1];
      entries[at] = moved;
    }
  }
};
template <class Real>
struct ReorderDiscs {
  const int* entries;
  const Disc<Real>* discs;
  const int* ids;
  const std::uint32_t* wall_collisions;
  const std::uint32_t* disc_collisions;
  Disc<Real>* to_discs;
  int* to_ids;
  std::uint32_t* to_wall_collisions;
  std::uint32_t* to_disc_collisions;
  PERTURB_HD void operator()(int k) const {
    const int from = entries[k];
    to_discs[k] = discs[from];
    to_ids[k] = ids[from];
    to_wall_collisions[k] = wall_collisions[from];
    to_disc_collisions[k] = disc_collisions[from];
  }
};

// Sorts discs into the cells of `control`, and stores them in the order of their cells (by id within a cell). All discs
// must be equal and fit in the cells. Scratch of the step is overwritten.
template <class Real>
void reorder_discs(Backend& backend, Storage<Real>& discs, Grid<Real>& grid, CellBins& bins,
                   const StepControl* control) {
  bins.build("particles.sort", grid.count, CellOfEntry<Real>{grid, control});
  const std::size_t bytes = static_cast<std::size_t>(grid.count) * sizeof(int);
  parallel_for(backend, "particles.reorder", Range1D{static_cast<int>(bins.max_cells())},
               OrderCell{bins.starts().data, bins.entries().data, discs.ids.data()});
  parallel_for(backend, "particles.reorder", Range1D{grid.count},
               ReorderDiscs<Real>{bins.entries().data, discs.discs.data(), discs.ids.data(),
                                  discs.wall_collisions.data(), discs.disc_collisions.data(), discs.next.data(),
                                  discs.list.data(), reinterpret_cast<std::uint32_t*>(discs.other_list.data()),
                                  reinterpret_cast<std::uint32_t*>(discs.claims.data())});
  discs.discs.swap(discs.next);
  grid.discs = discs.discs.data();
  backend.copy_within(discs.ids.data(), discs.list.data(), bytes);
  backend.copy_within(discs.wall_collisions.data(), discs.other_list.data(), bytes);
  backend.copy_within(discs.disc_collisions.data(), discs.claims.data(), bytes);
}

// ---- all pairs
//
// The paper's search: pairs on the device, order and filter on the host. Its time grows with the square of the number
// of discs.

template <class Real, bool contract>
class AllPairsSearch {
 public:
  explicit AllPairsSearch(Backend& backend) : backend_(backend), counter_(backend, 1, "number of candidates") {}

  // Allocates the smallest list of candidates for this number of discs. Throws InputError when memory is short; the
  // discs are unchanged then.
  void prepare(int count) {
    const std::size_t usual = 1024 + 4 * static_cast<std::size_t>(count);
    if (found_.size() < usual) make_room(count, usual);
  }

  // The collisions of the last search, and their number.
  const SettledCollision* collisions() const { return collisions_.data(); }
  int settled() const { return settled_; }

  // Fills the claims of the discs: which of them collide, and with which partner. Changes nothing else. May be
  // cancelled.
  void find(Storage<Real>& discs, const Grid<Real>& grid, const PairsLaunch& launch) {
    const InterruptibleScope here(backend_);
    prepare(grid.count);
    std::int64_t found = 0;
    for (;;) {
      counter_.fill_zero();
      const CheckPairs<Real, contract> check{grid, found_.data(), static_cast<std::int64_t>(found_.size()),
                                             counter_.data()};
      parallel_for_in_blocks(backend_, "particles.check_walls", Range1D{grid.count}, launch.discs_block,
                             CheckWalls<Real, contract>{check});
      if (backend_.is_cuda()) {
        check_all_pairs(backend_, check, launch);
      } else {
        const int columns = grid.count | 1;
        parallel_for(backend_, "particles.check_pairs", Range2D{columns, columns / 2}, check);
      }
      backend_.copy_to_host(&found, counter_.data(), sizeof found);
      const auto many = static_cast<std::size_t>(found);
      if (many <= found_.size()) break;
      // The list was too short: search again with a longer one.
      make_room(grid.count, many + many / 4);
    }
    filter(discs, static_cast<std::size_t>(grid.count), static_cast<std::size_t>(found));
  }

 private:
  void make_room(int count, std::size_t candidates) {
    found_ = {};  // scratch: nothing is lost if a later allocation fails
    try {
      found_ = Array<PairCandidate<Real>>(backend_, candidates, "candidates of all pairs");
      const auto max_count = static_cast<std::size_t>(count);
      if (collisions_.size() < max_count)
        collisions_ = Array<SettledCollision>(backend_, max_count, "collisions of a step");
    } catch (const Error&) {
      throw InputError(
          "The kernel all-pairs lists all possible collisions. For {} discs this needs {}, and {} are free on {}. "
          "Choose the kernel grid, fewer discs or lower speeds.",
          count, format_bytes(candidates * sizeof(PairCandidate<Real>)), format_bytes(backend_.free_memory()),
          backend_.device_name());
    }
  }

  void filter(Storage<Real>& discs, std::size_t count, std::size_t found) {
    std::vector<PairCandidate<Real>> candidates(found);
    found_.download(std::span<PairCandidate<Real>>(candidates));
    std::vector<int> best(count);
    std::vector<unsigned char> taken(count);
    {
      const KernelTimer timer(backend_, "particles.host_filter");
      filter_candidates(candidates, discs.ids.download(), best, taken);
    }
    std::vector<Claim> claims(count);
    std::vector<SettledCollision> collisions;
    for (std::size_t k = 0; k < claims.size(); ++k) {
      claims[k] = claim_of(best[k]) | (taken[k] ? taken_bit : 0);
      const int own = static_cast<int>(k);
      if (taken[k] && (best[k] < 0 || best[k] > own)) collisions.push_back({own, best[k] < 0 ? -1 : best[k]});
    }
    discs.claims.upload(claims);
    collisions_.upload(collisions);
    settled_ = static_cast<int>(collisions.size());
  }

  Backend& backend_;
  Array<std::int64_t> counter_;
  Array<PairCandidate<Real>> found_;
  Array<SettledCollision> collisions_;
  int settled_ = 0;
};

// Values that do not change from step to step. Lengths; `radius` of the largest disc in cells.
struct StepConstants {
  double width = 1, height = 1, radius = 1;
  WallUnits units;
  int count = 0;
  bool unequal = false;
};

template <class Real, bool contract>
class Stepper {
 public:
  explicit Stepper(Backend& backend)
      : backend_(backend),
        tiles_available_(tiles_available(backend)),
        control_(backend, 1, "control block"),
        all_pairs_(backend),
        control_readback_(backend, sizeof(StepControl)),
        choice_(backend, AutoKernel::Choices{"particles", search_way_names(), false}) {}

  // The discs have been replaced; none has a velocity component above `fastest`. If memory runs out, nothing changes.
  // `gains`: the exchange with walls so far, if it is that of another state.
  void replace_discs(const StepConstants& constants, double fastest, const std::optional<WallGains>& gains = {}) {
    const std::vector<std::size_t> ways = candidates(constants, fastest);
    const SearchPlan plan = search_plan(ways.front());
    Search search;
    make_room(search, constants, plan);
    // Nothing below allocates memory of the device.
    search_ = std::move(search);
    constants_ = constants;
    plan_ = plan;
    fastest_ = fastest;
    if (readback_started_) control_readback_.wait();  // of the former discs
    readback_started_ = false;
    StepControl control = control_.download()[0];
    control.fastest = static_cast<float>(fastest) * 1.000001f;
    control.edges = control.max_edges = 0;
    if (gains) control.gains = *gains;
    control_.upload(std::span<const StepControl>(&control, 1));
    invalidate();
  }
  // Call after anything except a step has changed the discs.
  void invalidate() { update_is_due_ = true; }

  // Takes `count` steps by `take_step()`, which calls step() below with these discs. Meanwhile the search methods
  // alternate until the fastest is known; their results are bit-identical. `world()`: the discs at that time.
  template <class World, class TakeStep>
  void run_timed(std::int64_t count, Storage<Real>& discs, const World& grid, const TakeStep& take_step) {
    const auto describe = [&] {
      if (update_is_due_ || steps_since_update_ >= steps_between_updates) update_plan(discs, grid());
      return AutoKernel::Work{kind_, candidates_, steps_between_updates - steps_since_update_};
    };
    choice_.run_timed(count, describe, [&](std::int64_t steps, std::size_t way) {
      const SearchPlan plan = search_plan(way);
      make_room(search_, constants_, plan);
      plan_ = plan;
      for (std::int64_t k = 0; k < steps; ++k, ++steps_since_update_) take_step();
    });
  }
  // Measured times of the search methods, as text.
  Message choice() const { return choice_.text(); }

  // Takes one step of all discs. If `pairs` has blocks, it uses the paper's search of all pairs.
  void step(Storage<Real>& discs, const Grid<Real>& grid, const PairsLaunch& pairs) {
    const SettleDiscs<Real, contract> settle{grid,
                                             discs.claims.data(),
                                             discs.next.data(),
                                             discs.wall_collisions.data(),
                                             discs.disc_collisions.data(),
                                             control_.data(),
                                             constants_.units};
    if (pairs.block > 0) {
      all_pairs_.find(discs, grid, pairs);
      parallel_for_in_blocks(backend_, "particles.settle_collisions", Range1D{all_pairs_.settled()}, pairs.discs_block,
                             SettleCollisions<Real, contract>{settle, all_pairs_.collisions()});
      parallel_for_in_blocks(backend_, "particles.update", all(), pairs.discs_block,
                             UpdateDiscs<Real, contract>{settle, discs.claims.data()});
    } else {
      search(discs, grid);
      parallel_for(backend_, "particles.settle", all(), settle);
    }
    discs.discs.swap(discs.next);
  }

  // Allocates memory for the paper's search of all pairs of this number of discs. Throws InputError if memory is short;
  // the discs are unchanged then.
  void prepare_all_pairs(int count) { all_pairs_.prepare(count); }

  StepControl* control() const { return control_.data(); }
  LaunchShape launch_shape() const {
    constexpr bool single = std::is_same_v<Real, float>;
    return plan_.by_tiles ? tiles_shape(single, contract) : particles_find_shape(single, contract, plan_.slices > 1);
  }

  // Most bytes that a scene needs, however fast the discs become.
  static std::size_t bytes_for(const Backend& backend, std::size_t count) {
    const auto slices = static_cast<std::size_t>(max_slices(static_cast<int>(count)));
    return CellBins::bytes_of(count * slices, max_cells_of(count, static_cast<int>(slices))) +
           count * sizeof(Disc<Real>) + (backend.is_cuda() ? 0 : CpuSearch<Real>::bytes_for(count)) +
           (tiles_available(backend) ? TileStorage<Real>::bytes_for(count) : 0);
  }

 private:
  static constexpr int steps_between_updates = 64;  // between updates of the speed and of the order in memory
  static constexpr int many_tries = 16,
                       few_tries = 3;         // checks of a partner's claim on CUDA, where the partner decides at the
                                              // same time
  static constexpr int many_discs = 1 << 17;  // more than run at once
  static constexpr int round_threads = 1 << 17;
  static constexpr int one_block_takes = 4096;  // discs that one block can process from the beginning
  static constexpr int cached_discs = 1024;     // this number of discs fits in a cache, in any order
  static constexpr double max_in_cell = 16;     // if cells hold more, their order means little

  // Memory of the search: enough for each method that it was made for.
  struct Search {
    CellBins bins;
    CpuSearch<Real> rows;      // CPU
    Array<Disc<Real>> sorted;  // CUDA, one slice
    TileStorage<Real> tiles;
  };
  using Tiles = TileStorage<Real>;

  Range1D all() const { return {constants_.count}; }
  std::size_t count() const { return static_cast<std::size_t>(constants_.count); }

  std::vector<std::size_t> candidates(const StepConstants& constants, double fastest) const {
    return search_candidates<Real>(constants.width, constants.height, constants.radius, fastest, constants.count,
                                   backend_.is_cuda(), tiles_available_ && !constants.unequal);
  }
  // Adds the memory for the search by `plan`.
  void make_room(Search& search, const StepConstants& constants, const SearchPlan& plan) {
    const auto n = static_cast<std::size_t>(constants.count);
    const std::size_t items = n * static_cast<std::size_t>(plan.slices);
    if (search.bins.max_items() < items) {
      search.bins = {};  // scratch: nothing is lost if a later allocation fails
      search.bins = CellBins(backend_, items, max_cells_of(n, plan.slices), "discs by cell");
    }
    if (plan.by_tiles) {
      if (search.tiles.edges.empty()) search.tiles = Tiles(backend_, n, Tiles::usual_edges(n));
    } else if (!constants.unequal && plan.slices == 1) {
      if (backend_.is_cuda() && search.sorted.empty())
        search.sorted = Array<Disc<Real>>(backend_, n, "discs in the order of cells");
      if (!backend_.is_cuda() && search.rows.empty()) search.rows = CpuSearch<Real>(backend_, n);
    }
  }

  void plan_cells(int slices) {
    constexpr bool single = std::is_same_v<Real, float>;
    const std::size_t max_count = max_cells_of(count(), slices);
    search_.bins.use_cells(max_count);
    parallel_for(backend_, "particles.plan", Range1D{1},
                 PlanCells{control_.data(), constants_.width, constants_.height, constants_.radius, slices,
                           static_cast<int>(max_count), single});
  }

  std::string variant() const {
    std::string words = std::is_same_v<Real, float> ? "fp32" : "fp64";
    if (contract) words += " contraction";
    if (constants_.unequal) words += " unequal";
    return words;
  }

  // Updates, at intervals, the largest speed, the kind of search, and the order of the discs in memory.
  void update_plan(Storage<Real>& discs, Grid<Real> grid) {
    update_is_due_ = false;
    steps_since_update_ = 0;
    parallel_for(backend_, "particles.plan", Range1D{1}, ForgetFastest{control_.data()});
    parallel_for(backend_, "particles.plan", all(), RaiseFastest<Real>{discs.discs.data(), control_.data()});
    // The values of the previous readback; the current one is not waited for. Always those of the previous one, however
    // long it took: they determine the order in memory, and so the last bits of sums over all discs.
    if (readback_started_) {
      control_readback_.wait();
      StepControl seen;
      std::memcpy(&seen, control_readback_.data(), sizeof seen);
      fastest_ = static_cast<double>(seen.fastest);
      const auto max_count = static_cast<std::size_t>(seen.max_edges);
      if (!search_.tiles.edges.empty() && max_count > search_.tiles.edges.size()) {
        Array<Edge<Real>> longer(backend_, max_count + max_count / 2, "candidates");
        search_.tiles.edges = std::move(longer);
      }
    }
    control_readback_.start(control_.data());
    readback_started_ = true;
    candidates_ = candidates(constants_, fastest_);
    kind_ = search_kind(variant(), constants_.width, constants_.height, constants_.radius, fastest_, constants_.count);
    if (order_matters()) reorder(discs, grid);
  }

  // Does not depend on the search method, so that the order in memory does not depend on which one was measured as the
  // fastest.
  bool order_matters() const {
    if (constants_.unequal || constants_.count <= cached_discs) return false;
    const Cells cells = make_cells<Real>(constants_.width, constants_.height, constants_.radius, fastest_, 1,
                                         static_cast<int>(max_cells_of(count(), 1)));
    return constants_.count <= max_in_cell * cells.nx * cells.ny;
  }
  void reorder(Storage<Real>& discs, Grid<Real>& grid) {
    plan_cells(1);
    reorder_discs(backend_, discs, grid, search_.bins, control_.data());
  }

  // CPU only: the control block is in host memory.
  void search_in_rows(Storage<Real>& discs, const Grid<Real>& grid) {
    plan_cells(1);
    CellBins& bins = search_.bins;
    bins.build("particles.sort", constants_.count, CellOfEntry<Real>{grid, control_.data()},
               search_.rows.copy(discs.discs.data(), discs.claims.data()));
    search_.rows.run(backend_, grid, *control_.data(), bins.starts().data, bins.entries().data, discs.claims.data(),
                     contract);
  }

  // Fills `claims`: which discs collide, and with which partner.
  void search(Storage<Real>& discs, const Grid<Real>& grid) {
    if (plan_.slices == 1 && !search_.rows.empty()) {
      search_in_rows(discs, grid);
      return;
    }
    FindLeast<Real, contract> find{grid, control_.data(), nullptr, nullptr, discs.claims.data(), discs.others.data(),
                                   {}};
    if (plan_.by_tiles)
      find_pairs_by_tiles(discs, find);
    else
      find_in_cells(discs, find);
    const int tries = backend_.is_cuda() && constants_.count <= many_discs ? many_tries : few_tries;
    if (find.lists.edges)
      parallel_for(backend_, "particles.filter", all(),
                   DecideListed<Real, contract>{find, discs.list.data(), control_.data(), tries});
    else
      parallel_for(backend_, "particles.filter", all(),
                   DecideFirst<Real, contract>{find, discs.list.data(), control_.data(), tries});
    decide_the_rest(discs, find);
  }

  void find_pairs_by_tiles(Storage<Real>& discs, FindLeast<Real, contract>& find) {
    TileStorage<Real>& tiles = search_.tiles;
    find.lists = {tiles.edges.data(), tiles.heads.data(), static_cast<int>(tiles.edges.size())};
    find_by_tiles<Real, contract>(backend_, {find.grid, control_.data(), tiles.rows.data(), tiles.columns.data(),
                                             tiles.bounds.data(), discs.claims.data(), find.lists});
  }

  void find_in_cells(Storage<Real>& discs, FindLeast<Real, contract>& find) {
    plan_cells(plan_.slices);
    const CellOfEntry<Real> cell_of{find.grid, control_.data()};
    CellBins& bins = search_.bins;
    find.starts = bins.starts().data;
    find.entries = bins.entries().data;
    if (plan_.slices == 1 && !search_.sorted.empty()) {
      bins.build("particles.sort", constants_.count, cell_of,
                 CopySorted<Real>{discs.discs.data(), search_.sorted.data()});
      const InterruptibleScope here(backend_);  // writes nothing but scratch
      parallel_for(backend_, "particles.find", all(), FindLeastSorted<Real, contract>{find, search_.sorted.data()});
    } else {
      bins.build("particles.sort", constants_.count * plan_.slices, cell_of);
      const InterruptibleScope here(backend_);  // writes nothing but scratch
      if (backend_.is_cuda() && plan_.slices > 1)
        find_least_by_warp(backend_, find);
      else
        parallel_for(backend_, "particles.find", all(), find);
    }
  }

  void decide_the_rest(Storage<Real>& discs, const FindLeast<Real, contract>& find) {
    WaitingLists waiting{discs.list.data(), discs.other_list.data(), control_.data(), 0, 1};
    const auto turn = [&] {
      waiting = {waiting.next, const_cast<int*>(waiting.list), waiting.control, waiting.to, waiting.from};
    };
    if (!backend_.is_cuda()) {
      while (control_.data()->pending[waiting.from] > 0) {
        const int many = control_.data()->pending[waiting.from];
        parallel_for(backend_, "particles.filter", Range1D{many}, DecideAgain<Real, contract>{find, waiting, many, 2});
        turn();
        control_.data()->pending[waiting.to] = 0;
      }
      return;
    }
    // The number of waiting discs is never read back. Where they may be many, the whole device runs a round; then one
    // block continues.
    if (!plan_.by_tiles && constants_.count > one_block_takes) {
      if (plan_.slices > 1) {
        decide_again_by_warp(backend_, find, waiting);
      } else {
        const int many = std::min(constants_.count, round_threads);
        parallel_for(backend_, "particles.filter", Range1D{many},
                     DecideAgain<Real, contract>{find, waiting, many, many_tries});
      }
      turn();
    }
    finish_deciding(backend_, find, const_cast<int*>(waiting.list), waiting.next,
                    reinterpret_cast<int*>(discs.next.data()), control_.data(), waiting.from);
  }

  Backend& backend_;
  bool tiles_available_;
  StepConstants constants_;
  SearchPlan plan_;
  Array<StepControl> control_;
  AllPairsSearch<Real, contract> all_pairs_;  // the paper's
  Search search_;
  AsyncReadback control_readback_;
  bool readback_started_ = false, update_is_due_ = true;
  int steps_since_update_ = 0;
  double fastest_ = 0;  // the largest velocity component at the last update
  AutoKernel choice_;
  std::string kind_;
  std::vector<std::size_t> candidates_;
};

}  // namespace perturb::particles
