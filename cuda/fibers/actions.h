// What can be done to fibers: kinds of actions, tools, and what a gesture means.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/math/vector3.h"
#include "cuda/core/simulation/action.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

class ViewState;
struct FiberState;

constexpr int max_fibers = 20000;
// Of a fiber's half-length: shorter ones are no slender bodies, longer ones find no room in a picture.
constexpr double min_half_length = 0.05, max_half_length = 20;

const std::vector<ActionKind>& action_kinds();
const std::vector<Tool>& tools();

// What a gesture is about.
struct GestureContext {
  const ViewState& view_state;  // that the hand sees with
  const FiberState& state;
  const FiberParameters& parameters;
  int chosen;  // -1: none
  std::uint32_t seed;
  std::int64_t step;
};
// The actions of a gesture: they hold places in space, not in the picture, so that a replay needs no picture. May wait
// for the device.
std::vector<Action> fibers_interpret(const Gesture& gesture, const GestureContext& context);

// An action's place, and its direction as a unit vector. Throws InputError where the direction is none.
Vector3<double> fiber_action_place(const Action& action);
Vector3<double> fiber_action_direction(const Action& action);
// The fiber that it is about; -1: none. Throws InputError where there is no such one among so many.
int fiber_action_number(const Action& action, int fibers);
// Throws InputError where there is no room for `more` beside so many.
void require_room_for_fibers(int fibers, int more);

}  // namespace perturb::fibers
