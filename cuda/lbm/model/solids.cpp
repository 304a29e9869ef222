#include "cuda/lbm/model/solids.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/lbm/model/scheme.h"
#include "cuda/lbm/model/walls.h"
#include "cuda/lbm/objects.h"

namespace perturb::lbm {

Solids::Solids(Backend& backend, int width, int height)
    : width_(width),
      height_(height),
      boundary_links_(backend, width, height),
      dragged_body_(backend),
      turning_(backend),
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
  if (!layers_.bodies.empty()) return put(composed(layers_.bodies, layers_.others, grid(p)), p, lattice);
  return boundary_links_.has_walls() ? put(boundary_links_.drawing(), p, lattice) : take({}, p);
}

Drawing Solids::composed(const std::vector<PlacedBody>& bodies, const Drawing& others,
                         const RepeatingGrid& grid) const {
  Drawing drawing = boundary_links_.copy_of(others);
  for (const PlacedBody& body : bodies) boundary_links_.draw(drawing, repeated(body.shape, grid), false);
  return drawing;
}

void Solids::take_layers(Layers layers) { layers_ = layers.bodies.empty() ? Layers{} : std::move(layers); }

std::int64_t Solids::draw(const Shape& given, bool erase, const Parameters& p, Lattice& lattice) {
  const RepeatingGrid grid = this->grid(p);
  const Shape shape = repeated(given, grid);
  if (layers_.bodies.empty()) {
    Drawing drawing = boundary_links_.drawing();
    boundary_links_.draw(drawing, shape, erase);
    return change(std::move(drawing), p, lattice);
  }
  Layers next{layers_.bodies, boundary_links_.copy_of(layers_.others)};
  if (erase)
    std::erase_if(next.bodies, [&](const PlacedBody& body) {
      const Shape own = repeated(body.shape, grid);
      const std::vector<Cell> cells = cells_of(own, width_, height_);
      const bool erased =
          std::any_of(cells.begin(), cells.end(), [&](const Cell& c) { return shape.holds(c.first, c.second); });
      if (erased) boundary_links_.draw(next.others, own, false);
      return erased;
    });
  boundary_links_.draw(next.others, shape, erase);
  const std::int64_t filled = change(composed(next.bodies, next.others, grid), p, lattice);
  take_layers(std::move(next));
  return filled;
}

std::int64_t Solids::draw_cells(const std::vector<std::uint8_t>& cells, const Parameters& p, Lattice& lattice) {
  const bool has_bodies = !layers_.bodies.empty();
  Drawing drawing = has_bodies ? boundary_links_.copy_of(layers_.others) : boundary_links_.drawing();
  std::vector<std::uint8_t> wall = drawing.wall.download();
  for (std::size_t k = 0; k < wall.size(); ++k) wall[k] |= cells[k];
  drawing.wall.upload(wall);
  if (!has_bodies) return change(std::move(drawing), p, lattice);
  boundary_links_.match_outline(drawing);
  const std::int64_t filled = change(composed(layers_.bodies, drawing, grid(p)), p, lattice);
  layers_.others = std::move(drawing);
  return filled;
}

std::int64_t Solids::clear(const Parameters& p, Lattice& lattice) {
  const std::int64_t filled = change(boundary_links_.empty_drawing(), p, lattice);
  take_layers({});
  return filled;
}

std::int64_t Solids::place(const PlacedBody& body, const Parameters& p, Lattice& lattice) {
  if (layers_.bodies.size() >= max_placed_bodies) return draw(body.shape, false, p, lattice);
  Drawing others;  // from now on kept separately
  const bool is_first = layers_.bodies.empty();
  if (is_first && boundary_links_.has_walls()) others = boundary_links_.drawing();
  std::vector<PlacedBody> bodies = layers_.bodies;
  bodies.push_back(body);
  const std::int64_t filled = change(composed(bodies, is_first ? others : layers_.others, grid(p)), p, lattice);
  layers_.bodies = std::move(bodies);
  if (is_first) layers_.others = std::move(others);
  return filled;
}

