// Selection of the candidates that happen: the sequential filter of model/cell.h, in rounds.
//
// In the order of all candidates, the filter takes one if both its discs are free. Rounds give the same set. In a round
// every free disc knows its least candidate with free discs. A candidate that is the least of both its discs is taken.
// (The sequential filter takes it too: every candidate before it touches neither disc, or has been dropped.) Candidates
// of a taken disc are dropped, and the discs that lost their partner search for their next one. The least candidate of
// all is taken in every round, so the rounds end, after a few in practice.
//
// The rounds need no barriers. A disc's claim is one word: its least candidate and whether it is taken. Two claims that
// name each other are taken as soon as a thread sees them: neither changes any more, because a claim is dropped only
// when its partner is taken by another. So threads may read claims while others decide, and the result is the same.
#pragma once

#include "cuda/core/loops/atomic.h"
#include "cuda/particles/model/find.h"

namespace perturb::particles {

enum class Decision { decided, waiting, must_search };

// Follows disc i's claim, with `tries` checks of its partner, which may be deciding at the same time.
template <class Real, bool contract>
PERTURB_HD inline Decision decide(const FindLeast<Real, contract>& find, int i, int tries) {
  Claim mine = relaxed_load(find.claims[i]);
  if (is_taken(mine)) return Decision::decided;
  for (; tries > 0; --tries) {
    const int partner = partner_of(mine);
    if (partner == no_partner) return Decision::decided;
    const Claim theirs = partner == wall_partner ? claim_of(i) : relaxed_load(find.claims[partner]);
    if (theirs >= 0 && partner_of(theirs) == i) {
      relaxed_store(find.claims[i], mine | taken_bit);
      return Decision::decided;
    }
    if (!is_taken(theirs)) continue;
    const Claim other = find.others[i];
    if (partner_of(other) == no_partner && (other & more_bit) != 0) {
      if (!find.listed()) return Decision::must_search;
      LeastCandidates<Real> least;
      find.template walk<true>(i, least);
      const WallHit<Real> hit = wall_hit(find.grid.discs[i], find.grid.kind(i).radius, find.grid.box);
      if (hit.time <= Real(1)) find.put(i, wall_partner, hit.time, least);
      find.keep(i, least);
      mine = claim_of(least.partner);
      continue;
    }
    mine = claim_of(partner_of(other));
    find.others[i] = claim_of(no_partner) | (other & more_bit);
    relaxed_store(find.claims[i], mine);
  }
  return partner_of(mine) == no_partner ? Decision::decided : Decision::waiting;
}

// First round, over all discs; those that must wait for others go into a list.
template <class Real, bool contract>
struct DecideFirst {
  FindLeast<Real, contract> find;
  int* list;
  StepControl* control;
  int tries;
  PERTURB_HD void operator()(int i) const {
    if (decide(find, i, tries) != Decision::decided) list[reserve_slot(control->pending[0])] = i;
  }
};

// First round after a search that made a list of pairs: each disc finds its candidates in its list, publishes its
// claim, and follows it.
template <class Real, bool contract>
struct DecideAnew {
  FindLeast<Real, contract> find;
  int* list;
  StepControl* control;
  int tries;
  PERTURB_HD void operator()(int i) const {
    const DiscGrid<Real>& grid = find.grid;
    if (find.listed()) {
      const Real radius = grid.kind(i).radius;
      LeastCandidates<Real> least;
      if (comes_near_wall(grid.discs[i], radius, grid.box)) {
        const WallHit<Real> hit = wall_hit(grid.discs[i], radius, grid.box);
        if (hit.time <= Real(1)) least.time = hit.time, least.partner = wall_partner;
      }
      find.template walk<false>(i, least);
      if (least.partner == no_partner) {  // true for most discs of a thin gas
        relaxed_store(find.claims[i], claim_of(no_partner));
        return;
      }
      find.keep(i, least);
    } else {
      find(i);
    }
    if (decide(find, i, tries) != Decision::decided) list[reserve_slot(control->pending[0])] = i;
  }
};

// Lists of the waiting discs of a round. `from` and `to` select the lengths in the control block.
struct WaitingLists {
  const int* list;
  int* next;
  StepControl* control;
  int from, to;
};

// Later round; `threads` threads share the work.
template <class Real, bool contract>
struct DecideAgain {
  FindLeast<Real, contract> find;
  WaitingLists waiting;
  int threads, tries;
  PERTURB_HD void operator()(int k) const {
    const int count = waiting.control->pending[waiting.from];
    for (; k < count; k += threads) {
      const int i = waiting.list[k];
      Decision decision = decide(find, i, tries);
      if (decision == Decision::must_search) {
        LeastCandidates<Real> least;
        find.template search<true>(i, 0, 1, least);
        find.keep(i, least);
        decision = decide(find, i, tries);
      }
      if (decision != Decision::decided) waiting.next[reserve_slot(waiting.control->pending[waiting.to])] = i;
    }
  }
};

}  // namespace perturb::particles
