// Takes steps by the rule `exact`: chooses windows, holds their memory, and runs the loops of model/exact.h in order.
// For files under cuda/ only, like reduce.h.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/loops/cell_bins.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/loops/team.h"
#include "cuda/particles/kernels/stepper.h"
#include "cuda/particles/model/cell.h"
#include "cuda/particles/model/collisions.h"
#include "cuda/particles/model/discs.h"
#include "cuda/particles/model/exact.h"
#include "cuda/particles/model/exact_rounds.h"
#include "cuda/particles/model/plan.h"

namespace perturb::particles {

// Allocates no memory: the discs are kept in scratch of the rule `one`. Copies are queued.
template <class Real>
class DiscsBefore {
 public:
  // Call when a step begins: nothing has changed yet.
  void forget() { kept_ = false; }
  bool kept() const { return kept_; }
  // The same loops that change the discs have kept them.
  void set_kept(const WallGains& gains) {
    gains_ = gains;
    kept_ = true;
  }

  // Call before the first change of a step that may still be stopped. `gains`: the exchange with walls so far.
  void keep(Backend& backend, Storage<Real>& discs, const WallGains& gains) {
    if (kept_) return;
    const std::size_t n = discs.discs.size();
    backend.copy_within(discs.next.data(), discs.discs.data(), n * sizeof(Disc<Real>));
    backend.copy_within(discs.claims.data(), discs.wall_collisions.data(), n * sizeof(int));
    backend.copy_within(discs.others.data(), discs.disc_collisions.data(), n * sizeof(int));
    gains_ = gains;
    kept_ = true;
  }
  // Restores the discs; returns the exchange with walls of that time.
  WallGains restore(Backend& backend, Storage<Real>& discs) {
    const std::size_t n = discs.discs.size();
    backend.copy_within(discs.discs.data(), discs.next.data(), n * sizeof(Disc<Real>));
    backend.copy_within(discs.wall_collisions.data(), discs.claims.data(), n * sizeof(int));
    backend.copy_within(discs.disc_collisions.data(), discs.others.data(), n * sizeof(int));
    kept_ = false;
    return gains_;
  }

 private:
  bool kept_ = false;
  WallGains gains_;
};

// Memory of the rule, linear in the number of discs.
template <class Real>
struct ExactStorage {
  CellBins bins;
  Array<Disc<Real>> there, sorted;
  Array<Real> times;
  Array<ClusterDisc<Real>> cluster_discs;
  Array<WallGains> gains;
  Array<int> links, active_flags, needs_solve, heads, active, roots;
  Array<PriorState<Real>> pool;

  ExactStorage() = default;
  ExactStorage(Backend& backend, std::size_t n)
      : bins(backend, n, max_cells(n), "discs by cell"),
        there(backend, n, "discs in a window"),
        sorted(backend, n, "discs in the order of cells"),
        times(backend, n, "own times"),
        cluster_discs(backend, n, "discs of clusters"),
        gains(backend, n, "discs of clusters"),
        links(backend, n, "clusters"),
        active_flags(backend, n, "clusters"),
        needs_solve(backend, n, "clusters"),
        heads(backend, n, "clusters"),
        active(backend, n, "clusters"),
        roots(backend, n, "clusters"),
        pool(backend, usual_pool(n), "earlier collisions") {}
  static std::size_t usual_pool(std::size_t n) { return n / 8 + 1024; }
  // Few discs may use more cells than discs spread over the box need, for those that lie in a pile.
  static std::size_t max_cells(std::size_t n) { return max_cells_of(n, 1) * (n <= max_in_small_cells ? 4 : 1); }
  static constexpr std::size_t max_in_small_cells = 1 << 16;
  static std::size_t bytes_for(std::size_t n) {
    return n * (2 * sizeof(Disc<Real>) + sizeof(Real) + sizeof(ClusterDisc<Real>) + sizeof(WallGains) +
                6 * sizeof(int)) +
           usual_pool(n) * sizeof(PriorState<Real>) + CellBins::bytes_of(n, max_cells(n));
  }
};

// Memory of the method for few discs (model/exact_rounds.h).
template <class Real>
struct RoundsStorage {
  using Arrays = RoundsArrays<Real>;
  Array<PathPiece<Real>> pieces;
  Array<NextCollision<Real>> next;
  Array<RoundsPoint<Real>> listed;
  Array<PathEnd<Real>> ends;
  Array<int> limits, dirty, heads, links, neighbours, neighbour_counts;

