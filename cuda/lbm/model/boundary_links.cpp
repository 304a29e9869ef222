#include "cuda/lbm/model/boundary_links.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

bool BoundaryLinks::is_wall(int i, int j) const {
  std::uint8_t boundary_links = 0;
  if (has_walls_) backend_.copy_to_host(&boundary_links, boundary_links_.view().row(j) + i, 1);
  return boundary_links == all_links;
}

std::vector<std::uint8_t> BoundaryLinks::wall_bytes() const {
  if (!has_walls_) return std::vector<std::uint8_t>(static_cast<std::size_t>(width_) * height_);
  std::vector<std::uint8_t> bytes = boundary_links_.download();
  for (std::uint8_t& b : bytes) b = b == all_links ? 1 : 0;
  return bytes;
}

WallCurve BoundaryLinks::curve(const StepParams& flow) const {
  if (!has_walls_) return {};
  return {outline_.view(), Walls{boundary_links_.view()}, lbm_wraps_x(flow), lbm_wraps_y(flow)};
}

Drawing BoundaryLinks::new_drawing() const {
  return {new_field<std::uint8_t>("walls while they change"), new_field<std::int16_t>("their outline")};
}

void BoundaryLinks::match_outline(Drawing& drawing) const {
  const Field<std::uint8_t>& wall = drawing.wall;
  parallel_for(backend_, "lbm.match_outline", whole(), MatchOutline{wall.view(), drawing.outline.view()});
}

Drawing BoundaryLinks::empty_drawing() const {
  Drawing drawing = new_drawing();
  match_outline(drawing);
  return drawing;
}

Drawing BoundaryLinks::drawing() const {
  if (!has_walls_) return empty_drawing();
  Drawing drawing = new_drawing();
  parallel_for(backend_, "lbm.read_walls", whole(), ReadWalls{Walls{boundary_links_.view()}, drawing.wall.view()});
  drawing.outline.copy_from(outline_);
  return drawing;
}

Drawing BoundaryLinks::drawing(const std::vector<std::uint8_t>& bytes, const std::vector<std::int16_t>& outline) const {
  Drawing drawing = new_drawing();
  drawing.wall.upload(bytes);
  if (!outline.empty()) drawing.outline.upload(outline);
  return drawing;
}

Drawing BoundaryLinks::copy_of(const Drawing& drawing) const {
  if (drawing.wall.empty()) return empty_drawing();
  Drawing copy = new_drawing();
  copy.wall.copy_from(drawing.wall);
  copy.outline.copy_from(drawing.outline);
  return copy;
}

void BoundaryLinks::draw(Drawing& drawing, const Shape& shape, bool erase) const {
  parallel_for(backend_, "lbm.draw_wall", whole(), DrawWall{drawing.wall.view(), drawing.outline.view(), shape, erase});
}

BoundaryLinks::Drawn BoundaryLinks::fill_holes(Drawing drawing, const StepParams& sides, const char* otherwise) const {
  Reduction<WallSums> reduction(backend_);
  reduction.start("lbm.settle_walls", whole(), FillHoles{sides, drawing.wall.view()});
  reduction.wait();
  const WallSums sums = reduction.result();
  if (sums.fluid == 0) throw InputError(otherwise);
  match_outline(drawing);
  return {std::move(drawing), sums};
}

void BoundaryLinks::need_memory() {
  if (boundary_links_.empty()) boundary_links_ = new_field<std::uint8_t>("marked links");
}

void BoundaryLinks::mark(View2D<const std::uint8_t> wall, const StepParams& sides) {
  bands_.known = false;
  if (wall.empty() && lbm_wraps_x(sides) && lbm_wraps_y(sides)) {
    boundary_links_ = {};
    return;
  }
  need_memory();
  parallel_for(backend_, "lbm.mark_links", whole(), MarkLinks{sides, wall, boundary_links_.view()});
}

void BoundaryLinks::take(Drawn drawn, const StepParams& sides) {
  has_walls_ = drawn.sums.solid > 0;
  walls_ += 1;
  outline_ = has_walls_ ? std::move(drawn.drawing.outline) : Field<std::int16_t>();
  const Field<std::uint8_t>& wall = drawn.drawing.wall;
  mark(has_walls_ ? wall.view() : View2D<const std::uint8_t>{}, sides);
}

void BoundaryLinks::save_to(State& state) const {
  const auto h = static_cast<std::size_t>(height_), w = static_cast<std::size_t>(width_);
  state.put("wall", {h, w}, "", wall_bytes());
  if (has_walls_) save_outline(state, "wall_distance", outline_.download());
}

void BoundaryLinks::save_outline(State& state, const char* name, const std::vector<std::int16_t>& outline) const {
  if (std::all_of(outline.begin(), outline.end(), [](std::int16_t d) { return std::abs(d) >= outline_far; })) return;
  std::vector<float> distance(outline.size());
  std::transform(outline.begin(), outline.end(), distance.begin(),
                 [](std::int16_t d) { return static_cast<float>(d) * outline_unit; });
  state.put(name, {static_cast<std::size_t>(height_), static_cast<std::size_t>(width_)}, "cell", distance);
}

void BoundaryLinks::visit_members(MemberCopier& copy) {
  copy(boundary_links_, outline_, has_walls_);
  if (copy.is_restoring()) {
    bands_.known = false;
    walls_ += 1;
  }
}

}  // namespace perturb::lbm
