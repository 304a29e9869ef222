// The flow's action types and tools, and the conversion of gestures into actions.
#pragma once

#include <vector>

#include "cuda/core/simulation/action.h"
#include "cuda/lbm/model/edit.h"

namespace perturb::lbm {

const std::vector<ActionKind>& action_kinds();
const std::vector<Tool>& tools();
// The actions of a gesture over a domain of this many cells.
std::vector<Action> lbm_interpret(const Gesture& gesture, int width, int height);
// The region, in cells, of a wall action that has one.
Shape action_shape(const Action& action, int width, int height, std::uint32_t seed);
// The stroke of an action that has one, in cells.
CellSegment action_segment(const Action& action, int width, int height);
// The flow that the actions calm, stream, taylor-green and shear-layer set, and the cells that they change.
Flow action_flow(const Action& action, int width, int height);
Box action_box(const Action& action, const RepeatingGrid& grid);

}  // namespace perturb::lbm