  RoundsStorage() = default;
  RoundsStorage(Backend& backend, std::size_t n)
      : pieces(backend, n * Arrays::max_pieces, "paths"),
        next(backend, n, "next collisions"),
        listed(backend, n, "discs by cell"),
        ends(backend, n, "paths"),
        limits(backend, 2 * n, "paths"),
        dirty(backend, n, "paths"),
        heads(backend, cells_for(n), "discs by cell"),
        links(backend, n, "discs by cell"),
        neighbours(backend, n * Arrays::max_neighbours, "neighbours"),
        neighbour_counts(backend, n, "neighbours") {}
  static std::size_t bytes_for(std::size_t n) {
    return n * (Arrays::max_pieces * sizeof(PathPiece<Real>) + sizeof(NextCollision<Real>) + sizeof(RoundsPoint<Real>) +
                sizeof(PathEnd<Real>) + (5 + Arrays::max_neighbours) * sizeof(int)) +
           cells_for(n) * sizeof(int);
  }

 private:
  static std::size_t cells_for(std::size_t n) { return 2 * n + 64; }
};

template <class Real>
class ExactStepper {
 public:
  explicit ExactStepper(Backend& backend)
      : backend_(backend),
        control_(backend, 1, "control block"),
        rounds_control_(backend, 1, "control block"),
        control_readback_(backend, sizeof(ExactControl)),
        rounds_readback_(backend, sizeof(RoundsControl)) {}

  // The discs have been replaced; none has a velocity component above `fastest`. If memory runs out, nothing changes.
  // `gains`: the exchange with walls so far, if it is that of another state.
  void replace_discs(const StepConstants& constants, double fastest, const std::optional<WallGains>& gains = {}) {
    const auto n = static_cast<std::size_t>(constants.count);
    ExactStorage<Real> new_storage(backend_, n);
    RoundsStorage<Real> new_rounds;
    if (is_everywhere_ || takes_rounds(backend_, n)) new_rounds = RoundsStorage<Real>(backend_, n);
    // Nothing below allocates memory of the device.
    storage_ = std::move(new_storage);
    rounds_ = std::move(new_rounds);
    constants_ = constants;
    const RoundsControl fresh;
    rounds_control_.upload(std::span<const RoundsControl>(&fresh, 1));
    steps_without_rounds_ = 0;
    control_copy_ = control_.download()[0];
    control_copy_.step.fastest = static_cast<float>(fastest) * 1.000001f;
    if (gains) control_copy_.step.gains = *gains;
    control_.upload(std::span<const ExactControl>(&control_copy_, 1));
    parallel_for(backend_, "particles.plan", all(), ExactReset<Real>{arrays(nullptr)});
    invalidate();
  }
  // Call after anything except a step has changed the discs.
  void invalidate() {
    update_is_due_ = true;
    is_begun_ = false;
  }

  // Takes steps in one launch, at most one for each of `boxes`, if the method for few discs is used. Returns how many
  // were completed. If another one has begun, step() must follow at once: it takes the rest.
  int take_steps(Storage<Real>& discs, Grid<Real> grid, const ExactPhysics<Real>& physics, bool all_pairs,
                 std::span<const Box<Real>> boxes) {
    if (rounds_.ends.empty() || steps_without_rounds_ > 0) return 0;
    all_pairs_ = all_pairs;
    physics_ = physics;
    update_if_due(discs, grid);
    before_.forget();
    const auto most = static_cast<std::size_t>(steps_between_updates - steps_since_update_);
    boxes = boxes.first(std::min({boxes.size(), most, static_cast<std::size_t>(RoundsBoxes<Real>::most)}));
    const int done = take_rounds(discs, grid, boxes);
    steps_since_update_ += is_begun_ ? done : done - 1;  // update_if_due() has counted one
    return done;
  }
  bool has_begun_step() const { return is_begun_; }
  // For tests: uses the method for few discs on every backend and for any number of discs.
  void use_rounds_everywhere() {
    is_everywhere_ = true;
    if (rounds_.ends.empty()) rounds_ = RoundsStorage<Real>(backend_, static_cast<std::size_t>(constants_.count));
  }
  // Steps that take_steps() can take at once.
  int max_steps() const { return rounds_.ends.empty() ? 0 : RoundsBoxes<Real>::most; }

