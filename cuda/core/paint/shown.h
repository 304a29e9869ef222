// Lookup in a simulation's tables by id, and the range that a view shows.
#pragma once

#include <cstddef>
#include <string>

#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Index of this quantity in info.quantities; 0 for an empty id. Throws InputError that lists them or names the nearest.
std::size_t quantity_index(const SimulationInfo& info, const std::string& id);

// Whether this quantity is shown in 3-D, so that the view can be rotated.
bool can_rotate(const SimulationInfo& info, const std::string& quantity);

// Index of this kernel in info.kernels. Throws InputError in the same way; the simulation must resolve "auto" first.
std::size_t kernel_index(const SimulationInfo& info, const std::string& id);

// A kernel by its index in info.kernels, and its index by the simulation's enum; the latter throws Error if there is no
// such kernel.
template <class Kernel>
Kernel kernel_of(const SimulationInfo& info, std::size_t place) {
  return static_cast<Kernel>(info.kernels[place].name.value);
}
std::size_t kernel_index_of(const SimulationInfo& info, KernelName name);

// The ends of the colour range: the view's own, or the quantity's if the view has none.
struct ShownRange {
  double low, high;
};
ShownRange shown_range(const ViewSettings& view, const Quantity& quantity);

}  // namespace perturb
