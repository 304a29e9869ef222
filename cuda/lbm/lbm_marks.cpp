#include "cuda/lbm/lbm_marks.h"

#include <utility>

#include "cuda/core/check.h"
#include "cuda/core/parallel_for.h"
#include "cuda/core/reduce.h"
#include "cuda/lbm/lbm_scheme.h"

namespace perturb {

bool LbmMarks::is_wall(int i, int j) const {
  std::uint8_t marks = 0;
  if (has_walls_) backend_.copy_to_host(&marks, marks_.view().row(j) + i, 1);
  return marks == lbm_wall_mark;
}

std::vector<std::uint8_t> LbmMarks::wall_bytes() const {
  if (!has_walls_) return std::vector<std::uint8_t>(static_cast<std::size_t>(width_) * height_);
  std::vector<std::uint8_t> bytes = marks_.download();
  for (std::uint8_t& b : bytes) b = b == lbm_wall_mark ? 1 : 0;
  return bytes;
}

Field<std::uint8_t> LbmMarks::drawing() const {
  Field<std::uint8_t> drawing = new_field("walls while they change");
  if (has_walls_)
    parallel_for(backend_, "lbm.read_walls", whole(), LbmReadWalls{LbmWalls{marks_.view()}, drawing.view()});
  return drawing;
}

Field<std::uint8_t> LbmMarks::drawing(const std::vector<std::uint8_t>& bytes) const {
  Field<std::uint8_t> drawing = new_field("saved walls");
  drawing.upload(bytes);
  return drawing;
}

void LbmMarks::draw(Field<std::uint8_t>& drawing, const LbmShape& shape, bool erase) const {
  parallel_for(backend_, "lbm.draw_wall", whole(), LbmDrawWall{drawing.view(), shape, erase});
}

LbmMarks::Drawn LbmMarks::settle(Field<std::uint8_t> drawing, const LbmPass& sides, const char* otherwise) const {
  Reduction<LbmWallSums> reduction(backend_);
  reduction.start("lbm.settle_walls", whole(), LbmSettleWalls{sides, drawing.view()});
  reduction.wait();
  const LbmWallSums sums = reduction.result();
  if (sums.fluid == 0) throw InputError(otherwise);
  return {std::move(drawing), sums};
}

void LbmMarks::need_memory() {
  if (marks_.empty()) marks_ = new_field("marked links");
}

void LbmMarks::mark(View2D<const std::uint8_t> wall, const LbmPass& sides) {
  bands_.known = false;
  if (wall.empty() && lbm_wraps_x(sides) && lbm_wraps_y(sides)) {
    marks_ = {};
    return;
  }
  need_memory();
  parallel_for(backend_, "lbm.mark_links", whole(), LbmMarkLinks{sides, wall, marks_.view()});
}

void LbmMarks::take(const Drawn& drawn, const LbmPass& sides) {
  has_walls_ = drawn.sums.solid > 0;
  walls_ += 1;
  mark(has_walls_ ? drawn.wall.view() : View2D<const std::uint8_t>{}, sides);
}

void LbmMarks::save_to(State& state) const {
  state.put("wall", {static_cast<std::size_t>(height_), static_cast<std::size_t>(width_)}, "", wall_bytes());
}

void LbmMarks::name_members(Copier& copy) {
  copy(marks_, has_walls_);
  if (copy.is_giving()) bands_.known = false, walls_ += 1;
}

}  // namespace perturb
