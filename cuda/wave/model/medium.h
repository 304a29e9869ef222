// The medium: walls, and the speed map, the factor of c in every cell.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/wave/measure/sums.h"
#include "cuda/wave/model/edit.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/view/surface.h"

namespace perturb::wave {

// One field for both (model/cell.h): the factor, negative under a wall, so that the speed comes back when the wall is
// rubbed out. Empty while there are no walls and the speed is c everywhere. What changes it waits for the device, and
// throws Error, with nothing changed, when memory runs out.
template <class Real>
class Medium {
 public:
  Medium(Backend& backend, int width, int height) : backend_(backend), width_(width), height_(height) {}

  bool empty() const { return field_.empty(); }
  View2D<const Real> view() const { return field_.view(); }
  bool has_walls() const { return has_walls_; }
  bool has_speed_map() const { return has_speed_map_; }
  // The extreme factors of the speed map; under a wall they count too. 1 while it is empty.
  double slowest() const { return slowest_; }
  double fastest() const { return fastest_; }
  // Changes with every edit, so that values derived from the medium can be invalidated.
  std::int64_t changes() const { return changes_; }
  // λ of measure/limit.h for a tank with this medium and these sides: found when it is first asked for, and kept until
  // either changes. Where there is no memory to find it, its upper bound.
  double spectrum(const StepParams<Real>& tank, const Surface<Real>& surface) const;

  // Walls calm the surface where they stand. Throws InputError where they would leave no water, with nothing changed.
  void paint_wall(const Shape& shape, bool erase, Surface<Real>& surface);
  // A wall in every cell where the picture, stretched over the tank, is darker (brighter) than `threshold`.
  // Walls that touch at a corner alone are closed there, for the stencil of nine points reaches across.
  void paint_walls(const GreyImage& image, double threshold, bool brighter, const Grid& grid, Surface<Real>& surface);
  void clear_walls() { clear(false, true); }
  void paint_speed(const Shape& shape, const SpeedRamp& ramp);
  // The factor is `from` where the picture is black, `to` where it is white.
  void paint_speed(const GreyImage& image, double from, double to);
  void clear_speed() { clear(true, false); }
  // Does many of these changes, and measures the medium once behind them: a pass over the tank after each of thousands
  // of strokes takes most of a scene's start.
  template <class Changes>
  void change_together(const Changes& changes) {
    is_measured_later_ = true;
    changes();
    is_measured_later_ = false;
    measure();
  }

  // The field as it is, [height, width]; only where there is one. Waits for the device.
  std::vector<Real> download() const { return field_.download(); }
  // 1 in a wall, [height, width]; empty where there are none. Waits for the device.
  std::vector<std::uint8_t> walls() const;
  // "wall" (uint8) and "speed" [height, width], where there are walls and where there is a speed map.
  void save_to(State& state) const;
  // As save_to left it, signed; `values` may be empty.
  void load(const std::vector<Real>& values);
  void visit_members(MemberCopier& copy);

 private:
  Range2D whole() const { return {width_, height_}; }
  Field<Real> new_field() const { return {backend_, width_, height_, "walls and speed map"}; }
  void need_field();
  void clear(bool keep_walls, bool keep_speed);
  void require_water(const Shape& shape, Range2D box);
  template <class Change>
  void change_by_picture(const GreyImage& image, const Change& change);
  // After every change. A field that says nothing any more is given back.
  void measure();

  Backend& backend_;
  int width_, height_;
  Field<Real> field_;
  bool has_walls_ = false, has_speed_map_ = false;
  std::int64_t walls_ = 0;  // cells; an upper bound until they are measured
  bool is_measured_later_ = false;
  double slowest_ = 1, fastest_ = 1;
  std::optional<Reduction<MediumSums>> sums_;
  std::int64_t changes_ = 0;
  // 0: not found yet.
  mutable double spectrum_ = 0;
  mutable std::array<Boundary, 4> spectrum_sides_{};
};

extern template class Medium<float>;
extern template class Medium<double>;

}  // namespace perturb::wave
