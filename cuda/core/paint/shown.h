// Entries of a simulation's tables by the words that users give, and what of the state a view shows.
#pragma once

#include <cstddef>
#include <string>

#include "cuda/core/simulation/simulation.h"

namespace perturb {

// The place of this quantity in info.quantities; the first for an empty word. Throws InputError that lists
// them or names the nearest.
std::size_t quantity_index(const SimulationInfo& info, const std::string& id);

// Whether what is shown has depth, so that it can be turned.
bool can_rotate(const SimulationInfo& info, const std::string& quantity);

// The place of this kernel in info.kernels. Throws InputError likewise; "auto" is for the simulation to decide before.
std::size_t kernel_index(const SimulationInfo& info, const std::string& id);

// A kernel by its place in info.kernels, and its place by what the simulation calls it; the latter throws Error where
// none is called so.
template <class Kernel>
Kernel kernel_of(const SimulationInfo& info, std::size_t place) {
  return static_cast<Kernel>(info.kernels[place].name.value);
}
std::size_t kernel_index_of(const SimulationInfo& info, KernelName name);

// The colours' ends: the view's own, or the quantity's where the view has none.
struct ShownRange {
  double low, high;
};
ShownRange shown_range(const ViewSettings& view, const Quantity& quantity);

}  // namespace perturb
