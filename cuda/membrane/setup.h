// Initial values from a setup of the membrane: its parameters, its cover, and the memory that it needs.
#pragma once

#include "cuda/core/simulation/setup.h"
#include "cuda/membrane/model/cover.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

// Remedy if there is not enough memory.
constexpr const char* smaller = "Choose a lower level or degree.";

// Throws InputError if parameters are each in range but inconsistent.
void check_membrane_parameters(const Parameters& p);

// The grid of points at which files store the field. Throws InputError if there are too many.
GridSize membrane_samples(const Setup& setup);

// The cover after those of the setup's actions that change it. Throws InputError.
Cover cover_of(const Setup& setup, const Parameters& p);

}  // namespace perturb::membrane
