// The marks: for every cell the links that come out of a wall or through a side (lbm_pass.h). They are all that is kept
// of walls.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/field.h"
#include "cuda/core/moment.h"
#include "cuda/core/range.h"
#include "cuda/core/state.h"
#include "cuda/lbm/lbm_edit.h"
#include "cuda/lbm/lbm_sums.h"
#include "cuda/lbm/lbm_temporal.h"

namespace perturb {

// Walls are drawn as bytes, 1 or 0, on a copy that lives no longer than the edit. Then they are settled, which fills
// holes of one cell, and taken. `sides`: a pass of the flow, of which the sides count. Everything here waits for the
// device but the marking itself.
class LbmMarks {
 public:
  // Walls that have been drawn and settled.
  struct Drawn {
    Field<std::uint8_t> wall;
    LbmWallSums sums;
  };

  LbmMarks(Backend& backend, int width, int height) : backend_(backend), width_(width), height_(height) {}

  bool empty() const { return marks_.empty(); }  // every link comes from fluid
  bool has_walls() const { return has_walls_; }
  // Which walls and periodic sides these are: another number after each change.
  std::uint64_t walls() const { return walls_; }
  View2D<const std::uint8_t> view() const { return marks_.view(); }
  LbmMarkedBands& bands() { return bands_; }
  bool is_wall(int i, int j) const;
  std::vector<std::uint8_t> wall_bytes() const;  // [height][width]
  // The marks, [height][width]; there are walls.
  std::vector<std::uint8_t> bytes() const { return marks_.download(); }

  // The walls as they are, or these bytes, to draw on. Throws Error when memory runs out.
  Field<std::uint8_t> drawing() const;
  Field<std::uint8_t> drawing(const std::vector<std::uint8_t>& bytes) const;
  void draw(Field<std::uint8_t>& drawing, const LbmShape& shape, bool erase) const;
  // Throws InputError, with `otherwise` for its text, where no fluid would be left.
  Drawn settle(Field<std::uint8_t> drawing, const LbmPass& sides, const char* otherwise) const;
  // From now on these are the walls; an empty one has none. Cannot be refused after need_memory().
  void take(const Drawn& drawn, const LbmPass& sides);
  void need_memory();

  void save_to(State& state) const;  // "wall" [height, width]
  void name_members(Copier& copy);

 private:
  Range2D whole() const { return {width_, height_}; }
  Field<std::uint8_t> new_field(const char* label) const { return {backend_, width_, height_, label}; }
  void mark(View2D<const std::uint8_t> wall, const LbmPass& sides);

  Backend& backend_;
  int width_, height_;
  Field<std::uint8_t> marks_;  // empty while every link comes from fluid
  LbmMarkedBands bands_;       // of these marks, for the kernel `temporal`
  bool has_walls_ = false;
  std::uint64_t walls_ = 0;
};

}  // namespace perturb
