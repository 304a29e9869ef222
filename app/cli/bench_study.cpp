#include "app/cli/bench_study.h"

#include "app/cli/frame_study.h"

namespace perturb {

std::vector<BenchStudy> bench_studies(const SimulationInfo& info) {
  std::vector<BenchStudy> all;
  for (const Study& study : info.studies)
    all.push_back({study.id, study.summary,
                   [run = study.run](Backend& backend, const Scene& scene, const StudyProgress& progress) {
                     return run(backend, scene.setup, progress);
                   }});
  all.push_back(frame_study());
  return all;
}

}  // namespace perturb
