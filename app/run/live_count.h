// How many fibers the window and the page open a scene with: as many as this machine runs smoothly.
#pragma once

#include <functional>
#include <string>

#include "app/run/backends.h"
#include "app/run/run.h"

namespace perturb {

// Longest duration of a step, in seconds, that is called live. With 13 ms to paint it, 30 steps and images per second
// are shown: half of the pace of these scenes.
inline constexpr double live_step_seconds = 0.02;

// The largest count up to `wanted` of which a step takes at most `seconds`, rounded down to two digits; at least 1.
// `measure(count)`: duration of a step in seconds. It is called for a series of doubled counts, until the result is
// less than four times the count. The law of the cost is that each acts on each: the duration grows with the square of
// the count, or faster if the last two measurements say so.
int live_count(int wanted, double seconds, const std::function<double(int)>& measure);

// Reduces the width of a built-in scene with a `count` to the number that this machine runs smoothly. Measures steps of
// the scene with fewer, for about 0.1 s each time. A scene that cannot be measured is left as it is.
// Only for the window and the page: a run that has to be reproducible keeps the number of its preset. `kernel`: id or
// "auto". Throws Stopped.
void choose_live_count(const Backends& backends, Scene& scene, const std::string& kernel = "auto");

}  // namespace perturb
