// In the place of the studies where there is nobody to run them: in a browser.
#include "cuda/fibers/fibers_studies.h"

namespace perturb {

std::vector<Study> fiber_studies() { return {}; }

}  // namespace perturb
