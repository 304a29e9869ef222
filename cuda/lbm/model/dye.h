// Dye: a passive scalar that the fluid carries, for display.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/lbm/model/edit.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/saved.h"
#include "cuda/lbm/model/velocity_rows.h"

namespace perturb::lbm {

// CarryDye with a CPU version: each velocity is computed once, in vector instructions.
template <class T>
struct CarryDyeRows {
  CarryDye<T> cells;
  PERTURB_HD void operator()(int i, int j) const { cells(i, j); }

  void rows(int begin, int end, int width) const {
    VelocityRows<T> velocities(cells.velocity, {cells.wrap_x, cells.wrap_y}, 0, width);
    for (int j = begin; j < end; ++j) {
      const auto below = velocities.row(j - 1), here = velocities.row(j), above = velocities.row(j + 1);
      for (int i = 0; i < width; ++i) {
        const float column = static_cast<float>(i) + floorf(cells.middle(here.ux[i])),
                    rows_up = floorf(cells.middle(here.uy[i]));
        // Fluid that came from further away, or is no longer finite, and walls.
        if (!(column >= -1.f && column <= static_cast<float>(width) && rows_up >= -1.f && rows_up <= 1.f) ||
            cells.velocity.is_wall(i, j)) {
          cells(i, j);
          continue;
        }
        const auto& middle = rows_up < 0.f ? below : rows_up > 0.f ? above : here;
        cells.carry(i, j, middle.at(static_cast<int>(column)));
      }
    }
  }
};

// Uses no memory until there is dye. `flow`: the current step parameters; walls contain no dye.
class Dye {
 public:
  // Number of steps between two advections: at speeds far below 1 dye moves less than two cells in between.
  static constexpr int interval = 6;

  Dye(Backend& backend, int width, int height) : backend_(backend), width_(width), height_(height) {}

  bool empty() const { return now_.empty(); }
  View2D<const float> view() const { return now_.view(); }

  // Adds dye along a stroke; `radius` in cells; a negative amount removes dye. Throws Error when memory runs out.
  void drop(const StepParams& flow, const CellSegment& stroke, float radius, float amount);
  // Adds these amounts (row-major) to the dye of the cells, up to 1 per cell. `walls`: not 0 in walls, which take
  // none; may be empty. Throws Error when memory runs out.
  void lay(const std::vector<float>& amounts, const std::vector<std::uint8_t>& walls);
  const std::vector<DyeSource>& sources() const { return sources_; }
  // Adds a permanent source of dye. Throws InputError if there are max_dye_sources already.
  void add_source(const StepParams& flow, const DyeSource& source);
  // Changes, or removes, the source with this id, which exists. Dye that has flowed out stays.
  void change_source(const StepParams& flow, const DyeSource& source);
  void remove_source(int id);
  void clear();
  // Advects the dye over the last `interval` steps, and adds dye at the sources.
  void carry(const StepParams& flow, const Lattice& lattice);

  // "dye" [height, width], "dye_sources" [count, 3] and "dye_source_ids" [count], if there is dye.
  void save_to(State& state) const;
  // The same without "dye".
  void save_sources_to(State& state) const;
  // `values` may be empty: no dye. Throws Error, with nothing changed, when memory runs out.
  void load(const std::vector<float>& values, std::vector<DyeSource> sources);
  void swap(Dye& other) noexcept;  // with the dye of the same flow
  void visit_members(MemberCopier& copy);

 private:
  void need_fields();
  void feed(const StepParams& flow);
  // `hold`: raises the dye to at least this amount instead of adding it.
  void paint(const StepParams& flow, const CellSegment& stroke, float radius, float amount, bool hold);

  Backend& backend_;
  int width_, height_;
  Field<float> now_, next_;
  std::vector<DyeSource> sources_;
};

}  // namespace perturb::lbm
