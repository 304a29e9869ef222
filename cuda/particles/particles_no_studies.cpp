// In the place of the studies where there is nobody to run them: in a browser.
#include "cuda/particles/particles_studies.h"

namespace perturb {

std::vector<Study> particles_studies() { return {}; }

}  // namespace perturb
