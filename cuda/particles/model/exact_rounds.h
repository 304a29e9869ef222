// The rule `exact` for few discs, in one launch per step: every collision of a step, bit-identical to sequential
// processing. model/exact.h serves for many discs, and where this method stops.
//
// Each disc has its path since the window began: pieces, each from one collision to the next. In a round
//   1. predict  Each disc finds its next collision: of its last piece with the walls, and with all pieces of the discs
//               nearby, including those that have ended since.
//   2. act      Two discs collide if each is the other's next collision: both paths get a piece. If a disc would have
//               touched an earlier piece of another disc, the other's later pieces are wrong. They are removed, and
//               so are the pieces of their partners that begin with the same collisions.
// This is repeated until nothing changes. No disc waits for the others: it goes ahead in time, and is set back if
// another disc reaches it after all.
//
// Why the result is that of the sequential queue: if nothing changes any more, each piece ends where it first touches
// something. By induction over the collisions in their order, only one set of paths does that. Why the rounds end:
// suppose that the paths have all collisions of the queue up to some time. What a disc does later removes none of
// them, and within a few rounds they have the next collision of the queue too.
//
// Collisions that follow each other at the same instant are ordered by ids. This method finds them in another order.
// So it stops (`has_chain`), and the method of model/exact.h takes the rest of the step. It also stops if a disc has
// too many neighbours.
//
// Neighbours are listed for as long as no disc is farther than `skin` from where it was then. Windows only limit how
// far discs go ahead. Neither enters a number.
//
// Memory: about 1.3 kB per disc in FP64, for the paths and the lists of neighbours.
//
// It is bound by latency (H200, preset `gas`, 3000 discs, by clocks in the kernel). An empty loop with its barrier
// takes 1.2 µs. `Predict` takes 6 µs with the barrier: four accesses to memory one after the other, one more for each
// earlier piece of a neighbour, and a square root and quotients in FP64. `Act` takes 4 µs. So a round takes 10 µs,
// however many threads there are, and collisions that depend on each other take a round each. A step has 8 rounds on
// average, 80 of its 100 µs. With 2.4 µs for the barriers alone, 8 rounds could not take less than 20 µs.
#pragma once

#include <cstdint>

#include "cuda/core/loops/atomic.h"
#include "cuda/particles/model/cell.h"
#include "cuda/particles/model/exact.h"
#include "cuda/particles/model/grid.h"

