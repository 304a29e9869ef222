#include "cuda/lbm/measure/microscope.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/format.h"

namespace perturb::lbm {

namespace {

template <class T, int Features>
struct ReadCell {
  StepParams flow;
  Populations<T> from;
  int i, j;
  CellUpdate* into;

  PERTURB_HD void operator()(int) const {
    const int mask = flow.links.empty() ? 0 : flow.links(i, j);
    into->links = mask;
    if (mask == all_links) return;
    from.load(i, j, into->stored);
    gather_unmarked(flow, from, mask, i, j, into->streamed);
    float g[lbm_links];
    gather(flow, from, mask, i, j, g);
    for (int q = 0; q < lbm_links; ++q) into->bounced[q] = g[q];
    lbm_collide<Features>(g, flow.rates);
    for (int q = 0; q < lbm_links; ++q) {
      T stored;
      lbm_write(stored, g[q]);
      into->collided[q] = lbm_read(stored);
    }
  }
};

// The links where they are around the cell, from the upper left to the lower right one.
constexpr int link_places[lbm_links] = {6, 2, 5, 3, 0, 1, 7, 4, 8};

std::vector<double> in_place(const float (&g)[lbm_links]) {
  std::vector<double> all;
  for (const int q : link_places) all.push_back(static_cast<double>(g[q]));
  return all;
}

// Of a link: `part` of the way from the centre to the cell's edge, `beside` to the left of it, as seen along the link.
CurvePoint on_link(CurvePoint center, int q, double part, double beside) {
  const double ex = lbm_ex(q), ey = lbm_ey(q), length = std::hypot(ex, ey);
  return {center.x + 0.5 * part * ex - beside * ey / length, center.y + 0.5 * part * ey + beside * ex / length};
}

void draw_populations(const CellUpdate& cell, CurvePoint center, Glyphs& glyphs) {
  glyphs.square(Glyph::Role::subject, center, 0.5);
  float largest = 0;
  for (int q = 1; q < lbm_links; ++q)
    largest = std::max({largest, std::fabs(cell.bounced[q]), std::fabs(cell.collided[q])});
  constexpr double beside = 0.035, gap = 0.12, room = 0.8;  // the last two: shares of half a cell
  for (int q = 1; q < lbm_links && largest > 0; ++q) {
    const double in = static_cast<double>(cell.bounced[q] / largest),
                 out = static_cast<double>(cell.collided[q] / largest);
    const bool bounced = (cell.links & (1 << (q - 1))) != 0;
    // Arrives from the side opposite to its link, and leaves along it. The tip of a negative one is its tail.
    CurvePoint tail = on_link(center, q, -gap - room * std::abs(in), beside), head = on_link(center, q, -gap, beside);
    if (in < 0) std::swap(tail, head);
    glyphs.arrow(bounced ? Glyph::Role::boundary : Glyph::Role::neighbour, tail, head);
    tail = on_link(center, q, gap, beside);
    head = on_link(center, q, gap + room * std::abs(out), beside);
    if (out < 0) std::swap(tail, head);
    glyphs.arrow(Glyph::Role::result, tail, head);
  }
  for (int q = 1; q < lbm_links; ++q)
    glyphs.text(Glyph::Role::result, on_link(center, q, 1.0, 0),
                Message::value(format_number(static_cast<double>(cell.collided[q]), 3)));
}

}  // namespace

Inspection Microscope::inspect(const StepParams& flow, int features, const Lattice& lattice, bool corrects, int i,
                               int j) {
  if (update_.empty()) update_ = Array<CellUpdate>(backend_, 1, "microscope");
  lattice.with_populations([&]<class T>(const Populations<T>& populations) {
    with_features(features, [&](auto feature) {
      parallel_for(backend_, "lbm.microscope", Range1D{1},
                   ReadCell<T, decltype(feature)::value>{flow, populations, i, j, update_.data()});
    });
  });
  CellUpdate cell;
  update_.download(std::span<CellUpdate>(&cell, 1));

  Inspection seen;
  const Message name("Cell ({}, {})", i, j);
  seen.extent = {1.0 / flow.width, 1.0 / flow.height};
  Glyphs glyphs(seen, flow.width, flow.height);
  const CurvePoint center{i + 0.5, j + 0.5};
  if (cell.links == all_links) {
    seen.title = Message("{}: wall", name);
    seen.remark = "A wall has no populations: it returns those of its neighbours.";
    glyphs.square(Glyph::Role::boundary, center, 0.5);
    glyphs.cross(Glyph::Role::boundary, center);
    return seen;
  }
  seen.title = cell.links != 0 ? Message("{}: next to a wall or side", name) : name;
  const Moments now = moments(cell.stored, -0.5f * flow.rates.force_x, -0.5f * flow.rates.force_y);
  const Moments met = moments(cell.bounced, 0.5f * flow.rates.force_x, 0.5f * flow.rates.force_y);
  seen.add("Density", 1 + static_cast<double>(now.drho));
  seen.add("Velocity, x", static_cast<double>(now.ux), "cell/step");
  seen.add("Velocity, y", static_cast<double>(now.uy), "cell/step");
  const bool has_eddies = (features & lbm_eddies) != 0;
  const Relaxation& r = flow.rates.relaxation;
  seen.add(has_eddies ? "Relaxation rate without eddies" : "Relaxation rate, even moments",
           1 - static_cast<double>(r.keep_rest));
  if (!has_eddies) seen.add("Relaxation rate, odd moments", 1 - 2 * static_cast<double>(r.keep_odd));

  float equilibrium[lbm_links];
  for (int q = 0; q < lbm_links; ++q) equilibrium[q] = lbm_equilibrium(q, met);
  seen.add_row("After the last collision", in_place(cell.stored));
  std::vector<double> streamed = in_place(cell.streamed);
  for (std::size_t k = 0; k < streamed.size(); ++k)
    if (const int q = link_places[k]; q > 0 && (cell.links & (1 << (q - 1))) != 0) streamed[k] = no_value;
  seen.add_row("1. Streamed in", std::move(streamed));
  seen.add_row("2. Bounced back at walls", in_place(cell.bounced));
  seen.add_row("Their equilibrium", in_place(equilibrium));
  seen.add_row("3. Collided", in_place(cell.collided));
  seen.remark =
      "Populations minus their weights, in place. Arrows have the same lengths: blue arrives, red is bounced back, "
      "orange leaves.";
  if (corrects && cell.links != 0)
    seen.remark = seen.remark + Message("The next step first corrects this cell for the wall's outline or motion.");
  draw_populations(cell, center, glyphs);
  return seen;
}

}  // namespace perturb::lbm
