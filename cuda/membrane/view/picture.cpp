#include "cuda/membrane/view/picture.h"

#include <cmath>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/theory.h"

namespace perturb::membrane {

Shown membrane_shown(const std::string& id) { return static_cast<Shown>(quantity_index(membrane_simulation(), id)); }

void FieldPicture::paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table,
                         Solution& solution, const Oscillation& oscillation, const Look& look) {
  const Parameters& solved = solution.parameters();
  Paint body{};
  body.pixels = pixels;
  body.map = camera.pixel_to_domain(pixels.width, pixels.height, 1, 1);
  body.field = solution.discretisation().field();
  body.errors = solution.discretisation().errors();
  body.shown = membrane_shown(view.quantity);
  const bool drawn_over = !table.is_counted();
  bool nodal_lines = look.parameters.show_nodal_lines && drawn_over;
  if (solved.is_complex()) {
    // An amplitude has no sign; the other quantities are at the current time.
    if (body.shown == Shown::amplitude || body.shown == Shown::sand) {
      body.quadrature = solution.discretisation().quadrature().data();
      nodal_lines = false;
    } else {
      body.field = solution.discretisation().field_at(oscillation.phase());
    }
  }
  const auto [low, high] = shown_range(view, membrane_simulation().quantities[static_cast<std::size_t>(body.shown)]);
  body.scale = table.scale(low, high);
  body.source = membrane_source(solved);
  if (body.source.formula) body.formula = *body.source.formula;
  body.known = membrane_known(solved);
  body.factor = static_cast<float>(oscillation.factor(solved));
  body.largest = static_cast<float>(look.largest);
  body.patches = look.parameters.show_patches && drawn_over;
  body.cells = look.parameters.show_cells && drawn_over;
  body.nodal_lines = nodal_lines;
  body.slit = drawn_over && body.shown != Shown::sparsity && body.field.view.domain.shape == DomainShape::slit;
  body.mark = drawn_over && solved.load == Load::bump && body.shown != Shown::sparsity && !solved.modal() &&
              solved.source_strength != 0;
  body.seed = look.seed;
  parallel_for(backend_, "membrane.paint", Range2D{pixels.width, pixels.height}, body);
}

Message text_at(Shown shown, double x, double y, const Structure& structure, const Cover& cover) {
  if (shown == Shown::degree)
    return Message("p = {}", cover.leaves()[static_cast<std::size_t>(cover.find(x, y))].degree);
  if (shown == Shown::sparsity)
    return Message("patches {}, {}", static_cast<int>((1 - y) * cover.count()), static_cast<int>(x * cover.count()));
  if (shown != Shown::over) return {};
  int over = 0;
  const int leaf = cover.find(x, y);
  for (std::size_t k = 0; k < structure.patches.size(); ++k)
    over += structure.patches[k].covers(x, y) && structure.is_over(static_cast<int>(k), leaf) ? 1 : 0;
  return over == 1 ? Message("{} patch", over) : Message("{} patches", over);
}

double FieldPicture::height_at(double x, double y, const SolutionField& field) {
  parallel_for(backend_, "membrane.probe", Range1D{1}, Probe{field, x, y, probe_.data()});
  return probe_.download().front();
}

double FieldPicture::value(Shown shown, double x, double y, const Solution& solution, const Oscillation& oscillation) {
  const Parameters& solved = solution.parameters();
  if (shown == Shown::load) {
    const Source source = membrane_source(solved);
    return source.formula ? source.of_formula * (*source.formula)(x, y) : source(x, y);
  }
  if (shown == Shown::patch_error) {
    CellError error;
    const Cover& cover = solution.cover();
    const int leaf = cover.find(x, y);
    backend_.copy_to_host(&error, solution.discretisation().errors() + leaf, sizeof error);
    return std::ldexp(std::sqrt(error.value2), cover.leaves()[static_cast<std::size_t>(leaf)].level);
  }
  const Discretisation& d = solution.discretisation();
  double u = height_at(x, y, d.field());
  if (solved.is_complex()) {
    const double quadrature = height_at(x, y, {d.space().view(), d.quadrature().data()});
    if (shown == Shown::displacement)
      return u * std::cos(oscillation.phase()) - quadrature * std::sin(oscillation.phase());
    u = std::hypot(u, quadrature);
  }
  if (shown == Shown::displacement) return u * oscillation.factor(solved);
  if (shown != Shown::error) return std::abs(u);
  const Known known = membrane_known(solved);
  return known.is_known ? std::abs(u - known.value(x, y)) : 0;
}

}  // namespace perturb::membrane
