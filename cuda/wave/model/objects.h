// The tank's objects (core/simulation/object.h): their numbers, handles and outlines.
#pragma once

#include "cuda/core/simulation/object.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/source.h"

namespace perturb::wave {

// An oscillator or a line source at this time.
SceneObject source_object(const Source& source, const Grid& tank, double time);

}  // namespace perturb::wave
