#include "cuda/core/bench/study.h"

namespace perturb {

#define STUDIES(name)                  \
  namespace name {                     \
  std::vector<Study> name##_studies(); \
  }
#include "study_catalog.inc"
#undef STUDIES

std::vector<Study> studies_of(const std::string& simulation) {
#define STUDIES(name) \
  if (simulation == #name) return name::name##_studies();
#include "study_catalog.inc"
#undef STUDIES
  return {};
}

}  // namespace perturb