  // Takes one step of all discs. `all_pairs`: one cell, the whole box. If the step is stopped, the discs are as they
  // were before it. It throws Stopped, or NonFiniteError with a message if the step has too many collisions.
  void step(Storage<Real>& discs, Grid<Real> grid, const ExactPhysics<Real>& physics, bool all_pairs) {
    all_pairs_ = all_pairs;
    physics_ = physics;
    if (!is_begun_) {
      update_if_due(discs, grid);
      before_.forget();
      done_until_ = work_done_ = 0;
      if (steps_without_rounds_ > 0) --steps_without_rounds_;
    }
    is_begun_ = false;
    try {
      take_windows(discs, grid);
    } catch (...) {
      cancel_step(discs);
      throw;
    }
  }

  StepControl* control() const { return &control_.data()->step; }
  LaunchShape launch_shape() const { return {}; }
  static std::size_t bytes_for(const Backend& backend, std::size_t n) {
    return ExactStorage<Real>::bytes_for(n) + (takes_rounds(backend, n) ? RoundsStorage<Real>::bytes_for(n) : 0);
  }

 private:
  static constexpr int steps_between_updates = 64;
  static constexpr int max_in_cluster = 192;
  static constexpr int list_threads = 1 << 18, lanes_a_worker = 8;  // CUDA
  static constexpr int min_of_list = 64;                            // discs with collisions per CPU thread, at least
  static constexpr double usual_share = 0.2;                        // share of discs in the clusters of a window

  static constexpr int max_tries = 12;  // to halve a window
  static constexpr std::size_t max_discs_of_rounds = 1 << 15;
  static constexpr int max_steps_without_rounds = 32;  // after some in a row that could not be completed

  Range1D all() const { return {constants_.count}; }
  ExactArrays<Real> arrays(Disc<Real>* discs) {
    ExactStorage<Real>& s = storage_;
    return {discs,           s.times.data(),        s.cluster_discs.data(), s.gains.data(),
            s.links.data(),  s.active_flags.data(), s.needs_solve.data(),   s.heads.data(),
            s.active.data(), s.roots.data(),        s.pool.data(),          static_cast<int>(s.pool.size()),
            control_.data()};
  }

  // Whether the method for few discs is used for this number of discs.
  static bool takes_rounds(const Backend& backend, std::size_t n) {
    return backend.is_cuda() && n <= max_discs_of_rounds;
  }
  // Returns the number of steps completed. If another one has begun (is_begun_), take_windows() continues with it.
  int take_rounds(Storage<Real>& discs, const Grid<Real>& grid, std::span<const Box<Real>> boxes) {
    RoundsStorage<Real>& r = rounds_;
    RoundsStep<Real> step;
    step.grid = grid;
    step.arrays = {r.pieces.data(),
                   r.next.data(),
                   r.listed.data(),
                   r.ends.data(),
                   r.limits.data(),
                   r.dirty.data(),
                   r.heads.data(),
                   r.links.data(),
                   r.neighbours.data(),
                   r.neighbour_counts.data(),
                   static_cast<int>(r.heads.size()),
                   rounds_control_.data(),
                   discs.next.data(),
                   reinterpret_cast<std::uint32_t*>(discs.claims.data()),
                   reinterpret_cast<std::uint32_t*>(discs.others.data())};
    step.discs = discs.discs.data();
    step.times = storage_.times.data();
    step.wall_collisions = discs.wall_collisions.data();
    step.disc_collisions = discs.disc_collisions.data();
    step.shared = &control_.data()->step;
    step.physics = physics_;
    step.units = constants_.units;
    step.all_pairs = all_pairs_;
    RoundsBoxes<Real> of_steps;
    for (const Box<Real>& box : boxes) of_steps.box[of_steps.count++] = box;
    run_team(backend_, "particles.rounds", constants_.count, TakeRounds<Real>{step, of_steps});
    rounds_readback_.start(rounds_control_.data());
    rounds_readback_.wait();
    RoundsControl seen;
    std::memcpy(&seen, rounds_readback_.data(), sizeof seen);
    const RoundsProgress& progress = seen.progress;
    if (progress.steps > 0) wait_after_failure_ = 1;
    if (!progress.has_begun) return progress.steps;
    is_begun_ = true;
    before_.set_kept(seen.gains_before);
    done_until_ = progress.from;
    work_done_ = progress.work;
    steps_without_rounds_ = wait_after_failure_ - 1;
    wait_after_failure_ = std::min(2 * wait_after_failure_, max_steps_without_rounds);
    read_control();
    return progress.steps;
  }

