// The calendar.
#pragma once

#include <string>

namespace perturb {

// The local date: "2026-11-30".
std::string today();

}  // namespace perturb
