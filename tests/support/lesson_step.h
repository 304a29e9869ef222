// The first step of lessons in tests.
#pragma once

#include <string>

namespace perturb {

inline const std::string first_step = "[[step]]\ntitle = 'A'\ntext = 'B'\nscene = 'doppler'\n";

}  // namespace perturb