  void take_windows(Storage<Real>& discs, const Grid<Real>& grid) {
    double from = done_until_, length = std::min(next_length(), 1.0), work = work_done_;
    bool any_size = false;
    for (int tries = 0; from < 1;) {
      const double until = from + 1.25 * length < 1 ? from + length : 1;
      ExactWindow<Real> window;
      window.grid = grid;
      window.arrays = arrays(discs.discs.data());
      window.from = static_cast<Real>(from);
      window.until = static_cast<Real>(until);
      window.max_discs = any_size || constants_.count <= max_in_cluster ? 0 : max_in_cluster;
      window.units = constants_.units;
      window.physics = physics_;
      window.wall_collisions = discs.wall_collisions.data();
      const bool last = until >= 1;
      solve(discs, window, last);
      const bool whole = control_copy_.is_whole(window.max_discs);
      if (!(last && whole)) {
        work += work_of_window();
        if (work > max_exact_collisions(constants_.count)) reject_step();
        if (whole) before_.keep(backend_, discs, control_copy_.step.gains);
        commit(discs, window, whole ? CommitMode::all : CommitMode::nothing);
      }
      if (whole) {
        adapt(until - from);
        from = static_cast<double>(window.until);
        tries = 0;
        any_size = false;
        length = std::min(next_length(), 1.0);
      } else if (control_copy_.pool_exhausted) {
        grow_pool();
      } else if (++tries < max_tries) {
        length *= 0.5;
        window_ = length;
      } else if (!any_size) {
        any_size = true;  // too many collisions at one instant: no window is short enough
      } else {
        reject_step();
      }
    }
  }
  // Cost of the window, in collisions of two discs. Visiting every disc costs as much as some collisions; a collision
  // in a large cluster costs as much as many.
  double work_of_window() const {
    return 64 + constants_.count / 16.0 +
           (control_copy_.active + control_copy_.pooled) * (1 + static_cast<double>(control_copy_.largest) / 256);
  }
  [[noreturn]] static void reject_step() {
    throw NonFiniteError(
        "Cannot compute the next step: it has too many collisions. The discs are too fast for this step length, or "
        "have no room left. Restart with fewer or slower discs, a larger slow factor, or a piston that stops "
        "earlier.");
  }
  void cancel_step(Storage<Real>& discs) {
    read_control();
    if (before_.kept()) control_copy_.step.gains = before_.restore(backend_, discs);
    control_.upload(std::span<const ExactControl>(&control_copy_, 1));
    parallel_for(backend_, "particles.plan", all(), ExactReset<Real>{arrays(nullptr)});
    --steps_since_update_;  // the same step will be repeated
  }

  // Length of a window in which a usual share of the discs collides, and in which no disc moves much farther than the
  // distance of its neighbours.
  double next_length() const {
    const double spacing = std::sqrt(constants_.width * constants_.height / constants_.count);
    const double far = 0.5 * std::max(4 * constants_.radius, 1.5 * spacing);
    const double fastest = static_cast<double>(control_copy_.step.fastest);
    const double length = fastest * window_ > far ? far / fastest : window_;
    return length >= 1 ? 1 : 1 / std::ceil(1 / length);
  }
  void adapt(double length) {
    const double wanted = std::max(usual_share * constants_.count, 48.0);
    const double ratio = control_copy_.active > 0 ? wanted / control_copy_.active : 2;
    window_ = std::clamp(length * std::clamp(ratio, 0.5, 1.5), 1e-6, 4.0);
  }

