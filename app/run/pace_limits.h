// Bounds of a run's speed, for every front end.
#pragma once

namespace perturb::pace_limits {

inline constexpr int max_steps = 1 << 20;                     // in one frame
inline constexpr double min_rate = 1.0 / 64, max_rate = 1e8;  // steps per second
inline constexpr double max_due_seconds = 0.25;               // longer pauses are not made up for

}  // namespace perturb::pace_limits
