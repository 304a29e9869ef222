#include "cuda/wave/measure/microscope.h"

#include <cmath>
#include <span>
#include <vector>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/format.h"

namespace perturb::wave {

namespace {

template <class Real>
struct ReadCell {
  StepParams<Real> step;
  View2D<const Real> u, u_previous;
  int i, j;
  CellUpdate<Real>* into;

  PERTURB_HD void operator()(int) const {
    for (int k = 0; k < 9; ++k) {
      const int a = wave_place(i + k % 3 - 1, step.width, step.left, step.right);
      const int b = wave_place(j + 1 - k / 3, step.height, step.bottom, step.top);
      const bool exists = a >= 0 && b >= 0;
      into->u[k] = exists ? u(a, b) : Real(0);
      into->medium[k] = exists && !step.medium.empty() ? step.medium(a, b) : Real(1);
    }
    into->previous = u_previous(i, j);
    into->sponge = step.sponge_x.empty()
                       ? Real(1)
                       : step.sponge_x[static_cast<std::size_t>(i)] * step.sponge_y[static_cast<std::size_t>(j)];
    into->next = wave_cell(step, u, into->previous, i, j, 0);
  }
};

template <class Real>
bool is_in_source(const StepParams<Real>& step, int i, int j) {
  for (int s = 0; s < step.sources.count; ++s)
    if (in_hard_source(step.sources.hard_sources[s][0], i, j)) return true;
  return false;
}

// The new height as a sum: coefficients of the nine heights and of the cell's own one step ago.
struct Coefficients {
  std::vector<double> of_u = std::vector<double>(9, 0.0);
  double of_previous = 0;
};
Coefficients coefficients(Stencil stencil, double weight, double inertia, double absorbed) {
  const double axis = stencil == Stencil::nine ? 2.0 / 3 : 1, corner = stencil == Stencil::nine ? 1.0 / 6 : 0;
  const double divisor = 1 + absorbed;
  Coefficients c;
  for (const int k : {1, 3, 5, 7}) c.of_u[static_cast<std::size_t>(k)] = weight * axis / divisor;
  for (const int k : {0, 2, 6, 8}) c.of_u[static_cast<std::size_t>(k)] = weight * corner / divisor;
  c.of_u[4] = (inertia - 4 * weight * (axis + corner)) / divisor;
  c.of_previous = (1 - inertia + absorbed) / divisor;
  return c;
}

}  // namespace

template <class Real>
Inspection Microscope<Real>::inspect(const StepParams<Real>& step, const Surface<Real>& surface, const Grid& grid,
                                     const Parameters& parameters, int i, int j) {
  if (update_.empty()) update_ = Array<CellUpdate<Real>>(backend_, 1, "microscope");
  parallel_for(backend_, "wave.microscope", Range1D{1},
               ReadCell<Real>{step, surface.u(), surface.u_previous(), i, j, update_.data()});
  CellUpdate<Real> cell;
  update_.download(std::span<CellUpdate<Real>>(&cell, 1));

  const auto at_side = [](int k, int last, Boundary low, Boundary high, Boundary kind) {
    return (k == 0 && low == kind) + (k == last && high == kind);
  };
  const int sides = at_side(i, step.width - 1, step.left, step.right, Boundary::absorbing) +
                    at_side(j, step.height - 1, step.bottom, step.top, Boundary::absorbing);
  const bool is_source = is_in_source(step, i, j), wall = is_wall(cell.medium[4]);
  const bool is_set = is_source || wall;
  const double factor = std::abs(static_cast<double>(cell.medium[4])), sponge = static_cast<double>(cell.sponge);
  const double local = static_cast<double>(step.courant2) * factor * factor;
  const double absorbed = sides * std::sqrt(local);

  Inspection seen;
  const Message name("Cell ({}, {})", i, j);
  if (is_source)
    seen.title = Message("{}: source", name);
  else if (wall)
    seen.title = Message("{}: wall", name);
  else if (sides > 0)
    seen.title = Message("{}: absorbing side", name);
  else if (sponge < 1)
    seen.title = Message("{}: absorbing sponge", name);
  else
    seen.title = name;
  seen.extent = {1.0 / grid.width, 1.0 / grid.height};
  seen.add_row("Height now", std::vector<double>(cell.u, cell.u + 9), "height");
  seen.add("Height one step ago", static_cast<double>(cell.previous), "height");
  seen.add("Wave speed", parameters.wave_speed * factor, "length/time");
  seen.add("Courant number", courant_number(parameters) * factor);
  Coefficients c;
  if (!is_set) {
    c = coefficients(step.stencil, local * sponge, static_cast<double>(step.inertia) * sponge, absorbed);
    seen.add_row("Factor of each height", c.of_u);
    seen.add("Factor of one step ago", c.of_previous);
  }
  seen.add("Height after the step", static_cast<double>(cell.next), "height");
  if (is_source) seen.remark = "A source sets this height, whatever its neighbours do.";
  if (wall && !is_source) seen.remark = "In a wall the height stays zero.";

  const double size = grid.cell_size;
  Glyphs glyphs(seen, grid.width * size, grid.height * size);
  for (int k = 0; k < 9; ++k) {
    const bool own = k == 4;
    if (!own && (is_set || c.of_u[static_cast<std::size_t>(k)] == 0)) continue;
    const int a = i + k % 3 - 1, b = j + 1 - k / 3;
    const bool outside = a < 0 || b < 0 || a >= grid.width || b >= grid.height;
    const CurvePoint center{(a + 0.5) * size, (b + 0.5) * size};
    const std::string height = format_number(static_cast<double>(cell.u[k]), 3);
    const auto role = own                                  ? Glyph::Role::subject
                      : outside || is_wall(cell.medium[k]) ? Glyph::Role::boundary
                                                           : Glyph::Role::neighbour;
    const Message text =
        is_set ? Message::value(height)
               : Message::value(height + "\n\u00d7 " + format_number(c.of_u[static_cast<std::size_t>(k)], 3));
    glyphs.square(
        role, center, 0.48 * size,
        own ? Message::value(text.text() + "\n\u2192 " + format_number(static_cast<double>(cell.next), 3)) : text);
  }
  return seen;
}

template class Microscope<float>;
template class Microscope<double>;

}  // namespace perturb::wave