std::int64_t Solids::change_body(const PlacedBody& body, std::int64_t step, const Parameters& p, Lattice& lattice) {
  const RepeatingGrid grid = this->grid(p);
  const std::vector<Cell> cells = cells_of(repeated(body.shape, grid), width_, height_);
  if (cells.empty())
    throw InputError("The body would cover no cell of the flow. Keep it inside the domain and at least one cell wide.");
  std::vector<PlacedBody> bodies = layers_.bodies;
  const auto changed =
      std::find_if(bodies.begin(), bodies.end(), [&](const PlacedBody& other) { return other.id == body.id; });
  const std::vector<Cell> before = cells_of(repeated(changed->shape, grid), width_, height_);
  std::optional<BodyMove> move = move_between(*changed, body, width_, height_);
  *changed = body;
  Drawing drawing = composed(bodies, layers_.others, grid);
  const std::vector<std::uint8_t> wall = drawing.wall.download();
  // A body that touches others is not a body by itself (model/bodies.h): its force is not known separately.
  if (move && body_at(wall, grid, cells.front().first, cells.front().second).size() != cells.size()) move.reset();
  dragged_body_.prepare(step, move ? std::optional(DraggedBody::By{move->x, move->y, !curve(p).empty()}) : std::nullopt,
                        before, cells, wall, sides(p));
  std::int64_t filled = 0;
  dragged_body_.move(
      lattice, [&] { return flow(p); },
      [&](const WallVelocity& wall_velocity) { filled = put(std::move(drawing), p, lattice, wall_velocity); });
  if (!move) dragged_body_.forget();
  layers_.bodies = std::move(bodies);
  return filled;
}

std::int64_t Solids::remove_body(int id, const Parameters& p, Lattice& lattice) {
  std::vector<PlacedBody> bodies = layers_.bodies;
  std::erase_if(bodies, [&](const PlacedBody& body) { return body.id == id; });
  const std::int64_t filled = change(composed(bodies, layers_.others, grid(p)), p, lattice);
  take_layers({std::move(bodies), std::move(layers_.others)});
  return filled;
}

Solids::Layers Solids::moved_layers(const std::vector<Cell>& body, int by_i, int by_j,
                                    const RepeatingGrid& grid) const {
  const auto at = [&](const Cell& cell) {
    return static_cast<std::size_t>(cell.second) * static_cast<std::size_t>(width_) + cell.first;
  };
  const auto before = [&](const Cell& cell) {
    return Cell{grid.column(cell.first - by_i), grid.row(cell.second - by_j)};
  };
  std::vector<std::uint8_t> moves(at({0, height_}));
  for (const Cell& cell : body) moves[at(before(cell))] = 1;
  Layers next{{}, boundary_links_.copy_of(layers_.others)};
  for (const PlacedBody& placed : layers_.bodies) {
    const Shape shape = repeated(placed.shape, grid);
    const std::vector<Cell> cells = cells_of(shape, width_, height_);
    if (cells.empty() || !moves[at(cells.front())])
      next.bodies.push_back(placed);
    else if (crosses_sides(shape, grid))
      boundary_links_.draw(next.others, shape, false);
    else
      next.bodies.push_back(moved_body(placed, by_i, by_j, grid));
  }

  std::vector<std::uint8_t> wall = next.others.wall.download();
  std::vector<Cell> others;  // at their new positions
  for (const Cell& cell : body)
    if (std::uint8_t& is_wall = wall[at(before(cell))]; is_wall) {
      is_wall = 0;
      others.push_back(cell);
    }
  if (others.empty()) return next;
  for (const Cell& cell : others) wall[at(cell)] = 1;
  std::vector<std::int16_t> outline = next.others.outline.download();
  move_outline(outline, grid, others, by_i, by_j);
  next.others = boundary_links_.drawing(wall, outline);
  boundary_links_.match_outline(next.others);
  return next;
}

std::optional<std::int64_t> Solids::move_body(const CellSegment& way, std::int64_t step, const Parameters& p,
                                              Lattice& lattice) {
  const RepeatingGrid grid = this->grid(p);
  const int from_i = cell_at(static_cast<double>(way.x0)), from_j = cell_at(static_cast<double>(way.y0));
  const int di = cell_at(static_cast<double>(way.x1)) - from_i, dj = cell_at(static_cast<double>(way.y1)) - from_j;
  const int i0 = grid.column(from_i), j0 = grid.row(from_j);
  const bool inside = i0 >= 0 && i0 < width_ && j0 >= 0 && j0 < height_;
  if (!inside || !boundary_links_.is_wall(i0, j0))
    throw InputError("No obstacle here. Press on an obstacle and drag it.");
  std::vector<std::uint8_t> wall = boundary_links_.wall_bytes();
  std::vector<Cell> body = lbm_move_body(wall, grid, i0, j0, di, dj);
  if (body.empty()) return std::nullopt;
  std::vector<Cell> before = body;
  for (auto& [i, j] : before) {
    i = grid.column(i - di);
    j = grid.row(j - dj);
  }
  Layers next;
  Drawing drawing;
  if (layers_.bodies.empty()) {
    std::vector<std::int16_t> outline = boundary_links_.outline_values();
    move_outline(outline, grid, body, di, dj);
    drawing = boundary_links_.drawing(wall, outline);
  } else {
    next = moved_layers(body, di, dj, grid);
    drawing = composed(next.bodies, next.others, grid);
    wall = drawing.wall.download();
    // Holes are filled again below, and a cell at the edge of a shape may change by rounding.
    std::erase_if(body, [&](const Cell& cell) {
      return wall[static_cast<std::size_t>(cell.second) * static_cast<std::size_t>(width_) + cell.first] == 0;
    });
    if (body.empty()) return std::nullopt;
  }
  dragged_body_.prepare(step, DraggedBody::By{static_cast<double>(di), static_cast<double>(dj)}, before, body, wall,
                        sides(p));
  std::int64_t filled = 0;
  dragged_body_.move(
      lattice, [&] { return flow(p); },
      [&](const WallVelocity& wall_velocity) { filled = put(std::move(drawing), p, lattice, wall_velocity); });
  take_layers(std::move(next));
  return filled;
}

