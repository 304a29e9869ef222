// What `perturb bench SIM --ID` runs: the studies of a simulation, and those of the program, which are for any.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/run/scene.h"
#include "cuda/core/bench/study.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// As Study (cuda/core/bench/study.h), of a scene with its view and its pace: what a frame costs depends on them.
struct BenchStudy {
  std::string id, summary;
  std::function<StudyResult(Backend& backend, const Scene& scene, const StudyProgress& progress)> run;
};

// In the order in which they are listed: the simulation's own first.
std::vector<BenchStudy> bench_studies(const SimulationInfo& info);

}  // namespace perturb
