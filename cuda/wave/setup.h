// Size, parameters and memory of the wave tank that a Setup requests.
#pragma once

#include <cstddef>

#include "cuda/core/simulation/setup.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

// Number of fields of the tank's size in a run, without walls and speed map: CPU kernels work in place.
constexpr int cpu_fields = 2, cuda_fields = 4;

// Cells per side; beyond it, single precision no longer resolves cell positions.
constexpr int largest_side = 65536;

inline bool is_periodic(Boundary b) { return b == Boundary::periodic; }
// Default boundary condition of the side opposite to one of this type: the same.
inline Boundary partner(Boundary b) { return b; }

// Throws InputError for a side that is not within 1 .. 65536 cells. A size of 0 in the setup means the default, 512.
GridSize wave_size_of(const Setup& setup);
// Throws InputError for a parameter out of range, and for periodic sides that do not come in pairs.
Parameters parameters_of(const Setup& setup);
// Whether its actions paint walls or a speed map.
bool uses_medium(const Setup& setup);
// Bytes of a tank that holds `fields` fields.
std::size_t wave_bytes_of(GridSize size, Precision precision, int fields);

}  // namespace perturb::wave
