#include "cuda/membrane/membrane_picture.h"

#include <cmath>

#include "cuda/core/parallel_for.h"
#include "cuda/core/shown.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/membrane_theory.h"

namespace perturb::membrane {

MembraneShown membrane_shown(const std::string& id) {
  return static_cast<MembraneShown>(quantity_index(membrane_simulation(), id));
}

void MembranePicture::paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table,
                            MembraneSolution& solution, const MembraneSwing& swing, const Look& look) {
  const MembraneParameters& solved = solution.parameters();
  MembranePaint body{};
  body.pixels = pixels;
  body.map = camera.pixel_to_domain(pixels.width, pixels.height, 1, 1);
  body.field = solution.discretisation().field();
  body.errors = solution.discretisation().errors();
  body.shown = membrane_shown(view.quantity);
  const bool drawn_over = !table.is_counted();
  bool nodal_lines = look.parameters.show_nodal_lines && drawn_over;
  if (solved.lags()) {
    // An amplitude has no sign; all else is of the moment.
    if (body.shown == MembraneShown::amplitude || body.shown == MembraneShown::sand)
      body.lag = solution.discretisation().lag().data(), nodal_lines = false;
    else
      body.field = solution.discretisation().field_at(swing.phase());
  }
  const auto [low, high] = shown_range(view, membrane_simulation().quantities[static_cast<std::size_t>(body.shown)]);
  body.scale = table.scale(low, high);
  body.source = membrane_source(solved);
  body.known = membrane_known(solved);
  body.factor = static_cast<float>(swing.factor(solved));
  body.largest = static_cast<float>(look.largest);
  body.patches = look.parameters.show_patches && drawn_over, body.cells = look.parameters.show_cells && drawn_over;
  body.nodal_lines = nodal_lines;
  body.mark = drawn_over && solved.load == MembraneLoad::bump && body.shown != MembraneShown::sparsity &&
              !solved.modal() && !(solved.in_time() && solved.source_strength == 0);
  body.seed = look.seed;
  parallel_for(backend_, "membrane.paint", Range2D{pixels.width, pixels.height}, body);
}

std::string membrane_words_at(MembraneShown shown, double x, double y, const MembraneStructure& structure,
                              const MembraneCover& cover) {
  if (shown == MembraneShown::degree)
    return "p = " + std::to_string(cover.leaves()[static_cast<std::size_t>(cover.find(x, y))].degree);
  if (shown == MembraneShown::sparsity)
    return "patches " + std::to_string(static_cast<int>((1 - y) * cover.count())) + ", " +
           std::to_string(static_cast<int>(x * cover.count()));
  if (shown != MembraneShown::over) return {};
  int over = 0;
  for (const MembranePatch& p : structure.patches) over += p.covers(x, y) ? 1 : 0;
  return std::to_string(over) + (over == 1 ? " patch" : " patches");
}

double MembranePicture::height_at(double x, double y, const MembraneField& field) {
  parallel_for(backend_, "membrane.probe", Range1D{1}, MembraneProbe{field, x, y, probe_.data()});
  return probe_.download().front();
}

double MembranePicture::value(MembraneShown shown, double x, double y, const MembraneSolution& solution,
                              const MembraneSwing& swing) {
  const MembraneParameters& solved = solution.parameters();
  if (shown == MembraneShown::load) return membrane_source(solved)(x, y);
  if (shown == MembraneShown::patch_error) {
    MembraneError error;
    const MembraneCover& cover = solution.cover();
    const int leaf = cover.find(x, y);
    backend_.copy_to_host(&error, solution.discretisation().errors() + leaf, sizeof error);
    return std::ldexp(std::sqrt(error.value2), cover.leaves()[static_cast<std::size_t>(leaf)].level);
  }
  const MembraneDiscretisation& d = solution.discretisation();
  double u = height_at(x, y, d.field());
  if (solved.lags()) {
    const double lag = height_at(x, y, {d.space().view(), d.lag().data()});
    if (shown == MembraneShown::displacement) return u * std::cos(swing.phase()) - lag * std::sin(swing.phase());
    u = std::hypot(u, lag);
  }
  if (shown == MembraneShown::displacement) return u * swing.factor(solved);
  if (shown != MembraneShown::error) return std::abs(u);
  const MembraneKnown known = membrane_known(solved);
  return known.is_known ? std::abs(u - known.value(x, y)) : 0;
}

}  // namespace perturb::membrane
