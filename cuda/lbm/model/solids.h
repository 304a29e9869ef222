// The solid parts of a flow: its walls, the dragged body among them, their boundary conditions, and all edits of them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/lbm/model/boundary_links.h"
#include "cuda/lbm/model/curved.h"
#include "cuda/lbm/model/dragged_body.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/placed_body.h"
#include "cuda/lbm/model/saved.h"
#include "cuda/lbm/model/scheme.h"
#include "cuda/lbm/model/turning.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// `lattice` and `parameters`: always those of the flow.
class Solids {
 public:
  Solids(Backend& backend, int width, int height);

  const BoundaryLinks& boundary_links() const { return boundary_links_; }
  const DraggedBody& dragged_body() const { return dragged_body_; }
  MarkedBands& bands() { return boundary_links_.bands(); }
  const MarkedBands& bands() const { return boundary_links_.bands(); }
  bool has_walls() const { return boundary_links_.has_walls(); }
  // The bodies that are objects, in the order of their ids. Their walls are those of their shapes.
  const std::vector<PlacedBody>& bodies() const { return layers_.bodies; }

  // Step parameters without boundary links, and the current ones.
  StepParams sides(const Parameters& parameters) const;
  StepParams flow(const Parameters& parameters) const;
  WallCurve curve(const Parameters& parameters) const {
    return curve_of(parameters, flow(parameters), boundary_links_);
  }

  // Each of the following replaces the walls, fills their holes and updates the lattice; it returns how many one-cell
  // holes it filled. Each throws InputError if no fluid would be left, Error when memory runs out, and then
  // changes nothing.
  //
  // Sides became periodic or ceased to be: the walls are kept, except for holes that only a periodic side had kept
  // open.
  std::int64_t follow_sides(const Parameters& parameters, Lattice& lattice);
  // A body of which a part is erased becomes ordinary walls.
  std::int64_t draw(const Shape& shape, bool erase, const Parameters& parameters, Lattice& lattice);
  // Adds walls in these cells: one byte each, row-major, 0 is open.
  std::int64_t draw_cells(const std::vector<std::uint8_t>& cells, const Parameters& parameters, Lattice& lattice);
  std::int64_t clear(const Parameters& parameters, Lattice& lattice);
  // Adds a body. The first max_placed_bodies are objects.
  std::int64_t place(const PlacedBody& body, const Parameters& parameters, Lattice& lattice);
  // Replaces the body with this id, which exists. The mass of the fluid stays. If the change is a move, the walls have
  // its velocity, unless they touch others. Throws InputError if the body would cover no cell.
  std::int64_t change_body(const PlacedBody& body, std::int64_t step, const Parameters& parameters, Lattice& lattice);
  std::int64_t remove_body(int id, const Parameters& parameters, Lattice& lattice);
  // Moves the body at the stroke's start by its displacement, in whole cells, at this step; empty if it would leave the
  // domain. Throws InputError if there is no body. Objects move along; one that crosses the domain's sides becomes
  // ordinary walls.
  std::optional<std::int64_t> move_body(const CellSegment& way, std::int64_t step, const Parameters& parameters,
                                        Lattice& lattice);

  // Whether a body moves or turns in this step.
  bool moves_at(std::int64_t step) const {
    return dragged_body_.moves_at(step) || TurningCylinders::turn(layers_.bodies);
  }
  // The motion at this step of these bodies, which are those of the current walls. May wait for the device after walls
  // have changed.
  std::vector<WallMotion> motions_of(const Bodies& bodies, std::int64_t step, const Parameters& parameters);
  // The fluid between a turning cylinder and a round wall, if that is all. May wait for the device, too.
  const std::optional<Annulus>& annulus(const Parameters& parameters) { return turning(parameters).annulus(); }
  // The curved walls, for a pass that computes their boundary populations itself. There are some.
  CurvedRows curved_rows(const Parameters& parameters);
  // Before a step: the correction of boundary populations that curved or moving walls need. Queued.
  void correct_boundaries(std::int64_t step, const Parameters& parameters, const Lattice& lattice);

  void save_to(State& state, std::int64_t step) const;
  // The part of it that is not in fields, and those fields of it that hold numbers.
  void save_tables_to(State& state, std::int64_t step) const;
  std::vector<ComparedField> compared_fields() const;
  // The walls of a saved state, with holes filled; `saved` gets fluid at rest in their cells. fill_holes() and
  // prepare() (memory for the walls and the body that moved) may throw. take() then cannot; it returns how many holes
  // were filled.
  BoundaryLinks::Drawn fill_holes(Saved& saved, const Parameters& parameters) const;
  // Parts of a saved state's walls, after fill_holes(). Walls that were edited are ordinary walls.
  struct Layers {
    std::vector<PlacedBody> bodies;
    Drawing others;  // walls drawn elsewhere; no fields if there are none, or no bodies
  };
  Layers layers_of(const Saved& saved, const Parameters& parameters) const;
  void prepare(const Saved& saved, const Parameters& parameters);
  std::int64_t take(BoundaryLinks::Drawn walls, const Parameters& parameters);
  void take_layers(Layers layers);
  void visit_members(MemberCopier& copy) {
    copy(boundary_links_, dragged_body_, layers_.bodies, layers_.others.wall, layers_.others.outline);
  }

 private:
  RepeatingGrid grid(const Parameters& parameters) const { return repeating(sides(parameters)); }
  // All walls of these layers, before their holes are filled. The current walls are those of `layers_`, if it has
  // bodies.
  Drawing composed(const std::vector<PlacedBody>& bodies, const Drawing& others, const RepeatingGrid& grid) const;
  // The layers after a move of this body, whose new cells are given, by whole cells.
  Layers moved_layers(const std::vector<Cell>& body, int by_i, int by_j, const RepeatingGrid& grid) const;
  std::int64_t put(Drawing drawing, const Parameters& parameters, Lattice& lattice,
                   const WallVelocity& wall_velocity = {});
  // The same; a body that was moving no longer moves.
  std::int64_t change(Drawing drawing, const Parameters& parameters, Lattice& lattice);

  const TurningCylinders& turning(const Parameters& parameters) {
    turning_.follow(layers_.bodies, flow(parameters), boundary_links_);
    return turning_;
  }

  int width_, height_;
  BoundaryLinks boundary_links_;
  DraggedBody dragged_body_;
  TurningCylinders turning_;
  Layers layers_;
  Curved curved_;
};

}  // namespace perturb::lbm