namespace perturb::particles {

// A disc from its collision with `partner` on. The first piece of a path is the disc's state when the window began.
template <class Real>
struct PathPiece {
  TimedDisc<Real> state;
  int partner;         // a disc, or wall_partner
  int partners_piece;  // that begins with the same collision
  int walls, pairs;    // collisions in the window until now
  WallGains gains;     // in the window
};

// The last piece of a path, and its number.
template <class Real>
struct PathEnd {
  TimedDisc<Real> state;
  int piece;
};

// The next collision of a disc, from the last piece of its path. `piece`: the partner's; ~piece if it has ended earlier
// in the partner's path, which is wrong then.
template <class Real>
struct NextCollision {
  Real time = never<Real>;
  int partner = no_partner, piece = 0;
};

template <class Real>
struct RoundsPoint {
  Real x, y;
};

// Result of a launch.
struct RoundsProgress {
  int steps = 0;           // completed
  bool has_begun = false;  // another step, which could not be completed
  double length = 0.25;    // of a window
  // Of a step that has begun: the time until which the paths are complete, and its work, as in
  // ExactStepper::work_of_window().
  double from = 0, work = 0;
  int windows = 0, failed_windows = 0, rounds = 0, lists = 0;
};

// Values that all threads share. Marks hold the number of the round or window in which they were set, so that none must
// be cleared.
struct RoundsControl {
  static constexpr std::size_t apart = 128;
  int round = 0, window = 0;  // numbers used so far
  RoundsProgress progress;
  WallGains gains_before;           // when the last step began
  alignas(apart) int changed = 0;   // round: paths have changed
  alignas(apart) int is_full = 0;   // window: a path has more pieces than there is memory for
  int has_chain = 0;                // window: collisions that follow each other at one instant
  int has_left = 0;                 // window: a disc has moved farther than `skin`
  int must_list = 0;                // window: a disc will do so in the next one
  int is_crowded = 0;               // window: a disc has too many neighbours
  alignas(apart) int collided = 0;  // pieces that were added to paths, over all windows
};

template <class Real>
struct RoundsArrays {
  static constexpr int max_pieces = 12, max_neighbours = 48;
  PathPiece<Real>* pieces;  // max_pieces for each disc
  NextCollision<Real>* next;
  RoundsPoint<Real>* listed;  // where each disc was when neighbours were listed
  PathEnd<Real>* ends;        // the last piece of each path
  int* limits;                // of each disc, two times: the last piece that is not known to be wrong
  int* dirty;                 // round in which each disc must look for its next collision again
  int* heads;                 // of each cell: a disc in it, plus one; 0 between steps
  int* links;                 // the next disc in the same cell, as above
  int* neighbours;            // max_neighbours for each disc
  int* neighbour_counts;
  int max_cells;
  RoundsControl* control;
  // Of the discs when the step began.
  Disc<Real>* discs_before;
  std::uint32_t *walls_before, *pairs_before;
};

// Window of the step, and the data of the loops.
template <class Real>
struct RoundsStep {
  static constexpr int no_limit = 1 << 30;
  Grid<Real> grid;
  RoundsArrays<Real> arrays;
  Disc<Real>* discs;
  Real* times;
  std::uint32_t *wall_collisions, *disc_collisions;
  StepControl* shared;  // the largest velocity component; exchange with walls
  ExactPhysics<Real> physics;
  WallUnits units;
  bool all_pairs = false;

  double from = 0;
  Real until = 1;
  int window = 0, round = 0;
  double skin = 0;  // how far discs may be from where neighbours were listed
  Cells cells;

  PERTURB_HD PathPiece<Real>& piece(int i, int k) const {
    return arrays.pieces[i * RoundsArrays<Real>::max_pieces + k];
  }
  PERTURB_HD int* neighbours(int i) const { return arrays.neighbours + i * RoundsArrays<Real>::max_neighbours; }
  // Numbers may start over: a mark that is so old only costs time.
  PERTURB_HD static int after(int number) { return static_cast<int>(static_cast<unsigned>(number) + 1u); }
  PERTURB_HD static int difference(int number, int before) {
    return static_cast<int>(static_cast<unsigned>(number) - static_cast<unsigned>(before));
  }
  PERTURB_HD int next_round() const { return after(round); }
  PERTURB_HD int& limit(int i, int round_) const { return arrays.limits[2 * i + (round_ & 1)]; }
  PERTURB_HD Real radius(int i) const { return grid.kinds ? grid.kinds[i].radius : grid.radius; }
  PERTURB_HD int cell_of(const RoundsPoint<Real>& p) const {
    return cell_index(static_cast<double>(p.y) * cells.per_y, cells.ny) * cells.nx +
           cell_index(static_cast<double>(p.x) * cells.per_x, cells.nx);
  }
  PERTURB_HD void begin_path(int i, const TimedDisc<Real>& d) const {
    piece(i, 0) = {d, no_partner, 0, 0, 0, {}};
    arrays.ends[i] = {d, 0};
    arrays.limits[2 * i] = arrays.limits[2 * i + 1] = no_limit;
  }
  // The largest velocity component at any time of the step that begins: gravity adds to it.
  PERTURB_HD float fastest_in_step(float fastest) const {
    return physics.gravity > Real(0) ? (fastest + static_cast<float>(physics.gravity)) * 1.000001f : fastest;
  }
  PERTURB_HD double fall() const {
    const double span = static_cast<double>(until) - from;
    return static_cast<double>(physics.gravity) * span * span;
  }
  // Distance from the place of the list, with a margin for a parabola.
  PERTURB_HD bool is_beyond(int i, TimedDisc<Real> d, Real time, double distance) const {
    advance(d, time, physics.gravity);
    const double dx = static_cast<double>(d.x - arrays.listed[i].x), dy = static_cast<double>(d.y - arrays.listed[i].y);
    return !(dx * dx + dy * dy <= distance * distance);
  }
};

// ---- neighbours

// At the beginning of the step, also keeps the discs as they are, and begins their paths.
template <class Real>
struct PutInCells {
  RoundsStep<Real> s;
  bool begins;

