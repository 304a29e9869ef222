#include "cuda/lbm/model/solids.h"

#include <cmath>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/lbm/model/scheme.h"
#include "cuda/lbm/model/walls.h"

namespace perturb::lbm {

Solids::Solids(Backend& backend, int width, int height)
    : width_(width),
      height_(height),
      boundary_links_(backend, width, height),
      dragged_body_(backend),
      curved_(backend) {}

StepParams Solids::sides(const Parameters& p) const { return step_params_of(p, width_, height_); }

StepParams Solids::flow(const Parameters& p) const {
  StepParams params = sides(p);
  if (!boundary_links_.empty()) params.links = boundary_links_.view();
  params.painted = boundary_links_.has_walls();
  return params;
}

std::int64_t Solids::put(Drawing drawing, const Parameters& p, Lattice& lattice, const WallVelocity& wall_velocity) {
  BoundaryLinks::Drawn walls =
      boundary_links_.fill_holes(std::move(drawing), sides(p), "Cannot fill every cell with wall. Leave some fluid.");
  boundary_links_.need_memory();  // before any change, because it may throw
  lattice.initialize_uncovered_cells(flow(p), std::as_const(walls.drawing.wall).view(), wall_velocity);
  return take(std::move(walls), p);
}

std::int64_t Solids::change(Drawing drawing, const Parameters& p, Lattice& lattice) {
  const std::int64_t filled = put(std::move(drawing), p, lattice);
  dragged_body_.forget();
  return filled;
}

std::int64_t Solids::follow_sides(const Parameters& p, Lattice& lattice) {
  return boundary_links_.has_walls() ? put(boundary_links_.drawing(), p, lattice) : take({}, p);
}

std::int64_t Solids::draw(const Shape& shape, bool erase, const Parameters& p, Lattice& lattice) {
  Drawing drawing = boundary_links_.drawing();
  boundary_links_.draw(drawing, shape, erase);
  return change(std::move(drawing), p, lattice);
}

std::int64_t Solids::draw_image(const GreyImage& image, double threshold, bool invert, const Parameters& p,
                                Lattice& lattice) {
  Drawing drawing = boundary_links_.drawing();
  std::vector<std::uint8_t> wall = drawing.wall.download();
  walls_from_image(image, threshold, invert, width_, height_, wall);
  drawing.wall.upload(wall);
  return change(std::move(drawing), p, lattice);
}

std::int64_t Solids::clear(const Parameters& p, Lattice& lattice) {
  return change(boundary_links_.empty_drawing(), p, lattice);
}

std::optional<std::int64_t> Solids::move_body(const CellSegment& way, std::int64_t step, const Parameters& p,
                                              Lattice& lattice) {
  const int i0 = static_cast<int>(std::floor(way.x0)), j0 = static_cast<int>(std::floor(way.y0));
  const int di = static_cast<int>(std::floor(way.x1)) - i0, dj = static_cast<int>(std::floor(way.y1)) - j0;
  const bool inside = i0 >= 0 && i0 < width_ && j0 >= 0 && j0 < height_;
  if (!inside || !boundary_links_.is_wall(i0, j0))
    throw InputError("No obstacle here. Press on an obstacle and drag it.");
  std::vector<std::uint8_t> wall = boundary_links_.wall_bytes();
  const std::vector<Cell> body = lbm_move_body(wall, width_, height_, i0, j0, di, dj);
  if (body.empty()) return std::nullopt;
  std::vector<std::int16_t> outline = boundary_links_.outline_values();
  move_outline(outline, width_, height_, body, di, dj);
  Drawing drawing = boundary_links_.drawing(wall, outline);
  dragged_body_.prepare(step, di, dj, body, wall, sides(p));
  std::int64_t filled = 0;
  dragged_body_.move(
      lattice, [&] { return flow(p); },
      [&](const WallVelocity& wall_velocity) { filled = put(std::move(drawing), p, lattice, wall_velocity); });
  return filled;
}

bool Solids::corrects_boundaries_at(std::int64_t step, const Parameters& p) const {
  return dragged_body_.moves_at(step) || !curve(p).empty();
}

void Solids::correct_boundaries(std::int64_t step, const Parameters& p, const Lattice& lattice) {
  const WallCurve curve = this->curve(p);
  const bool moves = dragged_body_.moves_at(step);
  if (!curve.empty()) curved_.correct_boundaries(flow(p), boundary_links_, curve, lattice, moves);
  if (moves) dragged_body_.push(flow(p), curve, lattice);
}

void Solids::save_to(State& state, std::int64_t step) const {
  boundary_links_.save_to(state);
  dragged_body_.save_to(state, step);
}

BoundaryLinks::Drawn Solids::fill_holes(Saved& saved, const Parameters& p) const {
  if (saved.wall.empty()) return {};
  BoundaryLinks::Drawn walls =
      boundary_links_.fill_holes(boundary_links_.drawing(saved.wall, saved.outline), sides(p),
                                 "Cannot load the state: every cell is a wall, and no fluid is left.");
  saved.wall = walls.drawing.wall.download();
  saved.empty_walls(saved.wall);
  return walls;
}

void Solids::prepare(const Saved& saved, const Parameters& p) {
  if (!saved.wall.empty()) boundary_links_.need_memory();
  dragged_body_.forget();
  if (saved.moving_body && !saved.wall.empty()) dragged_body_.load(*saved.moving_body, saved.wall, sides(p));
}

std::int64_t Solids::take(BoundaryLinks::Drawn walls, const Parameters& p) {
  const std::int64_t filled = walls.sums.filled;
  boundary_links_.take(std::move(walls), sides(p));
  return filled;
}

}  // namespace perturb::lbm
