#include "cuda/lbm/model/curved.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"

namespace perturb::lbm {

namespace {

// The links of a fluid cell that come out of a wall whose outline is not half-way.
struct CurvedLinks {
  StepParams flow;
  WallCurve curve;
  PERTURB_HD std::uint32_t operator()(int i, int j) const {
    const int mask = flow.links(i, j);
    if (mask == 0 || mask == all_links) return 0;
    std::uint32_t links = 0;
    for (int q = 1; q < lbm_links; ++q)
      if ((mask & (1 << (q - 1))) && !lbm_crossing(flow, q, i, j).any && curve.share(q, i, j) != 0.5f)
        links |= 1u << (q - 1);
    return links;
  }
};

struct CountCurved {
  CurvedLinks links;
  View1D<int> counts;  // number of cells of each row
  PERTURB_HD void operator()(int j) const {
    int count = 0;
    for (int i = 0; i < links.flow.width; ++i) count += links(i, j) != 0 ? 1 : 0;
    counts[static_cast<std::size_t>(j)] = count;
  }
};

struct ListCurved {
  CurvedLinks links;
  View1D<const int> begins;  // index of each row's first cell
  View1D<RimCell> rims;
  PERTURB_HD void operator()(int j) const {
    auto k = static_cast<std::size_t>(begins[static_cast<std::size_t>(j)]);
    for (int i = 0; i < links.flow.width; ++i)
      if (const std::uint32_t bits = links(i, j)) rims[k++] = {i, j, bits};
  }
};

// Where the populations of each listed cell come from does not change while the walls stay. Finding it again in each
// step took most of the step's time on a GPU: it reads the cells behind one after the other.
struct FindOrigins {
  WallCurve curve;
  View1D<const RimCell> rims;
  View1D<WallCurve::Link> origins;  // lbm_links of each cell
  PERTURB_HD void operator()(int k) const {
    const RimCell rim = rims[static_cast<std::size_t>(k)];
    for (int q = 1; q < lbm_links; ++q)
      if (rim.links & (1u << (q - 1)))
        origins[static_cast<std::size_t>(k) * lbm_links + static_cast<std::size_t>(q)] = curve.link(q, rim.i, rim.j);
  }
};

template <class T>
struct CorrectCurvedBoundaries {
  Populations<T> g;
  WallCurve curve;
  View1D<const RimCell> rims;
  View1D<const WallCurve::Link> origins;
  bool keeps_mass;

  PERTURB_HD void operator()(int k) const {
    const RimCell rim = rims[static_cast<std::size_t>(k)];
    // All are computed before any is written: a boundary population may depend on one that another of the same cell
    // replaces.
    float populations[lbm_links];
    float more = 0.f;  // mass in excess of plain bounce-back, as stored
    for (int q = 1; q < lbm_links; ++q)
      if (rim.links & (1u << (q - 1)))
        populations[q] = curve.population(
            g, q, rim.i, rim.j, origins[static_cast<std::size_t>(k) * lbm_links + static_cast<std::size_t>(q)]);
    for (int q = 1; q < lbm_links; ++q) {
      if (!(rim.links & (1u << (q - 1)))) continue;
      const int o = lbm_opposite(q);
      const float before = g.at(o, rim.i, rim.j);
      g.set(o, rim.i, rim.j, populations[q]);
      more += g.at(o, rim.i, rim.j) - before;
    }
    if (keeps_mass) g.set(0, rim.i, rim.j, g.at(0, rim.i, rim.j) - more);
  }
};

}  // namespace

void Curved::find(const StepParams& flow, const WallCurve& curve) {
  const CurvedLinks links{flow, curve};
  Array<int> rows(backend_, static_cast<std::size_t>(flow.height), "rows of cells beside curved walls");
  parallel_for(backend_, "lbm.count_curved", Range1D{flow.height}, CountCurved{links, rows.view()});
  std::vector<int> begins = rows.download();
  int count = 0;
  for (int& row : begins) count += std::exchange(row, count);
  const auto needed = static_cast<std::size_t>(count);
  if (rims_.size() < needed) {
    rims_ = {};
    origins_ = {};
    const std::size_t room = needed + needed / 2;
    origins_ = Array<WallCurve::Link>(backend_, room * lbm_links, "links out of curved walls");
    rims_ = Array<RimCell>(backend_, room, "cells beside curved walls");
  }
  rows.upload(begins);
  parallel_for(backend_, "lbm.list_curved", Range1D{flow.height},
               ListCurved{links, std::as_const(rows).view(), rims_.view()});
  parallel_for(backend_, "lbm.curved_origins", Range1D{count},
               FindOrigins{curve, std::as_const(rims_).view(), origins_.view()});
  count_ = count;
  if (!backend_.is_cuda()) list_links(flow);
}

void Curved::list_links(const StepParams& flow) {
  const auto all = std::as_const(rims_).view();
  const auto origins = std::as_const(origins_).view();
  links_.clear();
  begins_.assign(1, 0);
  for (int k = 0; k < count_; ++k) {
    const RimCell& rim = all[static_cast<std::size_t>(k)];
    begins_.resize(static_cast<std::size_t>(rim.j) + 1, static_cast<int>(links_.size()));
    for (int q = 1; q < lbm_links; ++q)
      if (rim.links & (1u << (q - 1)))
        links_.push_back({rim.i, q, origins[static_cast<std::size_t>(k) * lbm_links + static_cast<std::size_t>(q)]});
  }
  begins_.resize(static_cast<std::size_t>(flow.height) + 1, static_cast<int>(links_.size()));
}

void Curved::follow(const StepParams& flow, const BoundaryLinks& boundary_links, const WallCurve& curve) {
  if (walls_ == boundary_links.walls()) return;
  walls_ = 0;
  find(flow, curve);
  walls_ = boundary_links.walls();
}

CurvedRows Curved::rows(const StepParams& flow, const BoundaryLinks& boundary_links, const WallCurve& curve) {
  PERTURB_ASSERT(!backend_.is_cuda());
  follow(flow, boundary_links, curve);
  return {curve, links_, begins_};
}

void Curved::correct_boundaries(const StepParams& flow, const BoundaryLinks& boundary_links, const WallCurve& curve,
                                const Lattice& lattice, bool keeps_mass) {
  follow(flow, boundary_links, curve);
  if (count_ == 0) return;
  lattice.with_populations([&]<class T>(const Populations<T>& g) {
    parallel_for(
        backend_, "lbm.curved_walls", Range1D{count_},
        CorrectCurvedBoundaries<T>{g, curve, std::as_const(rims_).view(), std::as_const(origins_).view(), keeps_mass});
  });
}

}  // namespace perturb::lbm