  PERTURB_HD void operator()(int i) const {
    if (begins) {
      if (i == 0) s.arrays.control->gains_before = s.shared->gains;
      const Disc<Real> d = s.discs[i];
      s.arrays.discs_before[i] = d;
      s.arrays.walls_before[i] = s.wall_collisions[i];
      s.arrays.pairs_before[i] = s.disc_collisions[i];
      s.begin_path(i, timed_disc(d, Real(0)));
    }
    TimedDisc<Real> d = s.arrays.ends[i].state;
    advance(d, static_cast<Real>(s.from), s.physics.gravity);
    const RoundsPoint<Real> here{d.x, d.y};
    s.arrays.listed[i] = here;
    s.arrays.neighbour_counts[i] = 0;
    if (!s.grid.is_large_disc(i)) s.arrays.links[i] = atomic_exchange(s.arrays.heads[s.cell_of(here)], i + 1);
  }
};
// Neighbours can touch as long as both are within `skin` of where they are.
template <class Real>
struct ListNeighbours {
  RoundsStep<Real> s;
  template <class Lanes>
  PERTURB_HD void operator()(int i, const Lanes& lanes) const {
    const RoundsPoint<Real> here = s.arrays.listed[i];
    for (int g = lanes.index; g < s.grid.large_disc_count; g += Lanes::count) {
      const int large = s.grid.large_discs[g];
      if (large == i || !is_near(i, here, large)) continue;
      add(i, large);
      if (!s.grid.is_large_disc(i)) add(large, i);
    }
    if (s.grid.is_large_disc(i)) return;
    const int cx = cell_index(static_cast<double>(here.x) * s.cells.per_x, s.cells.nx);
    const int cy = cell_index(static_cast<double>(here.y) * s.cells.per_y, s.cells.ny);
    for (int k = lanes.index; k < 9; k += Lanes::count) {
      const int x = cx + k % 3 - 1, y = cy + k / 3 - 1;
      if (x < 0 || y < 0 || x >= s.cells.nx || y >= s.cells.ny) continue;
      for (int j = s.arrays.heads[y * s.cells.nx + x] - 1; j >= 0; j = s.arrays.links[j] - 1)
        if (j != i && is_near(i, here, j)) add(i, j);
    }
  }
  PERTURB_HD bool is_near(int i, const RoundsPoint<Real>& here, int j) const {
    const RoundsPoint<Real> there = s.arrays.listed[j];
    const double dx = static_cast<double>(there.x - here.x), dy = static_cast<double>(there.y - here.y);
    const double reach = 1.000001 * (static_cast<double>(s.radius(i) + s.radius(j)) + 2 * s.skin);
    return dx * dx + dy * dy <= reach * reach;
  }
  PERTURB_HD void add(int i, int j) const {
    const int place = atomic_add(s.arrays.neighbour_counts[i], 1);
    if (place < RoundsArrays<Real>::max_neighbours)
      s.neighbours(i)[place] = j;
    else
      relaxed_store(s.arrays.control->is_crowded, s.window);
  }
};

// ---- rounds

template <class Real>
struct Predict {
  RoundsStep<Real> s;

