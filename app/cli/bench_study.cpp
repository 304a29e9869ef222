#include "app/cli/bench_study.h"

#include "app/cli/frame_study.h"
#include "cuda/core/bench/study_catalog.h"

namespace perturb {

std::vector<BenchStudy> bench_studies(const SimulationInfo& info) {
  std::vector<BenchStudy> all;
  for (const Study& study : studies_of(info.id))
    all.push_back({study.id, study.summary,
                   [run = study.run](Backend& backend, const Scene& scene, const StudyProgress& progress) {
                     return run(backend, scene.setup, progress);
                   }});
  all.push_back(frame_study());
  return all;
}

}  // namespace perturb
