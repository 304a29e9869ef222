// Theory that a curve shows but is not compared with, because it does not hold there, or not yet.
#pragma once

#include <utility>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// The label of such a curve gives the reason, for all front ends: "Speeds (not compared: a wall moves)".
inline constexpr const char* uncompared_label = "{} (not compared: {})";

inline void leave_uncompared(Curve& curve, Message reason) {
  curve.label = Message(uncompared_label, std::move(curve.label), std::move(reason));
}
inline bool is_uncompared(const Curve& curve) { return curve.label.text() == uncompared_label; }

}  // namespace perturb