  // Which discs must predict again, after the window's first round. Also clears the limits of the next round.
  PERTURB_HD bool concerns(int i) const {
    s.limit(i, s.next_round()) = RoundsStep<Real>::no_limit;
    return s.arrays.dirty[i] == s.round;
  }
  template <class Lanes>
  PERTURB_HD void operator()(int i, const Lanes& lanes) const {
    const RoundsArrays<Real>& a = s.arrays;
    const TimedDisc<Real> mine = a.ends[i].state;
    const Real radius = s.radius(i);
    NextCollision<Real> next;
    if (lanes.index == Lanes::count - 1) {  // usually without a neighbour
      const Real time = exact_wall_hit(mine, radius, s.grid.box, s.until, s.physics.gravity).time;
      if (time <= s.until) {
        next.time = time;
        next.partner = wall_partner;
      }
    }
    const int* const neighbours = s.neighbours(i);
    const int found = relaxed_load(a.neighbour_counts[i]), most = RoundsArrays<Real>::max_neighbours;
    const int count = found < most ? found : most;
    for (int k = lanes.index; k < count; k += Lanes::count) consider(i, mine, radius, neighbours[k], next);
    next = lanes.first(
        next, [this, i](const NextCollision<Real>& p, const NextCollision<Real>& q) { return comes_before(i, p, q); });
    if (lanes.index != 0) return;
    a.next[i] = next;
    if (next.piece < 0) atomic_min(s.limit(next.partner, s.round), ~next.piece);
  }

  // The next collision with disc j.
  PERTURB_HD void consider(int i, const TimedDisc<Real>& mine, Real radius, int j, NextCollision<Real>& next) const {
    const PathEnd<Real> path_end = s.arrays.ends[j];
    const int last = path_end.piece;
    const Real reach = radius + s.radius(j);
    TimedDisc<Real> theirs = path_end.state;
    Real end = s.until;
    for (int k = last;; --k) {
      const Real time = exact_pair_time(mine, theirs, reach, end, s.physics.gravity);
      if (time <= end && (k == last || time < end || is_first_at_end(i, j, k + 1))) {
        const NextCollision<Real> found{time, j, k == last ? k : ~k};
        if (comes_before(i, found, next)) next = found;
      }
      if (k == 0 || !(theirs.time > mine.time)) return;
      end = theirs.time;
      theirs = s.piece(j, k - 1).state;
    }
  }
  // Two of disc i's collisions: the earlier one; at the same time, by ids.
  PERTURB_HD bool comes_before(int i, const NextCollision<Real>& p, const NextCollision<Real>& q) const {
    if (p.time != q.time) return p.time < q.time;
    if (p.partner == q.partner || !(p.time <= Real(1))) return p.piece > q.piece;  // ~piece is negative
    return is_earlier_by_id(i, p.partner, i, q.partner);
  }
  // Whether a collision of i and j at the time at which `piece` of j begins would come before the one that began it.
  PERTURB_HD bool is_first_at_end(int i, int j, int piece) const {
    return is_earlier_by_id(i, j, j, s.piece(j, piece).partner);
  }
  PERTURB_HD bool is_earlier_by_id(int i, int j, int k, int l) const {
    const int* ids = s.grid.ids;
    int p = ids[i], q = -1, other_p = ids[k], other_q = -1;
    if (j >= 0) {
      p = ids[i] < ids[j] ? ids[i] : ids[j];
      q = ids[i] < ids[j] ? ids[j] : ids[i];
    }
    if (l >= 0) {
      other_p = ids[k] < ids[l] ? ids[k] : ids[l];
      other_q = ids[k] < ids[l] ? ids[l] : ids[k];
    }
    return earlier_by_id(p, q, other_p, other_q);
  }
};

// The first round of a window. `lists`: neighbours are listed first.
template <class Real>
struct FirstRound {
  RoundsStep<Real> s;
  bool lists, predicts, begins;

