// The cost of a frame besides its steps, for any simulation: the image of each quantity, and the measurements for
// curves and gauges.
#pragma once

#include "app/cli/bench_study.h"

namespace perturb {

// `perturb bench SIM --frame`: takes the named scene after one second of window time or of computing, and renders it
// with 1024 x 1024 pixels on CUDA, 512 x 512 on the CPU.
BenchStudy frame_study();

}  // namespace perturb
