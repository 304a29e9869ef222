#include "cuda/membrane/membrane.h"
namespace perturb {
std::vector<Study> membrane_studies() { return {}; }
}  // namespace perturb