  template <class Lanes>
  PERTURB_HD void operator()(int i, const Lanes& lanes) const {
    if (begins && i == 0 && lanes.index == 0) s.shared->fastest = s.fastest_in_step(s.shared->fastest);
    if (lists) ListNeighbours<Real>{s}(i, lanes);
    lanes.sync();
    // Also where a disc has too many neighbours, although the window is then discarded: other warps may be finding that
    // out right now, and lanes that see different values of `is_crowded` would wait for each other without end.
    if (predicts) Predict<Real>{s}(i, lanes);
  }
};

template <class Real>
struct Act {
  RoundsStep<Real> s;

  // Whether pieces of the disc's path are wrong, or it collides and does so on behalf of both discs.
  PERTURB_HD bool concerns(int i) const {
    if (s.limit(i, s.round) != RoundsStep<Real>::no_limit) return true;
    const NextCollision<Real> next = s.arrays.next[i];
    if (!(next.time <= s.until) || next.piece < 0) return false;
    return next.partner == wall_partner || (i < next.partner && is_mutual(i, next));
  }
  template <class Lanes>
  PERTURB_HD void operator()(int i, const Lanes& lanes) const {
    const RoundsArrays<Real>& a = s.arrays;
    const int limit = s.limit(i, s.round), end = a.ends[i].piece;
    const NextCollision<Real> next = a.next[i];
    lanes.sync();  // all have read it
    if (limit < end) {
      if (lanes.index == 0) remove_pieces(i, limit, end);
      mark(i, lanes);
    } else if (limit != RoundsStep<Real>::no_limit) {
      // A partner whose pieces are gone already asked for this. Whatever is next waits for a round.
      if (lanes.index == 0) relaxed_store(a.control->changed, s.round);
    } else if (next.partner == wall_partner) {
      if (lanes.index == 0) hit_wall(i, end);
      mark(i, lanes);
    } else if (s.limit(next.partner, s.round) == RoundsStep<Real>::no_limit) {
      collide(i, end, next, lanes);
      mark(i, lanes);
      mark(next.partner, lanes);
    }
  }
  PERTURB_HD bool is_mutual(int i, const NextCollision<Real>& next) const {
    const NextCollision<Real> theirs = s.arrays.next[next.partner];
    return theirs.partner == i && theirs.piece >= 0 && theirs.time <= s.until;
  }
  // The disc and its neighbours must predict again.
  template <class Lanes>
  PERTURB_HD void mark(int i, const Lanes& lanes) const {
    const RoundsArrays<Real>& a = s.arrays;
    const int* const neighbours = s.neighbours(i);
    const int count = a.neighbour_counts[i];
    if (lanes.index == 0) {
      relaxed_store(a.dirty[i], s.next_round());
      relaxed_store(a.control->changed, s.round);
    }
    for (int k = lanes.index; k < count; k += Lanes::count) relaxed_store(a.dirty[neighbours[k]], s.next_round());
  }
  PERTURB_HD void remove_pieces(int i, int limit, int end) const {
    for (int k = limit + 1; k <= end; ++k) {
      PathPiece<Real>& wrong = s.piece(i, k);
      // A partner that has already removed the same collision may be getting a right piece in its place.
      if (wrong.partner >= 0) {
        const PathPiece<Real>& partners = s.piece(wrong.partner, wrong.partners_piece);
        if (relaxed_load(partners.partner) == i && relaxed_load(partners.partners_piece) == k)
          atomic_min(s.limit(wrong.partner, s.next_round()), wrong.partners_piece - 1);
      }
      relaxed_store(wrong.partner, no_partner);
    }
    s.arrays.ends[i] = {s.piece(i, limit).state, limit};
  }
  PERTURB_HD bool has_room(int end) const {
    if (end + 1 < RoundsArrays<Real>::max_pieces) return true;
    relaxed_store(s.arrays.control->is_full, s.window);
    return false;
  }
  PERTURB_HD void hit_wall(int i, int end) const {
    if (!has_room(end)) return;
    const Kind<Real> kind = s.grid.kind(i);
    PathPiece<Real> piece = s.piece(i, end);
    const WallHit<Real> hit = exact_wall_hit(piece.state, kind.radius, s.grid.box, Real(1), s.physics.gravity);
    const WallCollision number{s.grid.ids[i], s.wall_collisions[i] + static_cast<std::uint32_t>(piece.walls)};
    WallExchange<Real> exchange;
    piece.state = exact_settle_wall(piece.state, kind.radius, s.grid.box, hit, exchange, s.physics, kind.mass, number);
    piece.partner = wall_partner;
    piece.partners_piece = 0;
    ++piece.walls;
    add_exchange(piece.gains, exchange, kind.mass, s.units);
    add_piece(i, end + 1, piece);
  }
  // `first` lane: disc i's part; the next lane, if there is one, the partner's.
  template <class Lanes>
  PERTURB_HD void collide(int i, int end, const NextCollision<Real>& next, const Lanes& lanes) const {
    const int j = next.partner, other_end = next.piece;
    const bool has_room_for_both = has_room(end) && has_room(other_end);
    const TimedDisc<Real> one = s.arrays.ends[i].state, other = s.arrays.ends[j].state;
    lanes.sync();  // all have read them
    if (!has_room_for_both) return;
    for (int part = lanes.index; part < 2; part += Lanes::count) {
      const int self = part == 0 ? i : j, partner = part == 0 ? j : i;
      const int self_end = part == 0 ? end : other_end, partner_end = part == 0 ? other_end : end;
      PathPiece<Real> piece = s.piece(self, self_end);
      piece.state = exact_settle_pair(part == 0 ? one : other, part == 0 ? other : one, next.time, s.grid.kind(self),
                                      s.grid.kind(partner), s.physics);
      piece.partner = partner;
      piece.partners_piece = partner_end + 1;
      ++piece.pairs;
      add_piece(self, self_end + 1, piece);
    }
  }
  PERTURB_HD void add_piece(int i, int k, const PathPiece<Real>& piece) const {
    RoundsControl& control = *s.arrays.control;
    if (!(piece.state.time > s.piece(i, k - 1).state.time)) relaxed_store(control.has_chain, s.window);
    const double skin = s.skin - s.fall();
    if (s.is_beyond(i, piece.state, piece.state.time, skin) || s.is_beyond(i, piece.state, s.until, skin))
      relaxed_store(control.has_left, s.window);
    PathPiece<Real>& to = s.piece(i, k);
    to.state = piece.state;
    to.walls = piece.walls;
    to.pairs = piece.pairs;
    to.gains = piece.gains;
    // remove_pieces() of a former partner may be reading these.
    relaxed_store(to.partner, piece.partner);
    relaxed_store(to.partners_piece, piece.partners_piece);
    s.arrays.ends[i] = {piece.state, k};
    atomic_add(control.collided, 1);
  }
};

// ---- the end of a window

// Takes the last states of the paths, or none if the window is discarded.
template <class Real>
struct EndWindow {
  RoundsStep<Real> s;
  bool takes;
  bool ends_step;   // this was its last window
  bool hands_over;  // another method continues with the step
  Real next_until;  // end of the next window
  RoundsProgress now;