  // Call when a step begins.
  void update_if_due(Storage<Real>& discs, Grid<Real>& grid) {
    if (update_is_due_ || ++steps_since_update_ >= steps_between_updates) update_plan(discs, grid);
  }
  void update_plan(Storage<Real>& discs, Grid<Real>& grid) {
    update_is_due_ = false;
    steps_since_update_ = 0;
    StepControl* control = &control_.data()->step;
    parallel_for(backend_, "particles.plan", Range1D{1}, ForgetFastest{control});
    parallel_for(backend_, "particles.plan", all(), RaiseFastest<Real>{discs.discs.data(), control});
    begin(0.25, 0);
    if (!constants_.unequal) reorder_discs(backend_, discs, grid, storage_.bins, control);
    read_control();
  }
  // `gained`: the speed that gravity adds to a disc in the step, if a step begins.
  void begin(double length, Real gained) {
    const auto n = static_cast<std::size_t>(constants_.count);
    const bool can_pile = physics_.gravity > Real(0) && physics_.restitution < Real(1);
    storage_.bins.use_cells(can_pile ? ExactStorage<Real>::max_cells(n) : max_cells_of(n, 1));
    const int cells = all_pairs_ ? 1 : static_cast<int>(storage_.bins.max_cells());
    parallel_for(backend_, "particles.plan", Range1D{1},
                 ExactBegin<Real>{control_.data(), constants_.width, constants_.height, constants_.radius, length,
                                  cells, static_cast<float>(gained)});
  }
  void read_control() {
    control_readback_.start(control_.data());
    read_control_back();
  }
  // Waits for the copy that control_readback_ started.
  void read_control_back() {
    control_readback_.wait();
    std::memcpy(&control_copy_, control_readback_.data(), sizeof control_copy_);
  }

  void find(const ExactWindow<Real>& window) {
    begin(static_cast<double>(window.until) - static_cast<double>(window.from),
          window.from == Real(0) ? physics_.gravity : Real(0));
    Grid<Real> there = window.grid;
    const bool whole_step = window.from == Real(0) && window.until == Real(1);
    if (!whole_step) {
      parallel_for(backend_, "particles.sort", all(), ProjectToWindow<Real>{window, storage_.there.data()});
      there.discs = storage_.there.data();
    }
    storage_.bins.build("particles.sort", constants_.count, CellOfEntry<Real>{there, &control_.data()->step},
                        CopySorted<Real>{there.discs, storage_.sorted.data()});
    parallel_for(
        backend_, "particles.find", all(),
        ExactFind<Real>{window, storage_.bins.starts().data, storage_.bins.entries().data, storage_.sorted.data()});
    if (!backend_.is_cuda()) distribute(storage_.active.data(), control_.data()->active);
  }
  // CPU threads append to a list in any order and later process equal parts of it. Sorting gives each thread the discs
  // of its own part of memory, which are in its cache. The result does not depend on the order of a list.
  void distribute(int* list, int count) {
    constexpr int parts = 64;
    if (backend_.threads() < 2 || count < 2 * min_of_list) return;
    const auto part_of = [this](int disc) {
      return static_cast<std::size_t>(static_cast<long long>(disc) * parts / constants_.count);
    };
    std::array<int, parts + 1> begins{};
    for (int k = 0; k < count; ++k) ++begins[part_of(list[k]) + 1];
    for (std::size_t part = 0; part < parts; ++part) begins[part + 1] += begins[part];
    as_written_.assign(list, list + count);
    for (const int disc : as_written_) list[begins[part_of(disc)]++] = disc;
  }

