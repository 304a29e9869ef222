// Stored form of walls: for every cell its boundary links, which come out of a wall or through a side
// (model/step_params.h), and its distance from the walls' outline (model/walls.h).
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/view.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/lbm/model/edit.h"
#include "cuda/lbm/model/fill_holes.h"
#include "cuda/lbm/model/marked_bands.h"
#include "cuda/lbm/model/walls.h"

namespace perturb::lbm {

// Walls being drawn: bytes, 1 or 0, and their outline.
struct Drawing {
  Field<std::uint8_t> wall;
  Field<std::int16_t> outline;
};

// The walls of a flow. Walls are drawn on a temporary copy; fill_holes() then fills one-cell holes in it, and take()
// adopts it. `sides`: step parameters, of which only the sides matter. Everything here waits for the device except
// marking the links.
class BoundaryLinks {
 public:
  // Walls that have been drawn and whose holes are filled.
  struct Drawn {
    Drawing drawing;
    WallSums sums;
  };

  BoundaryLinks(Backend& backend, int width, int height) : backend_(backend), width_(width), height_(height) {}

  bool empty() const { return boundary_links_.empty(); }  // every link comes from fluid
  bool has_walls() const { return has_walls_; }
  // Identifies these walls and periodic sides; changes with every change of them.
  std::uint64_t walls() const { return walls_; }
  View2D<const std::uint8_t> view() const { return boundary_links_.view(); }
  MarkedBands& bands() { return bands_; }
  const MarkedBands& bands() const { return bands_; }
  bool is_wall(int i, int j) const;
  std::vector<std::uint8_t> wall_bytes() const;  // [height][width]
  // The boundary links, [height][width]; requires walls.
  std::vector<std::uint8_t> bytes() const { return boundary_links_.download(); }

  // The outline, [height][width]; requires walls.
  std::vector<std::int16_t> outline_values() const { return outline_.download(); }
  View2D<const std::int16_t> outline() const { return outline_.view(); }
  // The boundary condition of these walls where their outlines are curved.
  WallCurve curve(const StepParams& flow) const;

  // A copy to draw on: of the current walls, empty, or of the given walls, whose outline is unknown if empty. Throws
  // Error when memory runs out.
  Drawing drawing() const;
  Drawing empty_drawing() const;
  Drawing drawing(const std::vector<std::uint8_t>& bytes, const std::vector<std::int16_t>& outline) const;
  Drawing copy_of(const Drawing& drawing) const;  // empty walls if it has no fields
  void draw(Drawing& drawing, const Shape& shape, bool erase) const;
  // Marks the outline as unknown where a wall was added or removed that was not drawn as a shape.
  void match_outline(Drawing& drawing) const;
  // Throws InputError with the text `otherwise` if no fluid would be left.
  Drawn fill_holes(Drawing drawing, const StepParams& sides, const char* otherwise) const;
  // Replaces the walls; an empty one has none. Cannot fail after need_memory().
  void take(Drawn drawn, const StepParams& sides);
  void need_memory();

  void save_to(State& state) const;  // "wall" and, where an outline is known, "wall_distance"; [height, width]
  void save_outline(State& state, const char* name, const std::vector<std::int16_t>& outline) const;
  void visit_members(MemberCopier& copy);

 private:
  Range2D whole() const { return {width_, height_}; }
  template <class T>
  Field<T> new_field(const char* label) const {
    return {backend_, width_, height_, label};
  }
  Drawing new_drawing() const;
  void mark(View2D<const std::uint8_t> wall, const StepParams& sides);

  Backend& backend_;
  int width_, height_;
  Field<std::uint8_t> boundary_links_;  // empty while every link comes from fluid
  Field<std::int16_t> outline_;         // empty while there are no walls
  MarkedBands bands_;                   // of these boundary links, for the kernel `temporal`
  bool has_walls_ = false;
  std::uint64_t walls_ = 0;
};

}  // namespace perturb::lbm