  PERTURB_HD void operator()(int k) const {
    if (k < s.cells.nx * s.cells.ny) s.arrays.heads[k] = 0;
    if (k == 0) record();
    if (k < s.grid.count) end_path(k);
  }
  PERTURB_HD void record() const {
    RoundsControl& control = *s.arrays.control;
    control.round = s.round;
    control.window = s.window;
    control.progress = now;
  }
  PERTURB_HD void end_path(int i) const {
    const int end = takes ? s.arrays.ends[i].piece : 0;
    const PathPiece<Real> last = s.piece(i, end);
    const TimedDisc<Real>& d = last.state;
    if (end > 0) {
      s.wall_collisions[i] += static_cast<std::uint32_t>(last.walls);
      s.disc_collisions[i] += static_cast<std::uint32_t>(last.pairs);
      add_gains(s.shared->gains, last.gains);
      const Real ax = d.vx < Real(0) ? -d.vx : d.vx, ay = d.vy < Real(0) ? -d.vy : d.vy;
      const Real gained = s.physics.gravity;  // until the step ends
      atomic_max(s.shared->fastest, static_cast<float>((ax > ay ? ax : ay) + gained) * 1.000001f);
    }
    if (ends_step) {
      s.discs[i] = exact_end(d, s.radius(i), s.grid.box, s.physics.gravity);
    } else if (hands_over) {
      s.discs[i] = {d.x, d.y, d.vx, d.vy};
      s.times[i] = d.time;
    } else {
      if (s.is_beyond(i, d, next_until, s.skin - 2 * s.fall())) relaxed_store(s.arrays.control->must_list, s.window);
      s.begin_path(i, d);
    }
  }
};

// Boxes of the steps of a launch.
template <class Real>
struct RoundsBoxes {
  static constexpr int most = 16;
  Box<Real> box[most];
  int count = 0;
};

// The steps of a launch. Every thread of the team runs it.
template <class Real>
struct TakeRounds {
  RoundsStep<Real> first;
  RoundsBoxes<Real> boxes;

