// The step that lessons of tests begin with.
#pragma once

#include <string>

namespace perturb {

inline const std::string first_step = "[[step]]\ntitle = 'A'\ntext = 'B'\nscene = 'doppler'\n";

}  // namespace perturb
