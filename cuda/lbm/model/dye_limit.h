#pragma once

#include <cstddef>

namespace perturb::lbm {

// Largest number of permanent dye sources.
constexpr std::size_t max_dye_sources = 32;

}  // namespace perturb::lbm
