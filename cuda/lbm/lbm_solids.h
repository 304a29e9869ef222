// What is solid in a flow: its walls, the body among them that is dragged, and how both answer the fluid. Whatever is
// done to them by hand is done here.
#pragma once

#include <cstdint>
#include <optional>

#include "cuda/core/action.h"
#include "cuda/core/moment.h"
#include "cuda/core/state.h"
#include "cuda/lbm/lbm_curved.h"
#include "cuda/lbm/lbm_lattice.h"
#include "cuda/lbm/lbm_marks.h"
#include "cuda/lbm/lbm_moving.h"
#include "cuda/lbm/lbm_params.h"
#include "cuda/lbm/lbm_saved.h"

namespace perturb::lbm {

// `lattice` and `parameters` are those of the flow.
class LbmSolids {
 public:
  LbmSolids(Backend& backend, int width, int height);

  const LbmMarks& marks() const { return marks_; }
  const LbmMoving& moving() const { return moving_; }
  LbmMarkedBands& bands() { return marks_.bands(); }
  bool has_walls() const { return marks_.has_walls(); }

  // A pass without marks, and the pass of this moment.
  LbmPass sides(const LbmParameters& parameters) const;
  LbmPass flow(const LbmParameters& parameters) const;
  LbmCurve curve(const LbmParameters& parameters) const { return lbm_curve_of(parameters, flow(parameters), marks_); }

  // Each of the following draws other walls, settles them and brings the lattice in line; it returns how many holes of
  // one cell it filled. Each throws InputError where no fluid would be left, Error when memory runs out, and then
  // everything is as it was.
  //
  // The sides became periodic, or are no longer: the walls stay, but for holes that only a periodic side had kept open.
  std::int64_t follow_sides(const LbmParameters& parameters, LbmLattice& lattice);
  std::int64_t draw(const LbmShape& shape, bool erase, const LbmParameters& parameters, LbmLattice& lattice);
  std::int64_t draw_image(const GreyImage& image, double threshold, bool invert, const LbmParameters& parameters,
                          LbmLattice& lattice);
  std::int64_t clear(const LbmParameters& parameters, LbmLattice& lattice);
  // Moves the body under the stroke's begin by its way, in whole cells, at this step; none: it would leave the domain.
  // Throws InputError where there is no body.
  std::optional<std::int64_t> move_body(const CellSegment& way, std::int64_t step, const LbmParameters& parameters,
                                        LbmLattice& lattice);

  // Whether something is to be done before this step, and what: curved walls and walls that move answer the fluid
  // beside them. Queued.
  bool answer_at(std::int64_t step, const LbmParameters& parameters) const;
  void answer(std::int64_t step, const LbmParameters& parameters, const LbmLattice& lattice);

  void save_to(State& state, std::int64_t step) const;
  // The walls of a saved state, settled; fluid rests in `saved` where there are any. settle() and prepare() (room for
  // them, and the body that moved) may be refused; take() then not, which returns how many holes were filled.
  LbmMarks::Drawn settle(LbmSaved& saved, const LbmParameters& parameters) const;
  void prepare(const LbmSaved& saved, const LbmParameters& parameters);
  std::int64_t take(LbmMarks::Drawn walls, const LbmParameters& parameters);
  void name_members(Copier& copy) { copy(marks_, moving_); }

 private:
  std::int64_t put(LbmDrawing drawing, const LbmParameters& parameters, LbmLattice& lattice, const LbmPull& pull = {});
  // The same, and what moved is other walls now.
  std::int64_t change(LbmDrawing drawing, const LbmParameters& parameters, LbmLattice& lattice);

  int width_, height_;
  LbmMarks marks_;
  LbmMoving moving_;
  LbmCurved curved_;
};

}  // namespace perturb::lbm
