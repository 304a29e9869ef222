// In the place of the studies where there is nobody to run them: in a browser.
#include "cuda/lbm/lbm_studies.h"

namespace perturb {

std::vector<Study> lbm_studies() { return {}; }

}  // namespace perturb
