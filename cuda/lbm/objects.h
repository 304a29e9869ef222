// Objects of the flow: bodies that wall actions placed, and dye sources.
#pragma once

#include <optional>
#include <vector>

#include "cuda/core/simulation/object.h"
#include "cuda/core/simulation/state.h"
#include "cuda/lbm/model/placed_body.h"
#include "cuda/lbm/state/saved.h"

namespace perturb::lbm {

// Whether this complete action places a body (wall-disc, ... without `erase`).
bool places_body(const Action& action);
// The body that such an action places in a domain of this many cells.
PlacedBody placed_body(int id, const Action& action, int width, int height);
// The body moved by this many cells; within the domain again, if it has passed a side that repeats.
PlacedBody moved_body(const PlacedBody& body, int by_i, int by_j, const RepeatingGrid& grid);
// The action that adds such an object about a point, in fractions of the domain.
Action placed_object(const std::string& kind, double x, double y, int width, int height);
// If these differ only in their position: the move from the first to the second, in cells.
struct BodyMove {
  double x, y;
};
std::optional<BodyMove> move_between(const PlacedBody& from, const PlacedBody& to, int width, int height);

SceneObject scene_object(const PlacedBody& body, int width, int height);
SceneObject scene_object(const DyeSource& source, int width, int height);

// "bodies" [count, body_columns], if there are any: id, kind (an index) and the numbers of the kind, then zeros.
constexpr std::size_t body_columns = 8;
void save_bodies(State& state, const std::vector<PlacedBody>& bodies);
// Throws InputError unless actions may place these bodies.
std::vector<PlacedBody> read_bodies(const State& state, int width, int height);

}  // namespace perturb::lbm