CurvedRows Solids::curved_rows(const Parameters& p) { return curved_.rows(flow(p), boundary_links_, curve(p)); }

void Solids::correct_boundaries(std::int64_t step, const Parameters& p, const Lattice& lattice) {
  const WallCurve curve = this->curve(p);
  if (!curve.empty()) curved_.correct_boundaries(flow(p), boundary_links_, curve, lattice, moves_at(step));
  if (dragged_body_.moves_at(step)) dragged_body_.push(flow(p), curve, lattice);
  if (TurningCylinders::turn(layers_.bodies)) turning(p).push(flow(p), curve, lattice);
}

std::vector<WallMotion> Solids::motions_of(const Bodies& bodies, std::int64_t step, const Parameters& p) {
  std::vector<WallMotion> motions;
  for (const Body& body : bodies.reported) {
    WallMotion motion = dragged_body_.motion_of(body, step);
    RigidMotion& rigid = motion.rigid;
    rigid.i = static_cast<int>(body.x);
    rigid.j = static_cast<int>(body.y);
    rigid.x = static_cast<float>(body.x - rigid.i);
    rigid.y = static_cast<float>(body.y - rigid.j);
    rigid.width = grid(p).along_x ? width_ : 0;
    rigid.height = grid(p).along_y ? height_ : 0;
    turning(p).add_rotation(body, rigid);
    motions.push_back(motion);
  }
  return motions;
}

void Solids::save_to(State& state, std::int64_t step) const {
  boundary_links_.save_to(state);
  save_tables_to(state, step);
  if (layers_.others.wall.empty()) return;
  const std::vector<std::uint8_t> wall = layers_.others.wall.download();
  if (std::all_of(wall.begin(), wall.end(), [](std::uint8_t is_wall) { return is_wall == 0; })) return;
  state.put("other_wall", {static_cast<std::size_t>(height_), static_cast<std::size_t>(width_)}, "", wall);
  boundary_links_.save_outline(state, "other_wall_distance", layers_.others.outline.download());
}

void Solids::save_tables_to(State& state, std::int64_t step) const {
  dragged_body_.save_to(state, step);
  save_bodies(state, layers_.bodies);
}

std::vector<ComparedField> Solids::compared_fields() const {
  std::vector<ComparedField> fields;
  if (has_walls()) fields.push_back({"wall_distance", boundary_links_.outline(), true, outline_unit});
  if (!layers_.others.outline.empty())
    fields.push_back({"other_wall_distance", layers_.others.outline.view(), true, outline_unit});
  return fields;
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

Solids::Layers Solids::layers_of(const Saved& saved, const Parameters& p) const {
  if (saved.bodies.empty()) return {};
  Layers layers{saved.bodies, {}};
  if (!saved.other_wall.empty()) {
    layers.others = boundary_links_.drawing(saved.other_wall, saved.other_outline);
    boundary_links_.match_outline(layers.others);
  }
  const BoundaryLinks::Drawn all =
      boundary_links_.fill_holes(composed(layers.bodies, layers.others, grid(p)), sides(p),
                                 "Cannot load the state: every cell is a wall, and no fluid is left.");
  // The walls may be none: a body too small for a cell, or outside the domain.
  const bool same = saved.wall.empty() ? all.sums.solid == 0 : std::as_const(all.drawing.wall).download() == saved.wall;
  return same ? std::move(layers) : Layers{};
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
