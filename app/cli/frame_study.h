// What a frame costs besides its steps, for any simulation: the picture of each quantity, and the measuring behind
// curves and gauges.
#pragma once

#include "app/cli/bench_study.h"

namespace perturb {

// `perturb bench SIM --frame`: the scene that is named, as it is after a second of window time or of computing, painted
// into a picture of 1024 x 1024 pixels on CUDA, of 512 x 512 on the CPU.
BenchStudy frame_study();

}  // namespace perturb