  int control_threads() const {
    return backend_.is_cuda() ? std::clamp(lanes_a_worker * constants_.count, 256, list_threads)
                              : control_.data()->active;
  }
  // Loop over the lists of active discs. CUDA does not know their length: a fixed number of threads shares them.
  template <class Make>
  void over_active(ExactWindow<Real> window, const Make& make, const char* label = "particles.settle") {
    window.threads = control_threads();
    run_timed(window, make, label);
  }
  // The same over the list of clusters, which is shorter. CPU threads get equal parts of the range, and the later
  // threads would have none.
  template <class Make>
  void over_clusters(ExactWindow<Real> window, const Make& make, const char* label) {
    window.threads = backend_.is_cuda() ? control_threads() : control_.data()->roots;
    run_timed(window, make, label);
  }
  template <class Make>
  void run_timed(ExactWindow<Real>& window, const Make& make, const char* label) {
    if (backend_.is_cuda()) window.lanes = lanes_a_worker;
    if (window.threads > 0) parallel_for(backend_, label, Range1D{window.threads, min_of_list}, make(window));
  }
  bool is_done(const ExactWindow<Real>& window) const {
    return control_copy_.is_settled() && control_copy_.is_whole(window.max_discs);
  }
  void commit(Storage<Real>& discs, const ExactWindow<Real>& window, CommitMode what) {
    over_active(window, [&](const ExactWindow<Real>& w) {
      return ExactCommit<Real>{w, discs.wall_collisions.data(), discs.disc_collisions.data(), what};
    });
  }
  // Solves the window as far as possible. Commits it if it is the step's `last`: the device itself checks whether it
  // may, so that it need not wait for the host.
  void solve(Storage<Real>& discs, const ExactWindow<Real>& window, bool last) {
    const int at_once = backend_.is_cuda() ? 2 : 1;
    bool first = true;
    do {
      {
        const InterruptibleScope here(backend_);  // writes nothing but scratch
        if (first) find(window);
        for (int k = 0; k < at_once; ++k) round(window, std::exchange(first, false));
      }
      control_readback_.start(control_.data());
      if (!backend_.is_cuda()) read_control_back();
      if (last && (backend_.is_cuda() || is_done(window))) {
        commit(discs, window, CommitMode::if_done);
        parallel_for(backend_, "particles.settle", all(), ExactEnd<Real>{window});
      }
      if (backend_.is_cuda()) read_control_back();
    } while (!control_copy_.is_settled() && control_copy_.is_whole(window.max_discs));
  }
  void round(const ExactWindow<Real>& window, bool first) {
    const int* starts = storage_.bins.starts().data;
    const int* entries = storage_.bins.entries().data;
    if (!first)
      over_active(
          window, [](const ExactWindow<Real>& w) { return ExactPrepare<Real>{w}; }, "particles.filter");
    over_active(
        window, [](const ExactWindow<Real>& w) { return ExactGather<Real>{w}; }, "particles.filter");
    if (!backend_.is_cuda()) distribute(storage_.roots.data(), control_.data()->roots);
    over_clusters(
        window, [](const ExactWindow<Real>& w) { return ExactSolve<Real>{w}; }, "particles.solve");
    over_active(
        window,
        [&](const ExactWindow<Real>& w) {
          return ExactVerify<Real>{w, starts, entries};
        },
        "particles.verify");
  }
  void grow_pool() {
    Array<PriorState<Real>> longer(backend_, 2 * storage_.pool.size(), "earlier collisions");
    storage_.pool = std::move(longer);
  }

  Backend& backend_;
  Array<ExactControl> control_;
  Array<RoundsControl> rounds_control_;
  AsyncReadback control_readback_, rounds_readback_;
  StepConstants constants_;
  ExactStorage<Real> storage_;
  RoundsStorage<Real> rounds_;
  DiscsBefore<Real> before_;
  std::vector<int> as_written_;
  ExactControl control_copy_;
  ExactPhysics<Real> physics_;
  double window_ = 1;
  bool all_pairs_ = false, update_is_due_ = true;
  int steps_since_update_ = 0;
  int steps_without_rounds_ = 0, wait_after_failure_ = 1;
  // A step was begun by take_rounds(): how far, and the work for it, when take_windows() continues.
  bool is_begun_ = false, is_everywhere_ = false;
  double done_until_ = 0, work_done_ = 0;
};

}  // namespace perturb::particles
