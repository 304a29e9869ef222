// The studies that `perturb bench SIM --ID` runs: those of a simulation, and those of the program for any simulation.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/run/run.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/studies/study.h"

namespace perturb {

// Like Study (cuda/studies/study.h), for a scene with its view and pace: the cost of a frame depends on them.
struct BenchStudy {
  std::string id, summary;
  std::function<StudyResult(Backend& backend, const Scene& scene, const StudyProgress& progress)> run;
};

// In the order in which they are listed: the simulation's own studies first.
std::vector<BenchStudy> bench_studies(const SimulationInfo& info);

// `perturb bench SIM --frame`: the cost of a frame besides its steps, for any simulation: the image of each quantity,
// and the measurements for curves and gauges. Takes the named scene after one second of window time or of computing,
// and renders it with 1024 x 1024 pixels on CUDA, 512 x 512 on the CPU.
BenchStudy frame_study();

}  // namespace perturb
