// The medium: walls, and the speed map, the factor of c in every cell.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/field_difference.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/wave/model/edit.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/medium_sums.h"
#include "cuda/wave/model/surface.h"

namespace perturb::wave {

// The shape with its copies round the sides that repeat.
Shape repeated(Shape shape, const Grid& grid);

// One field for both (model/cell.h): the factor, negative in a wall, so that erasing the wall restores the speed. Empty
// while there are no walls and the speed is c everywhere. Functions that change it wait for the device. They throw
// Error, with nothing changed, if memory runs out.
//
// Objects (slits, lenses) are drawn over what was painted. While there are any, a second field has what was painted
// alone, so that an object can move. Painting changes both: the field until the object changes there.
template <class Real>
class Medium {
 public:
  Medium(Backend& backend, int width, int height) : backend_(backend), width_(width), height_(height) {}

  bool empty() const { return field_.empty(); }
  View2D<const Real> view() const { return field_.view(); }
  bool has_walls() const { return has_walls_; }
  bool has_speed_map() const { return has_speed_map_; }
  // The extreme factors of the speed map, cells in walls included. 1 while it is empty.
  double slowest() const { return slowest_; }
  double fastest() const { return fastest_; }
  // Changes with every edit, so that values derived from the medium can be invalidated.
  std::int64_t changes() const { return changes_; }
  // λ of model/limit.h for a tank with this medium and these sides: computed on the first call and cached until
  // either changes. Returns its upper bound if there is not enough memory to compute it.
  double spectrum(const StepParams<Real>& tank, const Surface<Real>& surface) const;

  // Sets the surface in a wall to zero. Throws InputError, with nothing changed, if no water would be left.
  void paint_wall(const Shape& shape, bool erase, Surface<Real>& surface);
  // Adds a wall in these cells: one byte each, row-major, 0 is open. Walls that touch only at a corner are closed
  // there, since the nine-point stencil reads across corners.
  void paint_walls(std::vector<std::uint8_t> cells, const Grid& grid, Surface<Real>& surface);
  void clear_walls() { clear(false, true); }
  void paint_speed(const Shape& shape, const SpeedRamp& ramp);
  // The factor is `from` where the image is black, `to` where it is white.
  void paint_speed(const GreyImage& image, double from, double to, const Grid& grid);
  void clear_speed() { clear(true, false); }
  // Builds the medium again in these regions after objects have changed: `overlays` are all of them, at most
  // max_overlays, in the order in which they cover each other. Sets the surface in walls to zero. Throws InputError,
  // with nothing changed, if no water would be left.
  void compose(std::span<const Overlay> overlays, std::span<const Shape> regions, Surface<Real>& surface);
  // The painted medium becomes the medium as it is, after the last object was cleared away.
  void drop_painted() {
    painted_ = {};
    is_layered_ = false;
  }
  // Makes several of these changes and measures the medium once after them: a pass over the tank after each of
  // thousands of strokes would take most of a scene's start.
  template <class Changes>
  void change_together(const Changes& changes) {
    is_measured_later_ = true;
    changes();
    is_measured_later_ = false;
    measure();
  }

  // Moves the field to where an edited kernel sees it, and back.
  void share(const EditedKernel& kernel);
  void unshare();

  // The field, [height, width]; only if it is not empty. Waits for the device.
  std::vector<Real> download() const { return field_.download(); }
  // 1 in a wall, [height, width]; empty if there are no walls. Waits for the device.
  std::vector<std::uint8_t> walls() const;
  // Saves "wall" (uint8) and "speed" [height, width], if there are walls and if there is a speed map; and in the same
  // way "painted_wall" and "painted_speed", what was painted, while there are objects.
  void save_to(State& state) const;
  // The fields of "speed" and "painted_speed", if there are any; their signs are those of the walls.
  std::vector<ComparedField> compared_fields() const;
  // Loads the saved field, with the signs of the walls; `values` may be empty. The same for what was painted, if
  // `is_layered`: there are objects.
  void load(const std::vector<Real>& values, const std::vector<Real>& painted, bool is_layered);
  void visit_members(MemberCopier& copy);

 private:
  Range2D whole() const { return {width_, height_}; }
  Field<Real> new_field() const { return {backend_, width_, height_, "walls and speed map"}; }
  void need_field() { need(field_); }
  // The painted medium, if there are objects; null: there are none.
  Field<Real>* painted() { return is_layered_ ? &painted_ : nullptr; }
  // Fills an empty field with water of speed c.
  void need(Field<Real>& field);
  std::vector<Real> values_of(const Field<Real>& field) const;
  void clear(bool keep_walls, bool keep_speed);
  void require_water(const Shape& shape, Range2D box);
  template <class Change>
  void change_cells(const Change& change);
  // Called after every change. Releases a field without walls and speed map.
  void measure();
  MediumSums sums_of(View2D<const Real> medium);
  void set_sums(const MediumSums& sums);

  Backend& backend_;
  int width_, height_;
  Field<Real> field_;
  Field<Real> painted_;  // the painted medium, below the objects; empty: none
  bool is_layered_ = false;
  bool has_walls_ = false, has_speed_map_ = false;
  std::int64_t walls_ = 0;  // cells; an upper bound until they are measured
  bool is_measured_later_ = false;
  double slowest_ = 1, fastest_ = 1;
  std::optional<Reduction<MediumSums>> sums_;
  std::int64_t changes_ = 0;
  // 0: not computed yet.
  mutable double spectrum_ = 0;
  mutable std::array<Boundary, 4> spectrum_sides_{};
};

extern template class Medium<float>;
extern template class Medium<double>;

}  // namespace perturb::wave
