// Actions and tools of the fibers, and the actions of mouse gestures.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/math/geometry.h"
#include "cuda/core/simulation/action.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

class ViewState;
struct FiberState;

constexpr int max_fibers = 20000;
// Bounds of a half-length: shorter fibers are not slender bodies, longer ones do not fit in an image.
constexpr double min_half_length = 0.05, max_half_length = 20;

const std::vector<ActionKind>& action_kinds();
const std::vector<Tool>& tools();

// Context of a gesture.
struct GestureContext {
  const ViewState& view_state;  // of the image that the user sees
  const FiberState& state;
  const Parameters& parameters;
  int chosen;  // -1: none
  std::uint32_t seed;
  std::int64_t step;
};
// Actions of a gesture: they store positions in space, not in the image, so that a replay needs no image. May wait for
// the device.
std::vector<Action> fibers_interpret(const Gesture& gesture, const GestureContext& context);

// Position of an action, and its direction as a unit vector. Throws InputError if the direction is zero.
Vector3<double> action_place(const Action& action);
Vector3<double> action_direction(const Action& action);
// Fiber of an action; -1: none. Throws InputError if it does not exist among `fibers`.
int action_number(const Action& action, int fibers);
// Throws InputError if `more` fibers cannot be added to `fibers`.
void require_room_for_fibers(int fibers, int more);

}  // namespace perturb::fibers
