// What a setup of the membrane begins with: its parameters, its cover, and the memory that it needs.
#pragma once

#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/start.h"
#include "cuda/membrane/model/cover.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

// The remedy where memory is short.
constexpr const char* smaller = "Choose a lower level or degree.";

// Throws InputError where parameters that are each in range do not fit together.
void check_membrane_parameters(const Parameters& p);

// The points at which files hold the field. Throws InputError where there are too many.
GridSize membrane_samples(const Setup& setup);

// The cover after those of the setup's actions that change it. Throws InputError.
Cover cover_of(const Setup& setup, const Parameters& p);

}  // namespace perturb::membrane
