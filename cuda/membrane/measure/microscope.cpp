#include "cuda/membrane/measure/microscope.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "cuda/core/simulation/format.h"
#include "cuda/membrane/model/integrals.h"

namespace perturb::membrane {

namespace {

// The structure as kernels see it, in the host's memory.
SpaceView view_on_host(const Structure& s, Basis basis) {
  SpaceView view;
  view.uniform = s.uniform;
  view.per_side = s.per_side;
  view.count = s.count();
  view.highest_degree = s.highest_degree;
  view.overlap = s.overlap;
  view.domain = s.domain;
  view.basis = basis;
  view.patches = s.patches.data();
  view.raster = s.raster.data();
  view.leaf_begin = s.leaf_begin.data();
  view.leaf_patches = s.leaf_patches.data();
  view.cells = s.cells.data();
  view.cell_patches = s.cell_patches.data();
  view.patch_begin = s.patch_begin.data();
  view.patch_cells = s.patch_cells.data();
  return view;
}

struct FewPatches {
  const Patch* patches;
  PERTURB_HD const Patch& operator()(int k) const { return patches[k]; }
};

// The integration cell that contains the point, among those under the leaf that does.
Cell cell_at(const SpaceView& view, double x, double y) {
  const int leaf = view.leaf(x, y);
  for (int k = 0; k < view.cells_of(leaf); ++k) {
    const Cell cell = view.cell_of(leaf, k);
    if (x >= cell.x0 && x <= cell.x1 && y >= cell.y0 && y <= cell.y1) return cell;
  }
  throw Error("internal: no integration cell at {}, {}", format_number(x), format_number(y));
}

}  // namespace

Inspection inspect_cell(const Discretisation& membrane, const Parameters& parameters, double x, double y) {
  const SpaceView view = view_on_host(membrane.structure(), membrane.space().view().basis);
  Cell cell = cell_at(view, x, y);
  const int leaf = view.leaf(x, y);

  // Its patches alone, numbered from 0, with their coefficients.
  std::vector<Patch> patches;
  std::vector<double> coefficients, own;
  std::vector<double> numbers, degrees, functions;
  for (int k = 0; k < cell.over; ++k) {
    Patch patch = view.patches[cell.patches[k]];
    const auto count = static_cast<std::size_t>(patch.functions());
    std::vector<double> values(count);
    membrane.solution().backend().copy_to_host(values.data(), membrane.solution().data() + patch.first,
                                               count * sizeof(double));
    if (cell.patches[k] == leaf) own = values;
    patch.first = static_cast<std::int64_t>(coefficients.size());
    coefficients.insert(coefficients.end(), values.begin(), values.end());
    patches.push_back(patch);
    numbers.push_back(cell.patches[k]);
    degrees.push_back(patch.degree);
    functions.push_back(static_cast<double>(count));
    cell.patches[k] = k;
  }
  Weights weights;
  weights.at(x, y, cell.over, FewPatches{patches.data()});
  SpaceView few = view;
  few.patches = patches.data();
  const FieldValue field = SolutionField{few, coefficients.data()}.in_cell(cell, x, y);
  const Form form = membrane_form(parameters, membrane.structure().highest_degree);
  std::vector<std::pair<double, double>> points;
  for_each_point(view, cell, form.rule, form.near, [&](double px, double py, double) { points.emplace_back(px, py); });

  Inspection seen;
  seen.title = Message("Integration cell in patch {}", leaf);
  // Of the patch: some of its integration cells are narrow.
  seen.extent = {2 * view.patches[leaf].half, 2 * view.patches[leaf].half};
  seen.add("Solution u", field.u, "height");
  seen.add_row("Slope of u", {field.x, field.y}, "height/length");
  seen.add_row("Patches over the cell", numbers);
  seen.add_row("Their weights at the pointer", std::vector<double>(weights.phi, weights.phi + cell.over));
  seen.add_row("Their polynomial degrees", degrees);
  seen.add_row("Their degrees of freedom", functions);
  seen.add_row(Message("Coefficients of patch {}", leaf), own, "height");
  seen.add("Gauss points", static_cast<double>(points.size()));

  Glyphs glyphs(seen, 1, 1);
  const auto rectangle = [&](Glyph::Role role, double x0, double y0, double x1, double y1, Message label = {}) {
    glyphs.rectangle(role, {0.5 * (x0 + x1), 0.5 * (y0 + y1)}, {0.5 * (x1 - x0), 0.5 * (y1 - y0)}, std::move(label));
  };
  for (std::size_t k = 0; k < patches.size(); ++k) {
    const Patch& p = patches[k];
    rectangle(Glyph::Role::neighbour, p.x - p.half, p.y - p.half, p.x + p.half, p.y + p.half,
              Message::value(format_number(numbers[k]) + "\n\u00d7 " + format_number(weights.phi[k], 3)));
  }
  rectangle(Glyph::Role::subject, cell.x0, cell.y0, cell.x1, cell.y1);
  for (const auto& [px, py] : points)
    glyphs.circle(Glyph::Role::result, {px, py}, 0.02 * std::min(cell.x1 - cell.x0, cell.y1 - cell.y0));
  seen.remark = "Blue: the patches and their weights. Orange: the Gauss points of the cell.";
  return seen;
}

}  // namespace perturb::membrane
