// In the place of the studies where there is nobody to run them: in a browser.
#include "cuda/membrane/membrane_studies.h"

namespace perturb {

std::vector<Study> membrane_studies() { return {}; }

}  // namespace perturb