  static constexpr double usual_share = 1.2;  // collisions of a disc in a window
  static constexpr int max_rounds = 256;      // in a window
  static constexpr int max_tries = 8;         // to halve a window
  // A launch cannot be stopped, and this number takes 20 to 50 ms. A step that needs more is left to the other method:
  // failed windows count little as work, so that its limit would come only after many seconds.
  static constexpr int max_rounds_of_launch = 2000;

  PERTURB_HD_AS_GIVEN template <class Team>
  PERTURB_HD void operator()(Team& team) const {
    RoundsStep<Real> s = first;
    RoundsProgress now;
    s.round = first.arrays.control->round;
    s.window = first.arrays.control->window;
    now.length = first.arrays.control->progress.length;
    float fastest = first.shared->fastest;
    while (now.steps < boxes.count && now.rounds < max_rounds_of_launch) {
      s.grid.box = boxes.box[now.steps];
      if (!take_step(team, s, now, fastest)) return;
    }
  }

 private:
  // Returns whether the step was completed. `fastest`: the value that all threads share, read while none writes it.
  PERTURB_HD_AS_GIVEN template <class Team>
  PERTURB_HD bool take_step(Team& team, RoundsStep<Real>& s, RoundsProgress& now, float& fastest) const {
    const RoundsControl& control = *s.arrays.control;
    const int count = s.grid.count;
    fastest = s.fastest_in_step(fastest);
    bool must_list = true, begins = true;
    int tries = 0, collided_before = control.collided;
    now.from = now.work = 0;
    for (;;) {
      const double left = 1 - now.from;
      const double number = std::ceil(left / limited_length(s, now.length, fastest) - 0.1);
      const double usual = number > 1 ? left / number : left;  // equal windows
      const double until = left > 1.01 * usual ? now.from + usual : 1;
      s.from = now.from;
      s.until = static_cast<Real>(until);
      s.window = s.after(s.window);
      ++now.windows;
      const bool is_listed = must_list;
      if (must_list) {
        plan_cells(s, until - now.from, fastest);
        team.each(count, PutInCells<Real>{s, begins});
        ++now.lists;
      }
      // The list of a large disc is complete only after the loop.
      const bool apart = must_list && s.grid.large_disc_count > 0;
      s.round = s.next_round();
      team.share(count, FirstRound<Real>{s, must_list, !apart, begins});
      bool is_settled = false, must_stop = must_list && control.is_crowded == s.window;
      must_list = begins = false;
      if (!must_stop) {
        if (apart) team.share(count, FirstRound<Real>{s, false, true, false});
        int rounds = 1;
        for (;; ++rounds) {
          team.where(count, Act<Real>{s});
          must_stop = control.has_chain == s.window;
          const bool is_full = control.is_full == s.window;
          is_settled = control.changed != s.round && !is_full;
          if (is_settled || is_full || must_stop || rounds == max_rounds) break;
          s.round = s.next_round();
          team.where(count, Predict<Real>{s});
        }
        now.rounds += rounds;
      }
      const bool has_left = control.has_left == s.window;
      const bool takes = is_settled && !has_left && !must_stop;
      if (is_settled && has_left) must_list = true;
      const int collided = s.arrays.control->collided, active = s.difference(collided, collided_before);
      collided_before = collided;
      now.work += 64 + count / 16.0 + active;
      if (takes) {
        now.length = adapted_length(now.length, until - now.from, active, count);
        now.from = static_cast<double>(s.until);
        tries = 0;
      } else {
        ++now.failed_windows;
        // With the previous list, the same window may be possible with a new one.
        if (!is_settled || is_listed) {
          now.length = 0.5 * (until - now.from);
          ++tries;
        }
      }
      const bool ends_step = takes && s.until >= Real(1);
      must_stop = !ends_step && (must_stop || tries > max_tries || now.rounds > max_rounds_of_launch ||
                                 now.work > max_exact_collisions(count));
      if (ends_step) ++now.steps;
      now.has_begun = must_stop;
      const double next_until = now.from + usual < 1 ? now.from + usual : 1;
      const int cells = s.cells.nx * s.cells.ny;
      team.each(count > cells ? count : cells,
                EndWindow<Real>{s, takes, ends_step, must_stop, static_cast<Real>(next_until), now});
      fastest = s.shared->fastest;
      if (ends_step || must_stop) return ends_step;
      must_list = must_list || control.must_list == s.window;
    }
  }

