// In the place of the studies where there is nobody to run them: in a browser.
#include "cuda/wave/wave_studies.h"

namespace perturb {

std::vector<Study> wave_studies() { return {}; }

}  // namespace perturb
