#include "cuda/lbm/lbm_solids.h"

#include <cmath>
#include <utility>
#include <vector>

#include "cuda/core/check.h"
#include "cuda/lbm/lbm_scheme.h"
#include "cuda/lbm/lbm_walls.h"

namespace perturb::lbm {

Solids::Solids(Backend& backend, int width, int height)
    : width_(width), height_(height), marks_(backend, width, height), moving_(backend), curved_(backend) {}

Pass Solids::sides(const Parameters& p) const { return pass_of(p, width_, height_); }

Pass Solids::flow(const Parameters& p) const {
  Pass pass = sides(p);
  if (!marks_.empty()) pass.links = marks_.view();
  pass.painted = marks_.has_walls();
  return pass;
}

std::int64_t Solids::put(Drawing drawing, const Parameters& p, Lattice& lattice, const Pull& pull) {
  Marks::Drawn walls =
      marks_.settle(std::move(drawing), sides(p), "That would make every cell a wall: leave some fluid to flow.");
  marks_.need_memory();  // before anything has changed, for it may be refused
  lattice.adopt_walls(flow(p), std::as_const(walls.drawing.wall).view(), pull);
  return take(std::move(walls), p);
}

std::int64_t Solids::change(Drawing drawing, const Parameters& p, Lattice& lattice) {
  const std::int64_t filled = put(std::move(drawing), p, lattice);
  moving_.forget();
  return filled;
}

std::int64_t Solids::follow_sides(const Parameters& p, Lattice& lattice) {
  return marks_.has_walls() ? put(marks_.drawing(), p, lattice) : take({}, p);
}

std::int64_t Solids::draw(const Shape& shape, bool erase, const Parameters& p, Lattice& lattice) {
  Drawing drawing = marks_.drawing();
  marks_.draw(drawing, shape, erase);
  return change(std::move(drawing), p, lattice);
}

std::int64_t Solids::draw_image(const GreyImage& image, double threshold, bool invert, const Parameters& p,
                                Lattice& lattice) {
  Drawing drawing = marks_.drawing();
  std::vector<std::uint8_t> wall = drawing.wall.download();
  walls_from_image(image, threshold, invert, width_, height_, wall);
  drawing.wall.upload(wall);
  return change(std::move(drawing), p, lattice);
}

std::int64_t Solids::clear(const Parameters& p, Lattice& lattice) { return change(marks_.blank(), p, lattice); }

std::optional<std::int64_t> Solids::move_body(const CellSegment& way, std::int64_t step, const Parameters& p,
                                              Lattice& lattice) {
  const int i0 = static_cast<int>(std::floor(way.x0)), j0 = static_cast<int>(std::floor(way.y0));
  const int di = static_cast<int>(std::floor(way.x1)) - i0, dj = static_cast<int>(std::floor(way.y1)) - j0;
  const bool inside = i0 >= 0 && i0 < width_ && j0 >= 0 && j0 < height_;
  if (!inside || !marks_.is_wall(i0, j0)) throw InputError("There is no obstacle here: press on one, and drag it.");
  std::vector<std::uint8_t> wall = marks_.wall_bytes();
  const std::vector<Cell> body = lbm_move_body(wall, width_, height_, i0, j0, di, dj);
  if (body.empty()) return std::nullopt;
  std::vector<std::int16_t> outline = marks_.outline_values();
  move_outline(outline, width_, height_, body, di, dj);
  Drawing drawing = marks_.drawing(wall, outline);
  moving_.prepare(step, di, dj, body, wall, sides(p));
  std::int64_t filled = 0;
  moving_.move(
      lattice, [&] { return flow(p); }, [&](const Pull& pull) { filled = put(std::move(drawing), p, lattice, pull); });
  return filled;
}

bool Solids::answer_at(std::int64_t step, const Parameters& p) const {
  return moving_.moves_at(step) || !curve(p).empty();
}

void Solids::answer(std::int64_t step, const Parameters& p, const Lattice& lattice) {
  const WallCurve curve = this->curve(p);
  const bool moves = moving_.moves_at(step);
  if (!curve.empty()) curved_.answer(flow(p), marks_, curve, lattice, moves);
  if (moves) moving_.push(flow(p), curve, lattice);
}

void Solids::save_to(State& state, std::int64_t step) const {
  marks_.save_to(state);
  moving_.save_to(state, step);
}

Marks::Drawn Solids::settle(Saved& saved, const Parameters& p) const {
  if (saved.wall.empty()) return {};
  Marks::Drawn walls = marks_.settle(marks_.drawing(saved.wall, saved.outline), sides(p),
                                     "In the saved state every cell is a wall: nothing is left to flow.");
  saved.wall = walls.drawing.wall.download();
  saved.empty_walls(saved.wall);
  return walls;
}

void Solids::prepare(const Saved& saved, const Parameters& p) {
  if (!saved.wall.empty()) marks_.need_memory();
  moving_.forget();
  if (saved.moving_body && !saved.wall.empty()) moving_.load(*saved.moving_body, saved.wall, sides(p));
}

std::int64_t Solids::take(Marks::Drawn walls, const Parameters& p) {
  const std::int64_t filled = walls.sums.filled;
  marks_.take(std::move(walls), sides(p));
  return filled;
}

}  // namespace perturb::lbm