  PERTURB_HD static double adapted_length(double length, double window, int active, int count) {
    const double wanted = usual_share * count > 32 ? usual_share * count : 32;
    const double right = active > 0 ? window * wanted / active : 4;
    length = right < 0.5 * length ? 0.5 * length : right > 1.5 * length ? 1.5 * length : right;
    return length < 4 ? length : 4;
  }
  // No disc should move farther than the largest skin in a window.
  PERTURB_HD static double largest_skin(const RoundsStep<Real>& s) {
    const double area = static_cast<double>(s.grid.box.right) * static_cast<double>(s.grid.box.top);
    const double radius = static_cast<double>(s.grid.radius), gap = 0.75 * std::sqrt(area / s.grid.count) - radius;
    return gap > 0.6 * radius ? gap : 0.6 * radius;
  }
  PERTURB_HD static double limited_length(const RoundsStep<Real>& s, double length, float fastest) {
    const double far = static_cast<double>(fastest) * length, skin = largest_skin(s);
    const double shorter = far > 0.9 * skin ? length * 0.9 * skin / far : length;
    return shorter < 1 ? shorter : 1;
  }
  PERTURB_HD static void plan_cells(RoundsStep<Real>& s, double window, float fastest_component) {
    const double left = 1 - s.from, largest = largest_skin(s), fastest = static_cast<double>(fastest_component);
    s.skin = 1.5 * fastest * left < largest ? 1.5 * fastest * left : largest;
    // A disc that meets no other does not leave it in this window: 1.5 > √2.
    const double least = 1.5 * fastest * window;
    if (s.skin < least) s.skin = least;
    const double width = static_cast<double>(s.grid.box.right), height = static_cast<double>(s.grid.box.top);
    const double extent = width > height ? width : height, radius = static_cast<double>(s.grid.radius);
    s.skin += search_margin<Real>(radius, fastest, extent) + 2 * s.fall();
    s.cells = Cells{};
    if (s.all_pairs) return;
    const double side = 1.00001 * (2 * radius + 2 * s.skin);
    const double coarse = std::sqrt(width * height / s.arrays.max_cells);
    const double cell = side > coarse ? side : coarse;
    if (width / cell >= 2) s.cells.nx = static_cast<int>(width / cell);
    if (height / cell >= 2) s.cells.ny = static_cast<int>(height / cell);
    s.cells.per_x = s.cells.nx / width;
    s.cells.per_y = s.cells.ny / height;
  }
};

}  // namespace perturb::particles
