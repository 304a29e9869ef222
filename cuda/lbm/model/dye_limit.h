#pragma once

#include <cstddef>

namespace perturb::lbm {

// Places that give off dye for as long as the flow runs.
constexpr std::size_t max_dye_sources = 32;

}  // namespace perturb::lbm
