// Lighter variants of scenes: the same physics with fewer cells, discs or steps. The window and the page open one where
// the full scene is too slow for the machine.
//
// The variants are in the preset (app/io/preset/presets.h). Each is a scene with a name of its own, so links, scripts
// and saved states of its runs name it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "app/run/backends.h"
#include "app/run/run.h"

namespace perturb {

// The scene on a grid whose cells are `factor` times as long, with steps that last `factor` times as long. Velocities
// in cells per step stay, so Reynolds number and Mach number stay too. Every parameter, number of an action and range
// of the view is converted by its unit. The speed of the window is that of the full scene, in fewer steps. Throws
// InputError if a side or the steps per frame are not divisible by the factor.
Scene coarser_scene(const Scene& full, int factor);

// Text of the reduction: "384 x 128 cells instead of 768 x 256", "Discs: 750 instead of 3000", or "12 longer steps per
// frame instead of 96".
Message change_between(const Scene& full, const Scene& lighter);
// One sentence for a lighter variant: what is less, and why it was opened. Empty for a full scene.
Message lighter_text(const Scene& scene);

// Seconds that a step takes, as the mean over 0.08 s or more after some first steps: a machine that computes only part
// of the time is slow, however short its fastest step is. The first steps, of 0.04 s, suffice if theirs take less than
// `surely_fast`. Throws Error and Stopped as a run does.
double seconds_of_step(Backend& backend, const Start& start, double surely_fast = 0);

// A scene of `work` per second of its pace, relative to the others, is fast enough if computing takes at most this
// fraction of the time: half of the pace then leaves 40 % of the time for painting, and in the page 60 %, because the
// browser composes its images on the same processors.
inline constexpr double max_load = 1.2, max_load_of_page = 0.8;

// The first of some variants that is fast enough, or the last one. `work`: of each variant, from the full scene to the
// lightest variant. `measure(k)`: seconds that variant k computes for one second at its pace. It is called for the
// lightest, and then only for variants whose duration cannot be estimated from the last measured one: a fast machine
// opens a scene without measuring the large ones, and a slow one never waits for the full scene.
std::size_t fast_enough(std::span<const double> work, const std::function<double(std::size_t)>& measure,
                        double limit = max_load);

// Replaces a built-in scene by its heaviest variant that this machine computes at half its pace, while it paints. Only
// for the window and the page: a run that has to be reproducible keeps its scene. Scenes whose name chooses a variant,
// races, scenes on a GPU and scenes that cannot be measured stay. `kernel`: id or "auto". Throws Stopped.
void choose_lighter(const Backends& backends, Scene& scene, const std::string& kernel = "auto",
                    double limit = max_load);

}  // namespace perturb
